import { afterAll, beforeAll, expect, it } from 'vitest'
import { API } from '#contract/api/api.ts'
import { API_PAGE } from '#contract/http/addresses.ts'
import { PROBLEMS, ProblemBody } from '#contract/http/problem.ts'
import { WEBHOOK_BODIES } from '#contract/webhooks.ts'
import { startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
let page: string
beforeAll(async () => {
  testServer = await startTestServer()
  const answer = await fetch(`${testServer.url}${API_PAGE}`)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  page = await answer.text()
})
afterAll(() => testServer.stop())

it('has every call once, with what it needs, and loads nothing', () => {
  for (const name of Object.keys(API)) expect(page.split(`<details id="${name}">`)).toHaveLength(2)
  expect(page).toMatch(
    /<details id="createPost">[^]*?Needs the right <code>publish<\/code>\.[^]*?targets\[\]\.account_id/,
  )
  expect(page).toMatch(/<details id="createApiKey">[^]*?API keys cannot do this/)
  expect(page).not.toMatch(/<script|src=|undefined|\[object/)
})

const commandOf = (name: string) =>
  new RegExp(`<details id="${name}">(?:(?!</details>)[^])*?<pre>(curl[^<]*)</pre>`).exec(page)?.[1]

it('shows a command for every call that a key can make, with all that the call must have', () => {
  expect(commandOf('uploadVideo')).toContain('-F file=@opening-day.mp4')
  expect(commandOf('postTikTokVideo')).toContain('-F &#39;post_info={&#34;title&#34;:')
  expect(commandOf('getCalendar')).toMatch(/calendar\?from=2026-12-24&#38;days=\d+&#34;/)
  expect(commandOf('createPost')).toContain('-d &#39;{&#34;video_id&#34;:1')
  expect(commandOf('createApiKey')).toBeUndefined()
})

it('says of each call whether a limited key can make it', () => {
  expect(page).toMatch(/<details id="listVideos">(?:(?!<\/details>)[^])*?limited[^<]*cannot do this/)
  expect(page).toMatch(/<details id="listAccounts">(?:(?!<\/details>)[^])*?limited[^<]*gets those alone/)
})

it('shows every choice of a field', () => {
  expect(page).toMatch(
    /<details id="createPost">[^]*?schedule\.place[^]*?&#34;bottom&#34; \| &#34;slot&#34;[^]*?schedule\.slot<\/code> \(optional\)/,
  )
})

it('has every message of webhooks, with its fields', () => {
  const events = Object.values(WEBHOOK_BODIES).flatMap(({ shape }): readonly string[] => shape.type.options)
  for (const event of events) expect(page.split(`<details id="message-${event}">`)).toHaveLength(2)
  expect(page).toMatch(/<details id="message-delivery\.failed">[^]*?data\.delivery[^]*?#shape-Delivery/)
  const links = [...page.matchAll(/href="#(shape-\w+)"/g)].map(([, id = '']) => id)
  expect(links.length).toBeGreaterThan(50)
  for (const id of new Set(links)) expect(page.split(`id="${id}"`)).toHaveLength(2)
})

it('has a place for every refusal, which refusals name', async () => {
  for (const code of Object.keys(PROBLEMS)) expect(page).toContain(`id="refusal-${code}"`)
  const refused = ProblemBody.parse(await (await fetch(`${testServer.url}/api/v1/user`)).json())
  expect(refused).toMatchObject({ docs: '/help/api#refusal-unauthorized', retryable: false })
})
