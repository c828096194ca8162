import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AccountId, PostId, ScheduleId } from '#contract/ids.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import {
  body,
  createSchedule,
  NOW,
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

/** A moment of March 2027, as `16 18:00` in Lisbon, whose clocks show UTC. */
const momentAt = (day: string, its: { schedule_id?: ScheduleId | null; or_time?: boolean } = {}) => ({
  at: `2027-03-${day.replace(' ', 'T')}:00Z`,
  timezone: 'Asia/Tokyo',
  ...its,
})
const read = (postId: PostId) => scene.ada.call('getPost', { params: { postId } })
const moveTo = async (postId: PostId, day: string, its: Parameters<typeof momentAt>[1] = {}) => {
  const { version } = await read(postId)
  return send(`/posts/${postId}`, 'PATCH', { version, moment: momentAt(day, its) })
}
/** A post at a time that it was given by hand. */
const timed = async (...accounts: AccountId[]) => {
  const { schedule: _, ...plain } = body(
    1 as ScheduleId,
    'next',
    accounts.length > 0 ? accounts : [scene.tiktok],
  )
  const publish_at = { local: '2027-03-20T10:00', timezone: 'Europe/Lisbon' }
  return (await scene.ada.call('createPost', { body: { ...plain, publish_at } })).post_id
}
/** The schedule that it is in, and when it goes out. */
const placeOf = async (postId: PostId) => [(await read(postId)).schedule_id, await timeOf(postId)]
/** 16 March, 18:00 in Lisbon, by itself. */
const ONLY_TIME = [null, '17 03:00']

describe('a post that is moved to a moment', () => {
  it('takes the free slot that begins then, and leaves it for a time without one', async () => {
    const schedule = await createSchedule('Tue 18:00, Wed 18:00')
    const moved = await timed()
    expect((await moveTo(moved, '16 18:00')).status).toBe(200)
    expect(await placeOf(moved)).toEqual([schedule.schedule_id, '16 18:00'])
    expect(await timeOf(await post(schedule))).toBe('17 18:00')
    const { events, version, deliveries } = await read(moved)
    expect([events.at(-1)?.message, version]).toEqual(['Moved to 16 March 2027, 18:00 (Europe/Lisbon).', 2])
    expect(deliveries).toMatchObject([{ editable: true }])
    expect((await moveTo(moved, '16 19:00')).status).toBe(200)
    expect(await placeOf(moved)).toEqual([null, '17 04:00'])
    expect(await read(moved)).toMatchObject({
      timezone: 'Asia/Tokyo',
      publish_at: '2027-03-16T19:00:00.000Z',
    })
  })

  it('goes out some minutes after a slot with jitter, and may take it again', async () => {
    const schedule = await createSchedule('Tue 18:00', { jitter_minutes: 30 })
    const moved = await timed()
    await moveTo(moved, '16 18:00')
    const [scheduleId, time] = await placeOf(moved)
    expect([scheduleId, time]).toEqual([schedule.schedule_id, expect.stringMatching(/^16 18:[0-3]\d$/)])
    expect((await moveTo(moved, '16 18:00', { schedule_id: schedule.schedule_id })).status).toBe(200)
    expect(await placeOf(moved)).toEqual([scheduleId, time])
  })

  it('takes the slot of the schedule that is named, of several at that time', async () => {
    const [first, second] = [
      await createSchedule('Tue 18:00'),
      await createSchedule('Tue 18:00', { name: 'Two' }),
    ]
    const [one, two] = [await timed(), await timed()]
    await moveTo(two, '16 18:00', { schedule_id: second.schedule_id })
    await moveTo(one, '16 18:00')
    expect((await placeOf(two))[0]).toBe(second.schedule_id)
    expect((await placeOf(one))[0]).toBe(first.schedule_id)
  })

  it('takes the free one of two slots at that time', async () => {
    const first = await createSchedule('Tue 18:00')
    const second = await createSchedule('Tue 18:00', { name: 'Two' })
    const [one, two] = [await post(first), await timed()]
    await moveTo(two, '16 18:00')
    expect(await placeOf(one)).toEqual([first.schedule_id, '16 18:00'])
    expect(await placeOf(two)).toEqual([second.schedule_id, '16 18:00'])
  })

  it.each<[string, string, { schedule_id?: null }]>([
    ['where no slot begins then', 'Tue 18:15', {}],
    ['where the slot is for other platforms', 'Tue 18:00 instagram', {}],
    ['where it is to take no slot', 'Tue 18:00', { schedule_id: null }],
  ])('gets only the time %s', async (_where, week, its) => {
    await createSchedule(week)
    const moved = await timed()
    expect((await moveTo(moved, '16 18:00', its)).status).toBe(200)
    expect(await placeOf(moved)).toEqual(ONLY_TIME)
  })

  it('gets only the time where another post has the slot', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const [holder, moved] = [await post(schedule), await timed()]
    expect((await moveTo(moved, '16 18:00')).status).toBe(200)
    expect(await placeOf(moved)).toEqual(ONLY_TIME)
    expect(await placeOf(holder)).toEqual([schedule.schedule_id, '16 18:00'])
  })

  it('of several brands takes only a slot that is named', async () => {
    const schedule = await createSchedule('Tue 18:00')
    await moveAway(scene.instagram)
    const moved = await timed(scene.tiktok, scene.instagram)
    await moveTo(moved, '16 18:00')
    expect(await placeOf(moved)).toEqual(ONLY_TIME)
    await moveTo(moved, '16 18:00', { schedule_id: schedule.schedule_id })
    expect(await placeOf(moved)).toEqual([schedule.schedule_id, '16 18:00'])
  })

  it('takes a slot of a paused schedule, and waits there', async () => {
    const schedule = await createSchedule('Tue 18:00')
    await scene.ada.call('pauseSchedule', {
      params: { scheduleId: schedule.schedule_id },
      body: { paused: true },
    })
    const moved = await timed()
    await moveTo(moved, '16 18:00')
    expect(await placeOf(moved)).toEqual([schedule.schedule_id, '16 18:00'])
  })

  it('stays where it is for a time that has passed or is too far ahead', async () => {
    await createSchedule('Mon 09:00')
    const moved = await timed()
    const passed = [422, 'invalid', { 'moment.at': ['This time has passed. Choose a later one.'] }]
    expect(await refused(await moveTo(moved, '15 09:00'))).toEqual(passed)
    const far = { version: 1, moment: { ...momentAt('15 09:00'), at: '2031-01-01T00:00:00Z' } }
    expect(await refused(await send(`/posts/${moved}`, 'PATCH', far))).toEqual([
      422,
      'invalid',
      { 'moment.at': ['Choose a time within 365 days.'] },
    ])
    expect(await timeOf(moved)).toBe('20 10:00')
  })

  it('is changed by nothing else in the same call', async () => {
    const moved = await timed()
    const both = { version: 1, text: 'New', moment: momentAt('16 18:00') }
    expect((await refused(await send(`/posts/${moved}`, 'PATCH', both))).slice(0, 2)).toEqual([
      422,
      'invalid',
    ])
    expect(await read(moved)).toMatchObject({ version: 1, text: 'Hello' })
  })
})

const notFree = (message: string) => [409, 'slot_not_free', { 'moment.at': [message] }]
const OTHER_BRAND = "This schedule is for accounts of another brand. Choose one of this post's brand."

describe('a slot that is named', () => {
  it.each<[string, string, (schedule: Schedule) => unknown, unknown]>([
    [
      'is taken',
      '16 18:00',
      (schedule) => post(schedule, slotAt(schedule, '16 18:00')),
      notFree('Another post has this slot. Choose another one.'),
    ],
    ['has passed', '15 09:00', () => null, notFree('This slot has passed. Choose a later one.')],
    [
      'is no more',
      '16 18:30',
      () => null,
      notFree('The schedule no longer has this slot. Choose another one.'),
    ],
    [
      'is for other platforms',
      '17 18:00',
      () => null,
      notFree("This slot isn't for all platforms of this post. Choose another one."),
    ],
    [
      'is of another brand',
      '16 18:00',
      () => moveAway(scene.tiktok),
      [422, 'invalid', { 'schedule.schedule_id': [OTHER_BRAND] }],
    ],
    [
      'is of a deleted schedule',
      '16 18:00',
      ({ schedule_id }) => scene.ada.call('deleteSchedule', { params: { scheduleId: schedule_id } }),
      [404, 'not_found', "This posting schedule doesn't exist."],
    ],
  ])('and %s is refused, or gives way to the time', async (_why, day, prepare, refusal) => {
    const schedule = await createSchedule('Mon 09:00, Tue 18:00, Wed 18:00 instagram')
    const moved = await timed()
    await prepare(schedule)
    const its = { schedule_id: schedule.schedule_id }
    expect(await refused(await moveTo(moved, day, its))).toEqual(refusal)
    expect(await placeOf(moved)).toEqual([null, '20 10:00'])
    const answer = await moveTo(moved, day, { ...its, or_time: true })
    const isPast = day === '15 09:00'
    expect(answer.status).toBe(isPast ? 422 : 200)
    expect((await placeOf(moved))[0]).toBeNull()
    if (!isPast) expect(await timeOf(moved)).not.toBe('20 10:00')
  })

  it("of another user's schedule is not found", async () => {
    const moved = await timed()
    const answer = await moveTo(moved, '16 18:00', { schedule_id: 999_999 as ScheduleId })
    expect((await refused(answer)).slice(0, 2)).toEqual([404, 'not_found'])
  })

  it('takes back a post that left it, whose accounts have another brand since, only as a time', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const moved = await post(schedule)
    await moveTo(moved, '16 20:00')
    await moveAway(scene.tiktok)
    await moveTo(moved, '16 18:00', { schedule_id: schedule.schedule_id, or_time: true })
    expect(await placeOf(moved)).toEqual(ONLY_TIME)
  })
})

/** Moves the account to a brand that has no schedule. */
const moveAway = async (accountId: AccountId) => {
  const { brand_id } = await scene.ada.call('createBrand', { body: { title: 'Harbour' } })
  await scene.ada.call('moveAccount', { params: { accountId }, body: { brand_id } })
}

describe('moves at once', () => {
  it('of several posts to one moment give the slot to one, and the time to the others', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const posts = await Promise.all([timed(), timed(), timed(), timed()])
    const answers = await Promise.all(posts.map((one) => moveTo(one, '16 18:00')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const schedules = await Promise.all(posts.map(async (one) => (await read(one)).schedule_id))
    expect(schedules.filter((one) => one === schedule.schedule_id)).toHaveLength(1)
    expect(schedules.filter((one) => one === null)).toHaveLength(3)
    expect((await timesOf(...posts)).toSorted()).toEqual(['16 18:00', '17 03:00', '17 03:00', '17 03:00'])
  })

  it('of several posts to a slot that is named give it to one, and the others stay', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const posts = await Promise.all([timed(), timed(), timed()])
    const its = { schedule_id: schedule.schedule_id }
    const answers = await Promise.all(posts.map((one) => moveTo(one, '16 18:00', its)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect((await timesOf(...posts)).toSorted()).toEqual(['16 18:00', '20 10:00', '20 10:00'])
  })

  it('of one post take the first, whichever the slots', async () => {
    const schedule = await createSchedule('Tue 18:00, Wed 18:00, Thu 18:00')
    const moved = await timed()
    const answers = await Promise.all(
      ['16 18:00', '17 18:00', '18 18:00'].map((day) =>
        send(`/posts/${moved}`, 'PATCH', { version: 1, moment: momentAt(day) }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect(await read(moved)).toMatchObject({ version: 2, schedule_id: schedule.schedule_id })
    expect(await timesOf(await post(schedule), await post(schedule))).toHaveLength(2)
  })

  it('of two posts into the slots of each other leave both in the list, each at one time', async () => {
    const schedule = await createSchedule('Tue 18:00, Wed 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const answers = await Promise.all([moveTo(one, '17 18:00'), moveTo(two, '16 18:00')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(await timesOf(one, two)).size).toBe(2)
  })
})

const started = [
  makeState('preparing', NOW),
  makeState('processing', NOW),
  makeState('unconfirmed', NOW),
  // What an earlier attempt did is not known for sure.
  makeState('scheduled', NOW, { attempt: 2, repeats: 1, earlier: { session: {}, since: NOW, looks: 0 } }),
  makeState('published', NOW),
  makeState('failed', NOW),
  makeState('cancelled', NOW),
]

describe('a post that has started', () => {
  it.each(started)('does not move once it is $kind', async (state) => {
    const schedule = await createSchedule('Tue 18:00')
    const moved = await timed()
    await setState(scene.testServer, { post_id: moved }, state)
    for (const its of [
      {},
      { schedule_id: schedule.schedule_id },
      { schedule_id: schedule.schedule_id, or_time: true },
    ])
      expect((await refused(await moveTo(moved, '16 18:00', its))).slice(0, 2)).toEqual([409, 'in_flight'])
    const still = { version: 1, schedule_id: null, deliveries: [{ editable: false }] }
    expect(await read(moved)).toMatchObject(still)
    expect(await timeOf(await post(schedule))).toBe('16 18:00')
  })

  it('for one account takes no slot: what waits gets the time', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const moved = await timed(scene.tiktok, scene.instagram)
    await setState(
      scene.testServer,
      { post_id: moved, account_id: scene.tiktok },
      makeState('preparing', NOW),
    )
    const named = await moveTo(moved, '16 18:00', { schedule_id: schedule.schedule_id })
    expect((await refused(named)).slice(0, 2)).toEqual([409, 'in_flight'])
    expect((await moveTo(moved, '16 18:00')).status).toBe(200)
    const { deliveries, schedule_id } = await read(moved)
    expect(schedule_id).toBeNull()
    expect(deliveries.map(({ status, due_at }) => [status, due_at])).toEqual([
      ['preparing', '2027-03-20T10:00:00.000Z'],
      ['scheduled', '2027-03-16T18:00:00.000Z'],
    ])
    expect(await timeOf(await post(schedule))).toBe('16 18:00')
  })
})

const plan = async (
  day: string,
  accounts: readonly AccountId[],
  its: Parameters<typeof momentAt>[1] = {},
) => {
  const targets = accounts.map((account_id) => ({ account_id, text: null, options: null }))
  const content = { video_id: null, text: 'Later', platform_options: {}, targets, publish_at: null }
  const schedule = { schedule_id: 1, place: 'next' }
  const draft = { version: 0, content: { ...content, schedule }, moment: momentAt(day, its) }
  return send(`/drafts/${randomUUID()}`, 'PUT', draft)
}
const planOf = async (answer: Response) => {
  const { content } = (await answer.json()) as { content: { publish_at: unknown; schedule?: unknown } }
  return [content.publish_at, content.schedule]
}
const TIME = [{ local: '2027-03-17T03:00', timezone: 'Asia/Tokyo' }, undefined]

describe('a draft that is planned for a moment', () => {
  it('is to take the free slot that begins then, which stays free', async () => {
    const schedule = await createSchedule('Tue 18:00')
    const inSlot = [null, slotAt(schedule, '16 18:00')]
    expect(await planOf(await plan('16 18:00', [scene.tiktok]))).toEqual(inSlot)
    expect(
      await planOf(await plan('16 18:00', [scene.instagram], { schedule_id: schedule.schedule_id })),
    ).toEqual(inSlot)
    expect(await timeOf(await post(schedule))).toBe('16 18:00')
  })

  it('gets only the time where a slot is not for its accounts, or taken', async () => {
    const schedule = await createSchedule('Tue 18:00 tiktok')
    expect(await planOf(await plan('16 18:00', [scene.instagram]))).toEqual(TIME)
    expect((await plan('16 18:00', [scene.instagram], { schedule_id: schedule.schedule_id })).status).toBe(
      409,
    )
    await post(schedule)
    expect(await planOf(await plan('16 18:00', [scene.tiktok]))).toEqual(TIME)
  })

  it('without accounts is to take a slot of any brand, and with some none of another', async () => {
    const schedule = await createSchedule('Tue 18:45')
    expect(await planOf(await plan('16 18:45', []))).toEqual([null, slotAt(schedule, '16 18:45')])
    await moveAway(scene.tiktok)
    expect((await planOf(await plan('16 18:45', [scene.tiktok])))[1]).toBeUndefined()
    const named = await plan('16 18:45', [scene.tiktok], { schedule_id: schedule.schedule_id })
    expect((await refused(named)).slice(0, 2)).toEqual([422, 'invalid'])
  })

  it('is refused a time that has passed', async () => {
    expect((await plan('15 09:00', [])).status).toBe(422)
  })
})
