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
  | { readonly kind: 'sending'; readonly progress: Progress; readonly stop: () => void }
  | { readonly kind: 'done'; readonly reply: T }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'cancelled' }

/** The words of an outcome, as the form's specification has them. */
export type Words = {
  readonly success: string
  /** @param reason a sentence; null: none is known */
  readonly failure: (reason: string | null) => string
}
export const CANCELLED = 'Upload cancelled. Nothing of it was kept.'

/** How a call reports and can be stopped. */
export type Following = {
  readonly signal: AbortSignal
  readonly onUploadProgress: (event: AxiosProgressEvent) => void
}

type Job<T> = { readonly file: File; readonly run: (how: Following) => Promise<T>; readonly words: Words }

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
  { file, run }: Job<T>,
): Promise<Sending<T>> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const tell = (sent: number, leftS: number | null) => {
    const progress = { sent: Math.min(sent, file.size), total: file.size, leftS }
    cell.set({ kind: 'sending', progress, stop })
    follow({ ...id, filename: file.name, progress, stop })
  }
  tell(0, null)
  try {
    const reply = await run({
      signal: controller.signal,
      onUploadProgress: ({ loaded, estimated }) => tell(loaded, estimated ?? null),
    })
    return { kind: 'done', reply }
  } catch (error) {
    if (error instanceof ApiProblem && error.kind === 'aborted') return { kind: 'cancelled' }
    if (!(error instanceof Error)) throw error
    // oxlint-disable-next-line no-console -- where no reason is known, the specification's text leads there
    if (reasonOf(error) === null) console.error(error)
    return { kind: 'failed', error }
  } finally {
    unfollow(id)
  }
}

/** Why it failed, as a sentence; null: the answer was none of the server's. */
export const reasonOf = (error: Error): string | null =>
  error instanceof ApiProblem && error.kind !== 'unreadable' ? error.message : null

function newsOf(ended: Sending<unknown>, { success, failure }: Words): News | null {
  switch (ended.kind) {
    case 'idle':
    case 'sending':
      return null
    case 'done':
      return { kind: 'done', message: success }
    case 'cancelled':
      return { kind: 'note', message: CANCELLED }
    case 'failed':
      // The login page says that the session has ended, and the form, afterwards, that this was not sent.
      return isSessionOver(ended.error) ? null : { kind: 'failed', message: failure(reasonOf(ended.error)) }
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
