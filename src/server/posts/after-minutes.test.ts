import { beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, PostId, VideoId } from '#contract/ids.ts'
import type { PostChange } from '#contract/posts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import { createSchedule, NOW, scene, startScene } from '#test/support/planning/schedules.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { linkAccount } from '#test/support/test-server.ts'

startScene()

let video: VideoId
beforeEach(async () => {
  video = (await uploadVideo(scene.ada)).video_id
})

const MINUTE_MS = 60_000
const SIX = { local: '2027-03-16T18:00', timezone: 'Asia/Tokyo' }

type Asked = { readonly account_id: AccountId; readonly after_minutes?: number }
const atOnce = (): Asked => ({ account_id: scene.tiktok })
const later = (minutes = 90): Asked => ({ account_id: scene.instagram, after_minutes: minutes })

const create = (time: object, targets: readonly Asked[] = [atOnce(), later()]) =>
  scene.ada.call('createPost', {
    body: {
      video_id: video,
      text: 'Hello',
      targets: targets.map((one) => ({ ...one, options: {} })),
      ...time,
    },
  })

const change = (postId: PostId, version: number, changed: object) =>
  scene.ada.request(`/posts/${postId}`, {
    method: 'PATCH',
    body: JSON.stringify({ version, ...changed } satisfies Partial<PostChange>),
    headers: { 'content-type': 'application/json' },
  })

const send = (minutes: number) =>
  scene.ada.request('/posts', {
    method: 'POST',
    body: JSON.stringify({ video_id: video, text: '', targets: [later(minutes)], publish_at: SIX }),
    headers: { 'content-type': 'application/json' },
  })

const at = (minutes: number) => new Date(NOW + minutes * MINUTE_MS).toISOString()

async function refusalOf(answer: Response) {
  const { errors } = ProblemBody.parse(await answer.json())
  return [answer.status, errors]
}

/** Minutes after 09:00 UTC, which is 18:00 in Tokyo, at which its accounts get it. */
async function minutesOf(postId: PostId, from = '2027-03-16T09:00:00Z') {
  const { deliveries } = await scene.ada.call('getPost', { params: { postId } })
  return deliveries.map(({ due_at }) => (Date.parse(due_at ?? '') - Date.parse(from)) / MINUTE_MS)
}

const lineOf = async (postId: PostId) =>
  (await scene.ada.call('getPost', { params: { postId } })).events.at(-1)?.message

describe('an account that gets a post later than the first', () => {
  it('gets it so many minutes after the time of the post, or after now', async () => {
    const planned = await create({ publish_at: SIX })
    expect(await minutesOf(planned.post_id)).toEqual([0, 90])
    const { targets } = await scene.ada.call('getPost', { params: { postId: planned.post_id } })
    expect(targets.map(({ after_minutes }) => after_minutes)).toEqual([0, 90])
    const sent = await create({})
    expect(await minutesOf(sent.post_id, new Date(NOW).toISOString())).toEqual([0, 90])
  })

  it('gets it up to a week later', async () => {
    expect((await send(7 * 1440)).status).toBe(201)
    for (const minutes of [7 * 1440 + 1, -1, 0.5]) expect((await send(minutes)).status).toBe(422)
  })

  it('keeps its distance where the post is moved: to a time, to a moment, to a slot or to now', async () => {
    const { post_id } = await create({ publish_at: SIX })
    expect((await change(post_id, 1, { publish_at: { ...SIX, local: '2027-03-17T18:00' } })).status).toBe(200)
    expect(await minutesOf(post_id, '2027-03-17T09:00:00Z')).toEqual([0, 90])
    expect(await lineOf(post_id)).toBe('Moved to 17 March 2027, 19:30 (Asia/Tokyo).')
    const moment = { at: '2027-03-18T09:00:00Z', timezone: 'Asia/Tokyo' }
    expect((await change(post_id, 2, { moment })).status).toBe(200)
    expect(await minutesOf(post_id, moment.at)).toEqual([0, 90])
    const { schedule_id } = await createSchedule('Fri 18:00')
    expect((await change(post_id, 3, { schedule: { schedule_id, place: 'next' } })).status).toBe(200)
    expect(await minutesOf(post_id, '2027-03-19T18:00:00Z')).toEqual([0, 90])
    expect((await change(post_id, 4, { publish_at: null })).status).toBe(200)
    expect(await minutesOf(post_id, new Date(NOW).toISOString())).toEqual([0, 90])
  })

  it('keeps its distance where another post takes the slot', async () => {
    const { schedule_id } = await createSchedule('Tue 18:00, Wed 18:00')
    const first = await create({ schedule: { schedule_id, place: 'top' } })
    await create({ schedule: { schedule_id, place: 'top' } })
    expect(await minutesOf(first.post_id, '2027-03-17T18:00:00Z')).toEqual([0, 90])
  })

  it('keeps its distance where text or accounts change and it is not named', async () => {
    const { post_id } = await create({ publish_at: SIX })
    const { account_id: third } = await linkAccount(scene.ada, {
      platform: 'tiktok',
      brandId: scene.brandId,
      creator: 'atlas',
    })
    const targets = [
      { account_id: scene.tiktok },
      { account_id: scene.instagram },
      { account_id: third, after_minutes: 5 },
    ]
    expect((await change(post_id, 1, { text: 'Other', targets })).status).toBe(200)
    expect(await minutesOf(post_id)).toEqual([0, 90, 5])
  })

  it('gets another distance without the others being moved', async () => {
    const { post_id } = await create({ publish_at: SIX })
    expect((await change(post_id, 1, { targets: [atOnce(), later(30)] })).status).toBe(200)
    expect(await minutesOf(post_id)).toEqual([0, 30])
    expect(await lineOf(post_id)).toBe('Moved to 16 March 2027, 18:30 (Asia/Tokyo).')
    const both = { publish_at: { ...SIX, local: '2027-03-17T18:00' }, targets: [atOnce(), later(45)] }
    expect((await change(post_id, 2, both)).status).toBe(200)
    expect(await minutesOf(post_id, '2027-03-17T09:00:00Z')).toEqual([0, 45])
  })

  it('cannot be moved to a time that has passed', async () => {
    const { post_id, deliveries } = await create({ publish_at: SIX })
    for (const { delivery_id, platform } of deliveries)
      if (platform === 'tiktok')
        await setState(scene.testServer, { delivery_id }, makeState('published', NOW))
    await scene.testServer.deps.db
      .updateTable('posts')
      .set({ publish_at: new Date(NOW - 60 * MINUTE_MS), publish_local: '2027-03-15T18:00' })
      .where('post_id', '=', post_id)
      .execute()
    expect(
      await refusalOf(await change(post_id, 1, { targets: [{ account_id: scene.tiktok }, later(30)] })),
    ).toEqual([422, { 'targets.1.after_minutes': ['This time has passed. Choose a later one.'] }])
    expect(await minutesOf(post_id)).toMatchObject({ 1: 90 })
  })

  it('keeps its time where the post went out now and another account takes it over', async () => {
    const { account_id: other } = await linkAccount(scene.ada, {
      platform: 'instagram',
      brandId: scene.brandId,
      creator: 'quiet',
    })
    const { post_id, deliveries } = await create({ publish_at: SIX })
    const { db } = scene.testServer.deps
    await db
      .updateTable('posts')
      .set({ created_at: new Date(NOW - 2880 * MINUTE_MS) })
      .where('post_id', '=', post_id)
      .execute()
    expect((await change(post_id, 1, { publish_at: null })).status).toBe(200)
    for (const { delivery_id, platform } of deliveries)
      if (platform === 'tiktok')
        await setState(scene.testServer, { delivery_id }, makeState('published', NOW))
    await scene.ada.call('moveAccountPosts', {
      params: { accountId: scene.instagram },
      body: { to_account_id: other, posts: 1 },
    })
    const start = new Date(NOW).toISOString()
    expect(await minutesOf(post_id, start)).toMatchObject({ 1: 90 })
    const targets = [{ account_id: scene.tiktok }, { account_id: other, after_minutes: 120 }]
    expect((await change(post_id, 3, { targets })).status).toBe(200)
    expect(await minutesOf(post_id, start)).toMatchObject({ 1: 120 })
  })

  it('is moved while the first account has the post already, and back', async () => {
    const { post_id, deliveries } = await create({ publish_at: SIX }, [atOnce(), later(300)])
    for (const { delivery_id, platform } of deliveries)
      if (platform === 'tiktok')
        await setState(scene.testServer, { delivery_id }, makeState('published', NOW))
    // Due an hour after now, while the post's own time passed four hours ago.
    const to = (minutes: number) => ({ moment: { at: at(minutes), timezone: 'Asia/Tokyo' } })
    expect((await change(post_id, 1, to(-240))).status).toBe(200)
    expect(await minutesOf(post_id, at(0))).toMatchObject({ 1: 60 })
    expect(await refusalOf(await change(post_id, 2, to(-305)))).toEqual([
      422,
      { 'moment.at': ['This time has passed. Choose a later one.'] },
    ])
    const publish_at = { local: '2027-03-15T16:00', timezone: 'Asia/Tokyo' }
    expect((await change(post_id, 2, { publish_at })).status).toBe(200)
    expect(await minutesOf(post_id, at(0))).toMatchObject({ 1: 120 })
  })

  it('hands its distance to the account that takes its posts over', async () => {
    const { account_id: other } = await linkAccount(scene.ada, {
      platform: 'instagram',
      brandId: scene.brandId,
      creator: 'atlas',
    })
    const { post_id } = await create({ publish_at: SIX })
    await scene.ada.call('moveAccountPosts', {
      params: { accountId: scene.instagram },
      body: { to_account_id: other, posts: 1 },
    })
    const { deliveries } = await scene.ada.call('getPost', { params: { postId: post_id } })
    expect(deliveries.map(({ account_id }) => account_id)).toEqual([scene.tiktok, other])
    expect(await minutesOf(post_id)).toEqual([0, 90])
  })

  it('has its distance in a duplicate too', async () => {
    const { post_id } = await create({ publish_at: SIX })
    const body = { action: 'duplicate' as const, post_ids: [post_id] }
    const { done } = await scene.ada.call('bulkPosts', { body })
    const { content } = await scene.ada.call('getDraft', { params: { draftId: done[0]?.draft_id ?? '' } })
    expect(content.targets).toMatchObject([{ account_id: scene.tiktok }, { after_minutes: 90 }])
    const { account_id: _, ...first } = content.targets[0] ?? {}
    expect(first).not.toHaveProperty('after_minutes')
  })
})
