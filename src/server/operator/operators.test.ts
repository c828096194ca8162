import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn, signUp, startTestServer, type TestServer, resetPassword } from '#test/support/test-server.ts'
import { grantOperator, makeResetLink, revokeOperator } from './operators.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const openAs = (operatorEmail: string | null = null) => ({
  ...testServer.deps,
  config: { operatorEmail },
  users: testServer.deps.identity.users,
})

it('the first user operates the server; others are granted it and lose it again', async () => {
  const first = await signUp(testServer, 'First')
  const second = await signUp(testServer, 'Second')
  const operators = async () =>
    Promise.all([first, second].map(async (who) => (await who.call('getUser')).operator))
  expect(await operators()).toEqual([true, false])

  await grantOperator(openAs(), second.email.toUpperCase())
  expect(await operators()).toEqual([true, true])
  await revokeOperator(openAs(), first.email)
  expect(await operators()).toEqual([false, true])
  await expect(revokeOperator(openAs(), second.email)).rejects.toThrow('the only operator')
  const link = await makeResetLink(openAs(), second.email)
  expect(new URL(link).searchParams.get('mode')).toBe('resetPassword')

  const { items, more } = await second.call('listOperatorActs')
  expect(items.map(({ act, subject, operator }) => [act, subject, operator])).toEqual([
    ['reset_link_made', second.email, null],
    ['operator_revoked', first.email, null],
    ['operator_granted', second.email, null],
  ])
  expect(items[1]).toMatchObject({ before: { operator_by: 'first' }, after: { operator_by: null } })
  expect(JSON.stringify(items)).not.toContain(new URL(link).searchParams.get('oobCode'))
  expect(more).toBe(false)
})

it('nobody operates by signing up first once the first user has left', async () => {
  const next = await signUp(testServer, 'Next')
  await testServer.deps.db.deleteFrom('users').where('email', '<>', next.email).execute()
  const last = await signUp(testServer, 'Last')
  for (const who of [next, last]) expect((await who.call('getUser')).operator).toBe(false)
})

it('an address that nobody has is refused in words', async () => {
  const words = 'Nobody has signed up with nobody@example.com.'
  for (const act of [grantOperator, revokeOperator, makeResetLink])
    await expect(act(openAs(), 'nobody@example.com')).rejects.toThrow(words)
})

it('OPERATOR_EMAIL names the operator in place of the first user, once it is confirmed', async () => {
  const named = await startTestServer({ env: { OPERATOR_EMAIL: 'Chief@Example.com' } })
  const first = await signUp(named, 'First')
  await fetch(`${named.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'chief@example.com',
      nickname: 'Chief',
      timezone: 'UTC',
      password: 'correct horse battery',
    }),
  })
  const chief = await signIn(named, 'chief@example.com')
  expect((await first.call('getUser')).operator).toBe(false)
  expect((await chief.call('getUser')).operator).toBe(false)
  // The link of a reset was sent to the address, so it confirms it.
  await resetPassword(named, 'chief@example.com')
  const confirmed = await signIn(named, 'chief@example.com')
  expect((await confirmed.call('getUser')).operator).toBe(true)
  const deps = { ...named.deps, config: named.config, users: named.deps.identity.users }
  await expect(revokeOperator(deps, 'chief@example.com')).rejects.toThrow('OPERATOR_EMAIL names')
  await named.stop()
})
