import { Button, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { ICON } from './icons.tsx'

type Props = {
  text: string
  /** Screen readers tell several copy buttons of a page apart by it. */
  what?: string
}

export function CopyButton({ text, what }: Props) {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'refused'>('none')
  const Icon = outcome === 'copied' ? IconCheck : IconCopy
  const copy = async () => {
    // `clipboard` is undefined without TLS, and the browser may refuse.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setOutcome(done ? 'copied' : 'refused')
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon {...ICON} size={16} />}
      onClick={() => void copy()}
      aria-live="polite"
    >
      {WORDS[outcome]}
      {what !== undefined && <VisuallyHidden>&nbsp;{what}</VisuallyHidden>}
    </Button>
  )
}

const WORDS = { none: 'Copy', copied: 'Copied', refused: "Couldn't copy: select the text" } as const
