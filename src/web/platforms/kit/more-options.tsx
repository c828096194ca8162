import { Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import classes from './kit.module.css'

type Props = {
  /** How many of them are set. */
  set: number
  isInvalid: boolean
  children: ReactNode
}

/** Options that few posts need: closed until one of them is set. */
export function MoreOptions({ set, isInvalid, children }: Props) {
  const [isOpen, setIsOpen] = useState(set > 0)
  return (
    <details
      className={`${classes.below} ${classes.more}`}
      // A field with an error can be focused only while it is shown.
      open={isOpen || isInvalid}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary
        onClick={(event) => {
          // The browser would also close it over an error.
          event.preventDefault()
          if (!isInvalid) setIsOpen(!isOpen)
        }}
      >
        More options
        {set > 0 && (
          <Text span inherit ml="xs" fw={400} c="dimmed">
            {set} set
          </Text>
        )}
      </summary>
      <Stack gap="0.875rem" pt="sm">
        {children}
      </Stack>
    </details>
  )
}
