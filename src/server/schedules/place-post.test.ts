import { describe, expect, it } from 'vitest'
import type { AccountId, PostId } from '#contract/ids.ts'
import type { Queue } from '#contract/planning/queues.ts'
import type { QueuePlace } from '#contract/posts.ts'
import {
  NOW,
  body,
  createQueue,
  listQueues,
  move,
  post,
  refused,
  scene,
  send,
  slotAt,
  startScene,
  timeOf,
  timesOf,
} from '#test/support/planning/schedules.ts'

startScene()

describe('a post into a queue', () => {
  it('takes the next free slot, or the one after the last', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const last = await post(queue, 'bottom')
    expect(await timesOf(one, two, last)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    await scene.ada.call('deletePost', { params: { postId: two } })
    expect(await timesOf(await post(queue, 'bottom'), await post(queue))).toEqual(['22 18:00', '16 18:00'])
    expect(await listQueues()).toMatchObject([{ waiting: 4 }])
  })

  it('at the top moves those in the way one slot back, with a line in their timelines', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const first = await post(queue, 'top')
    expect(await timesOf(first, one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    const { events, version } = await scene.ada.call('getPost', { params: { postId: one } })
    expect(events.at(-1)?.message).toBe('Moved to 16 March 2027, 18:00 (Europe/Lisbon).')
    expect(version).toBe(2)
  })

  it('takes only a slot that is for all its platforms', async () => {
    const queue = await createQueue('Mon 18:00 tiktok, Tue 18:00 instagram, Wed 18:00')
    const [both, toInstagram] = [
      await post(queue, 'next', [scene.tiktok, scene.instagram]),
      await post(queue, 'next', [scene.instagram]),
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
    const both = await send('/posts', 'POST', { ...body(queue.queue_id, 'next', [scene.tiktok]), publish_at })
    expect(await refused(both)).toEqual([
      422,
      'invalid',
      { queue: ['Give a time or a place in a queue, not both.'] },
    ])
    const none = await send('/posts', 'POST', body(queue.queue_id, 'next', [scene.instagram]))
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
    expect(await scene.ada.call('getPost', { params: { postId: chosen } })).toMatchObject({
      queue_id: queue.queue_id,
    })
    const again = await send(
      '/posts',
      'POST',
      body(queue.queue_id, slotAt(queue, '17 18:00'), [scene.tiktok]),
    )
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
    const { counts: before } = await scene.ada.call('listPosts', { query: {} })
    const made = await send('/posts', 'POST', body(queue.queue_id, place, [scene.tiktok]))
    expect(await refused(made)).toEqual(notFree(message))
    expect(await refused(await move(waiting, queue, place))).toEqual(notFree(message))
    expect(await timeOf(waiting)).toBe('15 18:00')
    expect((await scene.ada.call('listPosts', { query: {} })).counts).toEqual(before)
  })

  it('gets it once of several that ask for it at once', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const waiting = await post(queue)
    const place = slotAt(queue, '16 18:00')
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => send('/posts', 'POST', body(queue.queue_id, place, [scene.tiktok]))),
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
  scene.ada.call('listNextSlots', {
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

  it('is changed by the same call: all of it, or nothing where the slot is refused', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00 tiktok, Wed 18:00')
    const [one, two] = [await post(queue), await post(queue)]
    const targets = [scene.tiktok, scene.instagram].map((account_id) => ({ account_id, options: {} }))
    const change = (place: string | QueuePlace) => ({
      version: 1,
      text: 'New',
      targets,
      queue: typeof place === 'string' ? { queue_id: queue.queue_id, place } : place,
    })
    const refusal = await send(`/posts/${two}`, 'PATCH', change(slotAt(queue, '16 18:00')))
    const message = "This slot isn't for all platforms of this post. Choose another one."
    expect(await refused(refusal)).toEqual(notFree(message))
    const before = { version: 1, text: 'Hello', deliveries: [{ account_id: scene.tiktok }] }
    expect(await scene.ada.call('getPost', { params: { postId: two } })).toMatchObject(before)
    expect(await timeOf(two)).toBe('16 18:00')
    expect((await send(`/posts/${two}`, 'PATCH', change('top'))).status).toBe(200)
    const { text, version, deliveries } = await scene.ada.call('getPost', { params: { postId: two } })
    expect([text, version]).toEqual(['New', 2])
    expect(deliveries.map(({ account_id, due_at }) => [account_id, due_at])).toEqual([
      [scene.tiktok, '2027-03-15T18:00:00.000Z'],
      [scene.instagram, '2027-03-15T18:00:00.000Z'],
    ])
    expect(await timesOf(one)).toEqual(['16 18:00'])
  })

  it('is refused a queue of no brand that it then goes to, and a time as well', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const waiting = await post(queue, 'next', [scene.tiktok, scene.instagram])
    await moveAway(scene.tiktok)
    const other = await createQueue('Wed 18:00', { name: 'Two' })
    const place = { queue_id: other.queue_id, place: 'next' }
    const targets = [{ account_id: scene.tiktok, options: {} }]
    const refusal = await send(`/posts/${waiting}`, 'PATCH', { version: 1, targets, queue: place })
    expect(await refused(refusal)).toEqual(otherBrand)
    const both = await send(`/posts/${waiting}`, 'PATCH', { version: 1, queue: place, publish_at: null })
    expect((await refused(both)).slice(0, 2)).toEqual([422, 'invalid'])
    expect(await timeOf(waiting)).toBe('15 18:00')
  })

  it('by several calls at once moves once', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00, Wed 18:00')
    const waiting = await post(queue)
    const places = ['top', 'bottom', 'next'].map((place) => ({ queue_id: queue.queue_id, place }))
    const answers = await Promise.all(
      places.map((place) => send(`/posts/${waiting}`, 'PATCH', { version: 1, queue: place })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  })

  it('stays where it is once it has started', async () => {
    const queue = await createQueue('Mon 18:00')
    const started = await post(queue)
    const data = { attempt: 1, repeats: 0, at: NOW, postId: null, url: null }
    await scene.testServer.deps.db
      .updateTable('deliveries')
      .set({ state: 'published', data: JSON.stringify(data), wake_at: null })
      .where('post_id', '=', started)
      .execute()
    const answer = await move(started, queue, 'bottom')
    expect((await refused(answer)).slice(0, 2)).toEqual([409, 'in_flight'])
  })
})

/** Moves the account to a brand that has no queue. */
const moveAway = async (accountId: AccountId) => {
  const { brand_id } = await scene.ada.call('createBrand', { body: { title: 'Harbour' } })
  await scene.ada.call('moveAccount', { params: { accountId }, body: { brand_id } })
}

const otherBrand = [
  422,
  'invalid',
  { 'queue.queue_id': ["This queue is for accounts of another brand. Choose one of this post's brand."] },
]

describe('a queue of another brand', () => {
  it('is refused to a new post and to one that has a time, and nothing is made or moved', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    await moveAway(scene.tiktok)
    const made = await send('/posts', 'POST', body(queue.queue_id, 'next', [scene.tiktok]))
    expect(await refused(made)).toEqual(otherBrand)
    const { queue: _, ...plain } = body(queue.queue_id, 'next', [scene.tiktok])
    const publish_at = { local: '2027-03-20T10:00', timezone: 'Europe/Lisbon' }
    const { post_id } = await scene.ada.call('createPost', { body: { ...plain, publish_at } })
    expect(await refused(await move(post_id, queue, 'top'))).toEqual(otherBrand)
    expect(await timeOf(post_id)).toBe('20 10:00')
    expect(await listQueues()).toMatchObject([{ waiting: 0 }])
  })

  it('takes a post that goes to an account of its brand as well', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    await moveAway(scene.tiktok)
    const both = await post(queue, 'next', [scene.tiktok, scene.instagram])
    expect(await timeOf(both)).toBe('15 18:00')
  })

  it('lets a post that waits in it move, also once its account has another brand', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const waiting = await post(queue)
    await moveAway(scene.tiktok)
    expect((await move(waiting, queue, slotAt(queue, '16 18:00'))).status).toBe(200)
    expect(await timeOf(waiting)).toBe('16 18:00')
  })

  it('is left at its time by a post whose accounts are changed to those of others', async () => {
    const queue = await createQueue('Mon 18:00, Tue 18:00')
    const waiting = await post(queue, 'next', [scene.tiktok, scene.instagram])
    await moveAway(scene.tiktok)
    const edit = async (...accounts: AccountId[]) => {
      const { version } = await scene.ada.call('getPost', { params: { postId: waiting } })
      const targets = accounts.map((account_id) => ({ account_id, options: {} }))
      return scene.ada.call('editPost', { params: { postId: waiting }, body: { version, targets } })
    }
    expect(await edit(scene.instagram)).toMatchObject({ queue_id: queue.queue_id })
    expect(await edit(scene.tiktok)).toMatchObject({ queue_id: null })
    expect(await timeOf(waiting)).toBe('15 18:00')
    expect(await timeOf(await post(queue, 'next', [scene.instagram]))).toBe('15 18:00')
  })
})
