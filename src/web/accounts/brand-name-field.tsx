import { Button, Group, Text, TextInput, type TextInputProps } from '@mantine/core'
import { forbiddenIn, withoutForbidden } from './brand-title.ts'

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
