import { Input } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useId, useRef, type KeyboardEvent } from 'react'
import classes from './kit.module.css'

/** How the typed text is read as words, and written again. */
export type Chips = {
  /** All words, also the one that is being typed. */
  readonly all: (typed: string) => string[]
  /** The words that are complete, and what is being typed after them. */
  readonly split: (typed: string) => { readonly complete: readonly string[]; readonly rest: string }
  readonly join: (complete: readonly string[], rest?: string) => string
  /** Stands before each word: "@". */
  readonly prefix: string
  readonly isValid: (word: string) => boolean
}

type Props = {
  label: string
  chips: Chips
  /** As it was typed, so that a word that is not complete is kept too. */
  value: string
  onChange: (value: string) => void
  help: string
  error: string | null
  /** No more can be added. */
  isFull: boolean
  disabled: boolean
}

/** Several words in one field. A separator, Enter or Tab completes a word; one that is being typed counts too. */
export function ChipsField({ label, chips, value, onChange, help, error, isFull, disabled }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { all, split, join, prefix, isValid } = chips
  const { complete, rest } = split(value)
  const finish = () => {
    if (rest !== '') onChange(join(all(value)))
  }
  const remove = (removed: string) => {
    onChange(
      join(
        complete.filter((word) => word !== removed),
        rest,
      ),
    )
    input.current?.focus()
  }
  const press = (event: KeyboardEvent) => {
    // Not when a click leaves the field: what moves under the pointer then misses its click.
    if (event.key === 'Tab') finish()
    if (event.key === 'Enter' && rest !== '' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      finish()
    }
    if (event.key === 'Backspace' && rest === '') onChange(join(complete.slice(0, -1)))
  }
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={error === null && help}
      error={error}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div className={classes.chips} data-error={error !== null || undefined}>
        {complete.map((word) => (
          <span className={classes.chip} data-error={!isValid(word) || undefined} key={word.toLowerCase()}>
            {prefix}
            {word}
            <button
              type="button"
              aria-label={`Remove ${prefix}${word} from ${label}`}
              disabled={disabled}
              onClick={() => remove(word)}
            >
              <IconX size={14} stroke={2} aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          value={rest}
          placeholder={isFull ? '' : 'Add'}
          onChange={(event) => onChange(join(complete, event.currentTarget.value))}
          onKeyDown={press}
          aria-invalid={error !== null}
          aria-describedby={`${id}-${error === null ? 'description' : 'error'}`}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
        />
      </div>
    </Input.Wrapper>
  )
}
