import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { DeliveryState } from '#domain/delivery/state.ts'
import { makeState } from '#test/support/delivery-states.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { createEncrypter } from '#base/encryption.ts'
import { blockAccountDeliveries, releaseAccountDeliveries } from './by-account.ts'
import { claimDue, nextWakeAt, type ClaimRequest } from './claim/claim-due.ts'
import { getDelivery, listEvents } from './read.ts'
import { type LeasedRow, releaseLease, renewLease } from '../lease/leased-row.ts'
import { applyUserEvent, openClaim, insertDelivery, save, type Claim } from './store.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const LEASE_MS = 30_000
const MINUTE_MS = 60_000
const encrypter = createEncrypter(['a test key'])
const session = { upload_url: 'https://secret.example/upload?token=abc' }

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDb(database.url)
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})
beforeEach(() =>
  db
    .deleteFrom('users')
    .execute()
    .then(() => db.deleteFrom('accounts').execute()),
)

let userId: number
let accountId: number
beforeEach(linkAsNewUser)

/** A new user links the one platform account of this file. */
async function linkAsNewUser(): Promise<void> {
  ;({ user_id: userId } = await db
    .insertInto('users')
    .values({ uid: `u${Math.random()}`, email: 'a@example.com', nickname: 'Ada', timezone: 'UTC' })
    .returning('user_id')
    .executeTakeFirstOrThrow())
  const { brand_id } = await db
    .insertInto('brands')
    .values({ user_id: userId, title: 'Northwind' })
    .returning('brand_id')
    .executeTakeFirstOrThrow()
  ;({ account_id: accountId } = await db
    .insertInto('accounts')
    .values({
      user_id: userId,
      brand_id,
      platform: 'tiktok',
      external_id: 'x',
      username: 'nova',
      display_name: 'Nova',
      scopes: [],
      can_publish: true,
      tokens: encrypter.encrypt('{}'),
    })
    .returning('account_id')
    .executeTakeFirstOrThrow())
}

/** A delivery of a post of its own, due at `dueAt`. */
async function makeDelivery(dueAt = NOW): Promise<number> {
  const { video_id } = await db
    .insertInto('videos')
    .values({
      user_id: userId,
      storage_key: `k${Math.random()}`,
      filename: 'v.mp4',
      mime: 'video/mp4',
      size: 1000,
      sha256: '0'.repeat(64),
      facts: '{}',
    })
    .returning('video_id')
    .executeTakeFirstOrThrow()
  const { post_id: postId } = await db
    .insertInto('posts')
    .values({ user_id: userId, video_id, text: 'Hello' })
    .returning('post_id')
    .executeTakeFirstOrThrow()
  return insertDelivery(db, encrypter, {
    postId,
    userId,
    accountId,
    platform: 'tiktok',
    text: 'Hello',
    options: {},
    goesOutAt: dueAt,
    afterMinutes: 0,
  })
}

const claim = async (limit = 10, now = NOW) =>
  (await Array.fromAsync(claimDue({ db, encrypter }, () => requestOf(limit, now))))
    .flat()
    .map(({ row }) => openClaim(row, encrypter))

const requestOf = (limit: number, now: number): ClaimRequest => ({
  now,
  leaseMs: LEASE_MS,
  push: [],
  pull: PLATFORM_IDS,
  calls: { lanes: limit * 2, usedBy: [], turns: [] },
  uploads: { lanes: 0, running: [], turns: [], uplink: { bytesPerS: 1, isMeasured: false, lifeS: 1 } },
})

async function claimOne(): Promise<Claim> {
  const [first] = await claim(1)
  if (!first) throw new Error('nothing was due')
  return first
}

const rowOf = ({ deliveryId: id, fence }: Claim): LeasedRow => ({ table: 'deliveries', id, fence })

const saveAs = (held: Claim, state: DeliveryState, wakeAt: number | null = NOW) =>
  save(db, encrypter, held, { state, wakeAt, leaseMs: LEASE_MS, now: NOW })

async function followUpsOncePublished(change: { goes_out_at?: null }): Promise<string[]> {
  const id = await makeDelivery()
  const options = JSON.stringify({ privacy_level: 'PUBLIC_TO_EVERYONE' })
  const row = db.updateTable('deliveries').where('delivery_id', '=', id)
  await row.set({ options, ...change }).execute()
  await saveAs(await claimOne(), published, null)
  const found = await db.selectFrom('follow_ups').select('kind').where('delivery_id', '=', id).execute()
  return found.map(({ kind }) => kind)
}

/** What a worker that died a lease ago leaves behind. */
const letLeaseRunOut = (deliveryId: number) =>
  db
    .updateTable('deliveries')
    .set({ leased_until: new Date(Date.now() - 1000) })
    .where('delivery_id', '=', deliveryId)
    .execute()

const preparing = (sent: number) => makeState('preparing', NOW, { session, sent })
const published = makeState('published', NOW, { session })
const committing = makeState('committing', NOW, { session })

describe('claiming', () => {
  it('claims only what is due, the longest overdue first', async () => {
    const later = await makeDelivery(NOW - 1000)
    const sooner = await makeDelivery(NOW - 2000)
    await makeDelivery(NOW + 60_000)
    expect((await claim(1)).map((one) => one.deliveryId)).toEqual([sooner])
    expect((await claim()).map((one) => one.deliveryId)).toEqual([later])
    expect(await nextWakeAt(db, { now: NOW, push: [], pull: PLATFORM_IDS })).toBe(NOW + 60_000)
  })

  it('gives a delivery to one of many concurrent workers', async () => {
    await Promise.all(Array.from({ length: 5 }, () => makeDelivery()))
    const hands = await Promise.all(Array.from({ length: 10 }, () => claim(3)))
    const taken = hands.flat().map((one) => one.deliveryId)
    expect(new Set(taken).size).toBe(taken.length)
    expect(taken.length + (await claim()).length).toBe(5)
  })

  it("claims a dead worker's delivery after its lease, with a higher fencing token", async () => {
    const id = await makeDelivery()
    const dead = await claimOne()
    expect(await claim()).toEqual([])
    await letLeaseRunOut(id)
    const heir = await claimOne()
    expect(heir.deliveryId).toBe(dead.deliveryId)
    expect(heir.fence).toBeGreaterThan(dead.fence)
  })

  it('decrypts the upload session for the worker only', async () => {
    const id = await makeDelivery()
    const held = await claimOne()
    await saveAs(held, preparing(10))
    await releaseLease(db, rowOf(held))
    expect((await claimOne()).state).toEqual(preparing(10))
    const row = await db
      .selectFrom('deliveries')
      .selectAll()
      .where('delivery_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row.data)).not.toContain('secret')
    expect(row.session?.toString('latin1')).not.toContain('secret')
    expect(JSON.stringify(await getDelivery(db, userId, id))).not.toContain('secret')
  })
})

describe('saving', () => {
  it('is refused to a worker that lost its lease, even before another has it', async () => {
    const id = await makeDelivery()
    const held = await claimOne()
    await letLeaseRunOut(id)
    expect(await saveAs(held, preparing(1))).toEqual({ kind: 'lost' })
    expect(await renewLease(db, rowOf(held), LEASE_MS)).toBe(null)
    const heir = await claimOne()
    expect(await saveAs(held, preparing(1))).toEqual({ kind: 'lost' })
    expect((await saveAs(heir, preparing(2))).kind).toBe('saved')
  })

  it('a worker cannot release a lease that it lost', async () => {
    const id = await makeDelivery()
    const held = await claimOne()
    await letLeaseRunOut(id)
    await claimOne()
    await releaseLease(db, rowOf(held))
    expect(await claim()).toEqual([])
  })

  it('is refused when the user changed the delivery meanwhile, and returns the new state', async () => {
    const id = await makeDelivery()
    const held = await claimOne()
    await applyUserEvent(db, encrypter, { deliveryId: id, userId, event: { type: 'cancel' }, now: NOW })
    const saved = await saveAs(held, preparing(1))
    expect(saved).toMatchObject({ kind: 'changed', claim: { state: { kind: 'cancelled' } } })
    expect((await getDelivery(db, userId, id))?.status).toBe('cancelled')
  })

  it('lets one delivery of an account commit at a time', async () => {
    await makeDelivery()
    await makeDelivery()
    const [first, second] = await claim()
    if (!first || !second) throw new Error('two were due')
    const one = await saveAs(first, committing)
    expect(one.kind).toBe('saved')
    expect(await saveAs(second, committing)).toEqual({ kind: 'crowded' })
    if (one.kind === 'saved') await saveAs(one.claim, published, null)
    expect((await saveAs(second, committing)).kind).toBe('saved')
  })

  it('does not block a delivery on an account that is linked again by then', async () => {
    await makeDelivery()
    const held = await claimOne()
    const reason = { code: 'x', message: 'The access has ended.', remedy: 'Link it again.', detail: null }
    const waits: DeliveryState = {
      kind: 'blocked',
      attempt: 1,
      repeats: 0,
      cause: 'account',
      until: null,
      dueAt: null,
      reason,
      earlier: null,
    }
    expect(await saveAs(held, waits, null)).toEqual({ kind: 'linked' })
    await db
      .updateTable('accounts')
      .set({ relink_reason: reason.message })
      .where('account_id', '=', accountId)
      .execute()
    expect((await saveAs(held, waits, null)).kind).toBe('saved')
  })

  it('keeps what a further check of a doubted post needs', async () => {
    const id = await makeDelivery()
    const earlier = { session, since: NOW, looks: 0 }
    const again: DeliveryState = {
      kind: 'scheduled',
      attempt: 2,
      repeats: 0,
      dueAt: NOW,
      reason: null,
      earlier,
    }
    const held = await claimOne()
    await saveAs(held, again)
    await releaseLease(db, rowOf(held))
    expect((await claimOne()).state).toEqual(again)
    expect(JSON.stringify(await getDelivery(db, userId, id))).not.toContain('secret')
  })

  it('as published adds follow-ups, unless the post was deleted', async () => {
    expect(await followUpsOncePublished({})).toEqual(['public_link'])
    expect(await followUpsOncePublished({ goes_out_at: null })).toEqual([])
  })

  it('adds a timeline line for a new state, and none for progress within one', async () => {
    const id = await makeDelivery()
    let held = await claimOne()
    for (const state of [preparing(1), preparing(2), preparing(3), committing]) {
      const saved = await saveAs(held, state)
      if (saved.kind === 'saved') held = saved.claim
    }
    const lines = await listEvents(db, userId, { since: 0 }, 100)
    expect(lines.filter((line) => line.delivery_id === id).map((line) => line.status)).toEqual([
      'scheduled',
      'preparing',
      'committing',
    ])
  })
})

describe('a user action', () => {
  it("on another user's delivery answers as if it did not exist", async () => {
    const id = await makeDelivery()
    expect(
      await applyUserEvent(db, encrypter, {
        deliveryId: id,
        userId: userId + 1,
        event: { type: 'cancel' },
        now: NOW,
      }),
    ).toBeNull()
  })

  it('is refused once the irreversible call may be out', async () => {
    const id = await makeDelivery()
    await saveAs(await claimOne(), committing)
    expect(
      await applyUserEvent(db, encrypter, { deliveryId: id, userId, event: { type: 'cancel' }, now: NOW }),
    ).toHaveProperty('refused')
    expect((await getDelivery(db, userId, id))?.status).toBe('committing')
  })
})

it('late posts of an account that is linked again go out a minute apart, in order', async () => {
  const [second, first] = [await makeDelivery(NOW + 2 * MINUTE_MS), await makeDelivery(NOW + MINUTE_MS)]
  const later = await makeDelivery(NOW + 60 * MINUTE_MS)
  const reason = { code: 'x', message: 'The access has ended.', remedy: '', detail: null }
  await blockAccountDeliveries(db, { encrypter, now: () => NOW }, accountId, reason)
  const linkedAt = NOW + 10 * MINUTE_MS
  await releaseAccountDeliveries(db, { encrypter, now: () => linkedAt }, accountId)
  const rows = await db
    .selectFrom('deliveries')
    .select(['delivery_id', 'state', 'wake_at'])
    .orderBy('wake_at')
    .execute()
  expect(rows).toEqual([
    { delivery_id: first, state: 'scheduled', wake_at: new Date(linkedAt) },
    { delivery_id: second, state: 'scheduled', wake_at: new Date(linkedAt + MINUTE_MS) },
    { delivery_id: later, state: 'scheduled', wake_at: new Date(NOW + 60 * MINUTE_MS) },
  ])
})

it('late posts of two users to one platform account go out a minute apart', async () => {
  const reason = { code: 'x', message: 'The access has ended.', remedy: '', detail: null }
  const linkedAt = NOW + 10 * MINUTE_MS
  const relink = async () => {
    await makeDelivery()
    await blockAccountDeliveries(db, { encrypter, now: () => NOW }, accountId, reason)
    await releaseAccountDeliveries(db, { encrypter, now: () => linkedAt }, accountId)
  }
  await relink()
  await linkAsNewUser()
  await relink()
  const rows = await db.selectFrom('deliveries').select('wake_at').orderBy('wake_at').execute()
  expect(rows.map(({ wake_at }) => wake_at?.getTime())).toEqual([linkedAt, linkedAt + MINUTE_MS])
})
