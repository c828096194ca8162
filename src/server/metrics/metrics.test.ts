import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDb } from '#base/db/open.ts'
import { delivered, uploadVideo } from '#test/support/publish.ts'
import { linkAccount, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { buildApp } from '../app.ts'

const TOKEN = 'a token of the monitor'.replaceAll(' ', '-')
let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ worker: true, env: { METRICS_TOKEN: TOKEN } })
})
afterAll(() => testServer.stop())

const ask = (token: string | null) =>
  fetch(`${testServer.url}/metrics`, { headers: token === null ? {} : { authorization: `Bearer ${token}` } })

const read = async (): Promise<string> => (await ask(TOKEN)).text()

/** The value of each line with this name and these labels. */
const valueOf = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}

it('only who has the token reads metrics', async () => {
  for (const token of [null, '', `${TOKEN}!`]) expect((await ask(token)).status).toBe(401)
  expect((await ask(TOKEN)).headers.get('content-type')).toContain('text/plain')
})

it('without a token there is no such address', async () => {
  const app = await buildApp({ ...testServer.deps, config: { ...testServer.config, metricsToken: null } })
  expect((await app.inject({ url: '/metrics', headers: { authorization: 'Bearer null' } })).statusCode).toBe(
    404,
  )
  await app.close()
})

it('a post is counted by its moves and answers, and names nobody', async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(ada, { platform: 'instagram', brandId })
  const { video_id } = await uploadVideo(ada)
  const targets = [{ account_id, options: {} }]
  const before = await read()
  const post = await ada.call('createPost', { body: { video_id, text: 'Croissants', targets } })
  await delivered(ada, post, ['published'])

  const text = await read()
  // Tests of one process share the counters.
  const added = (line: string) => (valueOf(text, line) ?? 0) - (valueOf(before, line) ?? 0)
  expect(added('reelay_delivery_moves_total{platform="instagram",state="published"}')).toBe(1)
  expect(added('reelay_platform_answers_total{platform="instagram",result="ok"}')).toBeGreaterThanOrEqual(1)
  expect(added('reelay_http_request_seconds_count{method="POST",route="/api/v1/posts",status="201"}')).toBe(1)
  expect(valueOf(text, 'reelay_oldest_due_seconds')).toBe(0)
  expect(valueOf(text, 'reelay_database_up')).toBe(1)
  expect(valueOf(text, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
  const dashboard = await readFile(new URL('../../../deploy/grafana.json', import.meta.url), 'utf8')
  const asked = dashboard.match(/\b(?:reelay|process|nodejs)_\w+/g) ?? []
  expect(asked.length).toBeGreaterThan(10)
  expect(
    asked.filter((name) => !text.includes(`\n${name}`)),
    'the dashboard knows no other names',
  ).toEqual([])
  for (const secret of [ada.email, 'Northwind', 'Croissants', TOKEN]) expect(text).not.toContain(secret)
})

it('metrics are read while the database is away, and say so', async () => {
  const away = openDb('postgres://reelay@127.0.0.1:1/reelay')
  const app = await buildApp({ ...testServer.deps, backgroundDb: away })
  const answer = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } })
  expect(valueOf(answer.body, 'reelay_database_up')).toBe(0)
  await app.close()
  await away.destroy()
})
