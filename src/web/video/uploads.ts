import { useSyncExternalStore } from 'react'
import { makeCell, useUid } from '#web/kept.ts'

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

/** The uploads of the signed-in user, oldest first. */
export function useUploads(): readonly Upload[] {
  const uid = useUid()
  return useSyncExternalStore(all.subscribe, all.get).filter((one) => one.uid === uid)
}
