import { useSyncExternalStore } from 'react'
import type { z } from 'zod'
import { onForgotten, readDraft, writeDraft } from '#web/lib/form-drafts.ts'
import { useSession } from './session.ts'

/** A value that outlives the screen that shows it: until the page is loaded again, or its owner logs out. */
export type Cell<T> = {
  readonly get: () => T
  readonly set: (next: T) => void
  /** Whether a screen shows it now. */
  readonly isShown: () => boolean
  readonly subscribe: (listener: () => void) => () => void
}

const cells = new Map<string, Cell<unknown>>()
onForgotten((keep) => {
  for (const key of cells.keys()) if (keep === null || !key.startsWith(`${keep} `)) cells.delete(key)
})

/** The signed-in user's own cell of this name; nobody else who signs in here sees it. */
export function useCell<T>(name: string, initial: T): Cell<T> {
  return cellOf(useUid(), name, () => initial)
}

/** Whether the cell's owner has left since: then nobody is told what becomes of it. */
export const isForgotten = (cell: object): boolean => ![...cells.values()].some((kept) => kept === cell)

/** Like `useState`, but what was chosen is still there when the user comes back to the screen. */
export function useKept<T>(name: string, initial: T): [T, (next: T) => void] {
  const cell = useCell(name, initial)
  return [useSyncExternalStore(cell.subscribe, cell.get), cell.set]
}

type Draft<T> = {
  readonly value: T
  readonly set: (next: T) => void
  /** It was sent or discarded: the page goes on with `next`, and the browser keeps nothing. */
  readonly clear: (next: T) => void
}

/** Like `useKept`, and it outlives the page: the browser keeps it until it is cleared or its owner logs out. */
export function useDraft<T>(name: string, schema: z.ZodType<T>, initial: T): Draft<T> {
  const uid = useUid()
  const cell = cellOf(uid, name, () => {
    const kept = schema.safeParse(readDraft(uid, name))
    return kept.success ? kept.data : initial
  })
  return {
    value: useSyncExternalStore(cell.subscribe, cell.get),
    set: (next) => {
      cell.set(next)
      writeDraft(uid, name, next)
    },
    clear: (next) => {
      cell.set(next)
      writeDraft(uid, name, null)
    },
  }
}

export function useUid(): string {
  const session = useSession()
  return session.status === 'in' ? session.uid : ''
}

function cellOf<T>(uid: string, name: string, first: () => T): Cell<T> {
  const key = `${uid} ${name}`
  const cell = cells.get(key) ?? makeCell(first())
  if (!cells.has(key)) cells.set(key, cell as Cell<unknown>) // read back under the same name only
  return cell as Cell<T>
}

export function makeCell<T>(initial: T): Cell<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const listener of listeners) listener()
    },
    isShown: () => listeners.size > 0,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
