import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId, BrandId, DraftId, ScheduleId, VideoId } from '#contract/ids.ts'
import { DRAFTS_MAX, JSON_MAX_VALUES } from '#contract/limits.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { deleteOldDrafts, listDraftsQuery } from './store.ts'

let testServer: TestServer
let ada: Person
let eve: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
let filename: string
let draftId: DraftId

beforeAll(async () => {
  testServer = await startTestServer()
  ;[ada, eve] = await Promise.all([signUp(testServer, 'Ada'), signUp(testServer, 'Eve')])
  ;({ brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } }))
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
  ;({ video_id: video, filename } = await uploadVideo(ada))
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  draftId = randomUUID()
  await testServer.deps.db.deleteFrom('drafts').execute()
})

const contentOf = (its: Partial<DraftContent> = {}): DraftContent => ({
  video_id: video,
  text: 'Opening day',
  platform_options: { tiktok: { privacy_level: 'SELF_ONLY', disable_duet: true } },
  targets: [
    { account_id: tiktok, text: 'For TikTok', options: null },
    { account_id: instagram, text: null, options: { share_to_feed: false } },
  ],
  publish_at: { local: '2026-12-24T18:30', timezone: 'Asia/Kathmandu' },
  ...its,
})

const save = (version: number, content = contentOf(), who = ada) =>
  who.call('saveDraft', { params: { draftId }, body: { version, content } })
const read = () => ada.call('getDraft', { params: { draftId } })
const list = async (deleted: 'true' | 'false' = 'false', who = ada) =>
  (await who.call('listDrafts', { query: { deleted } })).items
const remove = (who = ada) => who.call('deleteDraft', { params: { draftId } })
const restore = (who = ada) => who.call('restoreDraft', { params: { draftId } })

async function send(method: string, address: string, body?: unknown, who = ada, headers = {}) {
  const json = { 'content-type': 'application/json', ...headers }
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: json }
  const answer = await who.request(address, { method, ...init })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}
const put = (version: number, content: unknown = contentOf(), who = ada) =>
  send('PUT', `/drafts/${draftId}`, { version, content }, who)
const targetsWith = (text: string) =>
  Array.from({ length: 100 }, (_, i) => ({ account_id: (i + 1) as AccountId, text, options: null }))
const MANY = Array.from({ length: JSON_MAX_VALUES }, () => [])
const NO_TARGET = { account_id: 1, text: null, options: null }
const CONFLICT = { status: 409, body: { code: 'conflict' } }
const NOT_FOUND = { status: 404, body: { code: 'not_found' } }

describe('a draft', () => {
  it('is created, saved, read and listed', async () => {
    const first = await save(0)
    expect(first).toMatchObject({ draft_id: draftId, version: 1, author: 'Ada', deleted_at: null })
    expect(first.content).toEqual(contentOf())
    const text = 'é'.repeat(250)
    expect((await save(1, contentOf({ text }))).version).toBe(2)
    expect((await read()).content).toEqual(contentOf({ text }))
    expect(await list()).toMatchObject([
      {
        draft_id: draftId,
        version: 2,
        text: 'é'.repeat(200),
        video: { video_id: video, filename, poster_url: null },
        accounts: 2,
        planned: true,
        brand_ids: [brandId],
        planned_for: '2026-12-24T12:45:00.000Z',
        place: null,
        author: 'Ada',
        deleted_at: null,
      },
    ])
  })

  it('may be empty, and comes first in the list when it was saved last', async () => {
    const empty = contentOf({ video_id: null, text: '', platform_options: {}, targets: [], publish_at: null })
    await save(0, empty)
    const older = draftId
    draftId = randomUUID()
    await save(0)
    expect((await list()).map(({ draft_id }) => draft_id)).toEqual([draftId, older])
    draftId = older
    await save(1, { ...empty, text: 'Now' })
    const nothing = {
      video: null,
      accounts: 0,
      brand_ids: [],
      planned: false,
      planned_for: null,
      place: null,
    }
    expect(await list()).toMatchObject([{ draft_id: older, ...nothing }, {}])
    await save(2, { ...empty, schedule: { schedule_id: 1 as ScheduleId, place: 'next' } })
    expect(await list()).toMatchObject([{ draft_id: older, planned: false, place: 'next' }, {}])
  })

  it("shows no video that is another user's or was deleted", async () => {
    const { video_id: theirs } = await uploadVideo(eve)
    await save(0, contentOf({ video_id: theirs }))
    expect(await list()).toMatchObject([{ video: null }])
    const { video_id: gone } = await uploadVideo(ada)
    await save(1, contentOf({ video_id: gone }))
    expect(await list()).toMatchObject([{ video: { video_id: gone } }])
    await ada.call('deleteVideo', { params: { videoId: gone } })
    expect(await list()).toMatchObject([{ video: null }])
  })

  it('refuses half an emoji, which no text ends in', async () => {
    const cut = 'Tart 🥐'.slice(0, -1)
    expect(await put(0, contentOf({ text: cut }))).toMatchObject({ status: 400, body: { code: 'malformed' } })
    expect(await list()).toEqual([])
  })
})

describe('saving', () => {
  it('in two tabs refuses the second, which reads what the first has saved', async () => {
    await save(0)
    await save(1, contentOf({ text: 'First tab' }))
    expect(await put(1, contentOf({ text: 'Second tab' }))).toMatchObject(CONFLICT)
    expect(await put(0, contentOf({ text: 'Second tab' }))).toMatchObject(CONFLICT)
    expect(await put(3, contentOf({ text: 'Second tab' }))).toMatchObject(CONFLICT)
    expect(await read()).toMatchObject({ version: 2, content: { text: 'First tab' } })
    expect((await save(2, contentOf({ text: 'Second tab' }))).version).toBe(3)
  })

  it('again after a lost answer succeeds with whatever version, and changes nothing', async () => {
    const first = await save(0)
    expect(await save(0)).toEqual(first)
    const second = await save(1, contentOf({ text: 'Changed' }))
    const { platform_options, ...rest } = contentOf({ text: 'Changed' })
    const reordered = {
      platform_options: { tiktok: { disable_duet: true, privacy_level: 'SELF_ONLY' } },
      ...rest,
    }
    expect(platform_options).toEqual(reordered.platform_options)
    for (const version of [0, 1, 2, 7]) expect(await save(version, reordered)).toEqual(second)
  })

  it('concurrently stores one of several contents, and equal ones once', async () => {
    const created = await Promise.all(Array.from({ length: 6 }, () => save(0)))
    expect(created.map(({ version }) => version)).toEqual(Array(6).fill(1))
    const tabs = await Promise.all([1, 2, 3, 4, 5, 6].map((tab) => put(1, contentOf({ text: `Tab ${tab}` }))))
    expect(tabs.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    expect((await read()).version).toBe(2)
  })

  it('of another version than 0 creates nothing', async () => {
    expect(await put(1)).toMatchObject(NOT_FOUND)
    expect(await list()).toEqual([])
  })

  it('refuses the 201st draft, and restoring one beside 200', async () => {
    await save(0)
    await remove()
    await fill(ada, DRAFTS_MAX)
    expect(await send('POST', `/drafts/${draftId}/restore`)).toMatchObject(CONFLICT)
    const [first] = await list()
    draftId = randomUUID()
    const refused = await put(0)
    expect(refused).toMatchObject(CONFLICT)
    expect(JSON.stringify(refused.body)).toContain('Publish or delete one')
    draftId = first?.draft_id ?? ''
    await save(1)
    await remove()
    draftId = randomUUID()
    await save(0)
    expect(await list()).toHaveLength(DRAFTS_MAX)
  })

  it.each<[string, (valid: DraftContent) => unknown, string]>([
    ['a text that is too long', (valid) => ({ ...valid, text: 'x'.repeat(10_001) }), 'content.text'],
    [
      "an account's text that is too long",
      (valid) => ({ ...valid, targets: [{ account_id: 1, text: 'x'.repeat(10_001), options: null }] }),
      'content.targets.0.text',
    ],
    [
      'too many accounts',
      (valid) => ({ ...valid, targets: Array.from({ length: 101 }, () => NO_TARGET) }),
      'content.targets',
    ],
    [
      'options of no platform',
      (valid) => ({ ...valid, platform_options: { x: {} } }),
      'content.platform_options',
    ],
    [
      'options that are none',
      (valid) => ({ ...valid, platform_options: { tiktok: 1 } }),
      'content.platform_options.tiktok',
    ],
    [
      'a zone that does not exist',
      (valid) => ({ ...valid, publish_at: { local: '2026-12-24T18:30', timezone: 'Mars/X' } }),
      'content.publish_at.timezone',
    ],
    ['no text', (valid) => ({ ...valid, text: undefined }), 'content.text'],
  ])('refuses %s', async (_what, change, field) => {
    const { status, body } = await put(0, change(contentOf()))
    expect(status).toBe(422)
    expect(Object.keys((body as { errors: object }).errors)).toEqual([field])
    expect(await list()).toEqual([])
  })

  it('refuses a version, an id and a size that cannot be', async () => {
    expect(await put(-1)).toMatchObject({ status: 422, body: { errors: { version: [expect.any(String)] } } })
    expect(await put(1.5)).toMatchObject({ status: 422 })
    expect(await send('PUT', '/drafts/abc', { version: 0, content: contentOf() })).toMatchObject({
      status: 400,
    })
    expect(await put(0, contentOf({ text: 'a\u0000' }))).toMatchObject({ status: 400 })
  })

  it('takes a text for each of a hundred accounts, in any script', async () => {
    const targets = targetsWith('よ'.repeat(580))
    expect((await save(0, contentOf({ targets }))).content.targets).toEqual(targets)
  })

  it.each<[string, () => unknown]>([
    ['is large in all', () => contentOf({ targets: targetsWith('x'.repeat(660)) })],
    ['is larger than any body', () => contentOf({ targets: targetsWith('よ'.repeat(2200)) })],
    ['has very many values', () => ({ ...contentOf(), platform_options: { tiktok: { privacy: MANY } } })],
  ])('refuses a draft that %s, and stores nothing', async (_what, makeContent) => {
    expect(await put(0, makeContent())).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect(await list()).toEqual([])
  })

  it.each<[string, object, string, string]>([
    ['beside the content', { junk: 1 }, 'content', 'content does not take “junk”.'],
    [
      'of an account',
      { targets: [{ account_id: 1, text: null, options: null, junk: 1 }] },
      'content.targets.0',
      'content.targets.0 does not take “junk”.',
    ],
    [
      'among options',
      { platform_options: { tiktok: { junk: 'x'.repeat(200_000) } } },
      'content.platform_options.tiktok',
      'content.platform_options.tiktok does not take “junk”.',
    ],
  ])('refuses what no draft has, %s', async (_where, change, field, message) => {
    const { status, body } = await put(0, { ...contentOf(), ...change })
    expect(status).toBe(422)
    expect((body as { errors: object }).errors).toEqual({ [field]: [message] })
  })

  it('takes what the composer and a post keep of options', async () => {
    const posted = { privacy_level: 'SELF_ONLY', is_aigc: true }
    const options = {
      collaborators: ['maria'],
      trial_params: { graduation_strategy: 'MANUAL' },
      cover_picture_id: null,
    }
    const content = contentOf({
      platform_options: { tiktok: { posted }, instagram: options },
      targets: [{ account_id: tiktok, text: null, options: { privacy: null, coverMs: 0, inbox: false } }],
    })
    expect((await save(0, content)).content).toEqual(content)
  })
})

describe("another user's draft", () => {
  it('answers 404 to read, save, delete and restore', async () => {
    await save(0)
    const theirs = `/drafts/${draftId}`
    expect(await send('GET', theirs, undefined, eve)).toMatchObject(NOT_FOUND)
    expect(await put(1, contentOf({ text: 'Mine' }), eve)).toMatchObject(NOT_FOUND)
    expect(await send('DELETE', theirs, undefined, eve)).toMatchObject(NOT_FOUND)
    expect(await send('POST', `${theirs}/restore`, undefined, eve)).toMatchObject(NOT_FOUND)
    expect(await list('false', eve)).toEqual([])
    expect(await read()).toMatchObject({ version: 1, deleted_at: null })
  })

  it('does not prevent an own draft with the same id', async () => {
    await save(0)
    expect(await save(0, contentOf({ text: 'Mine' }), eve)).toMatchObject({ version: 1, author: 'Eve' })
    expect((await read()).content.text).toBe('Opening day')
    await remove(eve)
    expect((await read()).deleted_at).toBeNull()
  })
})

describe('a deleted draft', () => {
  it('can be read and restored, and not saved until then', async () => {
    const saved = await save(0)
    await remove()
    await remove()
    expect(await list()).toEqual([])
    const { deleted_at } = await read()
    expect(deleted_at).not.toBeNull()
    expect(await list('true')).toMatchObject([{ draft_id: draftId, deleted_at }])
    expect(await put(1, contentOf({ text: 'Late' }))).toMatchObject(CONFLICT)
    expect(await put(1)).toMatchObject(CONFLICT)
    expect(await restore()).toEqual(saved)
    expect(await restore()).toEqual(saved)
    expect(await list()).toHaveLength(1)
    expect(await list('true')).toEqual([])
  })

  it('is gone after 30 days, and purged', async () => {
    await save(0)
    await remove()
    await age(29.9)
    expect(await list('true')).toHaveLength(1)
    await deleteOldDrafts(testServer.deps)
    await age(30.1)
    expect(await list('true')).toEqual([])
    expect(await send('GET', `/drafts/${draftId}`)).toMatchObject(NOT_FOUND)
    expect(await send('POST', `/drafts/${draftId}/restore`)).toMatchObject(NOT_FOUND)
    expect(await send('DELETE', `/drafts/${draftId}`)).toMatchObject(NOT_FOUND)
    expect(await put(1)).toMatchObject(NOT_FOUND)
    expect(await rows()).toBe(1)
    // Its id may be used again before it is purged.
    expect((await save(0, contentOf({ text: 'Anew' }))).version).toBe(1)
    await remove()
    await age(31)
    await deleteOldDrafts(testServer.deps)
    expect(await rows()).toBe(0)
  })

  it('is dropped when more are deleted than can be listed', async () => {
    await save(0)
    await fill(ada, DRAFTS_MAX, 5)
    await remove()
    const deleted = await list('true')
    expect(deleted).toHaveLength(DRAFTS_MAX)
    expect(deleted[0]?.draft_id).toBe(draftId)
    expect(await rows()).toBe(DRAFTS_MAX)
  })

  it('is not dropped where it is being restored', async () => {
    await fill(ada, DRAFTS_MAX, 5)
    const restored = draftId
    await save(0)
    await remove()
    await age(20)
    draftId = randomUUID()
    await save(0)
    const { db } = testServer.deps
    const removing = await db.transaction().execute(async (trx) => {
      await trx.updateTable('drafts').set({ deleted_at: null }).where('draft_id', '=', restored).execute()
      const answer = remove()
      await until('the deletion to wait for that', async () => {
        const { rows: waiting } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return waiting.length > 0
      })
      return { answer }
    })
    await removing.answer
    expect((await list()).map(({ draft_id }) => draft_id)).toEqual([restored])
  })
})

it('drafts go with their user', async () => {
  const bob = await signUp(testServer, 'Bob')
  await save(0, contentOf(), bob)
  expect(await rows()).toBe(1)
  await bob.call('deleteUser')
  expect(await rows()).toBe(0)
})

it('a list among many drafts reads only those that it shows', async () => {
  const { db } = testServer.deps
  for (let user = 0; user < 20; user++) await fill(eve, 500, 10)
  await fill(eve, 10_000)
  await fill(ada, DRAFTS_MAX)
  await fill(ada, DRAFTS_MAX, 5)
  await sql`analyze drafts`.execute(db)
  const userId = (await ada.call('getUser')).user_id
  for (const deleted of [false, true]) {
    const query = listDraftsQuery(db, { userId, deleted, now: Date.now() }).compile()
    expect(query.sql).not.toContain('content')
    const scans = (await explainScans(db, query)).filter(({ table }) => table === 'drafts')
    expect(sumRows(scans)).toBeLessThanOrEqual(2 * DRAFTS_MAX)
  }
})

const rows = async (): Promise<number> =>
  (await testServer.deps.db.selectFrom('drafts').selectAll().execute()).length

/** Backdates the deletion. */
const age = (days: number) =>
  testServer.deps.db
    .updateTable('drafts')
    .set({ deleted_at: new Date(Date.now() - days * 86_400_000) })
    .where('draft_id', '=', draftId)
    .execute()

async function fill(who: Person, count: number, deletedDaysAgo: number | null = null): Promise<void> {
  const { user_id } = await who.call('getUser')
  const content = JSON.stringify(contentOf())
  const deletedAt = deletedDaysAgo === null ? null : new Date(Date.now() - deletedDaysAgo * 86_400_000)
  await sql`insert into drafts (user_id, draft_id, content, created_at, updated_at, deleted_at)
    select ${user_id}, gen_random_uuid(), ${content}::jsonb, now() - interval '40 days', now() - interval '40 days', ${deletedAt}
    from generate_series(1, ${count}::int)`.execute(testServer.deps.db)
}
