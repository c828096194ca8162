import type { Logger } from 'pino'
import { deadlineIn, OVER } from '#base/deadline.ts'

/** `held`: the lease is ours, with the row's present version; otherwise it is lost. */
export type Renewal = { readonly held: true; readonly version: number } | { readonly held: false }

type SavedAs<C> = { readonly kind: string; readonly claim?: C }

export type LeasedRow<C, To, S extends SavedAs<C>> = {
  readonly about: Readonly<Record<string, number>>
  readonly renew: (claim: C, leaseMs: number) => Promise<Renewal>
  /** Compare and set; renews the lease. */
  readonly save: (claim: C, to: To, leaseMs: number) => Promise<S>
}

export type LeaseTiming = { readonly leaseMs: number; readonly renewMs: number }

export type Lease<C, To, S extends SavedAs<C>> = {
  readonly claim: C
  beginCall(stopping: AbortSignal): { readonly signal: AbortSignal; abort(): void }
  /** True while no other worker can take over before our next call. */
  isSafe(): boolean
  save(to: To): Promise<S['kind']>
  end(): void
}

/** Renews the lease while a row is processed; aborts the call in progress once it is lost or the row changed. */
export function keepLease<C extends { readonly version: number }, To, S extends SavedAs<C>>(
  { about, renew, save }: LeasedRow<C, To, S>,
  log: Logger,
  { leaseMs, renewMs }: LeaseTiming,
  first: C,
): Lease<C, To, S> {
  let claim = first
  let saving = false
  let call = new AbortController()
  // Starts before the request, so that our deadline is never later than the database's.
  let deadline = deadlineIn(leaseMs)

  const renewNow = async () => {
    const { version } = claim
    const next = deadlineIn(leaseMs)
    const renewal = await renew(claim, leaseMs)
    deadline = renewal.held ? next : OVER
    if (!renewal.held) return call.abort()
    const movedByUs = saving || claim.version !== version
    if (!movedByUs && renewal.version !== version) call.abort()
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
        const saved = await save(claim, to, leaseMs)
        if (saved.kind === 'saved') deadline = next
        claim = saved.claim ?? claim
        return saved.kind
      } finally {
        saving = false
      }
    },
    end: () => clearInterval(timer),
  }
}
