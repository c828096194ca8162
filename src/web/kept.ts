import { useSyncExternalStore } from 'react'
import { useSession } from './session.ts'

/** A value that outlives the screen that shows it: until the page is loaded again. */
export type Cell<T> = {
  readonly get: () => T
  readonly set: (next: T) => void
  /** Whether a screen shows it now. */
  readonly isShown: () => boolean
  readonly subscribe: (listener: () => void) => () => void
}

const cells = new Map<string, Cell<unknown>>()

/** The signed-in user's own cell of this name; nobody else who signs in here sees it. */
export function useCell<T>(name: string, initial: T): Cell<T> {
  const session = useSession()
  const key = `${session.status === 'in' ? session.uid : ''} ${name}`
  const cell = cells.get(key) ?? makeCell(initial)
  if (!cells.has(key)) cells.set(key, cell as Cell<unknown>) // read back under the same name only
  return cell as Cell<T>
}

/** Like `useState`, but what was typed is still there when the user comes back to the screen. */
export function useKept<T>(name: string, initial: T): [T, (next: T) => void] {
  const cell = useCell(name, initial)
  return [useSyncExternalStore(cell.subscribe, cell.get), cell.set]
}

function makeCell<T>(initial: T): Cell<T> {
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
