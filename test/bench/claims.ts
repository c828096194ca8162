import { type Kysely, sql } from 'kysely'
import type { DB } from '#base/db/tables.ts'
import { createEncrypter, type Encrypter } from '#base/encryption.ts'
import { type Claimed, claimDue, type ClaimRequest, nextWakeAt } from '#server/deliveries/claim/claim-due.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { type Claim, openClaim, save } from '#server/deliveries/store.ts'
import { releaseLease } from '#server/lease/leased-row.ts'
import { WORKER_SETTINGS } from '#server/deliveries/worker/worker.ts'
import type { Measurement } from './report.ts'
import { removeUser, seedDue } from './seed.ts'

type Side = { readonly db: Kysely<DB>; readonly encryptionKey: string }
type Rates = { readonly startMs: number; readonly perSecond: number }

const STARTS = 10
const BURSTS = 4
const BURST = 100

/**
 * The worker's own claims and saves; only the platforms' calls between them are left out. Of each turn the fastest counts, since
 * other work on the machine only adds.
 */
export async function measureClaims(
  small: Side,
  large: Side,
  it: { readonly turns: number; readonly promise: { readonly atMost: number } },
): Promise<Measurement[]> {
  const [floor, ours]: [Rates[], Rates[]] = [[], []]
  for (let turn = -1; turn < it.turns; turn++) {
    const measured = [await measureSide(small), await measureSide(large)] as const
    if (turn < 0) continue // code and pages that the first needs
    floor.push(measured[0])
    ours.push(measured[1])
  }
  const of = (rates: readonly Rates[], name: keyof Rates) => rates.map((one) => one[name])
  const atLeast = Number((1 / it.promise.atMost).toFixed(2))
  return [
    {
      what: 'claim of a due delivery',
      unit: 'ms',
      floor: of(floor, 'startMs'),
      ours: of(ours, 'startMs'),
      promise: it.promise,
    },
    {
      what: 'deliveries claimed and saved',
      unit: 'a second',
      floor: of(floor, 'perSecond'),
      ours: of(ours, 'perSecond'),
      promise: { atLeast },
    },
  ]
}

async function measureSide(side: Side): Promise<Rates> {
  const starts: number[] = []
  for (let i = 0; i < STARTS; i++) {
    await withDue(side.db, 1, async () => {
      const began = performance.now()
      const claimed = await claimAll(side)
      await nextWakeAt(side.db, request())
      starts.push(performance.now() - began)
      if (claimed.length !== 1) throw new Error(`${claimed.length} of 1 due delivery was claimed.`)
    })
  }
  const rates: number[] = []
  for (let i = 0; i < BURSTS; i++) {
    await withDue(side.db, BURST, async () => {
      const began = performance.now()
      for (let done = 0; done < BURST;) {
        const claimed = await claimAll(side)
        if (claimed.length === 0) throw new Error(`Only ${done} of ${BURST} due deliveries were claimed.`)
        await Promise.all(claimed.map((one) => publish(side, one)))
        done += claimed.length
      }
      rates.push((BURST * 1000) / (performance.now() - began))
    })
  }
  return { startMs: Math.min(...starts), perSecond: Math.max(...rates) }
}

async function withDue(db: Kysely<DB>, count: number, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ user_id: number }>`
    insert into users (uid, email, nickname, timezone) values (gen_random_uuid(), 'due@example.com', 'Due', 'UTC')
    returning user_id`.execute(db)
  for (const { user_id: userId } of rows) {
    await seedDue(db, userId, count)
    await work()
    await removeUser(db, userId)
  }
}

async function claimAll({ db, encryptionKey }: Side): Promise<Claimed[]> {
  const all: Claimed[] = []
  const deps = { db, encrypter: createEncrypter([encryptionKey]) }
  for await (const claimed of claimDue(deps, request)) all.push(...claimed)
  return all
}

const request = (): ClaimRequest => ({
  now: Date.now(),
  leaseMs: WORKER_SETTINGS.leaseMs,
  push: ['tiktok'],
  pull: ['instagram'],
  calls: { lanes: WORKER_SETTINGS.lanes.calls, usedBy: [], turns: [] },
  uploads: {
    lanes: WORKER_SETTINGS.lanes.uploads,
    running: [],
    turns: [],
    uplink: { bytesPerS: 100_000_000, isMeasured: true, lifeS: 3600 },
  },
})

/** Saves what became of a claimed delivery and gives up its lease, as the worker does. `state` null: it is live. */
export async function saveClaimed(
  db: Kysely<DB>,
  encrypter: Encrypter,
  claim: Claim,
  { state, wakeAt }: { readonly state: DeliveryState | null; readonly wakeAt: number | null },
): Promise<void> {
  const now = Date.now()
  const live: DeliveryState = {
    kind: 'published',
    attempt: 1,
    repeats: 0,
    at: now,
    session: null,
    postId: null,
    url: null,
    afterAll: false,
  }
  const to = { state: state ?? live, wakeAt, leaseMs: WORKER_SETTINGS.leaseMs, now }
  const saved = await save(db, encrypter, claim, to)
  if (saved.kind !== 'saved') throw new Error(`A delivery was not saved: ${saved.kind}.`)
  await releaseLease(db, { table: 'deliveries', id: claim.deliveryId, fence: claim.fence })
}

async function publish({ db, encryptionKey }: Side, { row }: Claimed): Promise<void> {
  const encrypter = createEncrypter([encryptionKey])
  await saveClaimed(db, encrypter, openClaim(row, encrypter), { state: null, wakeAt: null })
}
