import fastify from 'fastify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import type { Problem } from '../problem.ts'
import { createFirebaseIdentity } from './hosted.ts'

// What Google answers, as its documentation and the emulator's schemas have it.
const { privateKey, publicKey } = await generateKeyPair('RS256')
const google = fastify()
let answer: { status: number; body: unknown } = { status: 200, body: {} }
const asked: { url: string; body: unknown }[] = []
google.get('/jwks', async () => ({
  keys: [{ ...(await exportJWK(publicKey)), kid: 'google', alg: 'RS256', use: 'sig' }],
}))
google.post('/v1/accounts::signUp', (request, reply) => {
  asked.push({ url: request.url, body: request.body })
  return reply.status(answer.status).send(answer.body)
})
const base = await google.listen({ port: 0, host: '127.0.0.1' })
afterAll(() => google.close())

const now = Date.now()
const settings = { apiKey: 'web-key', projectId: 'demo', authDomain: 'demo.firebaseapp.com' }
const identityAt = (url: string, signup: 'open' | 'closed' = 'open') =>
  createFirebaseIdentity({
    ...settings,
    signup,
    now: () => now,
    identityToolkitUrl: url,
    jwksUrl: `${url}/jwks`,
  })
const identity = identityAt(base)
const user = { email: 'a@example.test', password: 'secret', displayName: 'Ann', ip: '127.0.0.1' }

test('tells the browser where the provider is', () => {
  expect(identity.publicSettings).toEqual({ mode: 'firebase', ...settings })
  expect(identity.plugin).toBeUndefined()
})

test('takes tokens of the project that Google signed, and no others', async () => {
  const token = (issuer: string, audience = 'demo') =>
    new SignJWT({
      auth_time: Math.floor(now / 1000),
      email: 'a@example.test',
      email_verified: true,
      name: 'Ann',
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'google' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('uid')
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(now + 3_600_000))
      .sign(privateKey)
  expect(await identity.verify(await token('https://securetoken.google.com/demo'))).toEqual({
    uid: 'uid',
    email: 'a@example.test',
    emailVerified: true,
    name: 'Ann',
    authTime: Math.floor(now / 1000),
  })
  expect(await identity.verify(await token('https://securetoken.google.com/demo', 'other'))).toBeNull()
  expect(await identity.verify(await token('https://securetoken.google.com/other'))).toBeNull()
  expect(await identity.verify('nonsense')).toBeNull()
})

test('signs up at the provider', async () => {
  answer = { status: 200, body: { localId: 'uid', email: 'a@example.test', idToken: 'x', expiresIn: '3600' } }
  expect(await identity.signUp(user)).toEqual({ kind: 'signed_up', uid: 'uid', email: 'a@example.test' })
  expect(asked.at(-1)).toEqual({
    url: '/v1/accounts:signUp?key=web-key',
    body: { email: 'a@example.test', password: 'secret', displayName: 'Ann', returnSecureToken: true },
  })
})

test.each([
  ['EMAIL_EXISTS', 'email_taken'],
  ['INVALID_EMAIL', 'invalid_email'],
  ['WEAK_PASSWORD : Password should be at least 6 characters', 'weak_password'],
  ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: []', 'weak_password'],
  ['TOO_MANY_ATTEMPTS_TRY_LATER : later', 'too_many_attempts'],
  ['ADMIN_ONLY_OPERATION', 'closed'],
])('%s means %s', async (message, kind) => {
  answer = { status: 400, body: { error: { code: 400, message } } }
  expect((await identity.signUp(user)).kind).toBe(kind)
})

test('asks nobody while sign-up is closed', async () => {
  const before = asked.length
  expect(await identityAt(base, 'closed').signUp(user)).toEqual({ kind: 'closed' })
  expect(asked).toHaveLength(before)
})

test('a provider that cannot be reached, or says what we do not know, is a passing trouble', async () => {
  const unavailable = expect.objectContaining({ code: 'unavailable' }) as Problem
  answer = { status: 400, body: { error: { message: 'API key not valid. Please pass a valid API key.' } } }
  await expect(identity.signUp(user)).rejects.toEqual(unavailable)
  answer = { status: 502, body: 'bad gateway' }
  await expect(identity.signUp(user)).rejects.toEqual(unavailable)
  const gone = identityAt('http://127.0.0.1:1')
  await expect(gone.signUp(user)).rejects.toEqual(unavailable)
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'google' }).sign(privateKey)
  await expect(gone.verify(token)).rejects.toEqual(unavailable)
})
