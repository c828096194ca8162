import { Button, Progress as Bar } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatBytesOf, percent, formatDuration } from '#web/lib/format/amounts.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import type { Phase, Progress } from './active-uploads.ts'
import type { UploadState } from './upload-file.ts'
import type { OutcomeTexts } from './use-upload.ts'
import classes from './upload-status.module.css'

type Props<T> = {
  state: UploadState<T>
  texts: OutcomeTexts
  /** Where to look next. */
  next?: ReactNode
  /** What is known of the result, beside the success text. */
  about?: (reply: T) => ReactNode
  /** What is certain after an interruption, such as "nothing was posted". */
  interrupted: string
  /** Advice where no response came, so that the server may have acted. */
  unanswered: ReactNode
}

/** The progress of an upload, then its outcome; only the outcome's text is an alert. */
export function UploadStatus<T>({ state, texts, next, about, interrupted, unanswered }: Props<T>) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'uploading':
      return <UploadProgress progress={state.progress} phase={state.phase} onCancel={state.cancel} />
    case 'cancelled':
      return (
        <InlineAlert
          tone={state.publishesNothing ? 'note' : 'attention'}
          live={false}
          actions={state.publishesNothing ? undefined : next}
        >
          <span role="alert">{state.message}</span>
        </InlineAlert>
      )
    case 'done':
      return (
        <InlineAlert tone={state.otherOutcome === null ? 'note' : 'attention'} live={false} actions={next}>
          <strong role="alert">{state.otherOutcome ?? texts.success}</strong> {about?.(state.reply)}
        </InlineAlert>
      )
    case 'failed':
      return (
        <InlineAlert live={false}>
          <strong role="alert">{texts.failure(state.error)}</strong>
          {state.arrival === 'interrupted' && (
            <p className={classes.hint}>
              The upload was interrupted; {interrupted}. Check your connection and try again.
            </p>
          )}
          {state.arrival === 'unknown' && (
            <p className={classes.hint}>The server didn't answer, so it may have arrived. {unanswered}</p>
          )}
        </InlineAlert>
      )
  }
}

type ProgressProps = { progress: Progress; phase: Phase; onCancel: () => void; filename?: string }

/** Percent, bytes and time left. `filename`: for screen readers, where several uploads may be listed. */
export function UploadProgress({ progress, phase, onCancel, filename }: ProgressProps) {
  const { sent, total } = progress
  return (
    <div className={classes.progress}>
      <div className={classes.bar}>
        <Bar
          value={percent(sent, total)}
          aria-label={filename === undefined ? 'Upload' : `Upload of ${filename}`}
          color="var(--r-working)"
          size={4}
        />
        <span className={classes.figures}>{phase === 'sending' ? figuresOf(progress) : PHASES[phase]}</span>
      </div>
      {phase === 'sending' && (
        <Button
          variant="default"
          onClick={onCancel}
          {...(filename !== undefined && { 'aria-label': `Cancel the upload of ${filename}` })}
        >
          Cancel
        </Button>
      )}
    </div>
  )
}

const PHASES = {
  cancelling: 'Cancelling …',
  checking: 'The connection was lost. Checking what the server received …',
} as const

const figuresOf = ({ sent, total, leftS }: Progress): string =>
  sent >= total
    ? 'Uploaded. Checking the video …'
    : [
        `${percent(sent, total)} %`,
        formatBytesOf(sent, total),
        leftS !== null && `${formatDuration(leftS)} left`,
      ]
        .filter((part) => part !== false)
        .join(' · ')
