import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './ui.module.css'

type Props = {
  text: string
  /** Above the text. Default: a page without content. */
  drawing?: ReactNode
  action?: ReactNode
  /** Inside a titled card, which has its own padding. */
  inCard?: boolean
}

/** A drawing and a sentence in the place of what is missing. In the first file, because every page may have to show an error. */
export function DrawnMessage({ text, drawing = NOTHING, action, inCard = false }: Props) {
  return (
    <Stack align="center" ta="center" {...(!inCard && { px: 'md', py: '3rem' })}>
      <svg viewBox="0 0 160 96" width="160" height="96" aria-hidden="true">
        {drawing}
      </svg>
      <Text c="dimmed" maw="28rem">
        {text}
      </Text>
      {action}
    </Stack>
  )
}

const NOTHING = (
  <>
    <rect x="36" y="22" width="88" height="56" rx="8" className={classes.line} />
    <path d="M36 38h88" className={classes.line} />
    <path d="M70 50v18l16-9Z" className={classes.accent} />
  </>
)
