import { useEffect, useSyncExternalStore } from 'react'
import { ApiProblem } from '#web/client/api.ts'
import { isForgotten, useCell, useUid } from '#web/session/browser-store.ts'
import { refreshIfGone } from '#web/client/queries.ts'
import { announce, dismiss, type Announcement } from '#web/components/feedback/announce.tsx'
import { carry, type Job, type Sending } from './carry.ts'
import { follow, unfollow } from './uploads.ts'

/** The words of an outcome, as the form's specification has them. */
export type Words = {
  readonly success: string
  readonly failure: (error: Error) => string
}

type Sender<T> = {
  readonly state: Sending<T>
  /** Resolves when it has ended, however it ended. */
  readonly send: (job: Job<T> & { readonly words: Words }) => Promise<void>
  readonly clear: () => void
}

/** @param name one upload at a time goes under it */
export function useSending<T>(name: string): Sender<T> {
  const uid = useUid()
  const cell = useCell<Sending<T>>(`sending ${name}`, { kind: 'idle' })
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  // The form says it in place now.
  useEffect(() => dismiss(name), [name])
  return {
    state,
    clear: () => state.kind !== 'idle' && cell.set({ kind: 'idle' }),
    send: async (job) => {
      if (cell.get().kind === 'sending') return
      dismiss(name)
      const id = { uid, name }
      const ended = await carry(job, (progress, phase, stop) => {
        cell.set({ kind: 'sending', progress, phase, stop: () => void stop() })
        follow({ ...id, filename: job.file.name, progress, phase, stop })
      }).finally(() => unfollow(id))
      cell.set(ended)
      if (ended.kind === 'failed') refreshIfGone(ended.error)
      // The form says it where it is shown; elsewhere a notice tells it.
      const told = cell.isShown() || isForgotten(cell) ? null : newsOf(ended, job.words)
      if (told !== null) announce({ ...told, about: name, page: null })
    },
  }
}

function newsOf(ended: Sending<unknown>, { success, failure }: Words): Announcement | null {
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
      return isSessionOver(ended.error) ? null : { kind: 'failed', message: failure(ended.error) }
  }
}

const isSessionOver = (error: Error): boolean =>
  error instanceof ApiProblem && (error.code === 'unauthorized' || error.kind === 'no_token')
