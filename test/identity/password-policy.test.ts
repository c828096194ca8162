import { randomUUID } from 'node:crypto'
import { deleteApp, initializeApp } from '@firebase/app'
import { inMemoryPersistence, initializeAuth, validatePassword, type Auth } from '@firebase/auth'
import { expect, test } from 'vitest'
import { ProblemBody } from '#contract/http/problem.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

function browser(testServer: TestServer): Auth {
  const auth = initializeAuth(initializeApp({ apiKey: 'reelay' }, testServer.url), {
    persistence: inMemoryPersistence,
  })
  const host = `${new URL(testServer.url).host}/identity`
  Object.assign(auth.config, { apiHost: host, tokenApiHost: host, apiScheme: 'http' })
  return auth
}

/** Unmet requirements reported by `POST /users`, in the sentences of `src/web/session/password-policy.ts`. */
async function serverMisses(testServer: TestServer, password: string): Promise<string[]> {
  const answer = await fetch(`${testServer.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `${randomUUID()}@example.com`,
      nickname: 'Ada',
      timezone: 'UTC',
      password,
    }),
  })
  if (answer.status === 201) return []
  return ProblemBody.parse(await answer.json()).errors?.['password'] ?? ['something else']
}

async function browserMisses(auth: Auth, password: string): Promise<string[]> {
  const status = await validatePassword(auth, password)
  const { enforcementState, customStrengthOptions: lengths } = status.passwordPolicy
  if (enforcementState === 'OFF') return []
  const met: [boolean | undefined, string][] = [
    [status.meetsMinPasswordLength, `Use at least ${lengths.minPasswordLength} characters.`],
    [status.meetsMaxPasswordLength, `Use at most ${lengths.maxPasswordLength} characters.`],
    [status.containsLowercaseLetter, 'Add a lowercase letter.'],
    [status.containsUppercaseLetter, 'Add an uppercase letter.'],
    [status.containsNumericCharacter, 'Add a digit.'],
    [status.containsNonAlphanumericCharacter, 'Add a symbol.'],
  ]
  return met.flatMap(([isMet, sentence]) => (isMet === false ? [sentence] : []))
}

const PASSWORDS = [
  'short1',
  'only lower case',
  'ONLY UPPER CASE',
  'Mixed1234',
  'Mixed12345',
  'Mixed1234!',
  'Mixed1234§',
  'Ünïcödé 123!',
  `Long enough 1! ${'x'.repeat(30)}`,
]

test('server and browser report the same unmet requirements for every policy', async () => {
  const strict = 'min:10,max:40,lowercase,uppercase,numeric,special'
  for (const policy of [strict, 'min:10', `${strict},enforce:off`]) {
    const testServer = await startTestServer({ env: { PASSWORD_POLICY: policy } })
    const auth = browser(testServer)
    const misses = await Promise.all(
      PASSWORDS.map(async (password) => ({
        password,
        server: await serverMisses(testServer, password),
        browser: await browserMisses(auth, password),
      })),
    )
    expect(misses.map(({ password, server }) => [password, server])).toEqual(
      misses.map(({ password, browser: said }) => [password, said]),
    )
    // One per requirement of the policy: neither side accepts everything.
    expect(misses.filter(({ server }) => server.length === 0).length).toBe(
      policy === strict ? 1 : policy === 'min:10' ? 7 : 9,
    )
    await deleteApp(auth.app)
    await testServer.stop()
  }
})
