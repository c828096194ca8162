import type { Logger } from 'pino'
import { deadlineIn, OVER } from '#base/deadline.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { renewLease, save, type Claim, type Saved } from '../store.ts'

export type LeaseDeps = { readonly db: Db; readonly encrypter: Encrypter; readonly log: Logger }

/** `claim`: the delivery as it was last saved. */
export type Lease = {
  readonly claim: Claim
  beginCall(stopping: AbortSignal): { readonly signal: AbortSignal; abort(): void }
  /** Far enough from the lease's end that no other worker can have taken over before our next call is out. */
  isSafe(): boolean
  save(to: Omit<Parameters<typeof save>[3], 'leaseMs'>): Promise<Saved['kind']>
  end(): void
}

/** Renews the lease while a delivery is worked on; ends the call in progress once it is lost or the user moved the delivery. */
export function keepLease(
  deps: LeaseDeps,
  { leaseMs, renewMs }: { readonly leaseMs: number; readonly renewMs: number },
  first: Claim,
): Lease {
  let claim = first
  let saving = false
  let call = new AbortController()
  // Counted from before the request, so that ours ends no later than the database's.
  let deadline = deadlineIn(leaseMs)

  const renew = async () => {
    const { version } = claim
    const next = deadlineIn(leaseMs)
    const renewal = await renewLease(deps.db, claim, leaseMs)
    deadline = renewal.held ? next : OVER
    if (!renewal.held) return call.abort()
    const movedByUs = saving || claim.version !== version
    if (!movedByUs && renewal.version !== version) call.abort()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      deps.log.warn(
        { err: error, delivery: claim.deliveryId },
        'lease not renewed: tried again until it ends, then another worker takes over',
      )
      if (deadline.isOver()) call.abort()
    })
  }, renewMs)

  return {
    get claim() {
      return claim
    },
    beginCall(stopping) {
      const own = new AbortController()
      call = own
      return { signal: AbortSignal.any([own.signal, stopping]), abort: () => own.abort() }
    },
    isSafe: () => !deadline.isOver(leaseMs / 2),
    async save(to) {
      saving = true
      const next = deadlineIn(leaseMs)
      try {
        const saved = await save(deps.db, deps.encrypter, claim, { ...to, leaseMs })
        if (saved.kind === 'saved') deadline = next
        if (saved.kind === 'saved' || saved.kind === 'changed') claim = saved.claim
        return saved.kind
      } finally {
        saving = false
      }
    },
    end: () => clearInterval(timer),
  }
}
