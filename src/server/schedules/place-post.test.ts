import { makeState, setState } from '#test/support/delivery-states.ts'
import { describe, expect, it } from 'vitest'
import type { AccountId, PostId, ScheduleId } from '#contract/ids.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import type { SchedulePlace } from '#contract/posts.ts'
import {
  NOW,
  body,
  createSchedule,
  listSchedules,
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

describe('a post into a schedule', () => {
  it('takes the next free slot, or the one after the last', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const last = await post(schedule, 'bottom')
    expect(await timesOf(one, two, last)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    await scene.ada.call('deletePost', { params: { postId: two } })
    expect(await timesOf(await post(schedule, 'bottom'), await post(schedule))).toEqual([
      '22 18:00',
      '16 18:00',
    ])
    expect(await listSchedules()).toMatchObject([{ waiting: 4 }])
  })

  it('at the top moves those in the way one slot back, with a line in their timelines', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const first = await post(schedule, 'top')
    expect(await timesOf(first, one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    const { events, version } = await scene.ada.call('getPost', { params: { postId: one } })
    expect(events.at(-1)?.message).toBe('Moved to 16 March 2027, 18:00 (Europe/Lisbon).')
    expect(version).toBe(2)
  })

  it('takes only a slot that is for all its platforms', async () => {
    const schedule = await createSchedule('Mon 18:00 tiktok, Tue 18:00 instagram, Wed 18:00')
    const [both, toInstagram] = [
      await post(schedule, 'next', [scene.tiktok, scene.instagram]),
      await post(schedule, 'next', [scene.instagram]),
    ]
    expect(await timesOf(both, toInstagram)).toEqual(['17 18:00', '16 18:00'])
  })

  it('of a schedule with jitter goes out some minutes after its slot, which is taken', async () => {
    const schedule = await createSchedule('Mon 18:00', { jitter_minutes: 30 })
    const times = await timesOf(
      await post(schedule),
      await post(schedule),
      await post(schedule),
      await post(schedule),
    )
    expect(times.map((time) => time.slice(0, 2))).toEqual(['15', '22', '29', '05'])
    const minutes = times.map((time) => Number(time.slice(3, 5)) * 60 + Number(time.slice(6)) - 18 * 60)
    for (const minute of minutes) expect(minute).toBeGreaterThanOrEqual(0)
    for (const minute of minutes) expect(minute).toBeLessThanOrEqual(30)
    expect(new Set(minutes).size).toBeGreaterThan(1)
  })

  it('takes no slot at which one of its accounts has a post by hand, nor are others moved there', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const byHand = async (accountId: AccountId, day: string) => {
      const { schedule: _place, ...content } = body(schedule.schedule_id, 'next', [accountId])
      const publish_at = { local: `2027-03-${day}`, timezone: 'Europe/Lisbon' }
      await scene.ada.call('createPost', { body: { ...content, publish_at } })
    }
    await byHand(scene.tiktok, '15T18:00')
    const next = { params: { scheduleId: schedule.schedule_id } }
    const shown = await scene.ada.call('listNextSlots', { ...next, query: { accounts: `${scene.tiktok}` } })
    expect(shown.slots).toMatchObject([{ local: '2027-03-16T18:00' }])
    const [one, other] = [await post(schedule), await post(schedule, 'next', [scene.instagram])]
    expect(await timesOf(one, other)).toEqual(['16 18:00', '15 18:00'])
    await byHand(scene.tiktok, '17T18:00')
    expect(await timesOf(await post(schedule, 'top'), one)).toEqual(['16 18:00', '22 18:00'])
  })

  it('of a schedule with jitter takes no slot after which an account has a post by hand', async () => {
    const schedule = await createSchedule('Mon 18:00', { jitter_minutes: 30 })
    const { schedule: _place, ...content } = body(schedule.schedule_id, 'next', [scene.tiktok])
    const publish_at = { local: '2027-03-15T18:30', timezone: 'Europe/Lisbon' }
    await scene.ada.call('createPost', { body: { ...content, publish_at } })
    expect(await timeOf(await post(schedule))).toMatch(/^22 /)
  })

  it('gets no slot that another has, however many come at once', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00, Thu 18:00')
    const places = ['next', 'top', 'bottom', 'next', 'top', 'next'] as const
    const posts = await Promise.all(places.map((place) => post(schedule, place)))
    const times = await timesOf(...posts)
    expect(new Set(times).size).toBe(posts.length)
  })

  it('is refused with a time as well, and where there is no free slot', async () => {
    const schedule = await createSchedule('Mon 18:00 tiktok')
    const publish_at = { local: '2027-04-01T10:00', timezone: 'UTC' }
    const both = await send('/posts', 'POST', {
      ...body(schedule.schedule_id, 'next', [scene.tiktok]),
      publish_at,
    })
    expect(await refused(both)).toEqual([
      422,
      'invalid',
      { schedule: ['Give a time or a place in a posting schedule, not both.'] },
    ])
    const none = await send('/posts', 'POST', body(schedule.schedule_id, 'next', [scene.instagram]))
    expect(await refused(none)).toEqual([
      422,
      'invalid',
      { 'schedule.schedule_id': ['This schedule has no free slot for this post within 365 days.'] },
    ])
  })

  it('is refused with its former name, and so published neither now nor at another time', async () => {
    const { schedule: _place, ...asked } = body(1 as ScheduleId, 'next', [scene.tiktok])
    const queue = { queue_id: 1, place: 'next' }
    const made = await send('/posts', 'POST', { ...asked, queue })
    expect(await refused(made)).toEqual([422, 'invalid', { body: ['The body does not take “queue”.'] }])
    const moment = { at: '2027-04-01T10:00:00.000Z', timezone: 'UTC', queue_id: 1 }
    for (const change of [{ queue }, { moment }])
      expect((await send('/posts/1', 'PATCH', { version: 1, ...change })).status).toBe(422)
  })
})

const notFree = (message: string) => [409, 'slot_not_free', { 'schedule.slot': [message] }]
const TAKEN = notFree('Another post has this slot. Choose another one.')

describe('a post into a chosen slot', () => {
  it('takes that slot alone, which is then refused to others', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [next, chosen] = [await post(schedule), await post(schedule, slotAt(schedule, '17 18:00'))]
    expect(await timesOf(next, chosen)).toEqual(['15 18:00', '17 18:00'])
    expect(await scene.ada.call('getPost', { params: { postId: chosen } })).toMatchObject({
      schedule_id: schedule.schedule_id,
    })
    const again = await send(
      '/posts',
      'POST',
      body(schedule.schedule_id, slotAt(schedule, '17 18:00'), [scene.tiktok]),
    )
    expect(await refused(again)).toEqual(TAKEN)
    expect(await refused(await move(next, schedule, slotAt(schedule, '17 18:00')))).toEqual(TAKEN)
    expect((await move(next, schedule, slotAt(schedule, '23 18:00'))).status).toBe(200)
    expect(await timeOf(next)).toBe('23 18:00')
    // The slot that it has already is its own.
    expect((await move(next, schedule, slotAt(schedule, '23 18:00'))).status).toBe(200)
    expect(await timesOf(await post(schedule), await post(schedule))).toEqual(['15 18:00', '16 18:00'])
  })

  it.each([
    ['of another time', '16 19:00', undefined, 'The schedule no longer has this slot. Choose another one.'],
    [
      'in another zone',
      '16 18:00',
      'Asia/Tokyo',
      'The schedule no longer has this slot. Choose another one.',
    ],
    ['that has passed', '15 09:00', undefined, 'This slot has passed. Choose a later one.'],
    [
      'for other platforms',
      '17 18:00',
      undefined,
      "This slot isn't for all platforms of this post. Choose another one.",
    ],
  ])('is refused one %s, and nothing is made or moved', async (_which, day, zone, message) => {
    const schedule = await createSchedule('Mon 09:00, Mon 18:00, Tue 18:00, Wed 18:00 instagram')
    const waiting = await post(schedule)
    const place = slotAt(schedule, day, zone)
    const { counts: before } = await scene.ada.call('listPosts', { query: {} })
    const made = await send('/posts', 'POST', body(schedule.schedule_id, place, [scene.tiktok]))
    expect(await refused(made)).toEqual(notFree(message))
    expect(await refused(await move(waiting, schedule, place))).toEqual(notFree(message))
    expect(await timeOf(waiting)).toBe('15 18:00')
    expect((await scene.ada.call('listPosts', { query: {} })).counts).toEqual(before)
  })

  it('gets it once of several that ask for it at once', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const waiting = await post(schedule)
    const place = slotAt(schedule, '16 18:00')
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => send('/posts', 'POST', body(schedule.schedule_id, place, [scene.tiktok]))),
      move(waiting, schedule, place),
    ])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3)
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  })

  it('goes out with the jitter of its schedule', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00', { jitter_minutes: 30 })
    const [next, chosen] = [await post(schedule), await post(schedule, slotAt(schedule, '16 18:00'))]
    expect(await timeOf(chosen)).toMatch(/^16 18:[0-3]\d$/)
    expect(await refused(await move(next, schedule, slotAt(schedule, '16 18:00')))).toEqual(TAKEN)
  })
})

const previewPlaces = ({ schedule_id }: Schedule, postId?: PostId) =>
  scene.ada.call('listNextSlots', {
    params: { scheduleId: schedule_id },
    query: { count: 1, platforms: 'tiktok', ...(postId && { postId }) },
  })

describe('the top and the end of a schedule', () => {
  it('are shown with the time and what makes room, as it then happens', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const moves = [
      { post_id: one, from: '2027-03-15T18:00:00.000Z', to: '2027-03-16T18:00:00.000Z' },
      { post_id: two, from: '2027-03-16T18:00:00.000Z', to: '2027-03-17T18:00:00.000Z' },
    ]
    expect(await previewPlaces(schedule)).toMatchObject({
      top: { at: '2027-03-15T18:00:00.000Z', moves },
      bottom: { at: '2027-03-17T18:00:00.000Z', moves: [] },
    })
    expect(await timesOf(one, two)).toEqual(['15 18:00', '16 18:00'])
    expect(await timesOf(await post(schedule, 'top'), one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
  })

  it('count the slot of a post that is to move there as free', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    expect(await previewPlaces(schedule, two)).toMatchObject({
      top: { at: '2027-03-15T18:00:00.000Z', moves: [{ post_id: one, to: '2027-03-16T18:00:00.000Z' }] },
      bottom: { at: '2027-03-16T18:00:00.000Z', moves: [] },
    })
  })

  it('are none where no slot is free', async () => {
    const schedule = await createSchedule('Mon 18:00 instagram')
    expect(await previewPlaces(schedule)).toEqual({ slots: [], top: null, bottom: null })
  })
})

describe('a post that is moved into a schedule', () => {
  it('goes to its top or bottom, and from one schedule to another', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const [one, two, three] = [await post(schedule), await post(schedule), await post(schedule)]
    await move(three, schedule, 'top')
    expect(await timesOf(three, one, two)).toEqual(['15 18:00', '16 18:00', '17 18:00'])
    await move(three, schedule, 'bottom')
    expect(await timesOf(one, two, three)).toEqual(['16 18:00', '17 18:00', '22 18:00'])
    const mornings = await createSchedule('Fri 08:00', { name: 'Mornings' })
    await move(one, mornings, 'next')
    expect(await timeOf(one)).toBe('19 08:00')
    expect(await listSchedules()).toMatchObject([{ waiting: 2 }, { waiting: 1 }])
  })

  it('is changed by the same call: all of it, or nothing where the slot is refused', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00 tiktok, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const targets = [scene.tiktok, scene.instagram].map((account_id) => ({ account_id, options: {} }))
    const change = (place: string | SchedulePlace) => ({
      version: 1,
      text: 'New',
      targets,
      schedule: typeof place === 'string' ? { schedule_id: schedule.schedule_id, place } : place,
    })
    const refusal = await send(`/posts/${two}`, 'PATCH', change(slotAt(schedule, '16 18:00')))
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

  it('is refused a schedule of no brand that it then goes to, and a time as well', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const waiting = await post(schedule, 'next', [scene.tiktok, scene.instagram])
    await moveAway(scene.tiktok)
    const other = await createSchedule('Wed 18:00', { name: 'Two' })
    const place = { schedule_id: other.schedule_id, place: 'next' }
    const targets = [{ account_id: scene.tiktok, options: {} }]
    const refusal = await send(`/posts/${waiting}`, 'PATCH', { version: 1, targets, schedule: place })
    expect(await refused(refusal)).toEqual(otherBrand)
    const both = await send(`/posts/${waiting}`, 'PATCH', { version: 1, schedule: place, publish_at: null })
    expect((await refused(both)).slice(0, 2)).toEqual([422, 'invalid'])
    expect(await timeOf(waiting)).toBe('15 18:00')
  })

  it('by several calls at once moves once', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00, Wed 18:00')
    const waiting = await post(schedule)
    const places = ['top', 'bottom', 'next'].map((place) => ({ schedule_id: schedule.schedule_id, place }))
    const answers = await Promise.all(
      places.map((place) => send(`/posts/${waiting}`, 'PATCH', { version: 1, schedule: place })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  })

  it('stays where it is once it has started', async () => {
    const schedule = await createSchedule('Mon 18:00')
    const started = await post(schedule)
    await setState(scene.testServer, { post_id: started }, makeState('published', NOW))
    const answer = await move(started, schedule, 'bottom')
    expect((await refused(answer)).slice(0, 2)).toEqual([409, 'in_flight'])
  })
})

/** Moves the account to a brand that has no schedule. */
const moveAway = async (accountId: AccountId) => {
  const { brand_id } = await scene.ada.call('createBrand', { body: { title: 'Harbour' } })
  await scene.ada.call('moveAccount', { params: { accountId }, body: { brand_id } })
}

const otherBrand = [
  422,
  'invalid',
  {
    'schedule.schedule_id': [
      "This schedule is for accounts of another brand. Choose one of this post's brand.",
    ],
  },
]

describe('a schedule of another brand', () => {
  it('is refused to a new post and to one that has a time, and nothing is made or moved', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    await moveAway(scene.tiktok)
    const made = await send('/posts', 'POST', body(schedule.schedule_id, 'next', [scene.tiktok]))
    expect(await refused(made)).toEqual(otherBrand)
    const { schedule: _, ...plain } = body(schedule.schedule_id, 'next', [scene.tiktok])
    const publish_at = { local: '2027-03-20T10:00', timezone: 'Europe/Lisbon' }
    const { post_id } = await scene.ada.call('createPost', { body: { ...plain, publish_at } })
    expect(await refused(await move(post_id, schedule, 'top'))).toEqual(otherBrand)
    expect(await timeOf(post_id)).toBe('20 10:00')
    expect(await listSchedules()).toMatchObject([{ waiting: 0 }])
  })

  it('takes a post that goes to an account of its brand as well', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    await moveAway(scene.tiktok)
    const both = await post(schedule, 'next', [scene.tiktok, scene.instagram])
    expect(await timeOf(both)).toBe('15 18:00')
  })

  it('lets a post that waits in it move, also once its account has another brand', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const waiting = await post(schedule)
    await moveAway(scene.tiktok)
    expect((await move(waiting, schedule, slotAt(schedule, '16 18:00'))).status).toBe(200)
    expect(await timeOf(waiting)).toBe('16 18:00')
  })

  it('is left at its time by a post whose accounts are changed to those of others', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const waiting = await post(schedule, 'next', [scene.tiktok, scene.instagram])
    await moveAway(scene.tiktok)
    const edit = async (...accounts: AccountId[]) => {
      const { version } = await scene.ada.call('getPost', { params: { postId: waiting } })
      const targets = accounts.map((account_id) => ({ account_id, options: {} }))
      return scene.ada.call('editPost', { params: { postId: waiting }, body: { version, targets } })
    }
    expect(await edit(scene.instagram)).toMatchObject({ schedule_id: schedule.schedule_id })
    expect(await edit(scene.tiktok)).toMatchObject({ schedule_id: null })
    expect(await timeOf(waiting)).toBe('15 18:00')
    expect(await timeOf(await post(schedule, 'next', [scene.instagram]))).toBe('15 18:00')
  })
})
