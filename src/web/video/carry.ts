import type { AxiosProgressEvent } from 'axios'
import { ApiProblem } from '#web/client/api.ts'
import type { Phase, Progress } from './uploads.ts'

/** A form's file on its way to the server. It goes on while the user moves about the dashboard. */
export type Sending<T> =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'sending'
      readonly progress: Progress
      readonly phase: Phase
      readonly stop: () => void
    }
  /** `instead`: what to say where the words of success would not be true. */
  | { readonly kind: 'done'; readonly reply: T; readonly instead: string | null }
  | { readonly kind: 'failed'; readonly error: Error; readonly arrival: Arrival }
  | ({ readonly kind: 'stopped' } & Stopped)

/** What became of an upload that was stopped, as a sentence; `isGone`: nothing is left of it, and nothing comes of it. */
export type Stopped = { readonly what: string; readonly isGone: boolean }

/**
 * What is known of an upload that failed. `refused`: the server said no. `interrupted`: it did not arrive whole, so nothing
 * was made of it. `unknown`: all of it was sent and no answer came.
 */
export type Arrival = 'refused' | 'interrupted' | 'unknown'

/** How a call reports and can be stopped. */
export type Following = {
  readonly signal: AbortSignal
  readonly onUploadProgress: (event: AxiosProgressEvent) => void
}

export type Job<T> = {
  readonly file: File
  readonly run: (how: Following) => Promise<T>
  /** Null: what the reply tells is what was asked for. */
  readonly instead?: (reply: T) => string | null
  /**
   * Once it was stopped: makes sure of what becomes of what had left already, and says it. The last byte may have been out
   * before anybody here knew.
   * @param canHaveArrived whether all of it may have left the browser
   */
  readonly afterStop: (canHaveArrived: boolean) => Promise<Stopped>
  /** Said instead where the server cannot be asked, and so much was missing that it cannot have arrived. */
  readonly stoppedEarly: string
  /**
   * The connection broke before all of it had left: asks the server what it has made of it, and makes sure that nothing
   * is made later. Null: nothing. Absent: the server cannot be asked.
   */
  readonly afterBreak?: () => Promise<T | null>
}

/**
 * Sends a file and finds out what became of it. Never rejects for what can be expected.
 * @param tell hears how it goes; `stop` resolves when it is known whether nothing comes of it
 */
export async function carry<T>(
  job: Job<T>,
  tell: (progress: Progress, phase: Phase, stop: () => Promise<boolean>) => void,
): Promise<Sending<T>> {
  const { file } = job
  const controller = new AbortController()
  const { signal } = controller
  const over = Promise.withResolvers<boolean>()
  const stop = () => {
    controller.abort()
    return over.promise
  }
  let progress: Progress = { sent: 0, total: file.size, leftS: null }
  const report = (phase: Phase) => tell(progress, phase, stop)
  signal.addEventListener('abort', () => report('cancelling'))
  report('sending')
  const ended = await job
    .run({
      signal,
      onUploadProgress: ({ loaded, estimated }) => {
        progress = { sent: Math.min(loaded, file.size), total: file.size, leftS: estimated ?? null }
        report(signal.aborted ? 'cancelling' : 'sending')
      },
    })
    .then(
      (reply) => arrived(job, reply),
      (error: unknown) => {
        if (error instanceof ApiProblem && error.kind === 'aborted') return stopped(job, progress)
        if (!isUnanswered(error)) return failed(error, 'refused')
        if (isAllSent(progress)) return failed(error, 'unknown')
        if (job.afterBreak) report('checking')
        return broken(job, progress, error)
      },
    )
  over.resolve(ended.kind === 'stopped' && ended.isGone)
  return ended
}

const arrived = <T>({ instead }: Job<T>, reply: T): Sending<T> => ({
  kind: 'done',
  reply,
  instead: instead?.(reply) ?? null,
})

const stopped = <T>({ afterStop, stoppedEarly }: Job<T>, progress: Progress): Promise<Sending<T>> =>
  afterStop(canHaveArrived(progress)).then(
    (what) => ({ kind: 'stopped', ...what }),
    (error: unknown) =>
      canHaveArrived(progress)
        ? failed(error, 'unknown')
        : { kind: 'stopped', what: stoppedEarly, isGone: true },
  )

async function broken<T>(job: Job<T>, progress: Progress, error: unknown): Promise<Sending<T>> {
  const guess = canHaveArrived(progress) ? 'unknown' : 'interrupted'
  if (!job.afterBreak) return failed(error, guess)
  return job.afterBreak().then(
    (reply) => (reply === null ? failed(error, 'interrupted') : arrived(job, reply)),
    () => failed(error, guess),
  )
}

const isAllSent = ({ sent, total }: Progress): boolean => sent >= total

/** Browsers report progress every 50 to 100 ms and not at a break: so much may have left unreported. */
const UNREPORTED_MAX_BYTES = 1_048_576
/** Whether all of a file may have left the browser, by what the browser last reported. */
const canHaveArrived = ({ sent, total }: Progress): boolean => total - sent < UNREPORTED_MAX_BYTES

function failed(error: unknown, arrival: Arrival): Sending<never> {
  if (!(error instanceof Error)) throw error
  // oxlint-disable-next-line no-console -- where no reason is known, the specification's text leads there
  if (reasonOf(error) === null) console.error(error)
  return { kind: 'failed', error, arrival }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')

/** Why it failed, as a sentence; null: the answer was none of the server's, or said nothing. */
export const reasonOf = (error: Error): string | null =>
  error instanceof ApiProblem && error.kind !== 'unreadable' ? error.message.trim() || null : null

/** The server's own message; null: it sent none, or no answer of its own came. */
export const serverMessageOf = (error: Error): string | null =>
  error instanceof ApiProblem && (error.kind === 'refused' || error.kind === 'no_token')
    ? reasonOf(error)
    : null
