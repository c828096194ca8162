import { afterEach, expect, test } from 'vitest'
import type { CommentJob } from '../kit/platform.ts'
import { type Scripted, type ScriptedServer, scriptedServer } from '../kit/scripted-server.ts'
import { createYouTube } from './index.ts'
import { answer, configAt, NOW, refusal } from './testing.ts'

const THREADS = '/youtube/v3/commentThreads'

let server: ScriptedServer
afterEach(() => server.close())

async function start(replies: readonly Scripted[]) {
  server = await scriptedServer({ [THREADS]: replies })
  const { firstComment } = createYouTube(configAt(server), () => NOW)
  if (firstComment === undefined) throw new Error('YouTube takes comments')
  return firstComment
}

const job: CommentJob = {
  account: { accessToken: 'ya29.1', externalId: 'UC1', username: 'ann' },
  postId: 'dQw4w9WgXcQ',
  text: 'First!\nMore below',
  signal: new AbortController().signal,
}
const thread = (snippet: object, id = 'Ug1') => ({ id, snippet: { topLevelComment: { id, snippet } } })
const ours = {
  authorChannelId: { value: 'UC1' },
  textOriginal: 'First! More below',
  publishedAt: new Date(NOW).toISOString(),
}

test('a comment names the channel and the video', async () => {
  const comments = await start([answer(thread(ours))])
  expect(await comments.comment(job)).toEqual({ kind: 'commented', commentId: 'Ug1' })
  expect(server.requests[0]?.url).toBe(`${THREADS}?part=snippet`)
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    snippet: {
      channelId: 'UC1',
      videoId: 'dQw4w9WgXcQ',
      topLevelComment: { snippet: { textOriginal: job.text } },
    },
  })
})

test.each([
  ['comments that are off', refusal(403, 'commentsDisabled'), 'refused'],
  ['a video that is not there yet', refusal(404, 'videoNotFound'), 'refused'],
  ['the quota', refusal(403, 'quotaExceeded'), 'refused'],
  ['an old token', refusal(401, 'authError'), 'refused'],
  ['a failure to process', refusal(400, 'processingFailure'), 'unanswered'],
  ['an unknown reason', refusal(400, 'mood'), 'unanswered'],
  ['an error', refusal(500, 'backendError'), 'unanswered'],
  ["a gateway's page", { status: 403, body: '<html>' }, 'unanswered'],
  ['half an answer', answer({ id: 'Ug1' }), 'unanswered'],
])('%s: %s', async (_what, reply, kind) => {
  const comments = await start([reply])
  expect((await comments.comment(job)).kind).toBe(kind)
})

test('a call that never leaves is unsent', async () => {
  const comments = await start([])
  await server.close()
  expect((await comments.comment(job)).kind).toBe('unsent')
})

test('a missing permission does not end the access to the channel', async () => {
  const comments = await start([refusal(403, 'insufficientPermissions')])
  expect(await comments.comment(job)).toMatchObject({ kind: 'refused', failure: { kind: 'rejected' } })
})

test.each([
  ['by its author and text', ours, 'Ug1'],
  ['by the shown text', { ...ours, textOriginal: undefined, textDisplay: 'First!\nMore below' }, 'Ug1'],
  ["not in another channel's", { ...ours, authorChannelId: { value: 'UC2' } }, null],
  ['not with another text', { ...ours, textOriginal: 'Second' }, null],
  ['not from before', { ...ours, publishedAt: new Date(NOW - 600_000).toISOString() }, null],
])('our comment is found %s', async (_how, snippet, id) => {
  const comments = await start([answer({ items: [thread(snippet)] })])
  expect(await comments.findComment(job, NOW)).toEqual({ ok: true, value: id })
})

test('further pages are read', async () => {
  const comments = await start([
    answer({ items: [thread({ ...ours, textOriginal: 'Nice' }, 'Ug0')], nextPageToken: 'p2' }),
    answer({ items: [thread(ours)] }),
  ])
  expect(await comments.findComment(job, NOW)).toEqual({ ok: true, value: 'Ug1' })
  expect(server.requests[1]?.url).toContain('pageToken=p2')
})
