import { afterAll, expect, it } from 'vitest'
import { waiting } from '#test/support/lock-waits.ts'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { openDb } from '#base/db/open.ts'
import { lockCallTimes, saveCallTimes } from './sliding-window.ts'

const database = await createTestDatabase()
const db = openDb(database.url)
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

it('two who add the times of an account at once hold them one after the other', async () => {
  const lock = (trx: typeof db) => lockCallTimes(trx, 'tiktok', { externalId: 'nova' }, 'open')
  const times = { made: [1], reserved: [2] }
  const { second } = await db.transaction().execute(async (trx) => {
    const first = await lock(trx)
    expect(first.times).toEqual({ made: [], reserved: [] })
    const waits = db.transaction().execute(lock)
    await waiting(db)
    await saveCallTimes(trx, first, times)
    return { second: waits }
  })
  expect(await second).toMatchObject({ externalId: 'nova', times })
})
