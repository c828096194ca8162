import { afterAll, expect, it } from 'vitest'
import { waiting } from '#test/support/lock-waits.ts'
import { createTestDatabase } from '#test/support/database/test-database.ts'
import { openDb } from '#base/db/open.ts'
import { lockSlots, saveSlots } from './sliding-window.ts'

const database = await createTestDatabase()
const db = openDb(database.url)
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

it('two who add the slots of an account at once hold them one after the other', async () => {
  const lock = (trx: typeof db) => lockSlots(trx, 'tiktok', { externalId: 'nova' }, 'open')
  const slots = { made: [1], reserved: [2] }
  const { second } = await db.transaction().execute(async (trx) => {
    const first = await lock(trx)
    expect(first.slots).toEqual({ made: [], reserved: [] })
    const waits = db.transaction().execute(lock)
    await waiting(db)
    await saveSlots(trx, first, slots)
    return { second: waits }
  })
  expect(await second).toMatchObject({ externalId: 'nova', slots })
})
