import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTICE_SIGNUP_CLOSED, TEXTS } from '#contract/texts.ts'
import { startTestServer, type TestServer } from '#test/support/test-server.ts'
import { readConfig } from '../runtime/config.ts'
import { settingsRoutes } from './settings.ts'

const identity = {
  publicSettings: { mode: 'embedded', apiKey: 'key', projectId: 'reelay', path: '/identity', providers: [] },
} as unknown as Parameters<typeof settingsRoutes>[0]['identity'] // the settings read nothing else of it

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ env: { SIGNUP: 'closed' } })
})
afterAll(() => testServer.stop())

async function settingsWith(env: Record<string, string>) {
  const { db } = testServer.deps
  const { getSettings } = settingsRoutes({ config: readConfig(env), identity, db, legalPages: new Map() })
  return getSettings({} as Parameters<typeof getSettings>[0]) // asks nothing of the request
}
const noticeWith = async (env: Record<string, string>): Promise<string | null> =>
  (await settingsWith(env)).notice

it('the web app learns the address of TOKEN_SYNC_URL', async () => {
  expect(await settingsWith({ TOKEN_SYNC_URL: '/session' })).toMatchObject({ token_sync_url: '/session' })
  expect(await settingsWith({})).toMatchObject({ token_sync_url: null })
})

it('with practice platforms the notice says which, and that the app is in development', async () => {
  expect(await noticeWith({})).toBe(
    'The app is still in development on this server: what is posted to TikTok, Instagram or YouTube goes to a practice platform, and nobody on the real one sees it.',
  )
  const live = { TIKTOK_CLIENT_KEY: 'key', TIKTOK_CLIENT_SECRET: 'secret' }
  expect(await noticeWith(live)).toContain(
    'what is posted to Instagram or YouTube goes to a practice platform',
  )
  expect(await noticeWith({ PRACTICE: 'off' })).toBeNull()
})

it('with SIGNUP=closed the notice says so and explains "no token found"', async () => {
  expect(await noticeWith({ PRACTICE: 'off', SIGNUP: 'closed' })).toBe(NOTICE_SIGNUP_CLOSED)
  // Named as the browser logs it.
  expect(NOTICE_SIGNUP_CLOSED).toContain(`"${TEXTS.noToken}"`)
})

it('with SIGNUP=closed public settings say so and sign-up is refused', async () => {
  const settings: unknown = await (await fetch(`${testServer.url}/api/v1/settings`)).json()
  expect(settings).toMatchObject({ signup: 'closed' })
  expect(settings).toHaveProperty('notice', expect.stringContaining(NOTICE_SIGNUP_CLOSED))
  const refused = await fetch(`${testServer.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@b.co', nickname: 'A', timezone: 'UTC', password: 'long enough' }),
  })
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ code: 'signup_closed', message: TEXTS.signupClosed })
})

it('a server is new until it has a user', async () => {
  const isNew = async () =>
    ((await (await fetch(`${testServer.url}/api/v1/settings`)).json()) as { is_new: boolean }).is_new
  expect(await isNew()).toBe(true)
  await testServer.deps.db
    .insertInto('users')
    .values({ uid: 'first', email: 'a@b.co', nickname: 'A', timezone: 'UTC' })
    .execute()
  expect(await isNew()).toBe(false)
})
