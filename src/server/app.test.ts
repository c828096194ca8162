import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestServer, signUp, startTestServer } from '#test/support/test-server.ts'
import { buildApp } from './app.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

const full = () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))

it('an upload that finds the disk full in the middle is answered 507', async () => {
  const someone = await signUp(testServer)
  const app = await buildApp({ ...testServer.deps, storage: { ...testServer.deps.storage, put: full } })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const body = new FormData()
  body.append('file', new File(['abc'], 'a.mp4'))
  const headers = { authorization: `Bearer ${someone.token}` }
  const answer = await fetch(`${url}/api/v1/videos`, { method: 'POST', body, headers })
  expect([answer.status, await answer.json()]).toMatchObject([507, { code: 'disk_full' }])
  await app.close()
})

it('API responses are neither cached nor compressed', async () => {
  const someone = await signUp(testServer)
  for (const path of ['/user', '/overview', '/posts', '/videos']) {
    const { headers } = await someone.request(path, { headers: { 'accept-encoding': 'gzip, br' } })
    expect([path, headers.get('cache-control'), headers.get('content-encoding')]).toEqual([
      path,
      'no-store',
      null,
    ])
  }
})

it.each(['/api/v1/brands', '/api/v1/events', '/api/v1/none', '/healthz'])(
  'an answer of %s may neither be sniffed nor shown in a frame',
  async (path) => {
    const someone = await signUp(testServer)
    const stop = new AbortController()
    const headers = { authorization: `Bearer ${someone.token}` }
    const answer = await fetch(new URL(path, testServer.url), { headers, signal: stop.signal })
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('permissions-policy')).toMatch(
      /\bcamera=\(\), .*\bgeolocation=\(\), .*\bmicrophone=\(\)/,
    )
    stop.abort()
  },
)

it.each(['/metrics', '/health', '/status', '/.env', '/dashboards'])(
  'what nobody serves at %s is 404 and no page',
  async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(new URL(path, testServer.url), { method })
      expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    }
  },
)

it.each([
  ['https://reelay.example', 'max-age=31536000; includeSubDomains'],
  ['http://localhost:3000', undefined],
])('a server at %s asks browsers for https: %s', async (publicUrl, expected) => {
  const app = await buildApp({ ...testServer.deps, config: { ...testServer.deps.config, publicUrl } })
  expect((await app.inject('/healthz')).headers['strict-transport-security']).toBe(expected)
  await app.close()
})

const readPolicy = async (deps: TestServer['deps']) => {
  const app = await buildApp(deps)
  const policy = String((await app.inject('/healthz')).headers['content-security-policy'])
  await app.close()
  return new Map(policy.split(';').map((one) => [one.split(' ')[0] ?? '', one.split(' ').slice(1).join(' ')]))
}
const hostedIdentity = { mode: 'firebase', apiKey: 'k', projectId: 'p', authDomain: 'p.example.com' } as const
const withHosted = (deps: TestServer['deps']) => ({
  ...deps,
  identity: { ...deps.identity, publicSettings: hostedIdentity },
})

it('only our scripts and WebAssembly may run, and the captcha of a hosted identity provider', async () => {
  const [own, hosted] = [await readPolicy(testServer.deps), await readPolicy(withHosted(testServer.deps))]
  expect(['script-src', 'worker-src', 'frame-src', 'default-src'].map((name) => own.get(name))).toEqual([
    "'self' 'wasm-unsafe-eval'",
    "'self' blob:",
    undefined,
    "'self'",
  ])
  expect([hosted.get('script-src'), hosted.get('frame-src')]).toEqual([
    "'self' 'wasm-unsafe-eval' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
    'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
  ])
})

it('pages connect to this server only, and to the hosts of a hosted identity provider', async () => {
  const [own, hosted] = [await readPolicy(testServer.deps), await readPolicy(withHosted(testServer.deps))]
  expect(own.get('connect-src')).toBe("'self'")
  expect(hosted.get('connect-src')).toBe(
    "'self' https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://www.google.com/recaptcha/",
  )
})

/** The client address that the server derives from a proxied request. */
async function asSeen(
  trustedProxies: TestServer['config']['trustedProxies'],
  from: string,
  forwarded: string,
) {
  const app = await buildApp({ ...testServer.deps, config: { ...testServer.config, trustedProxies } })
  app.get('/seen', ({ ip }) => ip)
  const headers = { 'x-forwarded-for': forwarded }
  const { body } = await app.inject({ url: '/seen', remoteAddress: from, headers })
  await app.close()
  return body
}

it('a client address comes from trusted proxies, never from the client', async () => {
  const forged = '198.51.100.1'
  const visitor = '203.0.113.9'
  const proxy = '10.0.0.5'
  const said = `${forged}, ${visitor}`
  expect(await asSeen(['loopback'], '127.0.0.1', said)).toBe(visitor)
  expect(await asSeen(['loopback'], proxy, said)).toBe(proxy)
  expect(await asSeen(['loopback', '10.0.0.0/8'], proxy, said)).toBe(visitor)
  expect(await asSeen(['loopback', '10.0.0.0/8'], visitor, forged)).toBe(visitor)
  expect(await asSeen(1, proxy, said)).toBe(visitor)
  expect(await asSeen(2, '127.0.0.1', `${said}, ${proxy}`)).toBe(visitor)
})

it.each([
  ['an over-long text', 'x'.repeat(4_000), '10.0.0.5'],
  ['an over-long list', `${'1.2.3.4,'.repeat(500)}nonsense`, '10.0.0.5'],
  ['an IPv6 address with an over-long zone', `fe80::1%${'x'.repeat(400)}`, 'fe80::1'],
  ['no address', 'unknown', '10.0.0.5'],
  ['nothing', '', '10.0.0.5'],
  ['a number', '1234', '10.0.0.5'],
  ['an address with its port', '203.0.113.9:4711', '203.0.113.9'],
  ['an IPv6 address with its port', '[2001:db8::1]:4711', '2001:db8::1'],
])('a forwarded address that is %s is handled', async (_, forwarded, seen) => {
  expect(await asSeen(['10.0.0.0/8'], '10.0.0.5', forwarded)).toBe(seen)
})

it('requests with an invalid forwarded address are served', async () => {
  const app = await buildApp(testServer.deps)
  const calls = [
    ['POST', '/api/v1/users', 422],
    ['POST', '/identity/v1/accounts:signUp', 200],
    ['POST', '/identity/v1/accounts:signInWithPassword', 200],
    ['POST', '/identity/v1/accounts:sendOobCode', 200],
    ['POST', '/identity/v1/accounts:resetPassword', 400],
    ['POST', '/identity/v1/accounts:signInWithIdp', 400],
    ['POST', '/identity/v1/token', 400],
    ['POST', '/hooks/tiktok/events', 403],
  ] as const
  for (const [method, path, status] of calls) {
    const { statusCode } = await app.inject({
      method,
      url: `${path}?key=reelay`,
      remoteAddress: '127.0.0.1',
      headers: { 'x-forwarded-for': 'x'.repeat(1_000) },
      payload: {
        email: 'stranger@example.test',
        password: 'some password',
        requestType: 'PASSWORD_RESET',
        oobCode: 'a guess',
        grant_type: 'refresh_token',
        refresh_token: 'A'.repeat(43),
      },
    })
    expect([path, statusCode]).toEqual([path, status])
  }
  await app.close()
})

it('a call whose transaction PostgreSQL rolled back for a deadlock is answered 503', async () => {
  const { db } = testServer.deps
  await sql`create function fail_on_title() returns trigger language plpgsql as $$
    begin raise exception 'as in a deadlock' using errcode = substring(new.title from '[0-9P]{5}'); end $$`.execute(
    db,
  )
  await sql`create trigger fail_on_title before insert on brands for each row
    when (new.title like 'SQLSTATE %') execute function fail_on_title()`.execute(db)
  const someone = await signUp(testServer)
  for (const code of ['40P01', '40001']) {
    const answer = await someone.request('/brands', {
      method: 'POST',
      body: JSON.stringify({ title: `SQLSTATE ${code}` }),
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  }
})

it('a malformed path is refused in the format of its API', async () => {
  const app = await buildApp(testServer.deps)
  expect((await app.inject('/identity/v1/%zz')).json()).toMatchObject({
    error: { code: 400, message: expect.stringMatching(/^INVALID_ARGUMENT/) as string },
  })
  const unreadable = await app.inject('/api/v1/%zz')
  expect(unreadable.json()).toMatchObject({ code: 'malformed' })
  expect(unreadable.headers).toMatchObject({ 'x-frame-options': 'DENY' })
  await app.close()
})

it('requests are answered or get 503 while the database closes its connections', async () => {
  const someone = await signUp(testServer)
  const calls = Promise.all(
    Array.from({ length: 6 }, async () => {
      const statuses: number[] = []
      for (let i = 0; i < 40; i++) statuses.push((await someone.request('/posts')).status)
      return statuses
    }),
  )
  const admin = setInterval(() => {
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'reelay' and datname = current_database() and pid <> pg_backend_pid()`
    others.execute(testServer.deps.db).catch(() => {}) // its own connection may be cut by the statement before
  }, 10)
  const statuses = new Set((await calls).flat())
  clearInterval(admin)
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
})
