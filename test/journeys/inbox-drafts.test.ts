import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import type { Person } from '../support/test-server.ts'
import {
  consent,
  control,
  inboxDrafts,
  linkAccount,
  livePosts,
  platformCalls,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '../support/test-server.ts'
import { delivered, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

let aheadMs = 0
let testServer: TestServer
let ada: Person
let brandId: number
beforeAll(async () => {
  testServer = await startTestServer({
    worker: true,
    now: () => Date.now() + aheadMs,
    env: { PRACTICE_LIMITS: 'off' },
  })
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  await steer('settings', { tiktok_processing_ms: 0 })
})
afterEach(() => control(testServer.practiceUrl, 'DELETE', '/_control/faults'))
afterAll(() => testServer.stop())

const steer = (address: string, body: object) =>
  control(testServer.practiceUrl, 'POST', `/_control/${address}`, body)
const listDrafts = async (creator: string) =>
  (await inboxDrafts(testServer)).filter(({ account }) => account === creator)

async function pass(seconds: number): Promise<void> {
  // TikTok's clock first: a draft tried in between would wait for another hour.
  await steer('clock', { advance_s: seconds })
  aheadMs += seconds * 1000
  // A login lasts for an hour.
  ada = await signIn(testServer, ada.email)
}

const link = (creator: string) => linkAccount(ada, { platform: 'tiktok', brandId, creator })

async function sendDraft(account: Account, video = sampleVideo(), chosen: object = {}): Promise<Post> {
  const { video_id } = await uploadVideo(ada, video.file)
  const options = { post_mode: 'MEDIA_UPLOAD', ...chosen }
  const text = 'Lemon tart'
  const targets = [{ account_id: account.account_id, options }]
  return ada.call('createPost', { body: { video_id, text, targets } })
}

it('a draft ends in the inbox, and is published once its creator has posted it there', async () => {
  const nova = await link('nova')
  const video = sampleVideo()
  const made = await sendDraft(nova, video)
  expect(await delivered(ada, made, ['in_inbox', 'published', 'failed'])).toMatchObject({
    status: 'in_inbox',
    to_inbox: true,
    url: null,
    published_at: null,
    reason: null,
    actions: [],
  })
  expect(await listDrafts('nova')).toMatchObject([{ sha256: video.sha256, posted: false }])
  expect(await livePosts(testServer)).toEqual([])
  const calls = (await platformCalls(testServer)).map(({ call }) => call)
  expect(calls.filter((call) => call === 'inbox_init')).toHaveLength(1)
  expect(calls).not.toContain('init')
  const detail = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(detail.targets.map(({ text }) => text)).toEqual([''])
  const overview = await ada.call('getOverview')
  expect(overview.published).toEqual([])
  expect(overview.attention.total).toBe(0)
  expect(overview.days.every((day) => day.published === 0 && day.failed === 0)).toBe(true)
  const { items } = await ada.call('findSimilarPosts', {
    body: {
      video_id: made.video.video_id,
      targets: [{ account_id: nova.account_id, text: 'Lemon tart' }],
    },
  })
  expect(items).toMatchObject([{ post_id: made.post_id, same: 'video' }])

  await steer('settings', { tiktok_draft_posted_ms: 3_600_000 })
  await pass(3601)
  const live = await delivered(ada, made, ['published', 'failed'])
  expect(live).toMatchObject({ status: 'published', in_inbox_at: null })
  await steer('settings', { tiktok_draft_posted_ms: -1 })
  expect(await listDrafts('nova')).toMatchObject([{ posted: true }])
})

it('the link of a draft that was posted is asked for, whatever audience was chosen here', async () => {
  const nova = await link('nova')
  const made = await sendDraft(nova, sampleVideo(), { privacy_level: 'SELF_ONLY' })
  await delivered(ada, made, ['in_inbox', 'failed'])
  await steer('settings', { tiktok_draft_posted_ms: 3_600_000, tiktok_moderation_ms: 7_200_000 })
  await pass(3601)
  expect(await delivered(ada, made, ['published', 'failed'])).toMatchObject({
    status: 'published',
    url: null,
    follow_ups: [{ kind: 'public_link', status: 'waiting' }],
  })
  await pass(7201)
  await until('the link', async () => (await delivered(ada, made, ['published'])).url !== null)
  await steer('settings', { tiktok_draft_posted_ms: -1, tiktok_moderation_ms: 200 })
})

it('a sixth draft within a day waits for room, and goes out when there is some', async () => {
  const atlas = await link('atlas')
  for (let n = 0; n < 5; n += 1) await delivered(ada, await sendDraft(atlas), ['in_inbox'])
  const sixth = await sendDraft(atlas)
  expect(await delivered(ada, sixth, ['blocked', 'in_inbox', 'failed'])).toMatchObject({
    status: 'blocked',
    actions: ['retry', 'cancel'],
    reason: { code: 'spam_risk_too_many_pending_share' },
  })
  const direct = await ada.call('createPost', {
    body: {
      video_id: sixth.video.video_id,
      text: 'Posted directly',
      targets: [{ account_id: atlas.account_id }],
    },
  })
  expect((await delivered(ada, direct, ['published', 'blocked', 'failed'])).status).toBe('published')
  const { due_at: nextTry } = await delivered(ada, sixth, ['blocked'])
  await pass(3_700)
  // Advance the day only after its answer: a later answer would mean another wait.
  await until('the next refusal', async () => (await delivered(ada, sixth, ['blocked'])).due_at !== nextTry)
  expect(await listDrafts('atlas')).toHaveLength(5)
  await pass(86_400)
  expect((await delivered(ada, sixth, ['in_inbox', 'failed'])).status).toBe('in_inbox')
  expect(await listDrafts('atlas')).toHaveLength(6)
})

it('an account without the permission is refused at the field, and can be linked again with it', async () => {
  const params = { platform: 'tiktok' as const }
  const { url, state } = await ada.call('startLink', { params, body: { brand_id: brandId } })
  const scopes = ['user.info.basic', 'video.publish']
  const back = await consent(url, { creator: 'quiet', decision: 'approve', scopes })
  const code = back.searchParams.get('code') ?? ''
  const quiet = await ada.call('finishLink', { params, body: { code, state } })
  expect(quiet.permissions).toContainEqual({ name: 'inbox_draft', granted: false })
  await expect(sendDraft(quiet)).rejects.toThrow(
    /"targets.0.options.post_mode":\["@quiet did not allow drafts/,
  )
  expect((await link('quiet')).permissions).toContainEqual({ name: 'inbox_draft', granted: true })
})

it('a last chunk without an answer leaves one draft, whatever was said meanwhile', async () => {
  const quiet = await link('quiet')
  await steer('faults', { platform: 'tiktok', call: 'final_chunk', fault: 'drop_after' })
  const made = await sendDraft(quiet)
  expect((await delivered(ada, made, ['in_inbox', 'failed'])).status).toBe('in_inbox')
  expect(await listDrafts('quiet')).toHaveLength(1)
})
