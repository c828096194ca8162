import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb, type Db } from '#base/db/open.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database/test-database.ts'
import { listActs } from './acts.ts'
import { createProviderLogin } from './provider-login.ts'

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

type Claims = { operator?: boolean | null; quota?: string | null }

async function logIn(name: string, { operator = null, quota = null }: Claims = {}) {
  const record = createProviderLogin({
    db,
    config: { operatorEmail: null },
    now: Date.now,
    log: pino({ level: 'silent' }),
  })
  const user = { uid: name, email: `${name}@example.test` }
  await record(user, { provider: 'Keycloak', name: 'Ana Lima', timezone: 'Europe/Lisbon', operator, quota })
  return db.selectFrom('users').selectAll().where('uid', '=', name).executeTakeFirstOrThrow()
}

const acts = async (name: string) =>
  (await listActs(db, undefined)).items
    .filter(({ subject }) => subject === `${name}@example.test`)
    .map(({ operator, act, after }) => ({ operator, act, after }))

test('the first log-in through a provider makes a user with the zone of the browser', async () => {
  const first = {
    nickname: 'Ana Lima',
    timezone: 'Europe/Lisbon',
    email_confirmed: true,
    operator_by: 'first',
  }
  expect(await logIn('first')).toMatchObject(first)
  expect(await logIn('first', { operator: false }), 'no claim ends the first user').toMatchObject(first)
  expect(await acts('first')).toEqual([])
})

test('a claim makes an operator, and takes back only what a claim has granted', async () => {
  expect(await logIn('ana', { operator: true })).toMatchObject({ operator_by: 'provider' })
  expect(await logIn('ana', { operator: null })).toMatchObject({ operator_by: 'provider' })
  expect(await logIn('ana', { operator: false })).toMatchObject({ operator_by: null })
  expect(await acts('ana')).toEqual([
    { operator: 'Keycloak', act: 'operator_revoked', after: { operator_by: null } },
    { operator: 'Keycloak', act: 'operator_granted', after: { operator_by: 'provider' } },
  ])
  await logIn('bea')
  await db.updateTable('users').set({ operator_by: 'granted' }).where('uid', '=', 'bea').execute()
  expect(await logIn('bea', { operator: false })).toMatchObject({ operator_by: 'granted' })
})

test('the last operator stays one without the claim', async () => {
  await logIn('dora', { operator: true })
  await db.updateTable('users').set({ operator_by: null }).where('uid', '!=', 'dora').execute()
  expect(await logIn('dora', { operator: false })).toMatchObject({ operator_by: 'provider' })
})

test('a claim sets how much a user may store, where it is an amount', async () => {
  expect(await logIn('cleo', { quota: '1.5GB' })).toMatchObject({ quota_bytes: 1_500_000_000 })
  expect(await logIn('cleo', { quota: 'lots' })).toMatchObject({ quota_bytes: 1_500_000_000 })
  expect(await logIn('cleo')).toMatchObject({ quota_bytes: 1_500_000_000 })
  expect(await acts('cleo')).toEqual([
    { operator: 'Keycloak', act: 'user_quota_set', after: { quota_bytes: 1_500_000_000 } },
  ])
})
