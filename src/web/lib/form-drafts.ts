import { jsonOf } from './json-of.ts'
import { DRAFT_PREFIX } from './storage-keys.ts'

/**
 * What a person has typed and not sent yet, in the browser's storage: it outlives a reload and an ended session, and
 * nothing of it stays for the next person here. Small, because the session itself watches over it.
 */

const keyOf = (uid: string, name: string): string => `${DRAFT_PREFIX} ${uid} ${name}`

/** As it was kept; null: nothing is, or not in a form that can be read. */
export const readDraft = (uid: string, name: string): unknown =>
  jsonOf(localStorage.getItem(keyOf(uid, name)) ?? '') ?? null

/** `null` takes it away. A storage that is full or switched off keeps nothing: the form works without. */
export function writeDraft(uid: string, name: string, draft: unknown): void {
  try {
    if (draft === null) localStorage.removeItem(keyOf(uid, name))
    else localStorage.setItem(keyOf(uid, name), JSON.stringify(draft))
  } catch {
    // The page still holds it.
  }
}

type Listener = (keep: string | null) => void
const listeners = new Set<Listener>()

/** Told when drafts are forgotten, so that what the page itself holds goes with them. */
export const onForgotten = (listener: Listener): void => void listeners.add(listener)

/** @param keep whose drafts stay; null: nobody's */
export function forgetDrafts(keep: string | null): void {
  const kept = keep === null ? null : keyOf(keep, '')
  for (const key of Object.keys(localStorage))
    if (key.startsWith(`${DRAFT_PREFIX} `) && (kept === null || !key.startsWith(kept)))
      localStorage.removeItem(key)
  for (const listener of listeners) listener(keep)
}
