import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import type { UserId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { type Person, signIn, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
let operator: Person
let aheadMs = 0
beforeAll(async () => {
  testServer = await startTestServer({ env: { SIGNUP: 'invited' }, now: () => Date.now() + aheadMs })
  operator = await signUp(testServer, 'First')
})
afterAll(() => testServer.stop())

/** @returns the secret of the link */
async function invite(email: string | null): Promise<string> {
  const { link } = await operator.call('createInvitation', { body: { email } })
  const url = new URL(link)
  expect(url.origin + url.pathname).toBe(`${testServer.config.publicUrl}/signup`)
  return url.hash.slice(1)
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
  expect((await operator.call('getUser')).operator).toBe(true)
  expect(await register('stranger@example.com')).toMatchObject({
    status: 403,
    body: { code: 'signup_closed', message: INVITED_ONLY },
  })
  const answer = await fetch(`${testServer.url}/identity/v1/accounts:signUp?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'stranger@example.com', password: 'long enough' }),
  })
  expect(await answer.json()).toMatchObject({ error: { message: 'ADMIN_ONLY_OPERATION' } })
})

it('an invitation admits one user, also where two sign up at once', async () => {
  const secret = await invite(null)
  const both = await Promise.all(
    ['one@example.com', 'two@example.com'].map((address) => register(address, secret)),
  )
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403])
  expect(both.map(({ body }) => body.message).filter(Boolean)).toEqual([
    expect.stringMatching(/^This invitation has been used, /),
  ])
  const [used] = (await operator.call('getServerSignUp')).invitations
  expect(used?.used_by).toMatch(/^(?:one|two)@example.com$/)
})

it('an invitation for an address admits that one alone, and only until it expires', async () => {
  const [bound, unused] = [await invite('Her@Example.com'), await invite(null)]
  expect((await register('him@example.com', bound)).status).toBe(403)
  const { status, body } = await register('HER@example.com', bound)
  expect(status).toBe(201)
  const names = async () =>
    (await operator.call('getServerSignUp')).invitations.map(({ used_by }) => used_by === 'her@example.com')
  expect(await names()).toContain(true)
  await operator.call('deleteServerUser', { params: { userId: (body as { user_id: UserId }).user_id } })
  expect(await names()).not.toContain(true)
  aheadMs += 7 * 86_400_000
  expect((await register('him@example.com', unused)).status).toBe(403)
  operator = await signIn(testServer, operator.email)
  expect((await operator.call('getServerSignUp')).invitations).toEqual([])
})

it('an address that is taken uses up no invitation', async () => {
  const secret = await invite(null)
  await register('her@example.com', await invite(null))
  expect((await register('her@example.com', secret)).status).toBe(409)
  expect((await register('new@example.com', secret)).status).toBe(201)
})

it('an invitation is shown once, revoked, and named in the log without its secret', async () => {
  const secret = await invite('zoe@example.com')
  const [made] = (await operator.call('getServerSignUp')).invitations
  expect(made).toMatchObject({ email: 'zoe@example.com', used_by: null })
  await operator.call('revokeInvitation', { params: { invitationId: made?.invitation_id ?? 0 } })
  expect((await register('zoe@example.com', secret)).status).toBe(403)
  const { items } = await operator.call('listOperatorActs')
  expect(items.slice(0, 2).map(({ act, subject }) => [act, subject])).toEqual([
    ['invitation_revoked', 'zoe@example.com'],
    ['invitation_made', 'zoe@example.com'],
  ])
  const stored = await sql<{ row: string }>`select to_json(i)::text as row from invitations i`.execute(
    testServer.deps.db,
  )
  expect(JSON.stringify([items, stored.rows])).not.toContain(secret)
})

const choose = (mode: string) =>
  operator.request('/server/sign-up', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode }),
  })

it('SIGNUP decides where it is set; else an operator does, and everybody is told at once', async () => {
  expect((await choose('open')).status).toBe(409)
  const free = await startTestServer()
  const first = await signUp(free)
  const modes = async () => {
    const settings = (await (await fetch(`${free.url}/api/v1/settings`)).json()) as { signup: string }
    return [settings.signup, (await first.call('getServerSignUp')).mode]
  }
  expect(await modes()).toEqual(['open', 'open'])
  await first.call('setServerSignUp', { body: { mode: 'closed' } })
  expect(await modes()).toEqual(['closed', 'closed'])
  await expect(signUp(free)).rejects.toThrow(TEXTS.signupClosed)
  expect((await first.call('listOperatorActs')).items[0]).toMatchObject({
    act: 'signup_set',
    before: { mode: 'open' },
    after: { mode: 'closed' },
  })
  await free.stop()
})
