import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  text: string
  action?: ReactNode
  /** Inside a titled card, which has its own padding. */
  inCard?: boolean
}

/** One sentence and one button in the place of what is missing. */
export const CenteredMessage = ({ text, action, inCard = false }: Props) => (
  <Stack align="center" ta="center" {...(!inCard && { px: 'md', py: '3rem' })}>
    <Text c="dimmed" maw="28rem">
      {text}
    </Text>
    {action}
  </Stack>
)
