import { Input } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useId, useRef, type KeyboardEvent } from 'react'
import { InstagramUsername } from '#contract/platforms/instagram.ts'
import { joinNames, namesIn, splitNames } from './names.ts'
import classes from './instagram.module.css'

type Props = {
  label: string
  /** As it was typed, so that a name that is not complete is kept too. */
  value: string
  onChange: (value: string) => void
  max: number
  help: string
  error: string | null
  disabled: boolean
}

/** People by username. A space, a comma, Enter or Tab completes a name; one that is being typed counts too. */
export function NamesField({ label, value, onChange, max, help, error, disabled }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { complete, rest } = splitNames(value)
  const count = namesIn(value).length
  const finish = () => {
    if (rest !== '') onChange(joinNames(namesIn(value)))
  }
  const remove = (removed: string) => {
    onChange(
      joinNames(
        complete.filter((name) => name !== removed),
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
    if (event.key === 'Backspace' && rest === '') onChange(joinNames(complete.slice(0, -1)))
  }
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={error === null && `${count === 0 ? `Up to ${max}` : `${count} of ${max}`}. ${help}`}
      error={error}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div className={classes.box} data-error={error !== null || undefined}>
        {complete.map((name) => (
          <span className={classes.name} data-error={!isUsername(name) || undefined} key={name.toLowerCase()}>
            @{name}
            <button
              type="button"
              aria-label={`Remove @${name} from ${label}`}
              disabled={disabled}
              onClick={() => remove(name)}
            >
              <IconX size={14} stroke={2} aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          value={rest}
          placeholder={count < max ? 'Add' : ''}
          onChange={(event) => onChange(joinNames(complete, event.currentTarget.value))}
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

const isUsername = (name: string): boolean => InstagramUsername.safeParse(name).success
