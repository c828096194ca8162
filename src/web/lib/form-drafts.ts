import { jsonOf } from './json-of.ts'
import { readItem, removeItem, storedKeys, writeItem } from './storage.ts'
import { DRAFT_PREFIX } from './storage-keys.ts'

// Keeps in the browser's storage what a user has typed and not sent.

const keyOf = (uid: string, name: string): string => `${DRAFT_PREFIX} ${uid} ${name}`

/** Null where nothing readable is stored. */
export const readDraft = (uid: string, name: string): unknown =>
  jsonOf(readItem(keyOf(uid, name)) ?? '') ?? null

/** `null` removes it. A full storage is no error: the page still holds the value. */
export function writeDraft(uid: string, name: string, draft: unknown): void {
  if (draft === null) removeItem(keyOf(uid, name))
  else writeItem(keyOf(uid, name), JSON.stringify(draft))
}

type Listener = (exceptUid: string | null) => void
const listeners = new Set<Listener>()

/** Called when drafts are cleared, so that what the page holds in memory is cleared too. */
export const onDraftsCleared = (listener: Listener): void => void listeners.add(listener)

/** @param exceptUid whose drafts stay; null: nobody's */
export function clearDrafts(exceptUid: string | null): void {
  const kept = exceptUid === null ? null : keyOf(exceptUid, '')
  for (const key of storedKeys())
    if (key.startsWith(`${DRAFT_PREFIX} `) && (kept === null || !key.startsWith(kept))) removeItem(key)
  for (const listener of listeners) listener(exceptUid)
}
