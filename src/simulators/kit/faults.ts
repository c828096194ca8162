import type { Store } from './store.ts'

export const platformNames = ['tiktok', 'instagram', 'youtube'] as const
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

/** An error of the platform: Instagram's are numbered, YouTube's have a reason. `status`: its HTTP status. */
export interface ScriptedError {
  code: number | string
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
  /** Strikes only this creator's calls; null: any creator's. */
  account: string | null
  /**
   * Real milliseconds for which `slow`, `slow_body` and at most `hold` delay the answer or its second half; for
   * `late_effect`, milliseconds of the practice clock until it takes effect.
   */
  ms: number
  /** The answer of `error`, `error_after` and `late_effect`. */
  error: ScriptedError | null
}

export interface Faults {
  add(fault: Omit<Fault, 'id'>): Fault
  waiting(): Fault[]
  strike(platform: PlatformName, call: string, account: string | null): Fault | null
  /** Removes pending faults and releases the held answers. */
  clear(): void
  hold(fault: Fault): Promise<void>
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
