import { afterEach, expect, test } from 'vitest'
import type { CommentJob } from '../kit/platform.ts'
import { scriptedServer, type Scripted, type ScriptedServer } from '../kit/scripted-server.ts'
import { createInstagram } from './index.ts'

const POST = '18000000000000009'
const COMMENTS = `/v25.0/${POST}/comments`
const NOW = 1_800_000_000_000

let server: ScriptedServer
afterEach(() => server.close())

const json = (body: unknown, status = 200): Scripted => ({ status, body: JSON.stringify(body) })
const refused = (code: number, subcode?: number, status = 400): Scripted =>
  json({ error: { message: 'no', type: 'OAuthException', code, error_subcode: subcode } }, status)

const instagram = () =>
  createInstagram(
    {
      mode: 'live',
      appId: '1',
      appSecret: 's',
      metaAppSecret: null,
      authorizeUrl: `${server.url}/oauth/authorize`,
      apiUrl: server.url,
      graphUrl: server.url,
    },
    () => NOW,
  )

function firstComment() {
  const { firstComment: ability } = instagram()
  if (!ability) throw new Error('Instagram takes comments.')
  return ability
}

const job: CommentJob = {
  account: { accessToken: 'IGAA1', externalId: '17841400000000001', username: 'Ann' },
  postId: POST,
  text: '#cat #café',
  signal: new AbortController().signal,
}

test('a comment is sent as message, with the token in the header', async () => {
  server = await scriptedServer({ [COMMENTS]: [{ body: '{"id":17870000000000001}' }] })
  expect(await firstComment().comment(job)).toEqual({ kind: 'commented', commentId: '17870000000000001' })
  expect(server.requests[0]?.method).toBe('POST')
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({ message: '#cat #café' })
  expect(server.requests[0]?.headers.authorization).toBe('Bearer IGAA1')
})

test.each([
  [refused(190, 463), 'refused', 'account'],
  [refused(10, undefined, 403), 'refused', 'rejected'],
  [refused(230), 'refused', 'rejected'],
  [refused(100), 'refused', 'rejected'],
  [refused(100, 33), 'refused', 'rejected'],
  [refused(4), 'refused', 'throttled'],
  [refused(17), 'refused', 'throttled'],
  [refused(32), 'refused', 'throttled'],
  [refused(613), 'refused', 'throttled'],
  [refused(80_002, 2_446_079), 'refused', 'throttled'],
  [refused(4, 2_207_051), 'unanswered', 'rejected'],
  [refused(25, 2_207_050), 'unanswered', 'throttled'],
  [refused(368), 'unanswered', 'throttled'],
  [refused(2, undefined, 500), 'unanswered', 'unreachable'],
  [refused(31_337), 'unanswered', 'unexpected'],
  [{ status: 502, body: '<html>Bad Gateway</html>' }, 'unanswered', 'unreachable'],
  [{ body: '{"success":true}' }, 'unanswered', 'unexpected'],
] as const)('the answer %j is %s, and its failure %s', async (answer, kind, failure) => {
  server = await scriptedServer({ [COMMENTS]: [answer] })
  expect(await firstComment().comment(job)).toMatchObject({ kind, failure: { kind: failure } })
})

test('no failure of a comment stops the posts of the account', async () => {
  const codes = [refused(4, 2_207_051), refused(10), refused(100), refused(100, 33), refused(200)]
  server = await scriptedServer({ [COMMENTS]: codes })
  for (const _ of codes) {
    const outcome = await firstComment().comment(job)
    expect(outcome).toMatchObject({ failure: { kind: 'rejected' } })
    expect('failure' in outcome && 'stops' in outcome.failure).toBe(false)
  }
})

test('a call that did not reach the platform was not made', async () => {
  server = await scriptedServer({})
  const ability = firstComment()
  await server.close()
  expect(await ability.comment(job)).toMatchObject({ kind: 'unsent', failure: { kind: 'unreachable' } })
})

const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d{3}Z$/, '+0000')
const listed = (its: object) => ({ id: '1', text: job.text, username: 'ann', timestamp: at(NOW), ...its })

test('the own comment with the same text is found, however its letters are composed', async () => {
  const text = job.text.normalize('NFD').replace(' ', '\n')
  server = await scriptedServer({ [COMMENTS]: [json({ data: [listed({ id: '7', text })] })] })
  expect(await firstComment().findComment(job, NOW + 30_000)).toEqual({ ok: true, value: '7' })
  expect(new URL(server.url + server.requests[0]?.url).searchParams.get('fields')).toContain('username')
})

test.each([
  ['by another account', { username: 'bob' }],
  ['by nobody that is named', { username: undefined }],
  ['with another text', { text: '#cat' }],
  ['made long before the call', { timestamp: at(NOW - 61_000) }],
])('a comment %s is not ours', async (_, its) => {
  server = await scriptedServer({ [COMMENTS]: [json({ data: [listed(its)] })] })
  expect(await firstComment().findComment(job, NOW)).toEqual({ ok: true, value: null })
})

test('a comment is looked for on five pages, and no further', async () => {
  const page = json({
    data: Array.from({ length: 50 }, (_, i) => listed({ id: String(i), username: 'fan' })),
    paging: { cursors: { after: 'next' } },
  })
  server = await scriptedServer({ [COMMENTS]: Array.from({ length: 9 }, () => page) })
  expect(await firstComment().findComment(job, NOW)).toEqual({ ok: true, value: null })
  expect(server.requests.map(({ url }) => url.includes('after=next'))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ])
})

test('a question that fails proves nothing', async () => {
  server = await scriptedServer({ [COMMENTS]: [refused(2, undefined, 500), refused(100, 33)] })
  expect(await firstComment().findComment(job, NOW)).toMatchObject({ failure: { kind: 'unreachable' } })
  expect(await firstComment().findComment(job, NOW)).toMatchObject({ failure: { kind: 'rejected' } })
})

const turnOff = async (answer: Scripted) => {
  server = await scriptedServer({ [`/v25.0/${POST}`]: [answer] })
  return instagram().turnOffComments?.(job)
}

test('comments are turned off by a field of the post, and only success is taken for it', async () => {
  expect(await turnOff(json({ success: true }))).toEqual({ ok: true, value: undefined })
  expect(server.requests[0]?.method).toBe('POST')
  expect(server.requests[0]?.body).toBe('comment_enabled=false')
  expect(server.requests[0]?.headers.authorization).toBe('Bearer IGAA1')
  await server.close()
  expect(await turnOff(json({ success: false }))).toMatchObject({ ok: false })
})

test.each([
  [refused(190, 463), 'account'],
  [refused(10, undefined, 403), 'rejected'],
  [refused(230), 'rejected'],
  [refused(100), 'rejected'],
  [refused(100, 33), 'rejected'],
  [refused(80_002), 'throttled'],
])('a refusal to turn comments off says what it is', async (answer, kind) => {
  expect(await turnOff(answer)).toMatchObject({ ok: false, failure: { kind } })
})
