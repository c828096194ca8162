import { Button, Group, Text, TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { forbiddenIn, titleProblem, withoutForbidden, withPlainMarks } from './brand-title.ts'

type Saving = {
  readonly isPending: boolean
  mutate: (title: string, then: { onError: () => void }) => void
  reset: () => void
}

/** A brand name being typed. It is checked before it is saved; where it is refused, the field takes the focus. */
export function useBrandName(initial: string, save: Saving) {
  const [title, setTitle] = useState(initial)
  const [error, setError] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const focusField = () => input.current?.focus()
  const onTitle = (next: string) => {
    setTitle(next)
    setError(null)
    save.reset()
  }
  const submit = () => {
    if (save.isPending) return
    const plain = withPlainMarks(title)
    const problem = titleProblem(plain)
    setTitle(plain)
    setError(problem)
    if (problem === null) save.mutate(plain, { onError: focusField })
    else focusField()
  }
  return { field: { ref: input, title, error, onTitle }, submit }
}

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  title: string
  onTitle: (title: string) => void
}

/** With a name that was refused it says which characters are, and offers the name without them. */
export function BrandNameField({ title, onTitle, ...input }: Props) {
  const forbidden = input.error ? forbiddenIn(title) : []
  const proposed = withoutForbidden(title)
  return (
    <div>
      <TextInput
        {...input}
        autoComplete="off"
        value={title}
        onChange={(event) => onTitle(event.currentTarget.value)}
      />
      {forbidden.length > 0 && (
        <Group gap="xs" mt={4}>
          <Text size="xs">Not allowed: {forbidden.join(' ')}</Text>
          {proposed !== '' && (
            <Button size="compact-xs" variant="default" onClick={() => onTitle(proposed)}>
              Use “{proposed}”
            </Button>
          )}
        </Group>
      )}
    </div>
  )
}
