import { Button, Progress as Bar } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PATHS } from '#web/paths.ts'
import { bytesOf, percent, span } from '#web/ui/amounts.ts'
import { Trouble } from '#web/ui/trouble.tsx'
import { ApiProblem } from '#web/api.ts'
import { CANCELLED, reasonOf, type Sending, type Words } from './sending.ts'
import type { Progress } from './uploads.ts'
import classes from './send-state.module.css'

type Props<T> = {
  state: Sending<T>
  words: Words
  /** Where to look now. */
  next?: ReactNode
  /** Beside the words of success: what is known now. */
  about?: (reply: T) => ReactNode
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
export function SendState<T>({ state, words, next, about, unanswered }: Props<T>) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'sending':
      return <Underway progress={state.progress} onStop={state.stop} />
    case 'cancelled':
      return (
        <Trouble tone="note" live={false}>
          <span role="alert">{CANCELLED}</span>
        </Trouble>
      )
    case 'done':
      return (
        <Trouble tone="note" live={false} actions={next}>
          <strong role="alert">{words.success}</strong> {about?.(state.reply)}
        </Trouble>
      )
    case 'failed':
      return (
        <Trouble live={false}>
          <strong role="alert">{words.failure(reasonOf(state.error))}</strong>
          {isUncertain(state.error) && (
            <p className={classes.hint}>No answer came, so it may have arrived. {unanswered}</p>
          )}
        </Trouble>
      )
  }
}

type Going = { progress: Progress; onStop: () => void; of?: string }

/** Percent, bytes, time left, and the way to stop it. `of`: the file, where more than one may be on its way. */
export function Underway({ progress: { sent, total, leftS }, onStop, of }: Going) {
  const share = percent(sent, total)
  // With the last byte out the server may have acted on it: what could be stopped is over.
  const arrived = sent >= total
  return (
    <div className={classes.underway}>
      <div className={classes.bar}>
        <Bar
          value={share}
          aria-label={of === undefined ? 'Upload' : `Upload of ${of}`}
          color="var(--r-working)"
          size={4}
        />
        <span className={classes.figures}>
          {arrived
            ? 'Uploaded. The server is checking the video …'
            : [`${share} %`, bytesOf(sent, total), leftS !== null && `${span(leftS)} left`]
                .filter((part) => part !== false)
                .join(' · ')}
        </span>
      </div>
      {!arrived && (
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

/** Nobody knows whether the server acted. */
const isUncertain = (error: Error): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')
