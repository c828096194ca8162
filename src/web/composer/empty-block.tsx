import { Button, Group, Stack, Text } from '@mantine/core'
import { IconMovie } from '@tabler/icons-react'
import { useId, useState, type DragEvent } from 'react'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { UnfinishedUploads } from '#web/videos/unfinished-uploads.tsx'
import classes from './video.module.css'

type Props = {
  onOpen: () => void
  onFiles: (files: readonly File[]) => void
  onLibrary: () => void
  disabled: boolean
  /** Asks for a video; null: nothing was asked yet. */
  missing: string | null
  /** Why the file was refused. */
  error: string | null
  /** The id of the upload of this post. */
  place: string
  /** Says how the cancelled upload ended. */
  note: string | null
}

/** Takes dropped files, or opens the file dialog or the library. */
export function EmptyBlock({ onOpen, onFiles, onLibrary, disabled, missing, error, place, note }: Props) {
  const belowId = useId()
  const wrong = error !== null || missing !== null
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (files.length > 0 && !disabled) onFiles(files)
  }
  return (
    <Stack
      align="center"
      gap="sm"
      px="md"
      py="2rem"
      ta="center"
      className={classes.drop ?? ''}
      data-over={over || undefined}
      data-error={wrong || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconMovie {...ICON} size={28} color="var(--r-muted)" />
      <Group align="stretch" justify="center" gap="xs">
        <Button onClick={onOpen} disabled={disabled} aria-describedby={belowId} variant="light">
          Choose a video
        </Button>
        <Button onClick={onLibrary} disabled={disabled} variant="default">
          Choose from library
        </Button>
      </Group>
      <Text id={belowId} size="xs" c={wrong ? 'var(--r-failed)' : 'dimmed'}>
        {error !== null && <span role="alert">{error}</span>}
        {error === null && (
          <span>
            {missing ??
              'Or drop it here, or several to plan them together. Up to 4 GB; the upload starts at once.'}
          </span>
        )}
      </Text>
      <UnfinishedUploads onChoose={onOpen} place={place} />
      {note !== null && <InlineAlert tone="note">{note}</InlineAlert>}
    </Stack>
  )
}
