import { readFileSync } from 'node:fs'
import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialSetting } from '#domain/follow-up/setting.ts'
import { PICTURE_MAX_BYTES } from '#contract/limits.ts'
import type { PictureId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import {
  linkAccount,
  livePosts,
  signUp,
  startTestServer,
  type Person,
  type TestServer,
} from '#test/support/test-server.ts'
import { delivered, uploadPicture, uploadVideo } from '#test/support/publish.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { fixture } from '#test/support/sample.ts'
import { mintPictureLink } from '../videos/media.ts'
import { eraseUser } from '../users/erase-user.ts'
import { followUpColumns } from '../deliveries/follow-up-rows.ts'
import { deleteUnusedQuery } from './store.ts'
import { deleteOldPictures } from './delete-old-pictures.ts'

const DAY_MS = 86_400_000
const JPEG = readFileSync(fixture('poster-1.jpg'))

let testServer: TestServer
let someone: Person
let accountId: number
beforeAll(async () => {
  testServer = await startTestServer({ worker: true })
  someone = await signUp(testServer)
  accountId = await linked(someone)
})
afterAll(() => testServer.stop())

async function linked(who: Person): Promise<number> {
  const { brand_id } = await who.call('createBrand', { body: { title: 'Northwind' } })
  return (await linkAccount(who, { platform: 'instagram', brandId: brand_id })).account_id
}

const send = (content: Uint8Array<ArrayBuffer>) => {
  const form = new FormData()
  form.append('picture', new File([content], 'cover.jpg', { type: 'image/jpeg' }))
  return someone.request('/pictures', { method: 'POST', body: form })
}
const storedFiles = async () => (await Array.fromAsync(testServer.deps.storage.list())).length
const get = (path: string) => fetch(testServer.url + path)
const sweep = (afterDays: number) =>
  deleteOldPictures({ ...testServer.deps, now: () => Date.now() + afterDays * DAY_MS })
const isKept = async (pictureId: PictureId) =>
  (await someone.request(`/pictures/${pictureId}`)).status === 200

async function post(pictureId: PictureId, inDays?: number): Promise<Post> {
  const { video_id } = await uploadVideo(someone)
  const day = new Date(Date.now() + (inDays ?? 0) * DAY_MS).toISOString().slice(0, 10)
  return someone.call('createPost', {
    body: {
      video_id,
      text: 'Hello',
      targets: [{ account_id: accountId, options: { cover_picture_id: pictureId } }],
      ...(inDays !== undefined && { publish_at: { local: `${day}T12:00`, timezone: 'Europe/Lisbon' } }),
    },
  })
}

describe('an own picture', () => {
  it('is stored with its size, and shown at an address of its own', async () => {
    const picture = await uploadPicture(someone)
    expect(picture).toMatchObject({ width: 270, height: 480, size: JPEG.length })
    expect(picture.url).toMatch(/^\/pictures\/[\w-]{43}$/)
    expect(await someone.call('getPicture', { params: { pictureId: picture.picture_id } })).toEqual(picture)
    const answer = await get(picture.url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    expect(JPEG.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
  })

  it('is refused if it is no JPEG in RGB, too large or cut off; nothing is stored', async () => {
    const before = await storedFiles()
    const frame = JPEG.indexOf(Buffer.from([0xff, 0xc0]))
    const cmyk = Buffer.from(JPEG)
    cmyk[frame + 9] = 4
    const statuses = []
    for (const content of [
      Buffer.from('\x89PNG\r\n\x1a\n a picture of another kind'),
      cmyk,
      JPEG.subarray(0, frame + 4),
      Buffer.concat([JPEG, Buffer.alloc(PICTURE_MAX_BYTES)]),
    ])
      statuses.push((await send(Buffer.from(content))).status)
    expect(statuses).toEqual([415, 415, 415, 413])
    expect(await storedFiles()).toBe(before)
  })

  it('is refused where its end is missing, in words; nothing is stored', async () => {
    const before = await storedFiles()
    for (const end of [JPEG.length >> 1, JPEG.length - 2]) {
      const answer = await send(Buffer.from(JPEG.subarray(0, end)))
      expect([answer.status, await answer.json()]).toMatchObject([
        422,
        { errors: { picture: [expect.stringContaining('The end of this picture is missing.')] } },
      ])
    }
    expect(await storedFiles()).toBe(before)
  })

  it('becomes the cover at Instagram, fetched from an address that ends with the post', async () => {
    const picture = await uploadPicture(someone, 'poster-2.jpg')
    const made = await post(picture.picture_id)
    await delivered(someone, made, ['published'])
    const live = (await livePosts(testServer)).at(-1)
    expect(live?.options['cover_sha256']).toBe(
      createHash('sha256')
        .update(readFileSync(fixture('poster-2.jpg')))
        .digest('hex'),
    )
    const url = String(live?.options['cover_url'])
    expect(url).toMatch(/\/media\/[\w-]{43}\.jpg$/)
    expect((await fetch(url)).status).toBe(404)
  })

  it('has its own type and ranges at the address for platforms while a post is open', async () => {
    const { user_id: userId } = await someone.call('getUser')
    const { picture_id: pictureId } = await uploadPicture(someone)
    const made = await post(pictureId, 5)
    const mint = (ttlMs: number) =>
      mintPictureLink(testServer.deps.db, { userId, pictureId }, { ttlMs, now: Date.now() })
    const answer = await fetch(`${testServer.url}${await mint(60_000)}`, { headers: { range: 'bytes=0-2' } })
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      206,
      'image/jpeg',
      'private, no-store',
    ])
    expect((await get(String(await mint(-1)))).status).toBe(404)
    await someone.call('cancelDelivery', { params: { deliveryId: made.deliveries[0]?.delivery_id ?? 0 } })
    expect((await get(String(await mint(60_000)))).status).toBe(404)
  })

  it("that is another user's or gone is refused at its option", async () => {
    const eve = await signUp(testServer, 'Eve')
    const hers = await uploadPicture(eve)
    const { video_id } = await uploadVideo(someone)
    for (const cover_picture_id of [hers.picture_id, 999_999]) {
      const answer = await someone.request('/posts', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          video_id,
          text: 'Hello',
          targets: [{ account_id: accountId, options: { cover_picture_id } }],
        }),
      })
      expect(answer.status).toBe(422)
      expect(await answer.json()).toMatchObject({
        errors: {
          'targets.0.options.cover_picture_id': ["This picture isn't stored any more. Choose another one."],
        },
      })
    }
  })
})

describe('a picture that nothing uses', () => {
  it('is deleted with its file after 30 days, and no earlier', async () => {
    const { picture_id, url } = await uploadPicture(someone)
    await sweep(29)
    expect(await isKept(picture_id)).toBe(true)
    const before = await storedFiles()
    await sweep(31)
    expect([await isKept(picture_id), (await get(url)).status]).toEqual([false, 404])
    expect(await storedFiles()).toBeLessThan(before)
  })

  it('is kept while an unfinished post has it, and for 30 days after the last use', async () => {
    const { picture_id } = await uploadPicture(someone)
    const made = await post(picture_id, 100)
    await sweep(90)
    expect(await isKept(picture_id)).toBe(true)
    await someone.call('cancelDelivery', { params: { deliveryId: made.deliveries[0]?.delivery_id ?? 0 } })
    await sweep(29)
    expect(await isKept(picture_id)).toBe(true)
    await sweep(31)
    expect(await isKept(picture_id)).toBe(false)
  })

  it('is kept while a live post still waits for it as its cover', async () => {
    const { picture_id } = await uploadPicture(someone)
    const made = await post(picture_id)
    await delivered(someone, made, ['published'])
    const { db } = testServer.deps
    const { user_id } = await someone.call('getUser')
    const delivery_id = made.deliveries[0]?.delivery_id ?? 0
    await db
      .insertInto('follow_ups')
      .values({
        delivery_id,
        user_id,
        kind: 'cover',
        ...followUpColumns({ kind: 'cover', state: initialSetting(0) }),
        wake_at: new Date(Date.now() + 100 * DAY_MS),
      })
      .execute()
    await sweep(31)
    expect(await isKept(picture_id)).toBe(true)
    await db.deleteFrom('follow_ups').where('delivery_id', '=', delivery_id).execute()
    await sweep(31)
    expect(await isKept(picture_id)).toBe(false)
  })

  it.each([
    ['for all accounts', (id: PictureId) => ({ platform_options: { instagram: { cover_picture_id: id } } })],
    [
      'by the word of another platform',
      (id: PictureId) => ({ platform_options: { youtube: { thumbnail_picture_id: id } } }),
    ],
    [
      'for one account',
      (id: PictureId) => ({
        targets: [{ account_id: accountId, text: null, options: { cover_picture_id: id } }],
      }),
    ],
  ])('is kept while a draft names it %s', async (_whose, named) => {
    const { picture_id } = await uploadPicture(someone)
    const draftId = randomUUID()
    const content = { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null }
    await someone.call('saveDraft', {
      params: { draftId },
      body: { version: 0, content: { ...content, ...named(picture_id) } },
    })
    await sweep(400)
    expect(await isKept(picture_id)).toBe(true)
    await someone.call('saveDraft', { params: { draftId }, body: { version: 1, content } })
    await sweep(400)
    expect(await isKept(picture_id)).toBe(false)
  })

  it('is looked for in each draft once, however many pictures there are', async () => {
    const eve = await signUp(testServer, 'Eve')
    const { user_id } = await eve.call('getUser')
    const { picture_id } = await uploadPicture(eve)
    const { db } = testServer.deps
    await sql`insert into pictures (user_id, token, storage_key, sha256, size, width, height, created_at, used_at)
      select user_id, token || n, storage_key || n, sha256, size, width, height, created_at, used_at
      from pictures, generate_series(1, 200) n where picture_id = ${picture_id}`.execute(db)
    await sql`insert into drafts (user_id, draft_id, content, created_at, updated_at)
      select ${user_id}, gen_random_uuid(), '{"text": ""}', now(), now() from generate_series(1, 20)`.execute(
      db,
    )
    const query = deleteUnusedQuery(db, Date.now() + DAY_MS).compile()
    const drafts = (await explainScans(db, query)).filter(({ table }) => table === 'drafts')
    expect(drafts).not.toEqual([])
    expect(sumRows(drafts)).toBeLessThan(100)
  })

  it('is deleted with its user', async () => {
    const eve = await signUp(testServer, 'Eve')
    const { url } = await uploadPicture(eve)
    const before = await storedFiles()
    await eraseUser(testServer.deps, (await eve.call('getUser')).uid)
    expect((await get(url)).status).toBe(404)
    expect(await storedFiles()).toBe(before - 1)
  })
})
