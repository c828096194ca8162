import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Person,
  personWith,
  resetPassword,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { createFindClient } from './clients.ts'

let passedMs = 0
let testServer: TestServer
let host: Awaited<ReturnType<typeof startHost>>
let ada: Person
beforeAll(async () => {
  ;[testServer, host] = await Promise.all([
    startTestServer({
      env: { PRIVATE_ADDRESSES: 'allow', OAUTH_REGISTRATION: 'on' },
      now: () => Date.now() + passedMs,
    }),
    startHost(),
  ])
  ada = await signUp(testServer, 'Ada')
})
afterAll(async () => {
  await host.stop()
  await testServer.stop()
})

type Page = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string }

/** Where programs describe themselves. */
async function startHost() {
  const pages = new Map<string, Page>()
  const reads: string[] = []
  const server = http.createServer(({ url = '' }, response) => {
    reads.push(url)
    const { status = 200, headers = {}, body } = pages.get(url) ?? { status: 404, body: '' }
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // it listens at a port
  const base = `http://127.0.0.1:${port}`
  let count = 0
  return {
    base,
    reads,
    /** Describes a program, at an address of its own. @returns its id */
    describe(its: object = {}, page: Partial<Page> = {}): string {
      const path = `/client-${(count += 1)}`
      const body = JSON.stringify({
        client_id: base + path,
        client_name: 'An assistant',
        redirect_uris: ['https://assistant.example.com/callback?kept=1', 'http://127.0.0.1:1/callback'],
        token_endpoint_auth_method: 'none',
        ...its,
      })
      pages.set(path, { body, ...page })
      return base + path
    },
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CALLBACK = 'https://assistant.example.com/callback?kept=1'

const query = (clientId: string, its: Record<string, string | null> = {}): string => {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'read publish',
    state: 'a state',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: `${testServer.config.publicUrl}/mcp`,
    ...its,
  }
  const given = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return `?${new URLSearchParams(given).toString()}`
}
const show = (search: string, who = ada) =>
  who.call('getAuthorizationRequest', { body: { request: { query: search } } })
async function approve(search: string, who = ada): Promise<URL> {
  const body = { request: { query: search }, scopes: ['read' as const] }
  const { redirect_to } = await who.call('approveAuthorization', { body })
  return new URL(redirect_to ?? '')
}
const getCode = async (search: string, who = ada): Promise<string> =>
  (await approve(search, who)).searchParams.get('code') ?? ''

type Token = { access_token?: string; error?: string }
async function fetchToken(form: Record<string, string>): Promise<Token> {
  const answer = await fetch(`${testServer.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code_verifier: VERIFIER,
      redirect_uri: CALLBACK,
      ...form,
    }),
  })
  return (await answer.json()) as Token
}
/** A person who has made few calls. */
const somebody = () => signUp(testServer, 'Bo')

describe('a program that describes itself', () => {
  it('gets a key after its user has allowed it', async () => {
    const who = await somebody()
    const clientId = host.describe({ client_name: ' The \u202e assistant\n' })
    const search = query(clientId)
    expect(await show(search, who)).toEqual({
      client_name: 'The assistant',
      client_host: new URL(host.base).host,
      device_name: null,
      redirect_host: 'assistant.example.com',
      scopes: ['read', 'publish'],
    })
    const back = await approve(search, who)
    expect(back.origin + back.pathname).toBe('https://assistant.example.com/callback')
    expect(Object.fromEntries(back.searchParams)).toEqual({
      kept: '1',
      code: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: 'a state',
      iss: testServer.config.publicUrl,
    })
    expect(
      host.reads.filter((path) => clientId.endsWith(path)),
      'read once',
    ).toHaveLength(1)

    const token = await fetchToken({
      client_id: clientId,
      code: back.searchParams.get('code') ?? '',
      resource: `${testServer.config.publicUrl}/mcp`,
    })
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 7_776_000, scope: 'read' })
    const key = personWith(testServer, who.email, token.access_token ?? '')
    expect((await key.request('/user')).status).toBe(200)
    expect(await who.call('listApiKeys')).toMatchObject([{ name: 'The assistant', scopes: ['read'] }])
  })

  it('learns that its user declined', async () => {
    const { redirect_to } = await ada.call('declineAuthorization', {
      body: { request: { query: query(host.describe()) } },
    })
    expect(Object.fromEntries(new URL(redirect_to ?? '').searchParams)).toEqual({
      kept: '1',
      error: 'access_denied',
      state: 'a state',
      iss: testServer.config.publicUrl,
    })
  })

  it('may use any port of the own machine, and no other address', async () => {
    const clientId = host.describe({
      redirect_uris: ['http://127.0.0.1:1/callback', 'http://localhost/callback', 'http://[::1]/callback'],
    })
    const who = await somebody()
    for (const local of [
      'http://127.0.0.1:49152/callback',
      'http://localhost:8/callback',
      'http://[::1]/callback',
    ])
      expect((await approve(query(clientId, { redirect_uri: local }), who)).href).toMatch(local)
    for (const other of [
      'http://127.0.0.1:1/other',
      'https://127.0.0.1:1/callback',
      'http://127.0.0.2:1/callback',
    ])
      await expect(show(query(clientId, { redirect_uri: other }), who), other).rejects.toThrow('422')
  })

  it('that asks for no right is proposed to see', async () => {
    const clientId = host.describe({ client_name: undefined })
    expect(await show(query(clientId, { scope: null, resource: null }))).toMatchObject({
      client_name: new URL(host.base).host,
      scopes: ['read'],
    })
  })
})

describe('a code', () => {
  it('is exchanged once, also by calls at the same moment', async () => {
    const who = await somebody()
    const clientId = host.describe()
    const code = await getCode(query(clientId), who)
    const tokens = await Promise.all(
      Array.from({ length: 8 }, () => fetchToken({ client_id: clientId, code })),
    )
    expect(tokens.filter(({ access_token }) => access_token !== undefined)).toHaveLength(1)
    expect(tokens.filter(({ error }) => error === 'invalid_grant')).toHaveLength(7)
    expect(await who.call('listApiKeys')).toHaveLength(1)
  })

  it('needs its client, its redirect address and its verifier', async () => {
    const who = await somebody()
    const clientId = host.describe()
    const code = await getCode(query(clientId), who)
    const right = { client_id: clientId, code }
    for (const wrong of [
      { client_id: host.describe() },
      { redirect_uri: 'https://assistant.example.com/callback' },
      { code_verifier: randomBytes(32).toString('base64url') },
      { code_verifier: CHALLENGE },
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code },
    ])
      expect(await fetchToken({ ...right, ...wrong }), JSON.stringify(wrong)).toMatchObject({
        error: 'invalid_grant',
      })
    expect(await fetchToken({ ...right, redirect_uri: '' }), 'OAuth 2.1').toHaveProperty('access_token')
  })

  it('lasts a minute, and ends with a new password', async () => {
    const who = await somebody()
    const clientId = host.describe()
    const late = await getCode(query(clientId), who)
    passedMs += 60_000
    expect(await fetchToken({ client_id: clientId, code: late })).toMatchObject({ error: 'invalid_grant' })
    const ended = await getCode(query(clientId), who)
    await resetPassword(testServer, who.email)
    expect(await fetchToken({ client_id: clientId, code: ended })).toMatchObject({ error: 'invalid_grant' })
  })
})

describe('a request', () => {
  let who: Person
  beforeAll(async () => {
    who = await somebody()
  })

  it.each<[string, Record<string, string | null>, string]>([
    ['another address', { redirect_uri: 'https://assistant.example.com/callback' }, 'redirect_uri'],
    ['no address', { redirect_uri: null }, 'redirect_uri'],
    ['a script as its address', { redirect_uri: 'javascript:alert(1)//' }, 'redirect_uri'],
    ['the scheme of an app', { redirect_uri: 'assistant://callback' }, 'redirect_uri'],
    ['http elsewhere', { redirect_uri: 'http://assistant.example.com/' }, 'redirect_uri'],
    ['a fragment', { redirect_uri: 'https://assistant.example.com/#a' }, 'redirect_uri'],
    ['a name in its address', { redirect_uri: 'https://a@assistant.example.com/' }, 'redirect_uri'],
    ['a token at once', { response_type: 'token' }, 'response_type'],
    ['no challenge', { code_challenge: null }, 'code_challenge'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'code_challenge'],
    ['no method', { code_challenge_method: null }, 'code_challenge'],
    ['a short challenge', { code_challenge: 'abc' }, 'code_challenge'],
    ['another resource', { resource: 'https://elsewhere.example.com/mcp' }, 'resource'],
  ])('with %s is refused without a redirect', async (_what, its, named) => {
    const clientId = host.describe({
      redirect_uris: [
        CALLBACK,
        'javascript:alert(1)//',
        'assistant://callback',
        'http://assistant.example.com/',
        'https://assistant.example.com/#a',
        'https://a@assistant.example.com/',
      ],
    })
    for (const call of ['getAuthorizationRequest', 'declineAuthorization'] as const)
      await expect(who.call(call, { body: { request: { query: query(clientId, its) } } })).rejects.toThrow(
        new RegExp(`422[^]*${named}`),
      )
    await expect(approve(query(clientId, its), who)).rejects.toThrow('422')
  })

  it('that names something twice is refused', async () => {
    const search = `${query(host.describe())}&redirect_uri=https%3A%2F%2Felsewhere.example.com`
    await expect(show(search)).rejects.toThrow(/422[^]*redirect_uri twice/)
  })
})

describe('a description', () => {
  it.each<[string, object, Partial<Page>]>([
    ['is not there', {}, { status: 404 }],
    ['is elsewhere', {}, { status: 302, headers: { location: '/client-1' } }],
    ['is no JSON', {}, { body: '<html>' }],
    ['is larger than 10 kB', { logo: 'x'.repeat(10_240) }, {}],
    ['is of another program', { client_id: 'https://assistant.example.com/client' }, {}],
    ['has no addresses', { redirect_uris: [] }, {}],
    ['wants a secret', { token_endpoint_auth_method: 'client_secret_basic' }, {}],
  ])('that %s is refused', async (_what, its, page) => {
    const who = await somebody()
    await expect(show(query(host.describe(its, page)), who)).rejects.toThrow('422')
  })

  it('that was refused is read again', async () => {
    const who = await somebody()
    const clientId = host.describe({}, { status: 500 })
    await expect(show(query(clientId), who)).rejects.toThrow(/422[^]*500/)
    await expect(show(query(clientId), who)).rejects.toThrow('422')
    expect(host.reads.filter((path) => clientId.endsWith(path))).toHaveLength(2)
  })

  it.each([
    'reelay-cli',
    '',
    'http://assistant.example.com/client',
    'https://127.0.0.1/client',
    'https://10.0.0.1/client',
    'https://[::1]/client',
    'https://assistant.example.com',
    'https://assistant.example.com/',
    'https://assistant.example.com/a/../client',
    'https://assistant.example.com/client#a',
    'https://ada@assistant.example.com/client',
    'HTTPS://assistant.example.com/client',
    `https://assistant.example.com/${'a'.repeat(1000)}`,
    'file:///etc/passwd',
    'reg.AAAA',
  ])('at %s is never asked for', async (clientId) => {
    const config = { privateAddresses: false, oauthRegistration: false }
    const find = createFindClient({ ...testServer.deps, config })
    await expect(find(clientId)).rejects.toMatchObject({ code: 'invalid' })
  })
})

const register = async (body: object, url = testServer.url) => {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}

describe('a program that registers itself', () => {
  it('gets an id that says all, and a key by it', async () => {
    const who = await somebody()
    const { status, body } = await register({
      client_name: 'Inspector',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK] })
    const clientId = body['client_id'] ?? ''
    expect(await show(query(clientId), who)).toMatchObject({ client_name: 'Inspector', client_host: null })
    const code = await getCode(query(clientId), who)
    expect(await fetchToken({ client_id: clientId, code })).toHaveProperty('access_token')

    const changed = clientId.slice(0, -2) + (clientId.endsWith('AA') ? 'BB' : 'AA')
    await expect(show(query(changed), who)).rejects.toThrow('422')
    const another = `reg.${testServer.deps.encrypter.encrypt('unsubscribe 1').toString('base64url')}`
    await expect(show(query(another), who), 'something else that the server encrypted').rejects.toThrow('422')
  })

  it.each<[string, object, string]>([
    ['no address', {}, 'invalid_client_metadata'],
    ['six addresses', { redirect_uris: Array(6).fill(CALLBACK) }, 'invalid_client_metadata'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['http elsewhere', { redirect_uris: ['http://example.com/'] }, 'invalid_redirect_uri'],
    ['a long address', { redirect_uris: [`https://a.example/${'a'.repeat(600)}`] }, 'invalid_redirect_uri'],
  ])('with %s is refused', async (_what, body, error) => {
    expect(await register(body)).toMatchObject({ status: 400, body: { error } })
  })

  it('is unknown where that is off', async () => {
    const other = await startTestServer()
    try {
      const { status } = await register({ redirect_uris: [CALLBACK] }, other.url)
      expect(status).toBe(404)
      const answer = await fetch(`${other.url}/.well-known/oauth-authorization-server`)
      expect(await answer.json()).not.toHaveProperty('registration_endpoint')
    } finally {
      await other.stop()
    }
  })
})

const origin = () => testServer.config.publicUrl
const get = async (path: string) => {
  const answer = await fetch(testServer.url + path, {
    headers: { origin: 'https://inspector.example.com' },
  })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  return (await answer.json()) as object
}

describe('programs find out', () => {
  it('how this server lets programs in', async () => {
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: origin(),
      authorization_endpoint: `${origin()}/authorize`,
      token_endpoint: `${origin()}/oauth/token`,
      device_authorization_endpoint: `${origin()}/oauth/device`,
      registration_endpoint: `${origin()}/oauth/register`,
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['read', 'write', 'publish'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  it.each(['', '/mcp'])('which server lets them in to what /mcp offers (%s)', async (path) => {
    expect(await get(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
      resource: `${origin()}/mcp`,
      authorization_servers: [origin()],
    })
  })

  it.each(['/oauth/token', '/oauth/register', '/oauth/revoke', '/.well-known/oauth-authorization-server'])(
    'that browsers of other origins may call %s',
    async (path) => {
      const answer = await fetch(testServer.url + path, {
        method: 'OPTIONS',
        headers: { origin: 'https://inspector.example.com', 'access-control-request-method': 'POST' },
      })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-allow-headers')).toBe('*, authorization')
    },
  )

  it.each(['/connect?code=BCDF-GHJK', '/authorize?client_id=a&state=%0d%0ab'])(
    'that %s leads to the screen',
    async (path) => {
      const answer = await fetch(testServer.url + path, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        302,
        path.replace(/^\/\w+/, '/dashboard/connect'),
      ])
    },
  )
})

describe("MCP's official client", () => {
  const redirectUrl = 'http://127.0.0.1:49152/callback'

  /** Keeps in memory what it is given. */
  function makeProvider(clientId: string | null) {
    const kept: { to?: URL; verifier?: string } = {}
    let found: ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>
    let client: ReturnType<OAuthClientProvider['clientInformation']> =
      clientId === null ? undefined : { client_id: clientId, issuer: testServer.config.publicUrl }
    let tokens: ReturnType<OAuthClientProvider['tokens']>
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { client_name: 'Official', redirect_uris: [redirectUrl] },
      state: () => 'its state',
      clientInformation: () => client,
      saveClientInformation: (given) => {
        client = given
      },
      tokens: () => tokens,
      saveTokens: (given) => {
        tokens = given
      },
      redirectToAuthorization: (url) => {
        kept.to = url
      },
      saveCodeVerifier: (verifier) => {
        kept.verifier = verifier
      },
      codeVerifier: () => kept.verifier ?? '',
      saveDiscoveryState: (given) => {
        found = given
      },
      discoveryState: () => found,
    }
    return { kept, provider }
  }

  it.each(['that registers itself', 'that describes itself'])('%s is let in', async (which) => {
    const who = await somebody()
    const { kept, provider } = makeProvider(which === 'that registers itself' ? null : host.describe())
    const address = new URL(`${testServer.config.publicUrl}/mcp`)
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(address, { authProvider: provider })
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      return { client, transport, done: client.connect(transport) }
    }
    const first = await connect()
    await expect(first.done).rejects.toThrow(UnauthorizedError)
    if (!kept.to) throw new Error('it opened no page')
    expect(kept.to.origin + kept.to.pathname).toBe(`${testServer.config.publicUrl}/authorize`)
    const back = await approve(kept.to.search, who)
    expect(back.searchParams.get('state')).toBe('its state')
    await first.transport.finishAuth(back.searchParams)
    const { client, done } = await connect()
    await done
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
    expect(await who.call('listApiKeys')).toMatchObject([{ scopes: ['read'], status: 'active' }])
  })
})
