import { makeState, setState } from '#test/support/delivery-states.ts'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { BrandId } from '#contract/ids.ts'
import { ALL_SLOTS_MAX, CALENDAR_SLOTS_MAX, SCHEDULE_POSTS_MAX, SCHEDULES_MAX } from '#contract/limits.ts'
import { slotsBetween } from '#domain/schedule/slots.ts'
import {
  NOW,
  change,
  createSchedule,
  getBrand,
  listSchedules,
  post,
  refused,
  scene,
  send,
  slots,
  startScene,
  timeOf,
  timesOf,
} from '#test/support/planning/schedules.ts'
import { slotRows, type SlotRows, toFreeSlots } from './free-slots.ts'

startScene()

describe('schedules', () => {
  it('are listed with their slots in order of the week, in the zone of the brand or the user', async () => {
    const schedule = await createSchedule('Tue 09:00, Mon 18:00, Mon 08:30 tiktok')
    expect(schedule).toEqual({
      schedule_id: schedule.schedule_id,
      brand_id: scene.brandId,
      name: 'Evenings',
      timezone: 'Europe/Lisbon',
      paused: false,
      paused_until: null,
      jitter_minutes: 0,
      slots: slots('Mon 08:30 tiktok, Mon 18:00, Tue 09:00'),
      waiting: 0,
      version: 1,
    })
    await scene.ada.call('renameBrand', {
      body: { brand_id: scene.brandId, title: 'Northwind', timezone: 'Australia/Sydney' },
    })
    expect(await listSchedules()).toMatchObject([{ timezone: 'Australia/Sydney' }])
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney', paused: false })
    // Left out, the zone stays; null is the user's.
    await scene.ada.call('renameBrand', { body: { brand_id: scene.brandId, title: 'Southwind' } })
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney' })
    await scene.ada.call('renameBrand', {
      body: { brand_id: scene.brandId, title: 'Southwind', timezone: null },
    })
    expect(await listSchedules()).toMatchObject([{ timezone: 'Europe/Lisbon' }])
  })

  it('are refused for what they cannot be', async () => {
    await createSchedule('Mon 18:00')
    const answers = [
      { name: 'evenings', slots: slots('Mon 18:00') },
      { name: 'Two', slots: slots('Mon 18:00, Mon 18:00 tiktok') },
      { name: ' ', slots: [] },
    ]
    const said = []
    for (const answer of answers)
      said.push(await refused(await send('/schedules', 'POST', { brand_id: scene.brandId, ...answer })))
    expect(said).toEqual([
      [422, 'invalid', { name: ['This brand already has a posting schedule with this name.'] }],
      [422, 'invalid', { slots: ['Two slots have the same time.'] }],
      [422, 'invalid', { name: ['Give the schedule a name.'], slots: ['Add at least one slot.'] }],
    ])
  })

  it.each([['a Greek word in capitals', 'οδοσ', 'ΟΔΟΣ']])(
    'are refused for a name that only the database takes for the same: %s',
    async (_what, one, other) => {
      await createSchedule('Mon 18:00', { name: one })
      const { schedule_id: scheduleId, version } = await createSchedule('Mon 18:00', { name: 'Another' })
      const same = { name: other, slots: slots('Mon 18:00') }
      const taken = [422, 'invalid', { name: ['This brand already has a posting schedule with this name.'] }]
      expect(await refused(await send('/schedules', 'POST', { brand_id: scene.brandId, ...same }))).toEqual(
        taken,
      )
      expect(await refused(await send(`/schedules/${scheduleId}`, 'PUT', { ...same, version }))).toEqual(
        taken,
      )
    },
  )

  it('are at most 20 for a brand', async () => {
    for (let i = 1; i <= 20; i += 1) await createSchedule('Mon 18:00', { name: `Schedule ${i}` })
    const answer = await send('/schedules', 'POST', {
      brand_id: scene.brandId,
      name: 'X',
      slots: slots('Mon 18:00'),
    })
    expect(await refused(answer)).toEqual([
      422,
      'invalid',
      { brand_id: ['A brand has at most 20 posting schedules.'] },
    ])
  })

  it('say when their next free slots are, for any platforms', async () => {
    const { schedule_id } = await createSchedule('Mon 09:00, Mon 18:00, Tue 18:00 tiktok')
    const next = async (count: number, platforms?: string) => {
      const query = `count=${count}${platforms ? `&platforms=${platforms}` : ''}`
      const answer = await scene.ada.request(`/schedules/${schedule_id}/next?${query}`)
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
    expect((await scene.ada.request(`/schedules/${schedule_id}/next?platforms=x`)).status).toBe(400)
    expect((await scene.ada.request(`/schedules/${schedule_id}/next?count=11`)).status).toBe(400)
  })

  it('are gone when deleted, and their posts keep their times', async () => {
    const schedule = await createSchedule('Mon 18:00')
    const one = await post(schedule)
    expect(await listSchedules()).toMatchObject([{ waiting: 1 }])
    await scene.ada.call('deleteSchedule', { params: { scheduleId: schedule.schedule_id } })
    expect(await listSchedules()).toEqual([])
    expect((await scene.ada.request(`/schedules/${schedule.schedule_id}`, { method: 'DELETE' })).status).toBe(
      404,
    )
    expect(await timeOf(one)).toBe('15 18:00')
    expect(await scene.ada.call('getPost', { params: { postId: one } })).toMatchObject({ schedule_id: null })
  })

  it('release what their pause holds when they are deleted', async () => {
    const schedule = await createSchedule('Mon 18:00')
    const held = await post(schedule)
    await scene.ada.call('pauseSchedule', {
      params: { scheduleId: schedule.schedule_id },
      body: { paused: true },
    })
    expect(await listSchedules()).toMatchObject([{ paused: true }])
    const state = makeState('blocked', NOW, { cause: 'paused', dueAt: NOW })
    await setState(scene.testServer, { post_id: held }, state)
    await scene.ada.call('deleteSchedule', { params: { scheduleId: schedule.schedule_id } })
    const { deliveries } = await scene.ada.call('getPost', { params: { postId: held } })
    expect(deliveries).toMatchObject([{ status: 'scheduled' }])
  })

  it('go with their brand', async () => {
    const { brand_id } = await scene.ada.call('createBrand', { body: { title: 'Harbour' } })
    const body = { brand_id, name: 'Evenings', slots: slots('Mon 18:00') }
    const { schedule_id } = await scene.ada.call('createSchedule', { body })
    await scene.ada.call('deleteBrand', { params: { brandId: brand_id }, query: {} })
    const all = await scene.ada.call('listSchedules')
    expect(all.filter((schedule) => schedule.schedule_id === schedule_id)).toEqual([])
  })
})

const previewZone = (zone: string | null) =>
  scene.ada.call('previewBrandZone', { params: { brandId: scene.brandId }, body: { timezone: zone } })

describe('a change of slots', () => {
  it('shows what moves, and moves that alone once its number is given', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const changed = change(schedule, 'Mon 17:00, Tue 18:00, Wed 18:00', { name: 'Afternoons' })
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
    expect(await listSchedules()).toMatchObject([{ name: 'Afternoons', version: 2, waiting: 2 }])
    expect((await refused(await changed.save(0))).slice(0, 2)).toEqual([409, 'conflict'])
  })

  it('leaves alone what was moved by hand, and what no slot is for', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const [byHand, kept] = [await post(schedule), await post(schedule)]
    await scene.ada.call('editPost', {
      params: { postId: byHand },
      body: { version: 1, publish_at: { local: '2027-03-20T11:11', timezone: 'Europe/Lisbon' } },
    })
    expect((await change(schedule, 'Mon 18:00 instagram').save(0)).status).toBe(200)
    expect(await timesOf(byHand, kept)).toEqual(['20 11:11', '16 18:00'])
    expect(await listSchedules()).toMatchObject([{ waiting: 0 }])
  })

  it("of the brand's zone keeps the wall clocks", async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const [one, two] = [await post(schedule), await post(schedule)]
    const timezone = 'America/New_York'
    const wanted = { brand_id: scene.brandId, title: 'Northwind', timezone }
    expect(await previewZone(timezone)).toEqual({
      moves: [
        { post_id: one, from: '2027-03-15T18:00:00.000Z', to: '2027-03-15T22:00:00.000Z' },
        { post_id: two, from: '2027-03-16T18:00:00.000Z', to: '2027-03-16T22:00:00.000Z' },
      ],
    })
    expect(await previewZone(null)).toEqual({ moves: [] })
    const said = 'This moves 2 scheduled posts. Confirm to continue.'
    expect(await refused(await send('/brands', 'PUT', wanted))).toEqual([409, 'posts_move', said])
    expect(await getBrand()).toMatchObject({ timezone: null })
    await scene.ada.call('renameBrand', { body: { ...wanted, moves: 2 } })
    expect(await timesOf(one, two)).toEqual(['15 18:00', '16 18:00'])
    expect(await scene.ada.call('getPost', { params: { postId: one } })).toMatchObject({
      publish_at: '2027-03-15T22:00:00.000Z',
      timezone: 'America/New_York',
    })
  })
})

const zoneOf = async (id: BrandId) =>
  (await scene.ada.call('listBrands')).find(({ brand_id }) => brand_id === id)?.timezone

it('another zone of the user moves no post and no slot of a schedule', async () => {
  const schedule = await createSchedule('Mon 18:00, Tue 18:00')
  const waiting = await post(schedule)
  const plain = (await scene.ada.call('createBrand', { body: { title: 'Plain' } })).brand_id
  await scene.ada.call('setTimezone', { body: { timezone: 'Asia/Tokyo' } })
  try {
    expect([await zoneOf(scene.brandId), await zoneOf(plain)]).toEqual(['Europe/Lisbon', null])
    expect(await listSchedules()).toMatchObject([{ timezone: 'Europe/Lisbon' }])
    expect(await timesOf(waiting, await post(schedule))).toEqual(['15 18:00', '16 18:00'])
    expect((await change(schedule, 'Mon 18:00, Tue 18:00').preview()).moves).toEqual([])
  } finally {
    await scene.ada.call('setTimezone', { body: { timezone: 'Europe/Lisbon' } })
  }
})

/** So many schedules with so many slots each, in other brands. */
const fill = async (schedules: number, slotsOfEach: number) => {
  const { user_id: userId } = await scene.ada.call('getUser')
  await sql`with b as (insert into brands (user_id, title) values (${userId}, 'Full') returning brand_id),
    q as (insert into schedules (user_id, brand_id, name) select ${userId}, brand_id, 'Schedule ' || n
      from b cross join generate_series(1, ${schedules}::int) n returning schedule_id)
    insert into schedule_slots (schedule_id, weekday, time) select schedule_id, n % 7 + 1, to_char(time '00:00' + n * interval '10 min', 'HH24:MI')
      from q cross join generate_series(1, ${slotsOfEach}::int) n`.execute(scene.testServer.deps.db)
}

const createOneMore = async () =>
  refused(
    await send('/schedules', 'POST', { brand_id: scene.brandId, name: 'More', slots: slots('Mon 18:00') }),
  )
const removeAll = () => scene.testServer.deps.db.deleteFrom('schedules').execute()

describe('schedules and slots', () => {
  beforeEach(removeAll)
  afterAll(removeAll)

  it('are limited for all brands of a user', async () => {
    await fill(SCHEDULES_MAX, 1)
    const said = `You have ${SCHEDULES_MAX} posting schedules; the limit is ${SCHEDULES_MAX}.`
    expect(await createOneMore()).toEqual([422, 'invalid', { brand_id: [said] }])
  })

  it('beyond the limit go on working, and may have fewer slots', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    await fill(ALL_SLOTS_MAX / 100, 100)
    const said = `Your posting schedules have ${ALL_SLOTS_MAX + 2} slots; the limit is ${ALL_SLOTS_MAX} in all.`
    const tooMany = [422, 'invalid', { slots: [said] }]
    expect(await createOneMore()).toEqual(tooMany)
    const bigger = await change(schedule, 'Mon 18:00, Tue 18:00, Wed 18:00').save(0)
    expect(await refused(bigger)).toEqual(tooMany)
    expect((await change(schedule, 'Tue 18:00').save(0)).status).toBe(200)
    expect(await scene.ada.call('listSchedules')).toHaveLength(1 + ALL_SLOTS_MAX / 100)
  })

  it('take no post beyond the limit of one schedule', async () => {
    const schedule = await createSchedule('Mon 18:00, Tue 18:00')
    const postId = await post(schedule)
    await sql`insert into posts (user_id, video_id, text, publish_at, publish_local, timezone, schedule_id, slot_local, created_at)
      select p.user_id, p.video_id, '', p.publish_at + n * interval '1 min', p.publish_local, p.timezone, p.schedule_id, p.slot_local, p.created_at
      from posts p cross join generate_series(1, ${SCHEDULE_POSTS_MAX - 1}) n where p.post_id = ${postId}`.execute(
      scene.testServer.deps.db,
    )
    await sql`insert into deliveries (post_id, user_id, account_id, platform, text, options, state, data, wake_at, goes_out_at, created_at, updated_at)
      select p.post_id, d.user_id, d.account_id, d.platform, '', d.options, d.state, d.data, d.wake_at, p.publish_at, d.created_at, d.updated_at
      from posts p cross join deliveries d where d.post_id = ${postId} and p.schedule_id = ${schedule.schedule_id} and p.post_id > ${postId}`.execute(
      scene.testServer.deps.db,
    )
    await expect(post(schedule)).rejects.toThrow('which is the limit')
  })
})

describe('the free slots of a calendar', () => {
  it('are found without making all of very many', () => {
    let read = 0
    const slot = (n: number) => ({
      get weekday() {
        read += 1
        return (n % 7) + 1
      },
      time: `${String(n % 24).padStart(2, '0')}:00`,
      platforms: null,
    })
    const schedules = Array.from({ length: 100 }, (_, i) => ({
      schedule_id: i + 1,
      name: '',
      brand_id: 1,
      timezone: 'Europe/Lisbon',
      slots: Array.from({ length: 100 }, (_unused, n) => slot(n)),
    }))
    const span = { from: NOW, to: NOW + 42 * 86_400_000, now: NOW, limit: CALENDAR_SLOTS_MAX }
    const found = toFreeSlots({ schedules, taken: [] }, span)
    expect(found).toHaveLength(CALENDAR_SLOTS_MAX)
    expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted())
    // Once for each of the first days, instead of for each of 42.
    expect(read).toBeLessThanOrEqual(5 * 10_000)
  })

  it('are the same, however far they are looked for', () => {
    const week = { timeZone: 'Europe/Lisbon', slots: slots('Mon 18:00, Wed 01:30, Sun 01:30') }
    const schedule = {
      schedule_id: 1,
      name: '',
      brand_id: 1,
      timezone: week.timeZone,
      slots: [...week.slots],
    }
    const span = { from: NOW, to: NOW + 60 * 86_400_000, now: NOW, limit: 1000 }
    expect(toFreeSlots({ schedules: [schedule], taken: [] }, span).map(({ local }) => local)).toEqual(
      slotsBetween(week, span.from, span.to).map(({ local }) => local),
    )
  })

  it('are those of all schedules in the span that no post has', async () => {
    const evenings = await createSchedule('Mon 18:00, Tue 18:00', { jitter_minutes: 60 })
    await createSchedule('Tue 09:00', { name: 'Mornings' })
    await post(evenings)
    const { user_id: userId } = await scene.ada.call('getUser')
    const [from, to] = [Date.parse('2027-03-14T00:00Z'), Date.parse('2027-03-22T00:00Z')]
    const { db } = scene.testServer.deps
    const span = { from, to, brandId: scene.brandId }
    const { rows } = await sql<{ slots: SlotRows }>`select ${slotRows(db, userId, span)} as slots`.execute(db)
    const find = (limit: number) =>
      rows.flatMap((row) => toFreeSlots(row.slots, { ...span, now: NOW, limit }))
    expect(find(10).map(({ local }) => local)).toEqual(['2027-03-16T09:00', '2027-03-16T18:00'])
    expect(find(1)).toHaveLength(1)
  })
})
