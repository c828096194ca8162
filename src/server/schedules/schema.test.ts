import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'

let database: TestDatabase
let client: Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    insert into users (uid, email, nickname, timezone) values ('ada', 'ada@example.com', 'Ada', 'Europe/Lisbon');
    insert into brands (user_id, title) select user_id, 'Northwind' from users;
    insert into schedules (user_id, brand_id, name) select user_id, brand_id, 'Morning' from brands;
    insert into schedule_slots (schedule_id, weekday, time) select schedule_id, 1, '08:30' from schedules`)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test.each([
  [
    'a second slot at the same time',
    `schedule_slots (schedule_id, weekday, time) select schedule_id, 1, '08:30'`,
  ],
  ['an eighth weekday', `schedule_slots (schedule_id, weekday, time) select schedule_id, 8, '08:30'`],
  [
    'an hour that no clock shows',
    `schedule_slots (schedule_id, weekday, time) select schedule_id, 1, '24:00'`,
  ],
  [
    'a slot for no platform',
    `schedule_slots (schedule_id, weekday, time, platforms) select schedule_id, 2, '08:30', '{}'`,
  ],
  [
    'a second schedule of the same name',
    `schedules (user_id, brand_id, name) select user_id, brand_id, 'morning'`,
  ],
])('the database refuses %s', async (_what, row) => {
  await expect(client.query(`insert into ${row} from schedules`)).rejects.toThrow(/constraint/)
})

test('the name of a deleted schedule can be used again', async () => {
  await client.query('begin')
  await client.query('update schedules set deleted_at = now()')
  await client.query(
    `insert into schedules (user_id, brand_id, name) select user_id, brand_id, 'Morning' from schedules`,
  )
  await client.query('rollback')
})
