import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Db } from '#base/db/open.ts'
import { deadlineIn, OVER } from '#base/deadline.ts'
import { type LeasedRow, releaseLease, renewLease } from './leased-row.ts'

type LeasedClaim = { readonly version: number; readonly wakeAt: number | null }
type SavedAs<C> = { readonly kind: string; readonly claim?: C }

export type LeasedWork<C, To, S> = {
  readonly row: LeasedRow
  /** The row's name in the log, such as "delivery 42". */
  readonly name: string
  readonly about: Readonly<Record<string, number>>
  /** Compare and set; renews the lease. */
  readonly save: (claim: C, to: To, leaseMs: number) => Promise<S>
  /** True in the state that is saved right before the irreversible call. */
  readonly isCalling: (claim: C) => boolean
}

export type LeaseTiming = { readonly leaseMs: number; readonly renewMs: number }

/**
 * The answer to "may the irreversible call be made now?" `not_ours`: another run saved that it calls and may have made the call.
 * `no`: this run saved it and has not called, and must not begin any more.
 */
export type CallPermission = 'yes' | 'no' | 'not_ours'

/** `stopped`: nothing was saved, because the worker stops or the row needs another lane. */
type StepResult = 'saved' | 'changed' | 'lost' | 'stopped'

export type Lease<C, To, S extends SavedAs<C>> = {
  /** The row as it was last saved. */
  readonly claim: C
  beginCall(): { readonly signal: AbortSignal; abort(): void }
  mayCall(): CallPermission
  /** This run has saved that it calls, and not saved an outcome yet. */
  isCallSaved(): boolean
  save(to: To): Promise<S['kind']>
  /** Takes the row as far as it goes now, then ends the lease. `oneStep`: call, decide, save. */
  workWhileDue(oneStep: () => Promise<StepResult>): Promise<void>
}

const SAVE_AGAIN_MS = 500

/** Renews the lease while a row is processed; aborts the call in progress once it is lost or the row changed. */
export function keepLease<C extends LeasedClaim, To, S extends SavedAs<C>>(
  { db, log, now }: { readonly db: Db; readonly log: Logger; readonly now: () => number },
  { row, name, about, save, isCalling }: LeasedWork<C, To, S>,
  { leaseMs, renewMs }: LeaseTiming,
  first: C,
  stopping: AbortSignal,
): Lease<C, To, S> {
  let claim = first
  let saving = false
  let callSaved = false
  let call = new AbortController()
  // Starts before the request, so that our deadline is never later than the database's.
  let deadline = deadlineIn(leaseMs)

  const renewNow = async () => {
    const { version } = claim
    const next = deadlineIn(leaseMs)
    const present = await renewLease(db, row, leaseMs)
    deadline = present === null ? OVER : next
    if (present === null) return call.abort()
    const movedByUs = saving || claim.version !== version
    if (!movedByUs && present !== version) call.abort()
  }
  const timer = setInterval(() => {
    renewNow().catch((error: unknown) => {
      log.warn(
        { err: error, ...about },
        'lease not renewed: tried again until it ends, then another worker takes over',
      )
      if (deadline.isOver()) call.abort()
    })
  }, renewMs)

  /** True while no other worker can take over before our next call. */
  const isSafe = () => !deadline.isOver(leaseMs / 2)

  const saveOnce = async (to: To): Promise<S['kind']> => {
    saving = true
    const next = deadlineIn(leaseMs)
    try {
      const saved = await save(claim, to, leaseMs)
      if (saved.kind === 'saved') deadline = next
      claim = saved.claim ?? claim
      callSaved = saved.kind === 'saved' && isCalling(claim)
      return saved.kind
    } finally {
      saving = false
    }
  }

  return {
    get claim() {
      return claim
    },
    beginCall() {
      const own = new AbortController()
      call = own
      return { signal: AbortSignal.any([own.signal, stopping]), abort: () => own.abort() }
    },
    mayCall() {
      if (!callSaved) return 'not_ours'
      return isSafe() && !stopping.aborted ? 'yes' : 'no'
    },
    isCallSaved: () => callSaved,
    async save(to) {
      for (;;) {
        try {
          return await saveOnce(to)
        } catch (error) {
          // Only this run knows the outcome of the irreversible call.
          if (!isCalling(claim) || !isSafe()) throw error
          log.warn({ err: error, ...about }, 'outcome not saved: tried again')
          await sleep(SAVE_AGAIN_MS)
        }
      }
    },
    async workWhileDue(oneStep) {
      try {
        while (claim.wakeAt !== null && claim.wakeAt <= now()) {
          if (stopping.aborted && !callSaved) break
          const result = await oneStep()
          if (result === 'stopped') break
          if (result === 'lost') return log.warn(`lease lost: ${name} (another worker takes it up)`)
        }
      } finally {
        clearInterval(timer)
      }
      await releaseLease(db, row)
    },
  }
}
