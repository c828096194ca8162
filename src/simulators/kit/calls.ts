import type { Clock } from './clock.ts'
import type { FaultKind, PlatformName } from './faults.ts'
import type { Store } from './store.ts'

/** One line of the ledger. `status` is null when the connection was cut instead of answered. */
export interface RecordedCall {
  platform: PlatformName
  call: string
  account: string | null
  status: number | null
  at: string
  fault?: FaultKind
  /** The call was answered, but a careful client would not have made it like this. */
  flag?: string
  detail?: string
}

export interface Calls {
  record(call: Omit<RecordedCall, 'at'>): void
  all(): RecordedCall[]
}

/** Older calls are dropped, so that a server left alone for months does not fill up. */
const kept = 100_000

export function openCalls(store: Store, clock: Clock): Calls {
  const table = store.table<RecordedCall>('calls')
  let last = Number(table.ids().at(-1) ?? 0)
  return {
    record: (call) => {
      last += 1
      table.put(String(last), { ...call, at: new Date(clock.now()).toISOString() })
      if (table.get(String(last - kept)) !== undefined) table.delete(String(last - kept))
    },
    all: () => table.all(),
  }
}
