import { Button, Progress as Bar } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { bytesOf, percent, span } from '#web/lib/format/amounts.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import type { Sending } from './carry.ts'
import type { Words } from './sending.ts'
import type { Phase, Progress } from './uploads.ts'
import classes from './send-state.module.css'

type Props<T> = {
  state: Sending<T>
  words: Words
  /** Where to look now. */
  next?: ReactNode
  /** Beside the words of success: what is known now. */
  about?: (reply: T) => ReactNode
  /** What is certain where it broke off on its way, such as "nothing was posted". */
  interrupted: string
  /** What to say where no answer came, so that nobody knows whether the server acted. */
  unanswered: ReactNode
}

/** Where what was just accepted shows its outcome. */
export const SeeInQueue = () => (
  <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
    See it in the queue
  </Button>
)

/** A post's key makes sure of this; see `submission-key.ts`. */
export const PostsOnce = () => (
  <>
    Look in the <Link to={PATHS.queue}>queue</Link>, or send the same again: it cannot be posted twice.
  </>
)

/** How far an upload is, and in place what became of it: the words alone are the alert. */
export function SendState<T>({ state, words, next, about, interrupted, unanswered }: Props<T>) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'sending':
      return <Underway progress={state.progress} phase={state.phase} onStop={state.stop} />
    case 'stopped':
      return (
        <InlineAlert
          tone={state.isGone ? 'note' : 'attention'}
          live={false}
          actions={state.isGone ? undefined : next}
        >
          <span role="alert">{state.what}</span>
        </InlineAlert>
      )
    case 'done':
      return (
        <InlineAlert tone={state.instead === null ? 'note' : 'attention'} live={false} actions={next}>
          <strong role="alert">{state.instead ?? words.success}</strong> {about?.(state.reply)}
        </InlineAlert>
      )
    case 'failed':
      return (
        <InlineAlert live={false}>
          <strong role="alert">{words.failure(state.error)}</strong>
          {state.arrival === 'interrupted' && (
            <p className={classes.hint}>
              The upload was interrupted; {interrupted}. Check your connection, then send it again.
            </p>
          )}
          {state.arrival === 'unknown' && (
            <p className={classes.hint}>No answer came, so it may have arrived. {unanswered}</p>
          )}
        </InlineAlert>
      )
  }
}

type Going = { progress: Progress; phase: Phase; onStop: () => void; of?: string }

/** Percent, bytes, time left, and the way to stop it. `of`: the file, where more than one may be on its way. */
export function Underway({ progress, phase, onStop, of }: Going) {
  const { sent, total } = progress
  return (
    <div className={classes.underway}>
      <div className={classes.bar}>
        <Bar
          value={percent(sent, total)}
          aria-label={of === undefined ? 'Upload' : `Upload of ${of}`}
          color="var(--r-working)"
          size={4}
        />
        <span className={classes.figures}>{phase === 'sending' ? figuresOf(progress) : PHASES[phase]}</span>
      </div>
      {phase === 'sending' && (
        <Button
          variant="default"
          onClick={onStop}
          {...(of !== undefined && { 'aria-label': `Cancel the upload of ${of}` })}
        >
          Cancel
        </Button>
      )}
    </div>
  )
}

const PHASES = {
  cancelling: 'Cancelling …',
  checking: 'The connection was lost. Asking the server what it has …',
} as const

const figuresOf = ({ sent, total, leftS }: Progress): string =>
  sent >= total
    ? 'Uploaded. The server is checking the video …'
    : [`${percent(sent, total)} %`, bytesOf(sent, total), leftS !== null && `${span(leftS)} left`]
        .filter((part) => part !== false)
        .join(' · ')
