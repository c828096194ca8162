import { makeState, setState } from '#test/support/delivery-states.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Brand } from '#contract/brands.ts'
import type { BrandId } from '#contract/ids.ts'
import { BRAND_LOGO_MAX_BYTES, BRANDS_MAX } from '#contract/limits.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { TEXTS } from '#contract/texts.ts'
import {
  type TestServer,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
} from '#test/support/test-server.ts'
import { postTikTok, schedulePost, uploadVideo } from '#test/support/publish.ts'
import { pngFile } from '#test/support/png.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { clearStorage } from '../housekeeping.ts'

let testServer: TestServer
let someone: Person
beforeAll(async () => {
  testServer = await startTestServer()
  someone = await signUp(testServer)
})
afterAll(() => testServer.stop())

const create = async (title: string) => (await someone.call('createBrand', { body: { title } })).brand_id

const remove = async (brandId: BrandId, cancelPosts?: number) =>
  (
    await someone.request(
      `/brands/${brandId}${cancelPosts === undefined ? '' : `?cancel_posts=${cancelPosts}`}`,
      {
        method: 'DELETE',
      },
    )
  ).status

async function posting(title: string, state: string): Promise<{ brandId: BrandId; postId: number }> {
  const brandId = await create(title)
  const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId })
  const post = await postTikTok(someone, account_id, sampleVideo())
  if (state === 'preparing') await setState(testServer, { account_id }, makeState(state, Date.now()))
  return { brandId, postId: post.post_id }
}

describe('brands', () => {
  it('are limited, and those of a user who has more go on working', async () => {
    const other = await signUp(testServer)
    const { user_id } = await other.call('getUser')
    await sql`insert into brands (user_id, title) select ${user_id}, 'Brand ' || n from generate_series(0, ${BRANDS_MAX}) n`.execute(
      testServer.deps.db,
    )
    const createOneMore = () =>
      other.request('/brands', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'One more' }),
      })
    const refused = await createOneMore()
    expect(refused.status).toBe(409)
    expect(ProblemBody.parse(await refused.json())).toMatchObject({
      code: 'conflict',
      message: `You have ${BRANDS_MAX + 1} brands; the limit is ${BRANDS_MAX}. Delete one first.`,
    })
    const [first, second] = await other.call('listBrands')
    if (!first || !second) throw new Error('There are no brands.')
    await other.call('renameBrand', { body: { brand_id: first.brand_id, title: 'Renamed' } })
    for (const { brand_id: brandId } of [first, second])
      await other.call('deleteBrand', { params: { brandId } })
    // Concurrent calls create no more than the limit.
    const answers = await Promise.all([createOneMore(), createOneMore(), createOneMore()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  })

  it('have names of one line', async () => {
    const other = await signUp(testServer)
    const { brand_id } = await other.call('createBrand', { body: { title: ' Smith\r\n\tSons\u2028Ltd\n' } })
    await other.call('renameBrand', { body: { brand_id, title: 'North\nwind' } })
    const second = await other.call('createBrand', { body: { title: 'Smith\r\n\tSons\u2028Ltd' } })
    expect((await other.call('listBrands')).map(({ title }) => title)).toEqual([
      'North wind',
      'Smith Sons Ltd',
    ])
    expect(second.title).toBe('Smith Sons Ltd')
  })

  it('are listed oldest first, renamed in place, and gone when deleted', async () => {
    const [first, second] = [await create('Bäckerei Nord'), await create("O'Neil, Inc.")]
    await someone.call('renameBrand', { body: { brand_id: first, title: 'Northwind' } })
    expect(await someone.call('listBrands')).toMatchObject([
      { brand_id: first, title: 'Northwind', linkedAccounts: 0 },
      { brand_id: second, title: "O'Neil, Inc.", linkedAccounts: 0 },
    ])
    expect([await remove(first), await remove(first), await remove(second)]).toEqual([204, 404, 204])
    expect(await someone.call('listBrands')).toEqual([])
  })

  it('are refused for an invalid title, with one message per fault', async () => {
    const answer = await someone.request('/brands', {
      method: 'POST',
      body: JSON.stringify({ title: '#'.repeat(51) }),
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, ProblemBody.parse(await answer.json()).errors]).toEqual([
      422,
      { title: [TEXTS.brandLength, TEXTS.brandCharacters] },
    ])
  })

  it('stay while posts wait for them, unless their number is given and right', async () => {
    const brandId = await create('Seasonal')
    const accounts = [
      (await linkAccount(someone, { platform: 'tiktok', brandId })).account_id,
      (await linkAccount(someone, { platform: 'instagram', brandId })).account_id,
    ]
    const { video_id: videoId } = await uploadVideo(someone)
    for (const inDays of [3, 40, 9])
      await schedulePost(someone, { videoId, text: `in ${inDays}`, accountIds: accounts, inDays })
    const texts = (await someone.call('listPosts', { query: { brandId } })).items
    const waiting = { posts: 3, first_at: texts[0]?.publish_at, last_at: texts[2]?.publish_at }
    expect(await someone.call('getBrandWaiting', { params: { brandId } })).toEqual(waiting)
    for (const accountId of accounts)
      expect(await someone.call('getAccountWaiting', { params: { accountId } })).toEqual(waiting)

    const refused = await someone.request(`/brands/${brandId}`, { method: 'DELETE' })
    expect([refused.status, ProblemBody.parse(await refused.json())]).toMatchObject([
      409,
      {
        code: 'posts_waiting',
        message: "3 scheduled posts won't be posted. Confirm to continue.",
      },
    ])
    expect(await remove(brandId, 2)).toBe(409)
    const [first] = accounts
    expect((await someone.request(`/accounts/${first}`, { method: 'DELETE' })).status).toBe(409)
    expect((await someone.call('listPosts', { query: { brandId } })).counts.scheduled).toBe(3)

    expect((await someone.request(`/accounts/${first}?cancel_posts=3`, { method: 'DELETE' })).status).toBe(
      204,
    )
    expect(await remove(brandId, 3)).toBe(204)
    expect((await someone.call('listPosts')).counts.scheduled).toBe(0)
  })

  it('stay while one of their accounts is publishing', async () => {
    const { brandId } = await posting('Busy', 'preparing')
    expect(await remove(brandId)).toBe(409)
    expect(await someone.call('listAccounts', { query: { brandId } })).toHaveLength(1)
    await testServer.deps.db
      .updateTable('deliveries')
      .set({ state: 'cancelled', wake_at: null, data: JSON.stringify({ attempt: 1, at: 0 }) })
      .where('state', '=', 'preparing')
      .execute()
    expect(await remove(brandId)).toBe(204)
  })

  it("are deleted with their accounts and waiting deliveries; posts keep the brand's name", async () => {
    const { brandId, postId } = await posting('Leaving', 'scheduled')
    expect(await remove(brandId, 1)).toBe(204)
    const post = await someone.call('getPost', { params: { postId } })
    expect(post).toMatchObject({ brand_title: 'Leaving', deliveries: [{ status: 'cancelled' }] })
    const rows = await testServer.deps.db
      .selectFrom('accounts')
      .select(['tokens', 'unlinked_at'])
      .where('brand_id', '=', brandId)
      .execute()
    expect(rows).toEqual([{ tokens: null, unlinked_at: expect.any(Date) as Date }])
  })
})

const sendLogo = (brandId: BrandId, content: Buffer<ArrayBuffer>, who = someone) => {
  const form = new FormData()
  form.append('logo', new File([content], 'logo.png', { type: 'image/png' }))
  return who.request(`/brands/${brandId}/logo`, { method: 'PUT', body: form })
}
const setLogo = async (brandId: BrandId, content = pngFile()) =>
  Brand.parse(await (await sendLogo(brandId, content)).json()).logo_url ?? ''
const statusOf = async (path: string) => (await fetch(testServer.url + path)).status
const storedFiles = async () => (await Array.fromAsync(testServer.deps.storage.list())).length

describe('the look of a brand', () => {
  it('has a colour of the palette, which stays when only the name changes', async () => {
    const brand_id = await create('Colourful')
    const save = (change: object) =>
      someone.call('renameBrand', { body: { brand_id, title: 'Vivid', ...change } })
    expect((await save({ color: 'teal' })).color).toBe('teal')
    expect((await save({})).color).toBe('teal')
    expect((await save({ color: null })).color).toBeNull()
    const answer = await someone.request('/brands', {
      method: 'PUT',
      body: JSON.stringify({ brand_id, title: 'Vivid', color: '#ff0000' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(422)
  })

  it('has a logo at an address of its own, until it is replaced, removed or the brand deleted', async () => {
    const brandId = await create('Logo')
    const before = await storedFiles()
    const { storage } = await someone.call('getLibrary')
    const first = await setLogo(brandId)
    expect(first).toMatch(/^\/logos\/[\w-]{43}$/)
    const answer = await fetch(testServer.url + first)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
    })
    expect(pngFile().equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
    expect((await someone.call('getLibrary')).storage.used_bytes).toBe(storage.used_bytes + pngFile().length)
    await clearStorage({ ...testServer.deps, now: () => Date.now() + 172_800_000 })
    const second = await setLogo(brandId, pngFile(512, 64))
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200])
    await someone.call('deleteBrandLogo', { params: { brandId } })
    await someone.call('deleteBrandLogo', { params: { brandId } })
    expect(await statusOf(second)).toBe(404)
    const third = await setLogo(brandId)
    expect(await remove(brandId)).toBe(204)
    expect(await statusOf(third)).toBe(404)
    expect(await storedFiles()).toBe(before)
  })

  it('takes no logo that is none, is too large, or is for a brand of another user', async () => {
    const brandId = await create('Strict')
    const before = await storedFiles()
    const eve = await signUp(testServer, 'Eve')
    const wrong = [
      await sendLogo(brandId, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      await sendLogo(brandId, pngFile(513, 1)),
      await sendLogo(brandId, pngFile().subarray(0, 40)),
      await sendLogo(brandId, Buffer.concat([pngFile(), Buffer.alloc(BRAND_LOGO_MAX_BYTES)])),
      await sendLogo(brandId, pngFile(), eve),
      await eve.request(`/brands/${brandId}/logo`, { method: 'DELETE' }),
    ]
    expect(wrong.map(({ status }) => status)).toEqual([415, 413, 422, 413, 404, 404])
    expect(
      (await someone.call('listBrands')).find(({ brand_id }) => brand_id === brandId)?.logo_url,
    ).toBeNull()
    expect(await storedFiles()).toBe(before)
  })
})
