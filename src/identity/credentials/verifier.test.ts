import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import { createIdTokenVerifier } from './verifier.ts'

const ISSUER = { url: 'https://reelay.test/identity', audience: 'reelay' }
const START = 1_700_000_000
const at = (seconds: number) => (START + seconds) * 1000
const { privateKey, publicKey } = await generateKeyPair('RS256')
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }

afterEach(() => vi.restoreAllMocks())

const issue = (sub: string) =>
  new SignJWT({ auth_time: START, email: `${sub}@example.test` })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(ISSUER.url)
    .setAudience(ISSUER.audience)
    .setSubject(sub)
    .setIssuedAt(START)
    .setExpirationTime(START + 3600)
    .sign(privateKey)

function verifier() {
  const it = { keys: createLocalJWKSet({ keys: [jwk] }) }
  const getKey: JWTVerifyGetKey = (header, jws) => it.keys(header, jws)
  return Object.assign(it, { verify: createIdTokenVerifier(getKey, ISSUER) })
}

const countChecks = () => vi.spyOn(crypto.subtle, 'verify').mock.calls

test('the signature of a token is checked once', async () => {
  const { verify } = verifier()
  const token = await issue('somebody')
  const checks = countChecks()
  const first = await verify(token, at(0))
  expect(first).toMatchObject({ uid: 'somebody', authTime: START })
  expect(await verify(token, at(60))).toEqual(first)
  expect(checks).toHaveLength(1)
})

test('a remembered token expires when an unknown one does', async () => {
  const { verify } = verifier()
  const token = await issue('somebody')
  expect(await verify(token, at(0))).not.toBeNull()
  for (const [seconds, valid] of [
    [3609, true],
    [3610, false],
    [60, true],
    [-11, false],
  ] as const) {
    expect((await verify(token, at(seconds))) !== null, `${seconds}`).toBe(valid)
    expect((await verifier().verify(token, at(seconds))) !== null, `${seconds}, unknown`).toBe(valid)
  }
})

test('a remembered token ends with its key', async () => {
  const it = verifier()
  const token = await issue('somebody')
  expect(await it.verify(token, at(0))).not.toBeNull()
  const other = await exportJWK((await generateKeyPair('RS256')).publicKey)
  const changes = [[], [{ ...other, kid: 'two', alg: 'RS256' }], [{ ...other, kid: 'one', alg: 'RS256' }]]
  for (const keys of changes) {
    it.keys = createLocalJWKSet({ keys })
    expect(await it.verify(token, at(1))).toBeNull()
    it.keys = createLocalJWKSet({ keys: [jwk] })
    expect(await it.verify(token, at(1))).not.toBeNull()
  }
})

test('a key that cannot be fetched fails a remembered token too', async () => {
  const it = verifier()
  const token = await issue('somebody')
  expect(await it.verify(token, at(0))).not.toBeNull()
  it.keys = Object.assign(() => Promise.reject(new Error('no keys')), { jwks: it.keys.jwks })
  await expect(it.verify(token, at(1))).rejects.toThrow('no keys')
})

test('another signature under the same claims is not taken for the remembered one', async () => {
  const { verify } = verifier()
  const token = await issue('somebody')
  expect(await verify(token, at(0))).not.toBeNull()
  const forged = `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(342)}`
  for (let i = 0; i < 2; i += 1) expect(await verify(forged, at(0))).toBeNull()
})

test('the least recently used token is forgotten when too many are remembered', async () => {
  const verify = createIdTokenVerifier(createLocalJWKSet({ keys: [jwk] }), ISSUER, 2)
  const [kept, forgotten, last] = await Promise.all(['kept', 'forgotten', 'last'].map(issue))
  if (!kept || !forgotten || !last) throw new Error('A token is missing.')
  const checks = countChecks()
  for (const token of [kept, forgotten, kept, last]) await verify(token, at(0))
  expect(checks).toHaveLength(3)
  await verify(kept, at(0))
  expect(checks).toHaveLength(3)
  await verify(forgotten, at(0))
  expect(checks).toHaveLength(4)
})
