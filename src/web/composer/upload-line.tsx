import { Button, Group, Progress as Bar, Stack, Text } from '@mantine/core'
import { IconCheck, IconPlayerPause, IconUpload, IconWifiOff } from '@tabler/icons-react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { formatSentBytes, percent, formatDuration } from '#web/lib/amounts.ts'
import { isCancellable, uploadNote, pauseAction, pauseText } from '#web/videos/running-text.ts'
import { reasonOf } from '#web/api/problem-reason.ts'
import { retryForPost } from '#web/videos/upload-video.ts'
import type { RunningUpload, Upload, UploadPhase } from '#web/videos/uploads.ts'
import classes from './video.module.css'

type Props = { upload: Upload<Video> | null; isStored: boolean }

/** How far the upload is, or what became of it. */
export function UploadLine({ upload, isStored }: Props) {
  if (isStored)
    return (
      <Group component="p" gap="0.375rem" fz="xs" lh="xs" fw={600} c="var(--r-published)">
        <IconCheck {...ICON} /> <output>Uploaded</output>
      </Group>
    )
  if (upload?.state.kind === 'uploading') return <Running upload={upload.state} />
  if (upload?.state.kind !== 'failed')
    return (
      <Text c="dimmed" size="xs">
        {upload?.state.kind === 'pending' ? 'Waits for the other uploads' : 'Reading the video …'}
      </Text>
    )
  return (
    <InlineAlert
      actions={
        <Button size="xs" variant="default" onClick={() => void retryForPost(upload)}>
          Try again
        </Button>
      }
    >
      <strong>The video is not uploaded.</strong> {reasonOf(upload.state.error) ?? TEXTS.unknownError}
    </InlineAlert>
  )
}

type RunningProps = { upload: RunningUpload }

function Running({ upload }: RunningProps) {
  const { progress, phase } = upload
  const { sent, total, leftS } = progress
  const figures = [
    formatSentBytes(sent, total),
    leftS !== null && sent < total && `${formatDuration(leftS)} left`,
  ]
  const note = uploadNote(upload)
  const pause = pauseAction(upload)
  return (
    <Stack gap="0.375rem">
      <Group gap="0 0.75rem" fz="xs" lh="1.5rem">
        <Group component="span" gap="0.375rem" wrap="nowrap" fw={600} c={PHASE_COLORS[phase]}>
          <PhaseIcon phase={phase} /> {wordOf(upload)}
        </Group>
        <span className={classes.sent}>{figures.filter((part) => part !== false).join(' · ')}</span>
        <span className={classes.controls}>
          {pause !== null && (
            <Button variant="subtle" color="accent" size="compact-sm" onClick={pause.act}>
              {pause.label}
            </Button>
          )}
          {isCancellable(upload) && (
            <Button variant="subtle" color="accent" size="compact-sm" onClick={() => void upload.cancel()}>
              Cancel
            </Button>
          )}
        </span>
      </Group>
      <Bar
        value={percent(sent, total)}
        aria-label="Upload"
        color={phase === 'sending' ? 'var(--r-working)' : 'var(--r-muted)'}
        size={4}
        radius="xl"
      />
      {note !== null && (
        <Text component="output" c="dimmed" size="xs">
          {note}
        </Text>
      )}
    </Stack>
  )
}

const PHASE_COLORS: Record<UploadPhase, string> = {
  sending: 'var(--r-working)',
  cancelling: 'var(--r-working)',
  waiting: 'var(--r-attention)',
  paused: 'var(--r-muted)',
  elsewhere: 'var(--r-muted)',
}

function PhaseIcon({ phase }: { phase: UploadPhase }) {
  switch (phase) {
    case 'waiting':
      return <IconWifiOff {...ICON} />
    case 'paused':
      return <IconPlayerPause {...ICON} />
    case 'sending':
    case 'elsewhere':
    case 'cancelling':
      return <IconUpload {...ICON} />
  }
}

/** All bytes sent is not yet arrived. */
function wordOf({ progress: { sent, total }, phase, note }: RunningUpload): string {
  const instead = pauseText({ phase, note })
  if (instead !== null) return phase === 'paused' ? `Paused at ${percent(sent, total)}%` : instead
  return sent < total ? `Uploading ${percent(sent, total)}%` : 'Sent. The server is checking the video …'
}
