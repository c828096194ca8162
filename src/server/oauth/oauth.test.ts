import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEYS_MAX, DEVICE_CODE_S } from '#contract/limits.ts'
import {
  linkAccount,
  type Person,
  personWith,
  resetPassword,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { deleteOldGrants, WAITING_DEVICES_MAX } from './store.ts'

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
let passedMs = 0
let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({
    env: { PRIVATE_ADDRESSES: 'allow', OAUTH_REGISTRATION: 'on' },
    now: () => Date.now() + passedMs,
  })
})
afterAll(() => testServer.stop())

type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, string | number>>
}

async function post(path: string, form: Record<string, string> | string, from?: string): Promise<Answer> {
  const answer = await fetch(testServer.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(from !== undefined && { 'x-forwarded-for': from }),
    },
    body: typeof form === 'string' ? form : new URLSearchParams(form),
  })
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Answer['body'], // every answer is an object
  }
}

const readOutcome = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer
  return `${status} ${String(body['error'] ?? 'fine')}`
}

type Started = { device_code: string; user_code: string; body: Answer['body'] }
async function startDevice(more: Record<string, string> = {}): Promise<Started> {
  const { status, body } = await post('/oauth/device', { client_id: 'reelay-cli', ...more })
  expect(status).toBe(200)
  return { device_code: String(body['device_code']), user_code: String(body['user_code']), body }
}
const poll = ({ device_code }: Started) =>
  post('/oauth/token', { grant_type: DEVICE, client_id: 'reelay-cli', device_code })

const asked = (code: string) => ({ request: { user_code: code } })
const approve = (who: Person, code: string, more: object = {}) =>
  who.call('approveAuthorization', { body: { ...asked(code), scopes: ['read'], ...more } })
const keyOf = (answer: Answer, who: Person): Person =>
  personWith(testServer, who.email, String(answer.body['access_token']))
const statusOf = async (who: Person, path: string) => (await who.request(path)).status
const startFrom = (address: string) =>
  readOutcome(post('/oauth/device', { client_id: 'reelay-cli' }, address))
/** Any public address. */
const anyAddress = () => `11.${[...randomBytes(3)].join('.')}`

describe('a device', () => {
  it('gets a key once its user has typed the code and allowed it', async () => {
    const who = await signUp(testServer, 'Ada')
    const started = await startDevice({ scope: 'read write dance', device_name: ' studio\u202e-mac\n' })
    expect(started.body).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/) as string,
      verification_uri: `${testServer.config.publicUrl}/connect`,
      verification_uri_complete: `${testServer.config.publicUrl}/connect?code=${started.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(await readOutcome(poll(started))).toBe('400 authorization_pending')
    expect(await readOutcome(poll(started)), 'at once').toBe('400 slow_down')
    passedMs += 5000
    expect(await readOutcome(poll(started))).toBe('400 authorization_pending')

    const typed = started.user_code.toLowerCase().replace('-', ' ')
    expect(await who.call('getAuthorizationRequest', { body: asked(typed) })).toEqual({
      client_name: 'Reelay command line',
      client_host: null,
      device_name: 'studio -mac',
      redirect_host: null,
      scopes: ['read', 'write'],
    })
    await approve(who, typed, { scopes: ['read', 'publish'] })
    const answer = await poll(started)
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^reelay_/) as string,
      token_type: 'Bearer',
      expires_in: 7_776_000,
      scope: 'read publish',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const key = keyOf(answer, who)
    expect(await statusOf(key, '/user')).toBe(200)
    const [listed] = await who.call('listApiKeys')
    expect(listed).toMatchObject({
      name: 'Reelay command line on studio -mac',
      scopes: ['read', 'publish'],
      limited_to: null,
      status: 'active',
    })
    expect(Date.parse(listed?.expires_at ?? '') - Date.parse(listed?.created_at ?? '')).toBe(90 * 86_400_000)
    expect(await readOutcome(poll(started)), 'again').toBe('400 invalid_grant')
  })

  it('gets one key from many calls at once', async () => {
    const who = await signUp(testServer, 'Bo')
    const started = await startDevice()
    await approve(who, started.user_code)
    const answers = await Promise.all(Array.from({ length: 8 }, () => readOutcome(poll(started))))
    expect(answers.toSorted()).toEqual(['200 fine', ...Array<string>(7).fill('400 invalid_grant')])
    expect(await who.call('listApiKeys')).toHaveLength(1)
  })

  it('is told that its user declined, and cannot be allowed after that', async () => {
    const who = await signUp(testServer, 'Cy')
    const started = await startDevice()
    expect(await who.call('declineAuthorization', { body: asked(started.user_code) })).toEqual({
      redirect_to: null,
    })
    await expect(approve(who, started.user_code)).rejects.toThrow('404')
    expect(await readOutcome(poll(started))).toBe('400 access_denied')
    expect(await who.call('listApiKeys')).toEqual([])
  })

  it('is allowed by one of two users who decide at once', async () => {
    const people = await Promise.all(['Di', 'Ed', 'Flo', 'Gus'].map((name) => signUp(testServer, name)))
    const started = await startDevice()
    const made = await Promise.allSettled(people.map((who) => approve(who, started.user_code)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('starts again when nobody decided in ten minutes', async () => {
    const who = await signUp(testServer, 'Hal')
    const [late, later] = [await startDevice(), await startDevice()]
    await approve(who, later.user_code)
    passedMs += DEVICE_CODE_S * 1000
    expect(await readOutcome(poll(late))).toBe('400 expired_token')
    await expect(who.call('getAuthorizationRequest', { body: asked(late.user_code) })).rejects.toThrow('404')
    await expect(approve(who, late.user_code)).rejects.toThrow('404')
    expect(await readOutcome(poll(later)), 'approved in time, fetched too late').toBe('400 expired_token')
    expect(await who.call('listApiKeys')).toEqual([])
  })

  it('gets no key where the password has changed since its user allowed it', async () => {
    const who = await signUp(testServer, 'Ivo')
    const started = await startDevice()
    await approve(who, started.user_code)
    await resetPassword(testServer, who.email)
    expect(await readOutcome(poll(started))).toBe('400 invalid_grant')
  })

  it('gets a key for what the user chose only', async () => {
    const who = await signUp(testServer, 'Jo')
    const { brand_id: brandId } = await who.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id } = await linkAccount(who, { platform: 'tiktok', brandId })
    const started = await startDevice({ scope: 'read' })
    const limited_to = { brand_ids: [], account_ids: [account_id] }
    const other = await signUp(testServer, 'Kit')
    await expect(approve(other, started.user_code, { limited_to })).rejects.toThrow('404')
    await approve(who, started.user_code, { limited_to })
    const key = keyOf(await poll(started), who)
    expect(await statusOf(key, `/posts?accountId=${account_id}`)).toBe(200)
    expect(await statusOf(key, '/posts')).toBe(403)
    expect(await statusOf(key, '/drafts')).toBe(403)
    expect((await who.call('listApiKeys'))[0]?.limited_to).toEqual(limited_to)
  })

  it('gets no key beyond the maximum, which its user is told before', async () => {
    const who = await signUp(testServer, 'Lu')
    const early = await startDevice()
    await approve(who, early.user_code)
    const body = { name: 'n8n', scopes: ['read' as const], expires_in_days: 1 }
    for (let i = 0; i < API_KEYS_MAX; i++) await who.call('createApiKey', { body })
    const { body: refused } = await poll(early)
    expect(refused).toEqual({
      error: 'invalid_grant',
      error_description: `You have ${API_KEYS_MAX} API keys. Delete one first.`,
    })
    const started = await startDevice()
    await expect(approve(who, started.user_code)).rejects.toThrow('409')
    const [key] = await who.call('listApiKeys')
    if (!key) throw new Error('keys were made')
    await who.call('deleteApiKey', { params: { keyId: key.key_id } })
    expect(await readOutcome(poll(early)), 'there is room now').toBe('200 fine')
  })

  it.each([
    ['no program', '/oauth/device', '', '400 invalid_client'],
    [
      'another program',
      '/oauth/device',
      'client_id=https%3A%2F%2Fexample.com%2Fclient',
      '400 invalid_client',
    ],
    ['a field twice', '/oauth/device', 'client_id=reelay-cli&client_id=reelay-cli', '400 invalid_request'],
    ['too much', '/oauth/device', `client_id=${'x'.repeat(20_000)}`, '413 invalid_request'],
    ['nothing', '/oauth/token', '', '400 invalid_request'],
    ['another grant', '/oauth/token', 'grant_type=password', '400 unsupported_grant_type'],
    ['no device code', '/oauth/token', `grant_type=${DEVICE}`, '400 invalid_request'],
    [
      'an unknown device code',
      '/oauth/token',
      `grant_type=${DEVICE}&client_id=reelay-cli&device_code=no`,
      '400 invalid_grant',
    ],
    [
      'another resource',
      '/oauth/token',
      `grant_type=${DEVICE}&resource=https%3A%2F%2Fexample.com`,
      '400 invalid_target',
    ],
    [
      'no verifier',
      '/oauth/token',
      'grant_type=authorization_code&code=a&client_id=b',
      '400 invalid_request',
    ],
    [
      'an unknown code',
      '/oauth/token',
      'grant_type=authorization_code&code=%00&client_id=b&code_verifier=c',
      '400 invalid_grant',
    ],
    ['names of every object', '/oauth/token', '__proto__=a&constructor=b', '400 invalid_request'],
    ['no token', '/oauth/revoke', '', '400 invalid_request'],
  ])('is refused with %s', async (_what, path, form, expected) => {
    expect(await readOutcome(post(path, form))).toBe(expected)
  })

  it('must send a form, and its own code', async () => {
    const answer = await fetch(`${testServer.url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }])
    const started = await startDevice()
    const other = { grant_type: DEVICE, client_id: 'someone', device_code: started.device_code }
    expect(await readOutcome(post('/oauth/token', other))).toBe('400 invalid_grant')
  })

  it('counts together the networks that one customer can have', async () => {
    passedMs += 60_000 // a new minute
    const outcomes: string[] = []
    for (let i = 0; i < 21; i++) outcomes.push(await startFrom(`2001:db8:77:${i}::1`))
    expect(outcomes.filter((one) => one === '429 slow_down')).toHaveLength(1)
    expect(await startFrom('2001:db8:78::1')).toBe('200 fine')
  })

  it('cannot start often from one network, nor when too many wait', async () => {
    const from = anyAddress()
    passedMs += 60_000 // a new minute
    const first = await Promise.all(Array.from({ length: 25 }, () => startFrom(from)))
    expect(first.filter((one) => one === '200 fine')).toHaveLength(20)
    expect(first.filter((one) => one === '429 slow_down')).toHaveLength(5)

    const { db, now } = testServer.deps
    const rows = Array.from({ length: WAITING_DEVICES_MAX }, () => ({
      secret_hash: randomBytes(32),
      user_code_mac: randomBytes(32),
      client_id: 'reelay-cli',
      client_name: 'Flood',
      state: 'waiting',
      scopes: ['read'],
      expires_at: new Date(now() + 300_000),
    }))
    for (let at = 0; at < rows.length; at += 1000)
      await db
        .insertInto('oauth_grants')
        .values(rows.slice(at, at + 1000))
        .execute()
    expect(await startFrom(anyAddress())).toBe('503 temporarily_unavailable')
    passedMs += 300_000
    expect(await startFrom(anyAddress())).toBe('200 fine')
    await deleteOldGrants(db, now() + 600_000)
    const { count } = await db
      .selectFrom('oauth_grants')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('client_name', '=', 'Flood')
      .executeTakeFirstOrThrow()
    expect(count).toBe(0)
  })
})

describe('a user', () => {
  it('cannot guess codes', async () => {
    const who = await signUp(testServer, 'Mo')
    for (let i = 0; i < 60; i++)
      await expect(who.call('getAuthorizationRequest', { body: asked('BCDF-GHJK') })).rejects.toThrow('404')
    const started = await startDevice()
    await expect(approve(who, started.user_code), 'a right one, too').rejects.toThrow('429')
  })

  it.each([[[]], [['read', 'read']], [['admin']]])('cannot allow the rights %j', async (scopes) => {
    const who = await signUp(testServer, 'Nia')
    const started = await startDevice()
    const answer = await who.request('/authorization-requests/approve', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...asked(started.user_code), scopes }),
    })
    expect(answer.status).toBe(422)
    expect(await readOutcome(poll(started))).toBe('400 authorization_pending')
  })
})

it('no secret of a grant is stored', async () => {
  const who = await signUp(testServer, 'Oz')
  const started = await startDevice()
  await who.call('getAuthorizationRequest', { body: asked(started.user_code) })
  const rows = await testServer.deps.db.selectFrom('oauth_grants').selectAll().execute()
  const hash = createHash('sha256').update(started.device_code).digest()
  expect(rows.filter((row) => row.secret_hash.equals(hash))).toHaveLength(1)
  const stored = JSON.stringify(rows)
  expect(stored).not.toContain(started.device_code)
  expect(stored).not.toContain(started.user_code.replace('-', ''))
})

it('a program ends its key, and what is no key is answered alike', async () => {
  const who = await signUp(testServer, 'Pam')
  const started = await startDevice()
  await approve(who, started.user_code)
  const key = keyOf(await poll(started), who)
  expect(await statusOf(key, '/user')).toBe(200)
  for (const token of ['reelay_nothing', 'else', key.token])
    expect(await readOutcome(post('/oauth/revoke', { token }))).toBe('200 fine')
  expect(await statusOf(key, '/user')).toBe(401)
  expect(await who.call('listApiKeys')).toEqual([])
})
