import { Box, Button, Stack, Text } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { dayAndTime } from '#web/lib/moments.ts'
import { accountsWord } from './when.ts'
import classes from './composer.module.css'

type Props = {
  mine: DraftContent
  /** Null: it was published or deleted. */
  theirs: Draft | null
  zone: string
  onKeepMine: () => void
  onTakeTheirs: (theirs: Draft) => void
  /** Goes on with what is here under a new id. */
  onSaveAsNew: () => void
  queue: ReactNode
}

/** Another tab has saved, published or deleted this draft: shows both versions, and lets the user choose. */
export function Conflict({ mine, theirs, zone, onKeepMine, onTakeTheirs, onSaveAsNew, queue }: Props) {
  if (theirs === null)
    return (
      <InlineAlert
        tone="attention"
        title="This draft was published or deleted elsewhere."
        actions={
          <>
            <Button size="xs" variant="default" onClick={onSaveAsNew}>
              Keep as a new draft
            </Button>
            {queue}
          </>
        }
      >
        What you see here is not saved.
      </InlineAlert>
    )
  return (
    <InlineAlert tone="attention" title="This draft was changed in another tab.">
      Choose which version to keep.
      <div className={classes.versions}>
        <Version
          title="This tab"
          content={mine}
          about="Not saved"
          action={
            <Button size="xs" variant="default" onClick={onKeepMine}>
              Keep this tab's version
            </Button>
          }
        />
        <Version
          title="The other tab"
          content={theirs.content}
          about={`Saved ${dayAndTime(theirs.updated_at, zone)}`}
          action={
            <Button size="xs" variant="default" onClick={() => onTakeTheirs(theirs)}>
              Use the other version
            </Button>
          }
        />
      </div>
    </InlineAlert>
  )
}

type VersionProps = { title: string; content: DraftContent; about: string; action: ReactNode }

function Version({ title, content, about, action }: VersionProps) {
  const id = useId()
  const own = content.targets.filter(({ text }) => text !== null).length
  return (
    <Stack
      component="section"
      align="start"
      gap="0.375rem"
      className={classes.version ?? ''}
      aria-labelledby={id}
    >
      <Box component="h3" id={id} fz="xs" fw={700}>
        {title}
      </Box>
      <p className={classes.text} dir="auto">
        {content.text === '' ? 'No caption' : content.text}
      </p>
      <Text c="dimmed" size="xs">
        {[
          about,
          accountsWord(content.targets.length),
          own > 0 && `${own} with a custom caption`,
          content.video_id === null && 'no video',
        ]
          .filter((part) => part !== false)
          .join(' · ')}
      </Text>
      {action}
    </Stack>
  )
}
