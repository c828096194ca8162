import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { FollowUp, FollowUpKind } from '#contract/deliveries.ts'
import type { PictureId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { REQUIRED_OPTIONS } from '#test/support/options.ts'
import { uploadPicture, uploadVideo } from '#test/support/publish.ts'
import { startFastClock } from '#test/support/quick-worker.ts'
import { fixture } from '#test/support/sample.ts'
import { type Person, signUp, startTestServer, type TestServer, until } from '#test/support/test-server.ts'
import { encryptTokens } from '../accounts/tokens.ts'

const DAY_MS = 86_400_000
const reason = { code: 'c', message: 'It is still processing.', remedy: 'Retry later.', detail: null }

let testServer: TestServer
let ada: Person
let accountId: number
/** The covers that were set, by the post's id. */
let covers: { postId: string; sha256: string }[] = []
const setCover = vi.fn<NonNullable<Platform['setCover']>>()
const inspect = vi.fn<NonNullable<Platform['inspect']>>()

/** A platform that takes every post at once, and its cover only when it is live. */
const posting: Partial<Platform> = {
  open: () => Promise.resolve(ok({})),
  send: (_job, session) => Promise.resolve({ kind: 'ready', session }),
  commit: ({ text }) => Promise.resolve({ kind: 'live', postId: text, url: `https://example.com/${text}` }),
  setCover: (job) => setCover(job),
  inspect: (job) => inspect(job),
}

beforeAll(async () => {
  testServer = await startTestServer({ worker: true, now: startFastClock() })
  const { db, encrypter, now, platforms } = testServer.deps
  const real = platforms.youtube
  if (real === null) throw new Error('YouTube is on in tests.')
  const changeable: Record<PlatformId, Platform | null> = platforms
  changeable.youtube = { ...real, ...posting }
  ada = await signUp(testServer)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { user_id } = await ada.call('getUser')
  const tokens = encryptTokens(encrypter, {
    accessToken: 'ya29.1',
    accessExpiresAt: now() + 100 * DAY_MS,
    refreshToken: '1//r',
    refreshExpiresAt: now() + 180 * DAY_MS,
    issuedAt: now(),
  })
  const row = await db
    .insertInto('accounts')
    .values({
      user_id,
      brand_id,
      platform: 'youtube',
      external_id: 'UC1',
      username: 'ann',
      display_name: 'Ann',
      scopes: [],
      can_publish: true,
      tokens,
      linked_at: new Date(now()),
    })
    .returning('account_id')
    .executeTakeFirstOrThrow()
  accountId = row.account_id
})
afterAll(() => testServer.stop())
beforeEach(() => {
  covers = []
  inspect.mockReset().mockResolvedValue(ok({ kind: 'as_asked' }))
  setCover.mockReset().mockImplementation(async ({ postId, picture }) => {
    const bytes = await picture.read()
    if (!bytes.ok) return bytes
    const sha256 = createHash('sha256').update(bytes.value).digest('hex')
    covers.push({ postId, sha256 })
    return ok(undefined)
  })
})

async function post(text: string, pictureId?: PictureId) {
  const { video_id } = await uploadVideo(ada)
  const options = {
    ...REQUIRED_OPTIONS.youtube,
    ...(pictureId !== undefined && { thumbnail_picture_id: pictureId }),
  }
  return ada.call('createPost', {
    body: { video_id, text, targets: [{ account_id: accountId, options }] },
  })
}
type Made = Awaited<ReturnType<typeof post>>

const becomes = ({ post_id }: Made, kind: FollowUpKind, status: FollowUp['status']) =>
  until(`the ${kind} of post ${post_id} to be ${status}`, async () => {
    const { deliveries } = await ada.call('getPost', { params: { postId: post_id } })
    const found = deliveries[0]?.follow_ups.find((one) => one.kind === kind)
    return found?.status === status && found
  })

it('an own picture is set once the post is live, and the timeline says so', async () => {
  const { picture_id } = await uploadPicture(ada)
  const made = await post('covered', picture_id)
  expect(await becomes(made, 'cover', 'done')).toMatchObject({
    message: 'The thumbnail is set.',
    actions: [],
  })
  const sha256 = createHash('sha256')
    .update(readFileSync(fixture('poster-1.jpg')))
    .digest('hex')
  expect(covers).toEqual([{ postId: 'covered', sha256 }])
  const { events } = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(events.map(({ message }) => message)).toContain('The thumbnail is set.')
})

it('it is set again later while the platform still processes the video', async () => {
  setCover.mockResolvedValueOnce(fail({ kind: 'throttled', reason, retryAfterS: 1, limit: false }))
  const { picture_id } = await uploadPicture(ada)
  await becomes(await post('later', picture_id), 'cover', 'done')
  expect(covers.map(({ postId }) => postId)).toEqual(['later'])
})

it('a refusal needs attention, leaves the post live, and can be retried', async () => {
  setCover.mockResolvedValueOnce(fail({ kind: 'rejected', reason }))
  const { picture_id } = await uploadPicture(ada)
  const made = await post('refused', picture_id)
  expect(await becomes(made, 'cover', 'failed')).toMatchObject({
    needs_attention: true,
    actions: ['retry', 'dismiss'],
  })
  const { deliveries } = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(deliveries[0]?.status).toBe('published')
  const deliveryId = deliveries[0]?.delivery_id ?? 0
  await ada.call('retryFollowUp', { params: { deliveryId, kind: 'cover' } })
  await becomes(made, 'cover', 'done')
})

it('a picture that is gone by then is told', async () => {
  setCover.mockResolvedValueOnce(fail({ kind: 'throttled', reason, retryAfterS: 20, limit: false }))
  const { picture_id } = await uploadPicture(ada)
  const made = await post('gone', picture_id)
  await until('the first try', async () => setCover.mock.calls.length > 0)
  await testServer.deps.db.deleteFrom('pictures').where('picture_id', '=', picture_id).execute()
  expect((await becomes(made, 'cover', 'failed')).message).toBe(
    'The thumbnail could not be set: its picture is not stored any more.',
  )
})

it('a picture whose file cannot be read is a setback that is saved, and tried again', async () => {
  const { picture_id } = await uploadPicture(ada)
  const { db, storage } = testServer.deps
  const { storage_key } = await db
    .selectFrom('pictures')
    .select('storage_key')
    .where('picture_id', '=', picture_id)
    .executeTakeFirstOrThrow()
  const read = storage.read.bind(storage)
  const failing = vi
    .spyOn(storage, 'read')
    .mockImplementation((key, first, last) =>
      key === storage_key ? Promise.reject(new Error('EIO')) : read(key, first, last),
    )
  const made = await post('unread', picture_id)
  const { deliveries } = await ada.call('getPost', { params: { postId: made.post_id } })
  await until('two tries to be saved', async () => {
    const { data } = (await db
      .selectFrom('follow_ups')
      .select('data')
      .where('delivery_id', '=', deliveries[0]?.delivery_id ?? 0)
      .where('kind', '=', 'cover')
      .executeTakeFirst()) ?? { data: {} }
    const Unread = z.object({ tries: z.int().min(2), reason: z.object({ code: z.literal('storage_error') }) })
    return Unread.safeParse(data).success
  })
  failing.mockRestore()
  await becomes(made, 'cover', 'done')
  expect(covers.map(({ postId }) => postId)).toEqual(['unread'])
})

it('a post without an own picture has no cover to set', async () => {
  const made = await post('plain')
  await becomes(made, 'as_asked', 'waiting')
  const { deliveries } = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(deliveries[0]?.follow_ups.map(({ kind }) => kind)).toEqual(['as_asked'])
  expect(setCover).not.toHaveBeenCalled()
})

it('a post that its platform changed needs attention until it is as asked again', async () => {
  const changed = ok({
    kind: 'differs' as const,
    reason: { ...reason, message: 'It was made private.' },
  })
  // Posts of other tests may be looked at meanwhile.
  inspect.mockImplementation(({ postId }) =>
    Promise.resolve(postId === 'changed' ? changed : ok({ kind: 'as_asked' })),
  )
  const made = await post('changed')
  expect(await becomes(made, 'as_asked', 'failed')).toMatchObject({
    message: 'It was made private.',
    needs_attention: true,
  })
  const before = await ada.call('getPost', { params: { postId: made.post_id } })
  expect(before.deliveries[0]?.status).toBe('published')
  expect(before.events.map(({ message }) => message)).toContain('It was made private.')
  const deliveryId = before.deliveries[0]?.delivery_id ?? 0
  inspect.mockResolvedValue(ok({ kind: 'as_asked' }))
  await ada.call('retryFollowUp', { params: { deliveryId, kind: 'as_asked' } })
  expect((await becomes(made, 'as_asked', 'waiting')).needs_attention).toBe(false)
  expect(inspect).toHaveBeenCalledWith(expect.objectContaining({ postId: 'changed' }))
})
