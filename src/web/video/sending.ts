import { useSyncExternalStore } from 'react'
import type { AxiosProgressEvent } from 'axios'
import { ApiProblem } from '#web/api.ts'
import { useCell, type Cell } from '#web/kept.ts'
import { refreshIfGone } from '#web/queries.ts'
import { announce, unsay, type News } from '#web/ui/announce.tsx'

/** A form's file on its way to the server. It goes on while the user moves about the dashboard. */
export type Sending<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending'; readonly progress: Progress; readonly stop: () => void }
  | { readonly kind: 'done'; readonly reply: T }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'cancelled' }

/** Bytes, and seconds as far as they can be told. */
export type Progress = { readonly sent: number; readonly total: number; readonly leftS: number | null }

type Run<T> = (how: {
  signal: AbortSignal
  onUploadProgress: (event: AxiosProgressEvent) => void
}) => Promise<T>

type Sender<T> = {
  readonly state: Sending<T>
  /** Resolves when it has ended, however it ended. */
  readonly send: (job: {
    size: number
    run: Run<T>
    news: (ended: Sending<T>) => News | null
  }) => Promise<void>
  readonly clear: () => void
}

/** @param name one upload at a time goes under it */
export function useSending<T>(name: string): Sender<T> {
  const cell = useCell<Sending<T>>(`sending ${name}`, { kind: 'idle' })
  const state = useSyncExternalStore(cell.subscribe, cell.get)
  return {
    state,
    clear: () => cell.set({ kind: 'idle' }),
    send: async ({ size, run, news }) => {
      if (cell.get().kind === 'sending') return
      unsay(name)
      const ended = await carry(cell, size, run)
      cell.set(ended)
      if (ended.kind === 'failed') refreshIfGone(ended.error)
      // The form says it where it is shown; elsewhere the user is told in the corner.
      const told = cell.isShown() ? null : news(ended)
      if (told !== null) announce({ ...told, about: name })
    },
  }
}

async function carry<T>(cell: Cell<Sending<T>>, size: number, run: Run<T>): Promise<Sending<T>> {
  const controller = new AbortController()
  const tell = (sent: number, leftS: number | null) => {
    const progress = { sent: Math.min(sent, size), total: size, leftS }
    cell.set({ kind: 'sending', progress, stop: () => controller.abort() })
  }
  tell(0, null)
  window.addEventListener('beforeunload', askBeforeLeaving)
  try {
    const reply = await run({
      signal: controller.signal,
      onUploadProgress: ({ loaded, estimated }) => tell(loaded, estimated ?? null),
    })
    return { kind: 'done', reply }
  } catch (error) {
    if (error instanceof ApiProblem && error.kind === 'aborted') return { kind: 'cancelled' }
    if (error instanceof Error) return { kind: 'failed', error }
    throw error
  } finally {
    window.removeEventListener('beforeunload', askBeforeLeaving)
  }
}

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()
