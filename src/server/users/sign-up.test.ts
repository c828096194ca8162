import { afterAll, beforeAll, expect, it } from 'vitest'
import { secretHash } from '#base/secret.ts'
import { TEXTS } from '#contract/texts.ts'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ env: { SIGNUP: 'invited' } })
})
afterAll(() => testServer.stop())

const HOUR_MS = 3_600_000
async function invite(secret: string, email: string | null, hours = 1): Promise<void> {
  const now = testServer.deps.now()
  const values = {
    email,
    secret_hash: secretHash(secret),
    created_at: new Date(now),
    expires_at: new Date(now + hours * HOUR_MS),
  }
  await testServer.deps.db.insertInto('invitations').values(values).execute()
}

const register = async (email: string, invitation?: string) => {
  const answer = await fetch(`${testServer.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, nickname: 'A', timezone: 'UTC', password: 'long enough', invitation }),
  })
  return { status: answer.status, body: (await answer.json()) as { code?: string; message?: string } }
}

it('the first user needs no invitation, and whoever follows does', async () => {
  await signUp(testServer, 'First')
  expect(await register('stranger@example.com')).toMatchObject({
    status: 403,
    body: { code: 'signup_closed', message: TEXTS.signupInvited },
  })
  const answer = await fetch(`${testServer.url}/identity/v1/accounts:signUp?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'stranger@example.com', password: 'long enough' }),
  })
  expect(await answer.json()).toMatchObject({ error: { message: 'ADMIN_ONLY_OPERATION' } })
})

it('an invitation admits one user, also where two sign up at once', async () => {
  await invite('shared', null)
  const both = await Promise.all([
    register('one@example.com', 'shared'),
    register('two@example.com', 'shared'),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 403])
  expect(both.map(({ body }) => body.message).filter(Boolean)).toEqual([
    expect.stringMatching(/^This invitation has been used, /),
  ])
  const used = await testServer.deps.db.selectFrom('invitations').select('used_by').execute()
  expect(used).toEqual([{ used_by: expect.stringMatching(/^(?:one|two)@example.com$/) as string }])
})

it('an invitation for an address admits that one alone, and only until it expires', async () => {
  await invite('bound', 'her@example.com')
  await invite('ended', null, -1)
  expect((await register('him@example.com', 'bound')).status).toBe(403)
  expect((await register('him@example.com', 'ended')).status).toBe(403)
  expect((await register('Her@Example.com', 'bound')).status).toBe(201)
})

it('an address that is taken uses up no invitation', async () => {
  await invite('kept', null)
  expect((await register('her@example.com', 'kept')).status).toBe(409)
  expect((await register('new@example.com', 'kept')).status).toBe(201)
})
