import { ActionIcon, Button, Progress as Bar } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { percent } from '#web/lib/format/amounts.ts'
import { ICON } from '#web/components/display/icons.tsx'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import type { RunningUpload } from './active-uploads.ts'
import { figuresOf, isCancellable, noteOf, pauseAction } from './running-text.ts'
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
      return <UploadProgress upload={state} onCancel={() => void state.cancel()} />
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
              {`The upload was interrupted; ${interrupted}. Check your connection and try again. If large files break off each time, use New post: it uploads in parts.`}
            </p>
          )}
          {state.arrival === 'unknown' && (
            <p className={classes.hint}>The server didn't answer, so it may have arrived. {unanswered}</p>
          )}
        </InlineAlert>
      )
  }
}

type ProgressProps = { upload: RunningUpload; onCancel: () => void; filename?: string }

/** How far an upload is, or what it waits for. `filename`: for screen readers, where several uploads may be listed. */
export function UploadProgress({ upload, onCancel, filename }: ProgressProps) {
  const { sent, total } = upload.progress
  const of = filename === undefined ? '' : ` of ${filename}`
  const note = noteOf(upload)
  const pause = pauseAction(upload)
  return (
    <div className={classes.progress}>
      <div className={classes.bar}>
        <Bar
          value={percent(sent, total)}
          aria-label={`Upload${of}`}
          color={upload.phase === 'sending' ? 'var(--r-working)' : 'var(--r-muted)'}
          size={4}
        />
        <span className={classes.figures}>{figuresOf(upload)}</span>
        {note !== null && <output className={classes.figures}>{note}</output>}
      </div>
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
          onClick={onCancel}
          {...(filename !== undefined && { 'aria-label': `Cancel the upload of ${filename}` })}
        >
          Cancel
        </Button>
      )}
    </div>
  )
}
