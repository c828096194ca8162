import type { Store } from './store.ts'

export interface Clock {
  now(): number
  advance(seconds: number): void
}

export function openClock(store: Store): Clock {
  const offsets = store.table<number>('clock')
  const offset = (): number => offsets.get('offset_ms') ?? 0
  return {
    now: () => Date.now() + offset(),
    advance: (seconds) => offsets.put('offset_ms', offset() + seconds * 1000),
  }
}
