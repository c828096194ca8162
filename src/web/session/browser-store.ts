import { useSyncExternalStore } from 'react'
import type { z } from 'zod'
import { onDraftsCleared, readDraft, writeDraft } from '#web/lib/form-drafts.ts'
import { useSession } from './session.ts'

/** A value that outlives its screen, until the page reloads or its owner logs out. */
export type StoreEntry<T> = {
  readonly get: () => T
  readonly set: (next: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

const entries = new Map<string, StoreEntry<unknown>>()
onDraftsCleared((exceptUid) => {
  for (const key of entries.keys())
    if (exceptUid === null || !key.startsWith(`${exceptUid} `)) entries.delete(key)
})

/** The signed-in user's entry of this name. */
export function useStoreEntry<T>(name: string, initial: T): StoreEntry<T> {
  return findOrCreate(useUid(), name, () => initial)
}

/** Like `useState`, but the value is still there when the user comes back to the screen. */
export function useSessionState<T>(name: string, initial: T): [T, (next: T) => void] {
  const entry = useStoreEntry(name, initial)
  return [useSyncExternalStore(entry.subscribe, entry.get), entry.set]
}

type FormDraft<T> = {
  readonly value: T
  readonly set: (next: T) => void
  /** After sending or discarding: shows `next` and removes what the browser stored. */
  readonly clear: (next: T) => void
}

/** Like `useSessionState`, and stored in the browser until it is cleared or its owner logs out. */
export function useFormDraft<T>(name: string, schema: z.ZodType<T>, initial: T): FormDraft<T> {
  const uid = useUid()
  const entry = findOrCreate(uid, name, () => {
    const stored = schema.safeParse(readDraft(uid, name))
    return stored.success ? stored.data : initial
  })
  return {
    value: useSyncExternalStore(entry.subscribe, entry.get),
    set: (next) => {
      entry.set(next)
      writeDraft(uid, name, next)
    },
    clear: (next) => {
      entry.set(next)
      writeDraft(uid, name, null)
    },
  }
}

export function useUid(): string {
  const session = useSession()
  return session.status === 'in' ? session.uid : ''
}

function findOrCreate<T>(uid: string, name: string, initial: () => T): StoreEntry<T> {
  const key = `${uid} ${name}`
  const entry = entries.get(key) ?? createStoreEntry(initial())
  if (!entries.has(key)) entries.set(key, entry as StoreEntry<unknown>) // read back under the same name only
  return entry as StoreEntry<T>
}

export function createStoreEntry<T>(initial: T): StoreEntry<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
