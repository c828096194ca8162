import type { Logger } from 'pino'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { keepLease as keepLeaseOf, type Lease as LeaseOf, type LeaseTiming } from '../../lease/keep-lease.ts'
import { renewLease, save, type Claim, type Saved } from '../store.ts'

export type LeaseDeps = { readonly db: Db; readonly encrypter: Encrypter; readonly log: Logger }

type To = Omit<Parameters<typeof save>[3], 'leaseMs'>

/** `claim`: the delivery as it was last saved. */
export type Lease = LeaseOf<Claim, To, Saved>

/** Renews the lease while a delivery is worked on; ends the call in progress once it is lost or the user moved the delivery. */
export const keepLease = ({ db, encrypter, log }: LeaseDeps, timing: LeaseTiming, first: Claim): Lease =>
  keepLeaseOf<Claim, To, Saved>(
    {
      about: { delivery: first.deliveryId },
      renew: (claim, leaseMs) => renewLease(db, claim, leaseMs),
      save: (claim, to, leaseMs) => save(db, encrypter, claim, { ...to, leaseMs }),
    },
    log,
    timing,
    first,
  )
