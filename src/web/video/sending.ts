import { useSyncExternalStore } from 'react'
import type { AxiosProgressEvent } from 'axios'
import { ApiProblem } from '#web/api.ts'
import { isForgotten, useCell, useUid, type Cell } from '#web/kept.ts'
import { refreshIfGone } from '#web/queries.ts'
import { announce, unsay, type News } from '#web/ui/announce.tsx'
import { follow, unfollow, type Progress } from './uploads.ts'

/** A form's file on its way to the server. It goes on while the user moves about the dashboard. */
export type Sending<T> =
  | { readonly kind: 'idle' }
  /** `stop` null: it was stopped, and the server is asked what had arrived. */
  | { readonly kind: 'sending'; readonly progress: Progress; readonly stop: (() => void) | null }
  /** `instead`: what to say where the words of success would not be true. */
  | { readonly kind: 'done'; readonly reply: T; readonly instead: string | null }
  /** `uncertain`: nobody knows whether the server acted. */
  | { readonly kind: 'failed'; readonly error: Error; readonly uncertain: boolean }
  | ({ readonly kind: 'stopped' } & Stopped)

/** What became of an upload that was stopped, as a sentence; `isGone`: nothing is left of it, and nothing comes of it. */
export type Stopped = { readonly what: string; readonly isGone: boolean }

/** The words of an outcome, as the form's specification has them. */
export type Words = {
  readonly success: string
  /** @param reason a sentence; null: none is known */
  readonly failure: (reason: string | null) => string
}

/** How a call reports and can be stopped. */
export type Following = {
  readonly signal: AbortSignal
  readonly onUploadProgress: (event: AxiosProgressEvent) => void
}

type Job<T> = {
  readonly file: File
  readonly run: (how: Following) => Promise<T>
  readonly words: Words
  /** Null: what the reply tells is what was asked for. */
  readonly instead?: (reply: T) => string | null
  /**
   * Once it was stopped: makes sure of what becomes of what had left already, and says it. The last byte may have been out
   * before anybody here knew.
   */
  readonly afterStop: () => Promise<Stopped>
}

type Sender<T> = {
  readonly state: Sending<T>
  /** Resolves when it has ended, however it ended. */
  readonly send: (job: Job<T>) => Promise<void>
  readonly clear: () => void
}

/** @param name one upload at a time goes under it */
export function useSending<T>(name: string): Sender<T> {
  const uid = useUid()
  const cell = useCell<Sending<T>>(`sending ${name}`, { kind: 'idle' })
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  return {
    state,
    clear: () => state.kind !== 'idle' && cell.set({ kind: 'idle' }),
    send: async (job) => {
      if (cell.get().kind === 'sending') return
      unsay(name)
      const ended = await carry(cell, { uid, name }, job)
      cell.set(ended)
      if (ended.kind === 'failed') refreshIfGone(ended.error)
      // The form says it where it is shown; elsewhere the user is told in the corner.
      const told = cell.isShown() || isForgotten(cell) ? null : newsOf(ended, job.words)
      if (told !== null) announce({ ...told, about: name })
    },
  }
}

async function carry<T>(
  cell: Cell<Sending<T>>,
  id: { uid: string; name: string },
  { file, run, instead, afterStop }: Job<T>,
): Promise<Sending<T>> {
  const controller = new AbortController()
  const { signal } = controller
  const over = Promise.withResolvers<boolean>()
  const stop = () => {
    controller.abort()
    return over.promise
  }
  let progress: Progress = { sent: 0, total: file.size, leftS: null }
  const tell = () => {
    const isStopping = signal.aborted
    cell.set({ kind: 'sending', progress, stop: isStopping ? null : () => void stop() })
    follow({ ...id, filename: file.name, progress, stop, isStopping })
  }
  signal.addEventListener('abort', tell)
  tell()
  const ended = await run({
    signal,
    onUploadProgress: ({ loaded, estimated }) => {
      progress = { sent: Math.min(loaded, file.size), total: file.size, leftS: estimated ?? null }
      tell()
    },
  })
    .then(
      (reply): Sending<T> => ({ kind: 'done', reply, instead: instead?.(reply) ?? null }),
      (error: unknown) =>
        error instanceof ApiProblem && error.kind === 'aborted'
          ? stopped(afterStop)
          : failed(error, isUncertain(error)),
    )
    .finally(() => unfollow(id))
  over.resolve(ended.kind === 'stopped' && ended.isGone)
  return ended
}

const stopped = (afterStop: () => Promise<Stopped>): Promise<Sending<never>> =>
  afterStop().then(
    (what) => ({ kind: 'stopped', ...what }),
    (error: unknown) => failed(error, true),
  )

function failed(error: unknown, uncertain: boolean): Sending<never> {
  if (!(error instanceof Error)) throw error
  // oxlint-disable-next-line no-console -- where no reason is known, the specification's text leads there
  if (reasonOf(error) === null) console.error(error)
  return { kind: 'failed', error, uncertain }
}

const isUncertain = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')

/** Why it failed, as a sentence; null: the answer was none of the server's. */
export const reasonOf = (error: Error): string | null =>
  error instanceof ApiProblem && error.kind !== 'unreadable' ? error.message : null

function newsOf(ended: Sending<unknown>, { success, failure }: Words): News | null {
  switch (ended.kind) {
    case 'idle':
    case 'sending':
      return null
    case 'done':
      return ended.instead === null
        ? { kind: 'done', message: success }
        : { kind: 'note', message: ended.instead }
    case 'stopped':
      return { kind: 'note', message: ended.what }
    case 'failed':
      // The login page says that the session has ended, and the form, afterwards, that this was not sent.
      return isSessionOver(ended.error) ? null : { kind: 'failed', message: failure(reasonOf(ended.error)) }
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
