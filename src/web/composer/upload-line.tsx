import { Button, Progress as Bar, Stack } from '@mantine/core'
import { IconCheck, IconPlayerPause, IconUpload, IconWifiOff } from '@tabler/icons-react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { formatBytesOf, percent, formatDuration } from '#web/lib/amounts.ts'
import { isCancellable, noteOf, pauseAction, pauseText } from '#web/videos/running-text.ts'
import { reasonOf } from '#web/videos/upload-error.ts'
import { retryForPost } from '#web/videos/upload-video.ts'
import type { RunningUpload, Upload, UploadPhase } from '#web/videos/uploads.ts'
import classes from './video-block.module.css'

type Props = { upload: Upload<Video> | null; isStored: boolean }

/** How far the upload is, or what became of it. */
export function UploadLine({ upload, isStored }: Props) {
  if (isStored)
    return (
      <p className={classes.stored}>
        <IconCheck {...ICON} /> <output>Uploaded</output>
      </p>
    )
  if (upload?.state.kind === 'uploading') return <Running upload={upload.state} />
  if (upload?.state.kind !== 'failed') return <p className={classes.muted}>Reading the video …</p>
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
    formatBytesOf(sent, total),
    leftS !== null && sent < total && `${formatDuration(leftS)} left`,
  ]
  const note = noteOf(upload)
  const pause = pauseAction(upload)
  return (
    <Stack gap="0.375rem">
      <div className={classes.figures}>
        <span className={classes.working} data-phase={phase}>
          <PhaseIcon phase={phase} /> {wordOf(upload)}
        </span>
        <span className={classes.sent}>{figures.filter((part) => part !== false).join(' · ')}</span>
        <span className={classes.controls}>
          {pause !== null && (
            <Button variant="subtle" size="compact-sm" onClick={pause.act}>
              {pause.label}
            </Button>
          )}
          {isCancellable(upload) && (
            <Button variant="subtle" size="compact-sm" onClick={() => void upload.cancel()}>
              Cancel
            </Button>
          )}
        </span>
      </div>
      <Bar
        value={percent(sent, total)}
        aria-label="Upload"
        color={phase === 'sending' ? 'var(--r-working)' : 'var(--r-muted)'}
        size={4}
        radius="xl"
      />
      {note !== null && <output className={classes.muted}>{note}</output>}
    </Stack>
  )
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
