import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUpToPost } from '#test/support/publish.ts'
import { type Person, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { openDeps } from '../deps.ts'

let testServer: TestServer
let operator: Person
beforeAll(async () => {
  testServer = await startTestServer()
  operator = await signUp(testServer, 'Operator')
})
afterAll(() => testServer.stop())

const SECRET = 'Sup3rSecretOfTheApp000'
const KEYS = { TIKTOK_CLIENT_KEY: 'aw1234567890', TIKTOK_CLIENT_SECRET: SECRET, TIKTOK_APP_AUDITED: 'true' }
const tiktok = { params: { platform: 'tiktok' } } as const
const enter = (keys: Record<string, string> | null, person = operator) =>
  person.call('setPlatformKeys', { ...tiktok, body: { keys } })
const modes = async (person = operator) =>
  Object.fromEntries((await person.call('getSettings', {})).platforms.map(({ id, mode }) => [id, mode]))

it('entered keys are in force at once, here and in other processes, and are never told', async () => {
  const { config, db } = testServer.deps
  const elsewhere = await openDeps(config, config.databaseUrl ?? '', pino({ level: 'silent' }))
  try {
    expect(await modes()).toEqual({ tiktok: 'practice', instagram: 'practice', youtube: 'practice' })
    expect(await enter(KEYS)).toMatchObject({ mode: 'live', fixed: false })
    expect(await modes()).toEqual({ tiktok: 'live', instagram: 'practice', youtube: 'practice' })
    expect(testServer.deps.platforms.tiktok?.authorizeUrl(REQUEST)).toMatch(
      /^https:\/\/www\.tiktok\.com\/.*client_key=aw1234567890/,
    )
    await elsewhere.refreshPlatforms()
    expect(elsewhere.platforms.tiktok?.authorizeUrl(REQUEST)).toContain('www.tiktok.com')
  } finally {
    await elsewhere.close()
  }
  // A secret that is left out stays.
  const { TIKTOK_CLIENT_SECRET: _, ...others } = KEYS
  expect(await enter({ ...others, TIKTOK_APP_AUDITED: 'false' })).toMatchObject({ mode: 'live' })
  const setups = await operator.call('listPlatformSetups', {})
  const { items: acts } = await operator.call('listOperatorActs', {})
  const stored = await db.selectFrom('platform_keys').selectAll().execute()
  const valueOf = (variable: string) =>
    setups[0]?.settings.find((setting) => setting.variable === variable)?.value
  expect([
    valueOf('TIKTOK_CLIENT_KEY'),
    valueOf('TIKTOK_CLIENT_SECRET'),
    valueOf('TIKTOK_APP_AUDITED'),
  ]).toEqual(['aw1234567890', null, 'false'])
  expect(JSON.stringify({ setups, acts, stored })).not.toContain(SECRET)
  expect(acts).toMatchObject([
    { act: 'platform_keys_set', before: { TIKTOK_APP_AUDITED: 'true', TIKTOK_CLIENT_SECRET: 'set' } },
    { act: 'platform_keys_set', subject: 'TikTok', before: null },
  ])

  expect(await enter(null)).toMatchObject({ mode: 'practice' })
  expect(await modes()).toEqual({ tiktok: 'practice', instagram: 'practice', youtube: 'practice' })
})
const REQUEST = {
  state: 's',
  redirectUri: 'https://reelay.example.com/cb',
  extraScopes: [],
  codeVerifier: 'cv',
}

it('the linked accounts of all users are counted, as those to link again with another app', async () => {
  await signUpToPost(testServer)
  const setups = await operator.call('listPlatformSetups', {})
  expect(setups.map(({ platform, accounts }) => [platform, accounts])).toContainEqual(['tiktok', 1])
})

it('keys that are not whole are refused by their field, and change nothing', async () => {
  await expect(enter({ TIKTOK_CLIENT_KEY: 'aw1234567890' })).rejects.toThrow('Enter the client secret.')
  await expect(enter({ ...KEYS, TIKTOK_APP_AUDITED: 'maybe' })).rejects.toThrow(
    'TIKTOK_APP_AUDITED must be true or false',
  )
  await expect(enter({ ...KEYS, DATABASE_URL: 'postgres://elsewhere' })).rejects.toThrow(
    'TikTok has no such setting.',
  )
  expect(await modes()).toEqual({ tiktok: 'practice', instagram: 'practice', youtube: 'practice' })
})

it('a platform is asked whether it knows the app', async () => {
  for (const platform of ['tiktok', 'instagram'] as const)
    expect(await operator.call('tryPlatformKeys', { params: { platform } })).toMatchObject({
      result: 'known',
    })
})

it('keys of the environment win, and are not replaced from the screen', async () => {
  const own = await startTestServer({
    env: { TIKTOK_CLIENT_KEY: 'fromenvironment', TIKTOK_CLIENT_SECRET: 'environment0secret00' },
  })
  const chief = await signUp(own, 'Chief')
  const [setup] = await chief.call('listPlatformSetups', {})
  expect(setup).toMatchObject({ platform: 'tiktok', fixed: true, mode: 'live' })
  expect(JSON.stringify(setup)).not.toMatch(/fromenvironment|environment0secret00/)
  await expect(enter(KEYS, chief)).rejects.toThrow("The server's environment sets the keys of TikTok")
  await own.stop()
})
