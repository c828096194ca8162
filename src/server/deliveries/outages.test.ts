import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { createHeartbeat, findOutage } from './outages.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE_MS = 60_000
const OUTAGE_MS = 5 * MINUTE_MS

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

it('only a gap between two looks that is long enough is an outage', async () => {
  let now = NOW
  const beat = () => createHeartbeat({ db, now: () => now }, OUTAGE_MS)()
  const outageAt = (minutes: number) => findOutage(db, NOW + minutes * MINUTE_MS)
  await beat()
  for (const minutes of [5, 10, 40, 41]) {
    now = NOW + minutes * MINUTE_MS
    await beat()
  }
  expect(await outageAt(7)).toBeNull()
  expect(await outageAt(10)).toEqual({ since: NOW + 10 * MINUTE_MS, until: NOW + 40 * MINUTE_MS })
  expect(await outageAt(39)).toEqual(await outageAt(10))
  expect(await outageAt(40)).toBeNull()
})

it('workers whose clocks differ by minutes are no outage', async () => {
  let now = NOW + 100 * MINUTE_MS
  const ahead = createHeartbeat({ db, now: () => now + 4.5 * MINUTE_MS }, OUTAGE_MS)
  const behind = createHeartbeat({ db, now: () => now }, OUTAGE_MS)
  await behind()
  await ahead()
  const before = await db.selectFrom('outages').selectAll().execute()
  for (let minute = 0; minute < 10; minute += 1) {
    now += MINUTE_MS
    await ahead()
    await behind()
  }
  expect(await db.selectFrom('outages').selectAll().execute()).toEqual(before)
})

it('what a clock that ran ahead made look like an outage is forgotten once it is set back', async () => {
  const day = NOW + 24 * 60 * MINUTE_MS
  let now = day
  const beat = () => createHeartbeat({ db, now: () => now }, OUTAGE_MS)()
  await beat()
  now = day + 120 * MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 60 * MINUTE_MS)).not.toBeNull()
  now = day + MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 60 * MINUTE_MS)).toBeNull()
  now = day + 5 * MINUTE_MS
  await beat()
  expect(await findOutage(db, day + 2 * MINUTE_MS)).toBeNull()
})
