import { Button, Progress as Bar } from '@mantine/core'
import { IconCheck, IconUpload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { ICON } from '#web/components/display/icons.tsx'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { formatBytesOf, percent, formatDuration } from '#web/lib/format/amounts.ts'
import type { Phase, Progress } from '#web/video/upload/active-uploads.ts'
import { reasonOf } from '#web/video/upload/upload-error.ts'
import type { UploadState } from '#web/video/upload/upload-file.ts'
import classes from './video-block.module.css'

type Props = { state: UploadState<Video>; isStored: boolean; onRetry: () => void }

/** How far the upload is, or what became of it. */
export function UploadLine({ state, isStored, onRetry }: Props) {
  if (isStored)
    return (
      <p className={classes.stored}>
        <IconCheck {...ICON} /> <output>Uploaded</output>
      </p>
    )
  switch (state.kind) {
    case 'uploading':
      return <Running progress={state.progress} phase={state.phase} onCancel={state.cancel} />
    case 'failed':
      return (
        <InlineAlert
          actions={
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          }
        >
          {FAILED[state.arrival](reasonOf(state.error) ?? TEXTS.unknownError)}
        </InlineAlert>
      )
    case 'idle':
    case 'done':
    case 'cancelled':
      return <p className={classes.muted}>Reading the video …</p>
  }
}

const FAILED: Record<'refused' | 'interrupted' | 'unknown', (reason: string) => ReactNode> = {
  refused: (reason) => (
    <>
      <strong>The video is not uploaded.</strong> {reason}
    </>
  ),
  interrupted: () => (
    <>
      <strong>The upload was interrupted.</strong> Nothing was stored. Check your connection and try again.
    </>
  ),
  unknown: () => (
    <>
      <strong>The server didn't answer.</strong> The video may have arrived: trying again looks for it first,
      so that it isn't stored twice.
    </>
  ),
}

type RunningProps = { progress: Progress; phase: Phase; onCancel: () => void }

function Running({ progress, phase, onCancel }: RunningProps) {
  const { sent, total, leftS } = progress
  const figures = [
    formatBytesOf(sent, total),
    leftS !== null && sent < total && `${formatDuration(leftS)} left`,
  ]
  return (
    <div className={classes.running}>
      <div className={classes.figures}>
        <span className={classes.working}>
          <IconUpload {...ICON} /> {wordOf(progress, phase)}
        </span>
        <span className={classes.sent}>{figures.filter((part) => part !== false).join(' · ')}</span>
        {phase === 'sending' && (
          <Button className={classes.cancel ?? ''} variant="subtle" size="compact-sm" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      <Bar value={percent(sent, total)} aria-label="Upload" color="var(--r-working)" size={4} radius="xl" />
    </div>
  )
}

/** All bytes sent is not yet arrived. */
function wordOf({ sent, total }: Progress, phase: Phase): string {
  switch (phase) {
    case 'cancelling':
      return 'Cancelling …'
    case 'checking':
      return 'The connection was lost. Checking what arrived …'
    case 'sending':
      return sent < total ? `Uploading ${percent(sent, total)}%` : 'Sent. The server is checking the video …'
  }
}
