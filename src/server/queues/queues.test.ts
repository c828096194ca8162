import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, PostId, QueueId, VideoId } from '#contract/ids.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { Queue } from '#contract/planning/queues.ts'
import type { QueuePlace } from '#contract/posts.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import { uploadVideo } from '#test/support/publish.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { listFreeSlots } from './free-slots.ts'

/** A Monday, eleven days before the clocks of Lisbon go forward. */
const NOW = Date.parse('2027-03-15T10:00:00Z')
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let videoId: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
  ada = await signUp(testServer)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Accounts' } })
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId: brand_id })).account_id
  videoId = (await uploadVideo(ada)).video_id
})
afterAll(() => testServer.stop())
/** Each test has a brand of its own for its queues. */
beforeEach(async () => {
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
})

const listQueues = async () => (await ada.call('listQueues')).filter(({ brand_id }) => brand_id === brandId)
const getBrand = async () => (await ada.call('listBrands')).find(({ brand_id }) => brand_id === brandId)

/** `Mon 18:00, Tue 09:00 tiktok` */
const slots = (week: string) =>
  week.split(', ').map((slot) => {
    const [day = '', time = '', platform] = slot.split(' ')
    return {
      weekday: DAYS.indexOf(day) + 1,
      time,
      platforms: platform === undefined ? null : [PlatformId.parse(platform)],
    }
  })

const createQueue = (week: string, its: { name?: string; jitter_minutes?: number } = {}) =>
  ada.call('createQueue', { body: { brand_id: brandId, name: 'Evenings', slots: slots(week), ...its } })

type Place = 'next' | 'top' | 'bottom'

const body = (queueId: QueueId, place: Place | QueuePlace, accounts: readonly AccountId[]) => ({
  video_id: videoId,
  text: 'Hello',
  targets: accounts.map((account_id) => ({ account_id, options: {} })),
  queue: typeof place === 'string' ? { queue_id: queueId, place } : place,
})

/** A slot of March 2027, as `16 18:00`. */
const slotAt = ({ queue_id }: Queue, day: string, timezone = 'Europe/Lisbon'): QueuePlace => ({
  queue_id,
  place: 'slot',
  slot: { local: `2027-03-${day.replace(' ', 'T')}`, timezone },
})

const post = async (
  { queue_id }: Queue,
  place: Place | QueuePlace = 'next',
  accounts: readonly AccountId[] = [tiktok],
): Promise<PostId> => (await ada.call('createPost', { body: body(queue_id, place, accounts) })).post_id

/** When it goes out: `15 18:00` of the month, in its own zone. */
async function timeOf(postId: PostId): Promise<string> {
  const row = await testServer.deps.db
    .selectFrom('posts')
    .innerJoin('deliveries', 'deliveries.post_id', 'posts.post_id')
    .select(['publish_at', 'publish_local', 'timezone', 'wake_at', 'goes_out_at'])
    .where('posts.post_id', '=', postId)
    .executeTakeFirstOrThrow()
  const at = instantOf(row.publish_local ?? '', row.timezone ?? '')
  expect([row.publish_at, row.wake_at, row.goes_out_at].map(Number)).toEqual([at, at, at])
  return (row.publish_local ?? '').slice(8).replace('T', ' ')
}
const timesOf = (...postIds: PostId[]) => Promise.all(postIds.map(timeOf))

const send = (address: string, method: string, content: object) =>
  ada.request(address, {
    method,
    body: JSON.stringify(content),
    headers: { 'content-type': 'application/json' },
  })

async function refused(answer: Response) {
  const { code, message, errors } = ProblemBody.parse(await answer.json())
  return [answer.status, code, errors ?? message]
}

const move = (postId: PostId, { queue_id }: Queue, place: Place | QueuePlace) =>
  send(`/posts/${postId}/queue`, 'POST', typeof place === 'string' ? { queue_id, place } : place)

const change = (queue: Queue, week: string, its: object = {}) => {
  const content = {
    version: queue.version,
    name: queue.name,
    slots: slots(week),
    jitter_minutes: 0,
    ...its,
  }
  return {
    preview: () => ada.call('previewQueue', { params: { queueId: queue.queue_id }, body: content }),
    save: (moves: number) => send(`/queues/${queue.queue_id}`, 'PUT', { ...content, moves }),
  }
}

describe('queues', () => {
  it('are listed with their slots in order of the week, in the zone of the brand or the user', async () => {
    const queue = await createQueue('Tue 09:00, Mon 18:00, Mon 08:30 tiktok')
    expect(queue).toEqual({
      queue_id: queue.queue_id,
      brand_id: brandId,
      name: 'Evenings',
      timezone: 'Europe/Lisbon',
      paused: false,
      jitter_minutes: 0,
      slots: slots('Mon 08:30 tiktok, Mon 18:00, Tue 09:00'),
      waiting: 0,
      version: 1,
    })
    await ada.call('renameBrand', {
      body: { brand_id: brandId, title: 'Northwind', timezone: 'Australia/Sydney' },
    })
    expect(await listQueues()).toMatchObject([{ timezone: 'Australia/Sydney' }])
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney', paused: false })
    // Left out, the zone stays; null is the user's.
    await ada.call('renameBrand', { body: { brand_id: brandId, title: 'Southwind' } })
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney' })
    await ada.call('renameBrand', { body: { brand_id: brandId, title: 'Southwind', timezone: null } })
    expect(await listQueues()).toMatchObject([{ timezone: 'Europe/Lisbon' }])
  })

  it('are refused for what they cannot be', async () => {
    await createQueue('Mon 18:00')
    const answers = [
      { name: 'evenings', slots: slots('Mon 18:00') },
      { name: 'Two', slots: slots('Mon 18:00, Mon 18:00 tiktok') },
      { name: ' ', slots: [] },
    ]
    const said = []
    for (const answer of answers)
      said.push(await refused(await send('/queues', 'POST', { brand_id: brandId, ...answer })))
    expect(said).toEqual([
      [422, 'invalid', { name: ['This brand already has a queue with this name.'] }],
      [422, 'invalid', { slots: ['Two slots are at the same time.'] }],
      [422, 'invalid', { name: ['Give the queue a name.'], slots: ['Add at least one slot.'] }],
    ])
  })

  it.each([
    ['a Greek word in capitals', 'οδοσ', 'ΟΔΟΣ'],
    ['texts with half a character', 'x\ud800', 'x\udc00'],
  ])('are refused for a name that only the database takes for the same: %s', async (_what, one, other) => {
    await createQueue('Mon 18:00', { name: one })
    const { queue_id: queueId, version } = await createQueue('Mon 18:00', { name: 'Another' })
    const same = { name: other, slots: slots('Mon 18:00') }
    const taken = [422, 'invalid', { name: ['This brand already has a queue with this name.'] }]
    expect(await refused(await send('/queues', 'POST', { brand_id: brandId, ...same }))).toEqual(taken)
    expect(await refused(await send(`/queues/${queueId}`, 'PUT', { ...same, version }))).toEqual(taken)
  })

  it('are at most 20 for a brand', async () => {
    for (let i = 1; i <= 20; i += 1) await createQueue('Mon 18:00', { name: `Queue ${i}` })
    const answer = await send('/queues', 'POST', { brand_id: brandId, name: 'X', slots: slots('Mon 18:00') })
    expect(await refused(answer)).toEqual([422, 'invalid', { brand_id: ['A brand has at most 20 queues.'] }])
  })

  it('say when their next free slots are, for any platforms', async () => {
    const { queue_id } = await createQueue('Mon 09:00, Mon 18:00, Tue 18:00 tiktok')
    const next = async (count: number, platforms?: string) => {
      const query = `count=${count}${platforms ? `&platforms=${platforms}` : ''}`
      const answer = await ada.request(`/queues/${queue_id}/next?${query}`)
      const { slots: found } = (await answer.json()) as { slots: { local: string; at: string }[] }
      return found.map(({ local, at }) => `${local} = ${at.slice(0, 16)}`)
    }
    expect(await next(3)).toEqual([
      '2027-03-15T18:00 = 2027-03-15T18:00',
      '2027-03-16T18:00 = 2027-03-16T18:00',
      '2027-03-22T09:00 = 2027-03-22T09:00',
    ])
    expect(await next(5, 'tiktok,instagram')).toEqual([
      '2027-03-15T18:00 = 2027-03-15T18:00',
      '2027-03-22T09:00 = 2027-03-22T09:00',
      '2027-03-22T18:00 = 2027-03-22T18:00',
      '2027-03-29T09:00 = 2027-03-29T08:00', // summer time
      '2027-03-29T18:00 = 2027-03-29T17:00',
    ])
    expect((await ada.request(`/queues/${queue_id}/next?platforms=x`)).status).toBe(400)
    expect((await ada.request(`/queues/${queue_id}/next?count=11`)).status).toBe(400)
  })

  it('are gone when deleted, and their posts keep their times', async () => {
    const queue = await createQueue('Mon 18:00')
    const one = await post(queue)
    expect(await listQueues()).toMatchObject([{ waiting: 1 }])
    await ada.call('deleteQueue', { params: { queueId: queue.queue_id } })
    expect(await listQueues()).toEqual([])
    expect((await ada.request(`/queues/${queue.queue_id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await timeOf(one)).toBe('15 18:00')
    expect(await ada.call('getPost', { params: { postId: one } })).toMatchObject({ queue_id: null })
  })

  it('release what their pause holds when they are deleted', async () => {
    const queue = await createQueue('Mon 18:00')
    const held = await post(queue)
    await ada.call('pauseQueue', { params: { queueId: queue.queue_id }, body: { paused: true } })
    expect(await listQueues()).toMatchObject([{ paused: true }])
    const reason = { code: 'paused', message: 'Paused.', remedy: 'Resume.', detail: null }
    const data = { attempt: 1, repeats: 0, cause: 'paused', until: null, dueAt: NOW, reason, earlier: null }
    await testServer.deps.db
      .updateTable('deliveries')
      .set({ state: 'blocked', data: JSON.stringify(data), wake_at: null })
      .where('post_id', '=', held)
      .execute()
    await ada.call('deleteQueue', { params: { queueId: queue.queue_id } })
    const { deliveries } = await ada.call('getPost', { params: { postId: held } })
    expect(deliveries).toMatchObject([{ status: 'scheduled' }])
  })

  it('go with their brand', async () => {
    await createQueue('Mon 18:00')
    await ada.call('deleteBrand', { params: { brandId }, query: {} })
    expect(await listQueues()).toEqual([])
  })
})

describe('a post into a queue', () => {
  it('takes the next free slot, or the one after the last', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const last = await post(queue, 'bottom')
    expect(await timesOf(one, two, last)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    await ada.call('deletePost', { params: { postId: two } })
    expect(await timesOf(await post(queue, 'bottom'), await post(queue))).toEqual(['22 18:00', '16 18:00'])
    expect(await listQueues()).toMatchObject([{ waiting: 4 }])
  })

  it('at the top moves those in the way one slot back, with a line in their timelines', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const first = await post(queue, 'top')
    expect(await timesOf(first, one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    const { events, version } = await ada.call('getPost', { params: { postId: one } })
    expect(events.at(-1)?.message).toBe('Moved to 16 March 2027, 18:00 (Europe/Lisbon).')
    expect(version).toBe(2)
  })

  it('takes only a slot that is for all its platforms', async () => {
    const queue = await createQueue('Mon 18:00 tiktok, Tue 18:00 instagram, Wed 18:00')
    const [both, toInstagram] = [
      await post(queue, 'next', [tiktok, instagram]),
      await post(queue, 'next', [instagram]),
    ]
    expect(await timesOf(both, toInstagram)).toEqual(['17 18:00', '16 18:00'])
  })

  it('of a queue with jitter goes out some minutes after its slot, which is taken', async () => {
    const queue = await createQueue('Mon 18:00', { jitter_minutes: 30 })
    const times = await timesOf(await post(queue), await post(queue), await post(queue), await post(queue))
    expect(times.map((time) => time.slice(0, 2))).toEqual(['15', '22', '29', '05'])
    const minutes = times.map((time) => Number(time.slice(3, 5)) * 60 + Number(time.slice(6)) - 18 * 60)
    for (const minute of minutes) expect(minute).toBeGreaterThanOrEqual(0)
    for (const minute of minutes) expect(minute).toBeLessThanOrEqual(30)
    expect(new Set(minutes).size).toBeGreaterThan(1)
  })

  it('gets no slot that another has, however many come at once', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00, Thu 18:00')
    const places = ['next', 'top', 'bottom', 'next', 'top', 'next'] as const
    const posts = await Promise.all(places.map((place) => post(queue, place)))
    const times = await timesOf(...posts)
    expect(new Set(times).size).toBe(posts.length)
  })

  it('is refused with a time as well, and where there is no free slot', async () => {
    const queue = await createQueue('Mon 18:00 tiktok')
    const publish_at = { local: '2027-04-01T10:00', timezone: 'UTC' }
    const both = await send('/posts', 'POST', { ...body(queue.queue_id, 'next', [tiktok]), publish_at })
    expect(await refused(both)).toEqual([
      422,
      'invalid',
      { queue: ['Give a time or a place in a queue, not both.'] },
    ])
    const none = await send('/posts', 'POST', body(queue.queue_id, 'next', [instagram]))
    expect(await refused(none)).toEqual([
      422,
      'invalid',
      { 'queue.queue_id': ['This queue has no free slot for this post within 365 days.'] },
    ])
  })
})

const notFree = (message: string) => [409, 'slot_not_free', { 'queue.slot': [message] }]
const TAKEN = notFree('Another post has this slot. Choose another one.')

describe('a post into a chosen slot', () => {
  it('takes that slot alone, which is then refused to others', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [next, chosen] = [await post(queue), await post(queue, slotAt(queue, '17 18:00'))]
    expect(await timesOf(next, chosen)).toEqual(['15 18:00', '17 18:00'])
    expect(await ada.call('getPost', { params: { postId: chosen } })).toMatchObject({
      queue_id: queue.queue_id,
    })
    const again = await send('/posts', 'POST', body(queue.queue_id, slotAt(queue, '17 18:00'), [tiktok]))
    expect(await refused(again)).toEqual(TAKEN)
    expect(await refused(await move(next, queue, slotAt(queue, '17 18:00')))).toEqual(TAKEN)
    expect((await move(next, queue, slotAt(queue, '23 18:00'))).status).toBe(200)
    expect(await timeOf(next)).toBe('23 18:00')
    // The slot that it has already is its own.
    expect((await move(next, queue, slotAt(queue, '23 18:00'))).status).toBe(200)
    expect(await timesOf(await post(queue), await post(queue))).toEqual(['15 18:00', '16 18:00'])
  })

  it.each([
    ['of another time', '16 19:00', undefined, 'The queue no longer has this slot. Choose another one.'],
    ['in another zone', '16 18:00', 'Asia/Tokyo', 'The queue no longer has this slot. Choose another one.'],
    ['that has passed', '15 09:00', undefined, 'This slot has passed. Choose a later one.'],
    [
      'for other platforms',
      '17 18:00',
      undefined,
      "This slot isn't for all platforms of this post. Choose another one.",
    ],
  ])('is refused one %s, and nothing is made or moved', async (_which, day, zone, message) => {
    const queue = await createQueue('Mon 09:00, Mon 18:00, Tue 18:00, Wed 18:00 instagram')
    const waiting = await post(queue)
    const place = slotAt(queue, day, zone)
    const { counts: before } = await ada.call('listPosts', { query: {} })
    const made = await send('/posts', 'POST', body(queue.queue_id, place, [tiktok]))
    expect(await refused(made)).toEqual(notFree(message))
    expect(await refused(await move(waiting, queue, place))).toEqual(notFree(message))
    expect(await timeOf(waiting)).toBe('15 18:00')
    expect((await ada.call('listPosts', { query: {} })).counts).toEqual(before)
  })

  it('gets it once of several that ask for it at once', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const waiting = await post(queue)
    const place = slotAt(queue, '16 18:00')
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => send('/posts', 'POST', body(queue.queue_id, place, [tiktok]))),
      move(waiting, queue, place),
    ])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3)
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })

  it('goes out with the jitter of its queue', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00', { jitter_minutes: 30 })
    const [next, chosen] = [await post(queue), await post(queue, slotAt(queue, '16 18:00'))]
    expect(await timeOf(chosen)).toMatch(/^16 18:[0-3]\d$/)
    expect(await refused(await move(next, queue, slotAt(queue, '16 18:00')))).toEqual(TAKEN)
  })
})

const previewPlaces = ({ queue_id }: Queue, postId?: PostId) =>
  ada.call('listNextSlots', {
    params: { queueId: queue_id },
    query: { count: 1, platforms: 'tiktok', ...(postId && { postId }) },
  })

describe('the top and the end of a queue', () => {
  it('are shown with the time and what makes room, as it then happens', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const moves = [
      { post_id: one, from: '2027-03-15T18:00:00.000Z', to: '2027-03-16T18:00:00.000Z' },
      { post_id: two, from: '2027-03-16T18:00:00.000Z', to: '2027-03-17T18:00:00.000Z' },
    ]
    expect(await previewPlaces(queue)).toMatchObject({
      top: { at: '2027-03-15T18:00:00.000Z', moves },
      bottom: { at: '2027-03-17T18:00:00.000Z', moves: [] },
    })
    expect(await timesOf(one, two)).toEqual(['15 18:00', '16 18:00'])
    expect(await timesOf(await post(queue, 'top'), one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
  })

  it('count the slot of a post that is to move there as free', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    expect(await previewPlaces(queue, two)).toMatchObject({
      top: { at: '2027-03-15T18:00:00.000Z', moves: [{ post_id: one, to: '2027-03-16T18:00:00.000Z' }] },
      bottom: { at: '2027-03-16T18:00:00.000Z', moves: [] },
    })
  })

  it('are none where no slot is free', async () => {
    const queue = await createQueue('Mon 18:00 instagram')
    expect(await previewPlaces(queue)).toEqual({ slots: [], top: null, bottom: null })
  })
})

describe('a post that is moved into a queue', () => {
  it('goes to its top or bottom, and from one queue to another', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two, three] = [await post(queue), await post(queue), await post(queue)]
    await move(three, queue, 'top')
    expect(await timesOf(three, one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    await move(three, queue, 'bottom')
    expect(await timesOf(one, two, three)).toEqual(['16 18:00', '17 18:00', '22 18:00'])
    const mornings = await createQueue('Fri 08:00', { name: 'Mornings' })
    await move(one, mornings, 'next')
    expect(await timeOf(one)).toBe('19 08:00')
    expect(await listQueues()).toMatchObject([{ waiting: 2 }, { waiting: 1 }])
  })

  it('stays where it is once it has started', async () => {
    const queue = await createQueue('Mon 18:00')
    const started = await post(queue)
    const data = { attempt: 1, repeats: 0, at: NOW, postId: null, url: null }
    await testServer.deps.db
      .updateTable('deliveries')
      .set({ state: 'published', data: JSON.stringify(data), wake_at: null })
      .where('post_id', '=', started)
      .execute()
    const answer = await move(started, queue, 'bottom')
    expect((await refused(answer)).slice(0, 2)).toEqual([409, 'in_flight'])
  })
})

describe('a change of slots', () => {
  it('shows what moves, and moves that alone once its number is given', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const changed = change(queue, 'Mon 17:00, Tue 18:00, Wed 18:00', { name: 'Afternoons' })
    expect(await changed.preview()).toEqual({
      moves: [{ post_id: one, from: '2027-03-15T18:00:00.000Z', to: '2027-03-15T17:00:00.000Z' }],
    })
    expect(await refused(await changed.save(0))).toEqual([
      409,
      'posts_move',
      'This moves a scheduled post. Confirm to continue.',
    ])
    expect(await timesOf(one, two)).toEqual(['15 18:00', '16 18:00'])
    expect((await changed.save(1)).status).toBe(200)
    expect(await timesOf(one, two)).toEqual(['15 17:00', '16 18:00'])
    expect(await listQueues()).toMatchObject([{ name: 'Afternoons', version: 2, waiting: 2 }])
    expect((await refused(await changed.save(0))).slice(0, 2)).toEqual([409, 'conflict'])
  })

  it('leaves alone what was moved by hand, and what no slot is for', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const [byHand, kept] = [await post(queue), await post(queue)]
    await ada.call('editPost', {
      params: { postId: byHand },
      body: { version: 1, publish_at: { local: '2027-03-20T11:11', timezone: 'Europe/Lisbon' } },
    })
    expect((await change(queue, 'Mon 18:00 instagram').save(0)).status).toBe(200)
    expect(await timesOf(byHand, kept)).toEqual(['20 11:11', '16 18:00'])
    expect(await listQueues()).toMatchObject([{ waiting: 0 }])
  })

  it("of the brand's zone keeps the wall clocks", async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const timezone = 'America/New_York'
    const wanted = { brand_id: brandId, title: 'Northwind', timezone }
    const preview = (zone: string | null) =>
      ada.call('previewBrandZone', { params: { brandId }, body: { timezone: zone } })
    expect(await preview(timezone)).toEqual({
      moves: [
        { post_id: one, from: '2027-03-15T18:00:00.000Z', to: '2027-03-15T22:00:00.000Z' },
        { post_id: two, from: '2027-03-16T18:00:00.000Z', to: '2027-03-16T22:00:00.000Z' },
      ],
    })
    expect(await preview(null)).toEqual({ moves: [] })
    const said = 'This moves 2 scheduled posts. Confirm to continue.'
    expect(await refused(await send('/brands', 'PUT', wanted))).toEqual([409, 'posts_move', said])
    expect(await getBrand()).toMatchObject({ timezone: null })
    await ada.call('renameBrand', { body: { ...wanted, moves: 2 } })
    expect(await timesOf(one, two)).toEqual(['15 18:00', '16 18:00'])
    expect(await ada.call('getPost', { params: { postId: one } })).toMatchObject({
      publish_at: '2027-03-15T22:00:00.000Z',
      timezone: 'America/New_York',
    })
  })
})

it('another zone of the user moves no post and no slot of a queue', async () => {
  const queue = await createQueue('Mon 18:00, Tue 18:00')
  const waiting = await post(queue)
  const plain = (await ada.call('createBrand', { body: { title: 'Plain' } })).brand_id
  const zoneOf = async (id: BrandId) =>
    (await ada.call('listBrands')).find(({ brand_id }) => brand_id === id)?.timezone
  await ada.call('setTimezone', { body: { timezone: 'Asia/Tokyo' } })
  try {
    expect([await zoneOf(brandId), await zoneOf(plain)]).toEqual(['Europe/Lisbon', null])
    expect(await listQueues()).toMatchObject([{ timezone: 'Europe/Lisbon' }])
    expect(await timesOf(waiting, await post(queue))).toEqual(['15 18:00', '16 18:00'])
    expect((await change(queue, 'Mon 18:00, Tue 18:00').preview()).moves).toEqual([])
  } finally {
    await ada.call('setTimezone', { body: { timezone: 'Europe/Lisbon' } })
  }
})

describe('the free slots of a calendar', () => {
  it('are those of all queues in the span that no post has', async () => {
    const evenings = await createQueue('Mon 18:00, Tue 18:00', { jitter_minutes: 60 })
    await createQueue('Tue 09:00', { name: 'Mornings' })
    await post(evenings)
    const { user_id: userId } = await ada.call('getUser')
    const [from, to] = [Date.parse('2027-03-14T00:00Z'), Date.parse('2027-03-22T00:00Z')]
    const find = (limit: number) =>
      listFreeSlots(testServer.deps.db, userId, { from, to, brandId, now: NOW, limit })
    expect((await find(10)).map(({ local }) => local)).toEqual(['2027-03-16T09:00', '2027-03-16T18:00'])
    expect(await find(1)).toHaveLength(1)
  })
})
