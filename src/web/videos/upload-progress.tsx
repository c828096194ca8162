import { ActionIcon, Button, Group, Stack, Progress as Bar } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { percent } from '#web/lib/amounts.ts'
import { ICON } from '#web/ui/icons.tsx'
import type { RunningUpload } from './uploads.ts'
import { progressText, isCancellable, uploadNote, pauseAction } from './running-text.ts'

type Props = { upload: RunningUpload; filename?: string }

/** `filename` tells screen readers several listed uploads apart. */
export function UploadProgress({ upload, filename }: Props) {
  const { sent, total } = upload.progress
  const of = filename === undefined ? '' : ` of ${filename}`
  const note = uploadNote(upload)
  const pause = pauseAction(upload)
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap="0.375rem" flex={1} miw={0} mr="0.25rem" pt="0.375rem" c="dimmed" fz="xs">
        <Bar
          value={percent(sent, total)}
          aria-label={`Upload${of}`}
          color={upload.phase === 'sending' ? 'var(--r-working)' : 'var(--r-muted)'}
          size={4}
        />
        <span>{progressText(upload)}</span>
        {note !== null && <output>{note}</output>}
      </Stack>
      {pause !== null && (
        <ActionIcon
          variant="default"
          size={36}
          aria-label={`${pause.label} the upload${of}`}
          onClick={pause.act}
        >
          {pause.isPaused ? <IconPlayerPlay {...ICON} /> : <IconPlayerPause {...ICON} />}
        </ActionIcon>
      )}
      {isCancellable(upload) && (
        <Button
          variant="default"
          px="sm"
          onClick={() => void upload.cancel()}
          {...(filename !== undefined && { 'aria-label': `Cancel the upload of ${filename}` })}
        >
          Cancel
        </Button>
      )}
    </Group>
  )
}
