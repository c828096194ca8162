import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { openDb } from '#base/db/open.ts'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { findByEmailWithLastSeen, rememberAddress } from './known-addresses.ts'
import { deleteUser } from './profile.ts'
import { insertUser } from './users.ts'

const database = await createTestDatabase()
const db = openDb(database.url)
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const DAY_MS = 24 * 3_600_000
const start = Date.UTC(2026, 0, 1)
const day = (days: number) => new Date(start + days * DAY_MS)

async function user(uid: string) {
  await insertUser(db, { uid, email: `${uid}@example.test`, displayName: null, passwordHash: null }, day(0))
  return {
    uid,
    seenAt: async (addressHash: Buffer) =>
      (await findByEmailWithLastSeen(db, `${uid}@example.test`, addressHash))?.seen_here_at ?? null,
  }
}
const rows = (uid: string) =>
  db.selectFrom('identity_known_addresses').selectAll().where('uid', '=', uid).execute()

test('an address is known only for the account that logged in from it', async () => {
  const [ann, ben] = [await user('ann'), await user('ben')]
  const home = randomBytes(32)
  await rememberAddress(db, { uid: ann.uid, addressHash: home, now: day(1) })
  expect(await ann.seenAt(home)).toEqual(day(1))
  expect(await ben.seenAt(home)).toBeNull()
  await rememberAddress(db, { uid: ann.uid, addressHash: home, now: day(2) })
  expect(await ann.seenAt(home)).toEqual(day(2))
})

test('an account keeps its 20 most recent addresses', async () => {
  const carl = await user('carl')
  const addresses = Array.from({ length: 25 }, () => randomBytes(32))
  for (const [index, addressHash] of addresses.entries()) {
    await rememberAddress(db, { uid: carl.uid, addressHash, now: day(index) })
  }
  expect(await rows(carl.uid)).toHaveLength(20)
  expect(await carl.seenAt(addresses[4] ?? Buffer.alloc(0))).toBeNull()
  expect(await carl.seenAt(addresses[5] ?? Buffer.alloc(0))).toEqual(day(5))
})

test('deleting a user deletes known addresses, and none is stored afterwards', async () => {
  const dora = await user('dora')
  await rememberAddress(db, { uid: dora.uid, addressHash: randomBytes(32), now: day(1) })
  await deleteUser(db, dora.uid)
  expect(await rows(dora.uid)).toEqual([])
  await rememberAddress(db, { uid: dora.uid, addressHash: randomBytes(32), now: day(2) })
  expect(await rows(dora.uid)).toEqual([])
})
