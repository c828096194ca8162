import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { COMMAND_PATH } from '#contract/http/addresses.ts'
import { signUp, type TestServer, startTestServer } from '#test/support/test-server.ts'
import { buildApp } from './app.ts'

let testServer: TestServer
let app: FastifyInstance
beforeAll(async () => {
  testServer = await startTestServer()
  await signUp(testServer) // without users the settings ask the database
  app = await buildApp(testServer.deps)
})
afterAll(async () => {
  await app.close()
  await testServer.stop()
})

/** Equal for everybody, so computed once. */
const KEPT = [
  '/api/v1/settings',
  '/api/v1/help',
  '/api/v1/openapi.json',
  '/help/api',
  '/help/api/reelay.ts',
  '/robots.txt',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/identity/v1/projects',
  '/identity/v2/passwordPolicy',
  '/identity/v2/recaptchaConfig',
  '/identity/.well-known/jwks.json',
]

/** Other answers without a token, and the bounds of their work. */
const BOUNDED: Readonly<Record<string, string>> = {
  'GET /healthz': 'says what a variable holds',
  'GET /readyz': 'all who ask at the same time share a query',
  'GET /media/:token': 'one row by a hash, a few look-ups at a time',
  'GET /posters/:token': 'one row by a secret, a few look-ups at a time',
  'GET /pictures/:token': 'one row by a secret, a few look-ups at a time',
  'GET /logos/:token': 'one row by a secret, a few look-ups at a time',
  'GET /feeds/:token.ics': '120 a minute for a network, 30 for an address that exists',
  'GET /api/v1/reports/:token': '120 a minute for a network, 30 for an address that exists',
  'GET /data-deletion/:code': 'one row by a code, and only for what has its form',
  'GET /unsubscribe/:token': '120 a minute for a network',
  'POST /unsubscribe/:token': '120 a minute for a network, 30 for an address that exists',
  'POST /hooks/:platform/:name': 'a signature over at most 64 KiB before anything else',
  'OPTIONS /api/v1/uploads': 'headers without a body',
  'OPTIONS /api/v1/uploads/:uploadId': 'headers without a body',
  'GET /connect': 'a redirect',
  'GET /authorize': 'a redirect',
  'POST /oauth/device': '20 a minute for a network, 10,000 that wait; a few look-ups at a time',
  'POST /oauth/token': '120 a minute for a network, a few look-ups at a time',
  'POST /oauth/revoke': '120 a minute for a network, a few look-ups at a time',
  'OPTIONS /oauth/device': 'headers without a body',
  'OPTIONS /oauth/token': 'headers without a body',
  'OPTIONS /oauth/revoke': 'headers without a body',
  'OPTIONS /.well-known/oauth-authorization-server': 'headers without a body',
  'OPTIONS /.well-known/oauth-protected-resource': 'headers without a body',
  'OPTIONS /.well-known/oauth-protected-resource/mcp': 'headers without a body',
  'POST /api/v1/users': '50 an hour for a network; hashes wait in turn',
  'POST /api/v1/users/admitted': 'nothing without a valid token in the body',
  'POST /identity/v1/accounts:signUp': '50 an hour for a network; hashes wait in turn',
  'POST /identity/v1/accounts:signInWithPassword': 'wrong ones count; hashes wait in turn',
  'POST /identity/v1/accounts:signInWithEmailLink': '50 wrong codes in 15 minutes for a network',
  'POST /identity/v1/accounts:sendOobCode': '50 mails an hour for a network',
  'POST /identity/v1/accounts:lookup': 'nothing without a valid token in the body',
  'POST /identity/v1/accounts:update': 'nothing without a valid token or code in the body',
  'POST /identity/v1/accounts:delete': 'nothing without a valid token in the body',
  'POST /identity/v1/accounts:createAuthUri': '100 in 15 minutes for a network',
  'POST /identity/v1/accounts:resetPassword': '50 wrong codes in 15 minutes for a network',
  'POST /identity/v1/accounts:signInWithCustomToken': '50 wrong ones in 15 minutes for a network',
  'POST /identity/oidc/begin': '100 in 15 minutes for a network, those that come back included',
  'GET /identity/oidc/:provider/callback': 'nothing without the cookie of a log-in, and they count',
  'POST /identity/oidc/finish': 'decrypts one cookie',
  'POST /identity/v1/token': '100 wrong ones in 15 minutes for a network',
}

/** Every method and path of the server, except HEAD, which is answered like GET. */
function listRoutes(server: FastifyInstance): string[] {
  const parents: string[] = []
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│├└─ ]*)(\S+) \(([^)]+)\)$/u.exec(line) ?? []
      if (part === '') return []
      const depth = indent.length / 4 - 1
      parents.splice(depth, parents.length, part)
      const route = parents.join('')
      return methods.split(', ').flatMap((method) => (method === 'HEAD' ? [] : [`${method} ${route}`]))
    })
}

it('whatever is answered without a token is kept, or its work is bounded', async () => {
  const open: string[] = []
  for (const route of listRoutes(app)) {
    const [method = '', url = ''] = route.split(' ')
    if (/^\/identity(\/\*?)?$/.test(url)) continue // every address that the service does not know
    // The web app and the command, where they are built: files, and two cached documents.
    if (['/', '/*', COMMAND_PATH].includes(url)) continue
    const answer = await app.inject({ method: method as 'GET', url: url.replaceAll(/:\w+/g, '1') })
    // The identity service checks tokens per call, in the body.
    if (answer.statusCode !== 401 || url.startsWith('/identity')) open.push(route)
  }
  expect(new Set(open)).toEqual(new Set([...KEPT.map((url) => `GET ${url}`), ...Object.keys(BOUNDED)]))
})

/** Counts serialisations, hashes, compressions and database queries. */
function watchWork() {
  const written = vi.spyOn(JSON, 'stringify')
  const spies = [
    written,
    vi.spyOn(crypto, 'createHash'),
    vi.spyOn(zlib, 'gzipSync'),
    vi.spyOn(zlib, 'brotliCompressSync'),
    vi.spyOn(Client.prototype, 'query'),
  ]
  syncBuiltinESMExports()
  return {
    count: () => {
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      // The log serialises the id of each request.
      return calls - written.mock.calls.filter(([value]) => typeof value === 'string').length
    },
    stop: () => {
      for (const spy of spies) spy.mockRestore()
      syncBuiltinESMExports()
    },
  }
}

const ENCODINGS = [
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, br', 'br'],
  ['br;q=0, gzip;q=0', undefined],
] as const

it.each(KEPT)('a second call of %s computes nothing, and an unchanged one is answered 304', async (url) => {
  for (const [accepted, encoding] of ENCODINGS) {
    const ask = (ifNoneMatch?: string) =>
      app.inject({
        url,
        headers: {
          'x-goog-api-key': 'reelay',
          'accept-encoding': accepted,
          ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        },
      })
    const first = await ask()
    const etag = String(first.headers.etag)
    const work = watchWork()
    const second = await ask()
    const unchanged = [await ask(etag), await ask(`"other", W/${etag}`), await ask('*')]
    const changed = await ask('"other"')
    const done = work.count()
    work.stop()
    expect(done).toBe(0)
    expect([first.headers['content-encoding'], first.headers.vary]).toEqual([encoding, 'accept-encoding'])
    for (const answer of [second, changed])
      expect([answer.statusCode, answer.rawPayload.equals(first.rawPayload)]).toEqual([200, true])
    for (const answer of unchanged) expect([answer.statusCode, answer.rawPayload.length]).toEqual([304, 0])
  }
})

it.each([
  ['/api/v1/openapi.json', 'public, max-age=300'],
  ['/api/v1/help', 'public, max-age=60, must-revalidate'],
  ['/api/v1/settings', 'public, max-age=0, must-revalidate'],
])('clients may keep %s: %s', async (url, caching) => {
  expect((await app.inject(url)).headers['cache-control']).toBe(caching)
})
