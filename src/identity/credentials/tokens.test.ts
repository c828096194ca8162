import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  exportSPKI,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import { createUserWithEmailAndPassword } from '@firebase/auth'
import { afterAll, expect, test } from 'vitest'
import { PASSWORD, encrypter, startIdentity } from '#test/support/identity.ts'
import { createEncrypter, type Encrypter } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { openKeys, type KeyDeps } from './keys.ts'

const service = await startIdentity()
afterAll(() => service.close())

const verify = (token: string) => service.identity.verify(token)
const { kid, privateKey, published: known } = await keysOf(service)
const seconds = () => Math.floor(service.now() / 1000)
const claims = (): JWTPayload => ({
  iss: `${service.publicUrl}/identity`,
  aud: 'reelay',
  sub: 'somebody',
  iat: seconds(),
  exp: seconds() + 3600,
  auth_time: seconds(),
  email: 'somebody@example.test',
})
const signed = (payload: JWTPayload) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)

test('a standard JWT verifier with our keys accepts our tokens', async () => {
  const { user } = await createUserWithEmailAndPassword(service.browser(), 'jwks@example.test', PASSWORD)
  const jwks = createRemoteJWKSet(new URL(`${service.publicUrl}/identity/.well-known/jwks.json`))
  const { payload } = await jwtVerify(await user.getIdToken(), jwks, {
    issuer: `${service.publicUrl}/identity`,
    audience: 'reelay',
    algorithms: ['RS256'],
  })
  expect(payload).toEqual({
    iss: `${service.publicUrl}/identity`,
    aud: 'reelay',
    jti: expect.any(String) as string,
    sub: user.uid,
    user_id: user.uid,
    iat: seconds(),
    exp: seconds() + 3600,
    auth_time: seconds(),
    email: 'jwks@example.test',
    email_verified: false,
    firebase: { identities: { email: ['jwks@example.test'] }, sign_in_provider: 'password' },
  })
})

test('a token with valid claims and our signature is valid', async () => {
  expect(await verify(await signed(claims()))).toMatchObject({ uid: 'somebody', authTime: seconds() })
})

test('a token without an email address has no email address in its claims', async () => {
  const { email: _left, ...rest } = claims()
  expect(await verify(await signed(rest))).toMatchObject({ uid: 'somebody', email: null })
})

test('invalid claims are rejected', async () => {
  const wrong: Record<string, JWTPayload> = {
    'another issuer': { ...claims(), iss: 'https://securetoken.google.com/reelay' },
    'another audience': { ...claims(), aud: 'other' },
    expired: { ...claims(), exp: seconds() - 60 },
    'nobody in particular': { ...claims(), sub: '' },
    'signed in in the future': { ...claims(), auth_time: seconds() + 3600 },
    'signed in as text': { ...claims(), auth_time: '1' },
    'not valid yet': { ...claims(), nbf: seconds() + 3600 },
    'an address of no letters': { ...claims(), email: '' },
  }
  for (const field of ['iss', 'aud', 'sub', 'iat', 'exp', 'auth_time']) {
    const { [field]: _left, ...rest } = claims()
    wrong[`without ${field}`] = rest
  }
  for (const [name, payload] of Object.entries(wrong)) {
    expect(await verify(await signed(payload)), name).toBeNull()
  }
})

test('invalid signatures are rejected', async () => {
  const other = await generateKeyPair('RS256')
  const publicJwk = known.keys[0]
  if (!publicJwk) throw new Error('There is no published key.')
  const pem = await exportSPKI(await importRsa(publicJwk))
  const good = await signed(claims())
  const [head = '', , signature = ''] = good.split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims(), sub: 'admin' })).toString('base64url')
  const wrong: Record<string, string> = {
    'alg none': new UnsecuredJWT(claims()).encode(),
    'HS256 with the public key': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode(pem)),
    'another key under our name': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(other.privateKey),
    'an unknown key': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'unknown' })
      .sign(other.privateKey),
    'another algorithm of the same key': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS512', kid })
      .sign(await importPrivate('RS512')),
    'changed claims': `${head}.${forged}.${signature}`,
    'no signature': `${head}.${good.split('.')[1]}.`,
    nothing: '',
    nonsense: 'not.a.token',
    'something else': 'ey',
    'a long one': 'a'.repeat(10_000),
  }
  for (const [name, token] of Object.entries(wrong)) expect(await verify(token), name).toBeNull()
})

test('a token is valid for an hour plus clock tolerance', async () => {
  const own = await startIdentity()
  const { user } = await createUserWithEmailAndPassword(own.browser(), 'hour@example.test', PASSWORD)
  const token = await user.getIdToken()
  own.advance(3_605_000)
  expect(await own.identity.verify(token)).not.toBeNull()
  own.advance(10_000)
  expect(await own.identity.verify(token)).toBeNull()
  await own.close()
})

test('each time claim tolerates clocks that differ by some seconds', async () => {
  const within: JWTPayload[] = [
    { nbf: seconds() + 10 },
    { auth_time: seconds() + 10 },
    { exp: seconds() - 9 },
  ]
  const beyond: JWTPayload[] = [
    { nbf: seconds() + 11 },
    { auth_time: seconds() + 11 },
    { exp: seconds() - 10 },
  ]
  for (const time of within) expect(await verify(await signed({ ...claims(), ...time }))).not.toBeNull()
  for (const time of beyond) expect(await verify(await signed({ ...claims(), ...time }))).toBeNull()
})

test('processes that start concurrently create one key, and later starts reuse it', async () => {
  await service.db.deleteFrom('identity_keys').execute()
  const started = await Promise.all([1, 2, 3].map(() => keysOf(service)))
  const later = await keysOf(service)
  expect(new Set([...started, later].map((keys) => keys.kid)).size).toBe(1)
  expect(later.published.keys).toHaveLength(1)
  const token = await new SignJWT({ a: 1 })
    .setProtectedHeader({ alg: 'RS256', kid: later.kid })
    .sign(later.privateKey)
  await jwtVerify(token, createLocalJWKSet(later.published))
  expect(decodeJwt(token)).toEqual({ a: 1 })
})

test('the private key is encrypted, and only the public key is published', async () => {
  const [row] = await service.db.selectFrom('identity_keys').selectAll().execute()
  if (!row) throw new Error('There is no key.')
  expect(row.private_jwk.includes('"d"')).toBe(false)
  const published = await service.app.inject({ url: '/identity/.well-known/jwks.json' })
  for (const key of published.json<JSONWebKeySet>().keys) expect(Object.keys(key)).not.toContain('d')
})

test('a start with a wrong SECRET_KEY fails with an error that names it', async () => {
  const other = { ...service, encrypter: createEncrypter(['another secret of enough characters']) }
  await expect(openKeys(other)).rejects.toThrow(StartError)
  await expect(openKeys(other)).rejects.toThrow(/^SECRET_KEY cannot decrypt/)
  const rotated = createEncrypter([
    'another secret of enough characters',
    'a secret of thirty-two characters',
  ])
  expect((await keysOf({ ...service, encrypter: rotated })).published.keys).toHaveLength(1)
})

async function keysOf(deps: Omit<KeyDeps, 'encrypter'> & { readonly encrypter?: Encrypter }) {
  const keys = await openKeys({ encrypter, ...deps })
  return { ...(await keys.signing()), published: await keys.published() }
}

async function importRsa(jwk: JSONWebKeySet['keys'][number]) {
  const key = await importJWK(jwk, 'RS256', { extractable: true })
  if (key instanceof Uint8Array) throw new Error('Not an RSA key.')
  return key
}

async function importPrivate(algorithm: string) {
  const row = await service.db.selectFrom('identity_keys').select('private_jwk').executeTakeFirstOrThrow()
  return importJWK(JSON.parse(encrypter.decrypt(row.private_jwk)) as JSONWebKeySet['keys'][number], algorithm)
}
