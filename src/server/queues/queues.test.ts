import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { BrandId } from '#contract/ids.ts'
import {
  NOW,
  change,
  createQueue,
  getBrand,
  listQueues,
  post,
  refused,
  scene,
  send,
  slots,
  startScene,
  timeOf,
  timesOf,
} from '#test/support/planning/queues.ts'
import { slotRows, type SlotRows, toFreeSlots } from './free-slots.ts'

startScene()

describe('queues', () => {
  it('are listed with their slots in order of the week, in the zone of the brand or the user', async () => {
    const queue = await createQueue('Tue 09:00, Mon 18:00, Mon 08:30 tiktok')
    expect(queue).toEqual({
      queue_id: queue.queue_id,
      brand_id: scene.brandId,
      name: 'Evenings',
      timezone: 'Europe/Lisbon',
      paused: false,
      jitter_minutes: 0,
      slots: slots('Mon 08:30 tiktok, Mon 18:00, Tue 09:00'),
      waiting: 0,
      version: 1,
    })
    await scene.ada.call('renameBrand', {
      body: { brand_id: scene.brandId, title: 'Northwind', timezone: 'Australia/Sydney' },
    })
    expect(await listQueues()).toMatchObject([{ timezone: 'Australia/Sydney' }])
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney', paused: false })
    // Left out, the zone stays; null is the user's.
    await scene.ada.call('renameBrand', { body: { brand_id: scene.brandId, title: 'Southwind' } })
    expect(await getBrand()).toMatchObject({ timezone: 'Australia/Sydney' })
    await scene.ada.call('renameBrand', {
      body: { brand_id: scene.brandId, title: 'Southwind', timezone: null },
    })
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
      said.push(await refused(await send('/queues', 'POST', { brand_id: scene.brandId, ...answer })))
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
    expect(await refused(await send('/queues', 'POST', { brand_id: scene.brandId, ...same }))).toEqual(taken)
    expect(await refused(await send(`/queues/${queueId}`, 'PUT', { ...same, version }))).toEqual(taken)
  })

  it('are at most 20 for a brand', async () => {
    for (let i = 1; i <= 20; i += 1) await createQueue('Mon 18:00', { name: `Queue ${i}` })
    const answer = await send('/queues', 'POST', {
      brand_id: scene.brandId,
      name: 'X',
      slots: slots('Mon 18:00'),
    })
    expect(await refused(answer)).toEqual([422, 'invalid', { brand_id: ['A brand has at most 20 queues.'] }])
  })

  it('say when their next free slots are, for any platforms', async () => {
    const { queue_id } = await createQueue('Mon 09:00, Mon 18:00, Tue 18:00 tiktok')
    const next = async (count: number, platforms?: string) => {
      const query = `count=${count}${platforms ? `&platforms=${platforms}` : ''}`
      const answer = await scene.ada.request(`/queues/${queue_id}/next?${query}`)
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
    expect((await scene.ada.request(`/queues/${queue_id}/next?platforms=x`)).status).toBe(400)
    expect((await scene.ada.request(`/queues/${queue_id}/next?count=11`)).status).toBe(400)
  })

  it('are gone when deleted, and their posts keep their times', async () => {
    const queue = await createQueue('Mon 18:00')
    const one = await post(queue)
    expect(await listQueues()).toMatchObject([{ waiting: 1 }])
    await scene.ada.call('deleteQueue', { params: { queueId: queue.queue_id } })
    expect(await listQueues()).toEqual([])
    expect((await scene.ada.request(`/queues/${queue.queue_id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await timeOf(one)).toBe('15 18:00')
    expect(await scene.ada.call('getPost', { params: { postId: one } })).toMatchObject({ queue_id: null })
  })

  it('release what their pause holds when they are deleted', async () => {
    const queue = await createQueue('Mon 18:00')
    const held = await post(queue)
    await scene.ada.call('pauseQueue', { params: { queueId: queue.queue_id }, body: { paused: true } })
    expect(await listQueues()).toMatchObject([{ paused: true }])
    const reason = { code: 'paused', message: 'Paused.', remedy: 'Resume.', detail: null }
    const data = { attempt: 1, repeats: 0, cause: 'paused', until: null, dueAt: NOW, reason, earlier: null }
    await scene.testServer.deps.db
      .updateTable('deliveries')
      .set({ state: 'blocked', data: JSON.stringify(data), wake_at: null })
      .where('post_id', '=', held)
      .execute()
    await scene.ada.call('deleteQueue', { params: { queueId: queue.queue_id } })
    const { deliveries } = await scene.ada.call('getPost', { params: { postId: held } })
    expect(deliveries).toMatchObject([{ status: 'scheduled' }])
  })

  it('go with their brand', async () => {
    const { brand_id } = await scene.ada.call('createBrand', { body: { title: 'Harbour' } })
    const body = { brand_id, name: 'Evenings', slots: slots('Mon 18:00') }
    const { queue_id } = await scene.ada.call('createQueue', { body })
    await scene.ada.call('deleteBrand', { params: { brandId: brand_id }, query: {} })
    const all = await scene.ada.call('listQueues')
    expect(all.filter((queue) => queue.queue_id === queue_id)).toEqual([])
  })
})

const previewZone = (zone: string | null) =>
  scene.ada.call('previewBrandZone', { params: { brandId: scene.brandId }, body: { timezone: zone } })

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
    await scene.ada.call('editPost', {
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

it('another zone of the user moves no post and no slot of a queue', async () => {
  const queue = await createQueue('Mon 18:00, Tue 18:00')
  const waiting = await post(queue)
  const plain = (await scene.ada.call('createBrand', { body: { title: 'Plain' } })).brand_id
  await scene.ada.call('setTimezone', { body: { timezone: 'Asia/Tokyo' } })
  try {
    expect([await zoneOf(scene.brandId), await zoneOf(plain)]).toEqual(['Europe/Lisbon', null])
    expect(await listQueues()).toMatchObject([{ timezone: 'Europe/Lisbon' }])
    expect(await timesOf(waiting, await post(queue))).toEqual(['15 18:00', '16 18:00'])
    expect((await change(queue, 'Mon 18:00, Tue 18:00').preview()).moves).toEqual([])
  } finally {
    await scene.ada.call('setTimezone', { body: { timezone: 'Europe/Lisbon' } })
  }
})

describe('the free slots of a calendar', () => {
  it('are those of all queues in the span that no post has', async () => {
    const evenings = await createQueue('Mon 18:00, Tue 18:00', { jitter_minutes: 60 })
    await createQueue('Tue 09:00', { name: 'Mornings' })
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
