import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  linkAccount,
  platformCalls,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { buildApp } from '../app.ts'
import { openDeps } from '../deps.ts'

const in50Days = () => Date.now() + 50 * 86_400_000

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

it('a server that was started with --hold calls no platform, and says why', async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id: accountId } = await linkAccount(ada, { platform: 'instagram', brandId })
  const tokens = async () =>
    (await sql`select tokens from accounts where account_id = ${accountId}`.execute(testServer.deps.db)).rows
  const [calls, before] = [await platformCalls(testServer), await tokens()]
  // The access is due for renewal.
  const config = { ...testServer.config, hold: true }
  const deps = await openDeps(config, config.databaseUrl ?? '', pino({ level: 'silent' }), {
    readTime: in50Days,
  })
  const app = await buildApp({ ...deps, identity: testServer.deps.identity })
  const request = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${ada.token}` }
    const answer = await app.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
    return `${answer.statusCode} ${answer.body}`
  }
  const why = 'This server was started with --hold'
  expect(await request('GET', `/accounts/${accountId}/options`)).toContain(why)
  expect(await request('POST', '/platforms/instagram/authorize', { brand_id: brandId })).toContain(why)
  const login = { brand_id: brandId, state: 'x'.repeat(43), code: 'code' }
  expect(await request('POST', '/platforms/instagram/login', login)).toContain(why)
  expect(await tokens()).toEqual(before)
  expect(await request('DELETE', `/accounts/${accountId}`)).toMatch(/^20/)
  await app.close()
  await deps.close()
  expect(await platformCalls(testServer)).toEqual(calls)
})
