import type { Store } from './store.ts'

export const platformNames = ['tiktok', 'instagram'] as const
export type PlatformName = (typeof platformNames)[number]

export const faultKinds = [
  'drop_before',
  'drop_after',
  'reset_midway',
  'slow',
  'slow_body',
  'hold',
  'status_500',
  'status_500_after',
  'repeated',
  'status_429',
  'html_502',
  'token_expired',
  'stuck_processing',
  'not_found',
  'publish_error_but_live',
  'late_effect',
  'hang',
  'error',
  'error_after',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** An error of the platform's own, by its numbers. `status`: the HTTP status that it comes with. */
export interface ScriptedError {
  code: number
  subcode: number | null
  status: number
}

/** A scripted fault: lets `after` matching calls pass, then strikes `times` of them. */
export interface Fault {
  id: string
  platform: PlatformName
  call: string
  fault: FaultKind
  times: number
  after: number
  /** Only calls of this creator; null strikes any. */
  account: string | null
  /** How long `slow`, `slow_body` and at most `hold` keep the answer or its second half back, in real
   * milliseconds; after how long `late_effect` takes effect, in milliseconds of the practice clock. */
  ms: number
  /** What `error`, `error_after` and `late_effect` answer. */
  error: ScriptedError | null
}

export interface Faults {
  add(fault: Omit<Fault, 'id'>): Fault
  waiting(): Fault[]
  /** The fault that strikes this call, already counted, or null. */
  strike(platform: PlatformName, call: string, account: string | null): Fault | null
  /** Forgets those that wait to strike, and lets go what is held. */
  clear(): void
  /** Settles when `release` is called for this fault, or after its time. */
  hold(fault: Fault): Promise<void>
  /** Those whose answers are held back now. */
  holding(): Fault[]
  release(id: string): void
}

export function openFaults(store: Store): Faults {
  const table = store.table<Fault>('faults')
  const held = new Map<string, { fault: Fault; release: () => void }>()
  let last = 0
  const matching = (platform: PlatformName, call: string, account: string | null): Fault | undefined =>
    table
      .all()
      .find(
        (fault) =>
          fault.platform === platform &&
          fault.call === call &&
          (fault.account === null || fault.account === account),
      )
  return {
    add: (fault) => {
      last = Math.max(last, Number(table.all().at(-1)?.id ?? 0)) + 1
      const added = { ...fault, id: String(last) }
      table.put(added.id, added)
      return added
    },
    waiting: () => table.all(),
    strike: (platform, call, account) => {
      const fault = matching(platform, call, account)
      if (fault === undefined) return null
      if (fault.after > 0) {
        table.put(fault.id, { ...fault, after: fault.after - 1 })
        return null
      }
      if (fault.times > 1) table.put(fault.id, { ...fault, times: fault.times - 1 })
      else table.delete(fault.id)
      return fault
    },
    clear: () => {
      for (const id of table.ids()) table.delete(id)
      for (const { release } of held.values()) release()
    },
    hold: (fault) =>
      new Promise((resolve) => {
        const release = (): void => {
          clearTimeout(timer)
          held.delete(fault.id)
          resolve()
        }
        const timer = setTimeout(release, fault.ms)
        held.set(fault.id, { fault, release })
      }),
    holding: () => [...held.values()].map(({ fault }) => fault),
    release: (id) => held.get(id)?.release(),
  }
}
