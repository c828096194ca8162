import { useSyncExternalStore } from 'react'
import { onForgotten } from '#web/lib/form-drafts.ts'
import { makeCell, useUid } from '#web/session/browser-store.ts'

/** Bytes, and seconds as far as they can be told. */
export type Progress = { readonly sent: number; readonly total: number; readonly leftS: number | null }

/** `cancelling` and `checking`: the server is asked what had arrived when it was stopped, or when its connection broke. */
export type Phase = 'sending' | 'cancelling' | 'checking'

/** A file on its way to the server, whatever screen is shown. */
export type Upload = {
  readonly uid: string
  /** The form that sent it: one upload at a time goes under it. */
  readonly name: string
  readonly filename: string
  readonly progress: Progress
  /** Resolves when it is known what becomes of it: whether nothing does. May be asked again. */
  readonly stop: () => Promise<boolean>
  readonly phase: Phase
}

const all = makeCell<readonly Upload[]>([])
const isSame = (one: Upload, other: Pick<Upload, 'uid' | 'name'>) =>
  one.uid === other.uid && one.name === other.name

/** It has begun, or has got further. */
export function follow(upload: Upload): void {
  const known = all.get().some((one) => isSame(one, upload))
  all.set(known ? all.get().map((one) => (isSame(one, upload) ? upload : one)) : [...all.get(), upload])
  window.addEventListener('beforeunload', askBeforeLeaving)
}

/** It has ended, however it ended. */
export function unfollow(ended: Pick<Upload, 'uid' | 'name'>): void {
  all.set(all.get().filter((one) => !isSame(one, ended)))
  if (all.get().length === 0) window.removeEventListener('beforeunload', askBeforeLeaving)
}

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Stops these. @returns whether nothing comes of any of them */
export const stopUploads = async (uploads: readonly Upload[]): Promise<boolean> =>
  (await Promise.all(uploads.map(({ stop }) => stop()))).every(Boolean)

/** Stops everything that is on its way from this tab. @returns whether nothing comes of any of it */
export const stopAllUploads = (): Promise<boolean> => stopUploads(all.get())

// A log-out ends the uploads of every tab: nobody would see any more what becomes of them.
const otherTabs = new BroadcastChannel('log-out')
onForgotten((keep) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is its origin's own
  if (keep === null) otherTabs.postMessage(null)
})
otherTabs.addEventListener('message', () => void stopAllUploads())

/** The uploads of the signed-in user, oldest first. */
export function useUploads(): readonly Upload[] {
  const uid = useUid()
  return useSyncExternalStore(all.subscribe, all.get).filter((one) => one.uid === uid)
}
