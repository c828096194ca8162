import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type House, signUp, startHouse } from '#test/harness.ts'

let house: House
beforeAll(async () => {
  house = await startHouse()
})
afterAll(() => house.stop())

it('calls during which the database cuts its connections are answered, or told to come again', async () => {
  const someone = await signUp(house)
  const calls = Promise.all(
    Array.from({ length: 6 }, async () => {
      const statuses: number[] = []
      for (let i = 0; i < 40; i++) statuses.push((await someone.request('/posts')).status)
      return statuses
    }),
  )
  const admin = setInterval(() => {
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'reelay' and datname = current_database() and pid <> pg_backend_pid()`
    others.execute(house.deps.db).catch(() => {}) // its own connection may be cut by the one before
  }, 10)
  const statuses = new Set((await calls).flat())
  clearInterval(admin)
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
})
