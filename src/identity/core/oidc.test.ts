import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from '#test/support/harness.ts'
import { CLIENT, startOidcIssuer } from '#test/support/oidc-issuer.ts'
import type { Claims, TokenOptions } from '#test/support/oidc-issuer.ts'
import { createOidcVerifier, readProviders } from './oidc.ts'
import type { OidcProvider } from './oidc.ts'

const PATIENCE = { timeoutMs: 10_000, cooldownMs: 0 }
const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

async function scene(id: OidcProvider['id'] = 'oidc.work', patience = PATIENCE) {
  const issuer = await startOidcIssuer()
  closing.push(() => issuer.close())
  const verifier = createOidcVerifier([{ id, issuer: issuer.url, clientId: CLIENT }], patience)
  const verify = (idToken: string, nonce: string | null = null, provider: string = id) =>
    verifier.verify({ provider, idToken, nonce }, Date.now())
  return { issuer, verify }
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const seconds = () => Math.floor(Date.now() / 1000)

test('a token says who somebody is', async () => {
  const { issuer, verify } = await scene()
  const claims = {
    sub: '42',
    email: 'Ada@Example.test',
    name: 'Ada',
    picture: 'https://example.test/ada.png',
  }
  expect(await verify(issuer.token(claims))).toMatchObject({
    asserted: {
      provider: 'oidc.work',
      rawId: '42',
      email: 'ada@example.test',
      displayName: 'Ada',
      photoUrl: 'https://example.test/ada.png',
    },
    once: null,
  })
})

test('what a token says that cannot be kept is left out', async () => {
  const { issuer, verify } = await scene()
  const claims = { email: 'no address', name: 'a\u0000b', picture: 'javascript:alert(1)', refused: 'not we' }
  expect(await verify(issuer.token(claims))).toMatchObject({
    asserted: { email: null, displayName: null, photoUrl: null },
  })
})

describe('is refused', () => {
  const now = seconds()
  test.each<[string, Claims, TokenOptions, string]>([
    ['a token for another audience', { aud: 'another' }, {}, 'idp_audience'],
    ['one for several, asked for by another', { aud: [CLIENT, 'b'], azp: 'b' }, {}, 'idp_audience'],
    ['one for several, not saying who asked', { aud: [CLIENT, 'b'] }, {}, 'idp_audience'],
    ['one of another issuer', { iss: 'https://issuer.example.com' }, {}, 'idp_issuer'],
    ['one that ran out', { iat: now - 7200, exp: now - 3600 }, {}, 'idp_stale'],
    ['one that never runs out', { exp: undefined }, {}, 'idp_unreadable'],
    ['one that is not good yet', { nbf: now + 600 }, {}, 'idp_stale'],
    ['one of the future', { iat: now + 600, exp: now + 4200 }, {}, 'idp_stale'],
    ['one of days ago', { iat: now - 3 * 86_400 }, {}, 'idp_stale'],
    ['one that does not say when it was made', { iat: undefined }, {}, 'idp_stale'],
    ['one of nobody', { sub: '' }, {}, 'idp_no_subject'],
    ['one of no text', { sub: 42 }, {}, 'idp_no_subject'],
    ['one of somebody with a name too long', { sub: 'x'.repeat(256) }, {}, 'idp_no_subject'],
    ['one without signature', {}, { header: { alg: 'none' }, signedBy: 'nobody' }, 'idp_signature'],
    ['one with the signature left out', {}, { signedBy: 'nobody' }, 'idp_signature'],
    ['one that a stranger signed', {}, { signedBy: 'stranger' }, 'idp_signature'],
    [
      'one of a key that is not published',
      {},
      { header: { kid: 'key-2' }, signedBy: 'stranger' },
      'idp_signature',
    ],
    [
      'one with a header that must be understood',
      {},
      { header: { crit: ['x-own'], 'x-own': 1 } },
      'idp_signature',
    ],
  ])('%s', async (_name, claims, how, refused) => {
    const { issuer, verify } = await scene()
    expect(await verify(issuer.token(claims, how))).toEqual({ refused })
  })

  test('one with a secret for a signature, which is the public key', async () => {
    const { issuer, verify } = await scene()
    const how = { header: { alg: 'HS256' }, signedBy: { secret: issuer.publicPem() } }
    expect(await verify(issuer.token({}, how))).toEqual({ refused: 'idp_signature' })
    expect(issuer.asked).toEqual([])
  })

  test('one that brings its own key, or says where it lies', async () => {
    const { issuer, verify } = await scene()
    const stranger = await scene()
    for (const header of [{ jku: `${stranger.issuer.url}/keys` }, { x5u: `${stranger.issuer.url}/keys` }]) {
      const forged = issuer.token({}, { header, signedBy: 'stranger' })
      expect(await verify(forged)).toEqual({ refused: 'idp_signature' })
    }
    expect(stranger.issuer.asked).toEqual([])
  })

  test('what is no token at all', async () => {
    const { issuer, verify } = await scene()
    for (const text of ['', 'x', 'a.b.c', '{"sub":"somebody"}', 'ey.'.repeat(2000)]) {
      expect(await verify(text)).toEqual({ refused: 'idp_unreadable' })
    }
    expect(issuer.asked).toEqual([])
  })

  test('one of a provider that is not configured', async () => {
    const { issuer, verify } = await scene()
    for (const other of ['oidc.other', 'oidc.Work', 'google.com', '__proto__']) {
      expect(await verify(issuer.token({}), null, other)).toEqual({ refused: 'unknown_provider' })
    }
  })
})

test('several audiences are fine where it was asked for by us, and so is one that another client of ours asked for', async () => {
  const { issuer, verify } = await scene()
  for (const claims of [{ aud: [CLIENT, 'b'], azp: CLIENT }, { azp: 'our-app' }]) {
    expect(await verify(issuer.token(claims))).toHaveProperty('asserted')
  }
})

test('clocks may be some seconds apart', async () => {
  const { issuer, verify } = await scene()
  const now = seconds()
  for (const claims of [
    { iat: now + 20, nbf: now + 20 },
    { iat: now - 3600, exp: now - 20 },
  ]) {
    expect(await verify(issuer.token(claims))).toHaveProperty('asserted')
  }
})

describe('a nonce', () => {
  test('must come with the token that carries its hash, and makes it good for once', async () => {
    const { issuer, verify } = await scene()
    const token = issuer.token({ nonce: sha256('a nonce'), sub: '42' })
    expect(await verify(token, 'a nonce')).toMatchObject({
      asserted: { rawId: '42' },
      once: { key: '["oidc.work","42","a nonce"]' },
    })
    expect(await verify(token)).toEqual({ refused: 'nonce_missing' })
    expect(await verify(token, 'another')).toEqual({ refused: 'nonce_wrong' })
    expect(await verify(issuer.token({}), 'a nonce')).toEqual({ refused: 'nonce_wrong' })
  })

  test('that stands in the token as it is proves nothing', async () => {
    const { issuer, verify } = await scene()
    expect(await verify(issuer.token({ nonce: 'a nonce' }), 'a nonce')).toEqual({ refused: 'nonce_wrong' })
    // Whoever took the token knows the hash.
    const hash = sha256('a nonce')
    expect(await verify(issuer.token({ nonce: hash }), hash)).toEqual({ refused: 'nonce_wrong' })
  })
})

describe('an address', () => {
  test.each<[string, string, Claims, boolean]>([
    ['of Gmail, by Google', 'google.com', { email: 'ada@gmail.com', email_verified: true }, true],
    [
      'of a Workspace, by Google',
      'google.com',
      { email: 'ada@a.test', email_verified: true, hd: 'a.test' },
      true,
    ],
    ['of elsewhere, by Google', 'google.com', { email: 'ada@a.test', email_verified: true }, false],
    ['that Google has not verified', 'google.com', { email: 'ada@gmail.com', email_verified: false }, false],
    [
      'verified in a word, not a fact',
      'google.com',
      { email: 'ada@gmail.com', email_verified: 'true' },
      false,
    ],
    ['like one of Gmail', 'google.com', { email: 'ada@notgmail.com', email_verified: true }, false],
    ['of any other issuer', 'oidc.work', { email: 'ada@gmail.com', email_verified: true, hd: 'a' }, false],
  ])('%s: %#', async (_name, id, claims, ownsEmail) => {
    const { issuer, verify } = await scene(id)
    expect(await verify(issuer.token(claims))).toMatchObject({ asserted: { ownsEmail } })
  })
})

describe("the issuer's keys", () => {
  test('are asked for once, by however many at once', async () => {
    const { issuer, verify } = await scene()
    await Promise.all(Array.from({ length: 10 }, () => verify(issuer.token({}))))
    await verify(issuer.token({}))
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  test('are asked for again when a token names a new one; the old one is good no longer', async () => {
    const { issuer, verify } = await scene()
    const old = issuer.token({})
    expect(await verify(old)).toHaveProperty('asserted')
    issuer.rotate()
    expect(await verify(issuer.token({}))).toHaveProperty('asserted')
    expect(await verify(old)).toEqual({ refused: 'idp_signature' })
  })

  test('are not asked for again and again by tokens that name keys nobody has', async () => {
    const { issuer, verify } = await scene('oidc.work', { timeoutMs: 10_000, cooldownMs: 30_000 })
    for (const kid of ['a', 'b', 'c']) await verify(issuer.token({}, { header: { kid } }))
    expect(issuer.asked.filter((path) => path === '/keys')).toHaveLength(1)
  })

  test.each([
    ['hang', { keys: 'hangs' }],
    ['come byte by byte', { keys: 'drips' }],
    ['never end', { keys: 'endless' }],
    ['fail', { keys: { status: 500 } }],
    ['lie elsewhere', { keys: { status: 302, location: 'http://127.0.0.1:1/keys' } }],
    ['are no keys', { keys: { says: { keys: 'none' } } }],
    ['are nowhere', { discovery: { says: { issuer: 'http://127.0.0.1:1' } } }],
    [
      'are of another issuer',
      { discovery: { says: { issuer: 'http://a.test', jwks_uri: 'http://127.0.0.1:1' } } },
    ],
    ['are not said where', { discovery: 'hangs' }],
    ['are said without end', { discovery: 'endless' }],
  ] as const)('that %s leave it open who somebody is, until they come', async (_name, how) => {
    const { issuer, verify } = await scene('oidc.work', { timeoutMs: 700, cooldownMs: 0 })
    if ('keys' in how) issuer.behave('keys', how.keys)
    if ('discovery' in how) issuer.behave('discovery', how.discovery)
    await expect(verify(issuer.token({}))).rejects.toThrow('The keys of oidc.work cannot be had')
    issuer.behave('keys', 'well')
    issuer.behave('discovery', 'well')
    // Within so little time, a busy machine may need more than one attempt.
    const proven = await until('the keys', () => verify(issuer.token({})).catch(() => null))
    expect(proven).toHaveProperty('asserted')
  })

  test.each(['keys', 'discovery'] as const)(
    'are not waited for where the answer never ends: %s',
    async (path) => {
      const { issuer, verify } = await scene()
      issuer.behave(path, 'endless')
      await expect(verify(issuer.token({}))).rejects.toMatchObject({
        cause: { message: expect.stringContaining('answered more than') as string },
      })
    },
  )

  test('are not taken from where they could be forged', async () => {
    const { issuer, verify } = await scene()
    for (const jwks_uri of [
      'http://keys.example.com/',
      'http://127.0.0.1.example.com/',
      'file:///etc/passwd',
    ]) {
      issuer.behave('discovery', { says: { issuer: issuer.url, jwks_uri } })
      await expect(verify(issuer.token({}))).rejects.toMatchObject({
        cause: { message: expect.stringContaining('that can be forged') as string },
      })
    }
  })
})

describe('the list of providers', () => {
  test('is read', () => {
    expect(readProviders('google.com=a.apps.example, oidc.work=https://a.test/b/|c|d')).toEqual([
      { id: 'google.com', issuer: 'https://accounts.google.com', clientId: 'a.apps.example' },
      { id: 'oidc.work', issuer: 'https://a.test/b/', clientId: 'c|d' },
    ])
    expect(readProviders('oidc.a=http://localhost:9000|c')).toHaveLength(1)
  })

  test.each([
    'google.com',
    'google.com=',
    'google.com=a,google.com=b',
    'google.com=https://accounts.google.com|a',
    'oidc.work=c',
    'oidc.work=|c',
    'oidc.work=https://a.test',
    'oidc.work=https://a.test|',
    'oidc.work=http://a.test|c',
    'oidc.work=https://a.test?b|c',
    'oidc.work=https://me:secret@a.test|c',
    'oidc.Work=https://a.test|c',
    'password=https://a.test|c',
    'oidc.work=https://a.test|c,',
  ])('is refused: %s', (text) => {
    expect(readProviders(text)).toBeNull()
  })
})
