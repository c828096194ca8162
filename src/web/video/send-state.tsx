import { Button, Progress as Bar } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PATHS } from '#web/paths.ts'
import { bytesOf, percent, span } from '#web/ui/amounts.ts'
import { Trouble } from '#web/ui/trouble.tsx'
import { ApiProblem } from '#web/api.ts'
import type { Progress, Sending } from './sending.ts'
import classes from './send-state.module.css'

type Props<T> = {
  state: Sending<T>
  /** The words of the outcome, as the form's specification has them. */
  success: string
  failure: (error: Error) => string
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
export function SendState<T>({ state, success, failure, next, about, unanswered }: Props<T>) {
  switch (state.kind) {
    case 'idle':
      return null
    case 'sending':
      return <Underway progress={state.progress} onStop={state.stop} />
    case 'cancelled':
      return (
        <Trouble tone="note" live={false}>
          <span role="alert">Upload cancelled. Nothing of it was kept.</span>
        </Trouble>
      )
    case 'done':
      return (
        <Trouble tone="note" live={false} actions={next}>
          <strong role="alert">{success}</strong> {about?.(state.reply)}
        </Trouble>
      )
    case 'failed':
      return (
        <Trouble live={false}>
          <strong role="alert">{failure(state.error)}</strong>
          {isUncertain(state.error) && (
            <p className={classes.hint}>No answer came, so it may have arrived. {unanswered}</p>
          )}
        </Trouble>
      )
  }
}

function Underway({ progress: { sent, total, leftS }, onStop }: { progress: Progress; onStop: () => void }) {
  const share = percent(sent, total)
  // With the last byte out the server may have acted on it: what could be stopped is over.
  const arrived = sent >= total
  return (
    <div className={classes.underway}>
      <div className={classes.bar}>
        <Bar value={share} aria-label="Upload" color="var(--r-working)" size={4} />
        <span className={classes.figures}>
          {arrived
            ? 'Uploaded. The server is checking the video …'
            : [`${share} %`, bytesOf(sent, total), leftS !== null && `${span(leftS)} left`]
                .filter((part) => part !== false)
                .join(' · ')}
        </span>
      </div>
      {!arrived && (
        <Button variant="default" onClick={onStop}>
          Cancel
        </Button>
      )}
    </div>
  )
}

/** Nobody knows whether the server acted. */
const isUncertain = (error: Error): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')
