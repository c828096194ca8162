import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { PostImport } from '#contract/planning/csv.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  control,
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

const NOVAS: unknown = expect.stringContaining('/avatars/nova.svg')

const NOW = Date.parse('2026-10-20T12:00:00Z')

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let tart: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
  // Each test links the same creator again, more often per minute than TikTok answers.
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { tiktok_rate_limits: false })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  await linkAccount(ada, { platform: 'instagram', brandId })
  tart = await upload('Lemon Tart.mp4')
})

const upload = async (name: string, who = ada) =>
  (await uploadVideo(who, new File([sampleVideo().file], name, { type: 'video/mp4' }))).video_id

const HEAD = 'caption,video,accounts,time,zone'
const BOTH = 'tiktok:@nova instagram:@nova'
const fileOf = (...rows: string[]) => [HEAD, ...rows].join('\n')

const send = (csv: string, key: string | null = null, who = ada) =>
  who.request('/posts/import', {
    method: 'POST',
    body: JSON.stringify({ csv }),
    headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) },
  })
const imported = async (csv: string, key: string | null = null) =>
  PostImport.parse(await (await send(csv, key)).json())
const dryRun = (csv: string, who = ada) => who.call('importPosts', { body: { csv, dry_run: true } })
const errorsOf = async (csv: string, who = ada) =>
  (await dryRun(csv, who)).errors.map(({ line, column, message }) => `${line} ${column}: ${message}`)
const postsOf = async (who = ada) => (await who.call('listPosts', { query: { limit: 100 } })).items

describe('an import', () => {
  it('makes each post as it would be made alone, in the order of the file', async () => {
    const csv = fileOf(
      `"Warm, with 🍋\nand cream",lemon tart.MP4,${BOTH},2026-12-24 18:30,`,
      `Second,${tart},TikTok:nova,2026-12-25T09:00:00,Asia/Tokyo`,
      `,Lemon Tart.mp4,${tiktok},2026-12-26 7:05,`,
    )
    const made = await imported(csv)
    expect(made).toMatchObject({ posts: 3, errors: [], lines: [] })
    const posts = await postsOf()
    expect(posts.map(({ post_id }) => post_id)).toEqual(made.post_ids)
    expect(posts).toMatchObject([
      {
        text: 'Warm, with 🍋\nand cream',
        publish_at: '2026-12-24T18:30:00.000Z',
        timezone: 'Europe/Lisbon',
        brand_id: brandId,
        deliveries: [
          { platform: 'tiktok', status: 'scheduled', due_at: '2026-12-24T18:30:00.000Z' },
          { platform: 'instagram', status: 'scheduled', due_at: '2026-12-24T18:30:00.000Z' },
        ],
      },
      { text: 'Second', publish_at: '2026-12-25T00:00:00.000Z', timezone: 'Asia/Tokyo', deliveries: [{}] },
      { text: '', publish_at: '2026-12-26T07:05:00.000Z', deliveries: [{ platform: 'tiktok' }] },
    ])
    const { targets } = await ada.call('getPost', { params: { postId: made.post_ids[0] ?? 0 } })
    expect(targets[0]).toMatchObject({ options: { privacy_level: 'PUBLIC_TO_EVERYONE' } })
    expect((await ada.call('listVideos', { query: { brand_id: brandId } })).videos).toHaveLength(1)
  })

  it('spreads a post over minutes, and knows the same file again', async () => {
    const csv = [
      `${HEAD},spread`,
      `One,Lemon Tart.mp4,instagram:@nova tiktok:@nova,2026-12-24 18:30,,60`,
      `Two,Lemon Tart.mp4,tiktok:@nova,2026-12-25 18:30,,60`,
    ].join('\n')
    const { lines } = await dryRun(csv)
    expect(lines.map(({ at, last_at }) => [at.slice(11, 16), last_at.slice(11, 16)])).toEqual([
      ['18:30', '19:30'],
      ['18:30', '18:30'],
    ])
    await imported(csv)
    const [one] = await postsOf()
    expect(one?.deliveries).toMatchObject([
      { platform: 'instagram', due_at: '2026-12-24T18:30:00.000Z' },
      { platform: 'tiktok', due_at: '2026-12-24T19:30:00.000Z' },
    ])
    expect(await errorsOf(csv)).toHaveLength(2)
    for (const spread of ['an hour', '-1', '10081', '1.5'])
      expect(
        await errorsOf(`${HEAD},spread\nOne,Lemon Tart.mp4,${BOTH},2027-01-24 18:30,,${spread}`),
      ).toEqual([
        '2 spread: Give the minutes over which the accounts get the post, such as 60: up to 10080, which is a week.',
      ])
  })

  it('sends a post to the accounts of a set, each once', async () => {
    const instagram = (await ada.call('listAccounts')).find(({ platform }) => platform === 'instagram')
    const account_ids = [instagram?.account_id ?? tiktok, tiktok]
    const content = { account_ids }
    await ada.call('createPreset', { body: { kind: 'accounts', name: 'All Cafés', content } })
    await ada.call('createPreset', {
      body: { kind: 'accounts', name: 'shops', content: { account_ids: [tiktok] } },
    })
    const { lines } = await dryRun(
      fileOf(
        `One,Lemon Tart.mp4,"set:""all CAFÉS"" tiktok:@nova",2026-12-24 18:30,`,
        `Two,Lemon Tart.mp4,SET:shops;set:“All Cafés”;set:shops,2026-12-25 18:30,`,
      ),
    )
    expect(lines.map(({ accounts }) => accounts.map(({ platform }) => platform))).toEqual([
      ['instagram', 'tiktok'],
      ['tiktok', 'instagram'],
    ])
  })

  it('tells of an account of a set that is no longer linked', async () => {
    const other = await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })
    const content = { account_ids: [tiktok, other.account_id] }
    await ada.call('createPreset', { body: { kind: 'accounts', name: 'shops', content } })
    await ada.call('unlinkAccount', { params: { accountId: other.account_id } })
    expect(await errorsOf(fileOf('One,Lemon Tart.mp4,set:shops,2026-12-24 18:30,'))).toEqual([
      '2 accounts: @atlas on TikTok, in the set “shops”, is no longer linked.',
    ])
  })

  it("reads a time in its brand's zone, unless accounts of several brands are named", async () => {
    const other = (await ada.call('createBrand', { body: { title: 'Alpine' } })).brand_id
    await linkAccount(ada, { platform: 'tiktok', brandId: other, creator: 'atlas' })
    await testServer.deps.db
      .updateTable('brands')
      .set({ timezone: 'America/New_York' })
      .where('brand_id', '=', brandId)
      .execute()
    const { lines } = await dryRun(
      fileOf(
        `a,${tart},tiktok:@nova,2026-12-24 12:00,`,
        `b,${tart},tiktok:@nova tiktok:@atlas,2026-12-24 12:00,`,
        `c,${tart},tiktok:@nova,2026-12-24 12:00,Asia/Tokyo`,
      ),
    )
    expect(lines.map(({ at, timezone }) => [at, timezone])).toEqual([
      ['2026-12-24T17:00:00.000Z', 'America/New_York'],
      ['2026-12-24T12:00:00.000Z', 'Europe/Lisbon'],
      ['2026-12-24T03:00:00.000Z', 'Asia/Tokyo'],
    ])
  })

  it('makes nothing where one line has an error, and names each error by its line', async () => {
    const csv = fileOf(
      `Good,${tart},${BOTH},2026-12-24 18:30,`,
      `Bad,gone.mp4,tiktok:@eve,2026-02-30 18:30,Mars/Base`,
    )
    const answer = await send(csv, 'all-or-nothing')
    expect(answer.status).toBe(422)
    const { code, errors } = ProblemBody.parse(await answer.json())
    expect([code, Object.keys(errors ?? {})]).toEqual([
      'invalid',
      ['lines.3.video', 'lines.3.accounts', 'lines.3.time', 'lines.3.zone'],
    ])
    expect(await postsOf()).toEqual([])
    // The key was not used up.
    expect(await imported(csv.split('\n').slice(0, 2).join('\n'), 'all-or-nothing')).toMatchObject({
      posts: 1,
    })
  })

  it('with the same key and file makes its posts once, also at the same moment', async () => {
    const csv = fileOf(`One,${tart},${BOTH},2026-12-24 18:30,`, `Two,${tart},${BOTH},2026-12-25 18:30,`)
    const made = await Promise.all([imported(csv, 'k'), imported(csv, 'k'), imported(csv, 'k')])
    expect(new Set(made.map(({ post_ids }) => post_ids.join())).size).toBe(1)
    expect(await imported(csv, 'k')).toEqual(made[0])
    expect(await postsOf()).toHaveLength(2)
    const other = await send(fileOf(`Three,${tart},${BOTH},2026-12-26 18:30,`), 'k')
    expect(ProblemBody.parse(await other.json()).code).toBe('key_reused')
    expect(await postsOf()).toHaveLength(2)
  })
})

describe('a dry run', () => {
  it('posts nothing twice that is chosen again under another key, also at the same moment', async () => {
    const csv = fileOf(`One,${tart},${BOTH},2026-12-24 18:30,`, `Two,${tart},${BOTH},2026-12-25 18:30,`)
    const answers = await Promise.all([send(csv, 'one'), send(csv, 'two'), send(csv)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422])
    const said = 'This video is already scheduled for one of these accounts at this time.'
    expect(await errorsOf(csv)).toEqual([`2 null: ${said}`, `3 null: ${said}`])
    const posts = await postsOf()
    expect(posts).toHaveLength(2)
    for (const { post_id: postId } of posts) await ada.call('deletePost', { params: { postId } })
    expect((await imported(csv)).posts).toBe(2)
  })

  it('tells what each line would post, and makes nothing', async () => {
    const { posts, post_ids, lines } = await dryRun(
      fileOf(`${'x'.repeat(100)},${tart},${BOTH},2026-12-24 18:30,`, `b,${tart},${BOTH},2026-12-25 18:30,`),
    )
    expect([posts, post_ids]).toEqual([2, []])
    expect(lines[0]).toEqual({
      line: 2,
      last_at: '2026-12-24T18:30:00.000Z',
      text: 'x'.repeat(80),
      filename: 'Lemon Tart.mp4',
      accounts: [
        { platform: 'tiktok', name: '@nova', avatar_url: NOVAS },
        { platform: 'instagram', name: '@nova', avatar_url: NOVAS },
      ],
      at: '2026-12-24T18:30:00.000Z',
      timezone: 'Europe/Lisbon',
    })
    expect(await postsOf()).toEqual([])
  })

  it.each([
    ['no video', `a,,${BOTH},2026-12-24 18:30,`, 'video: Give the name or id of a video in your library.'],
    [
      'an unknown video',
      `a,tart,${BOTH},2026-12-24 18:30,`,
      'video: No video in your library is called “tart”. Give its full name, such as “tart.mp4”.',
    ],
    [
      'no account',
      `a,Lemon Tart.mp4,,2026-12-24 18:30,`,
      'accounts: Name at least one account, such as tiktok:@nova.',
    ],
    [
      'an unknown account',
      `a,Lemon Tart.mp4,tiktok:@eve,2026-12-24 18:30,`,
      'accounts: “tiktok:@eve” is not one of your linked accounts.',
    ],
    [
      'a handle of two platforms',
      `a,Lemon Tart.mp4,@nova,2026-12-24 18:30,`,
      'accounts: “@nova” matches several of your accounts. Use tiktok:@nova or instagram:@nova.',
    ],
    [
      'an unknown set',
      `a,Lemon Tart.mp4,set:All shops,2026-12-24 18:30,`,
      'accounts: You have no set called “All”. A name with spaces stands in quotation marks: set:"All shops".',
      'accounts: “shops” is not one of your linked accounts.',
    ],
    [
      'an account twice',
      `a,Lemon Tart.mp4,tiktok:@nova tiktok:nova,2026-12-24 18:30,`,
      'accounts: Choose each account once.',
    ],
    ['a time in words', `a,Lemon Tart.mp4,${BOTH},tomorrow,`, 'time: Write the time like 2026-12-24 18:30.'],
    ['no time', `a,Lemon Tart.mp4,${BOTH},,`, 'time: Write the time like 2026-12-24 18:30.'],
    [
      'a date that does not exist',
      `a,Lemon Tart.mp4,${BOTH},2027-02-30 18:30,`,
      "time: This date or time doesn't exist.",
    ],
    [
      'a time that has passed',
      `a,Lemon Tart.mp4,${BOTH},2026-10-19 18:30,`,
      'time: This time has passed. Choose a later one.',
    ],
    ['a far time', `a,Lemon Tart.mp4,${BOTH},2028-01-01 10:00,`, 'time: Choose a time within 365 days.'],
    [
      'an unknown zone',
      `a,Lemon Tart.mp4,${BOTH},2026-12-24 18:30,Lisbon`,
      'zone: “Lisbon” is not a time zone. Write it like Europe/Lisbon, or leave it empty.',
    ],
    [
      'an unknown zone with a date that no zone has',
      `a,Lemon Tart.mp4,${BOTH},2027-02-30 18:30,Lisbon`,
      "time: This date or time doesn't exist.",
      'zone: “Lisbon” is not a time zone. Write it like Europe/Lisbon, or leave it empty.',
    ],
    [
      'a caption that is too long',
      `${'x'.repeat(2201)},Lemon Tart.mp4,${BOTH},2026-12-24 18:30,`,
      'caption: Use at most 2200 characters.',
    ],
  ])('tells of %s', async (_what, row, ...errors) => {
    expect(await errorsOf(fileOf(row))).toEqual(errors.map((error) => `2 ${error}`))
  })

  it('tells every error of every line, in the order of the file', async () => {
    await upload('Same.mp4')
    await upload('same.mp4')
    const row = `ok,${tart},${BOTH},2026-12-24 18:30,`
    const errors = await errorsOf(fileOf(`a,same.MP4,@x,never,Moon`, row, 'a,b,c,d,e,f', row))
    expect(errors.map((error) => error.split(/[:.“]/, 1)[0])).toEqual([
      '2 video',
      '2 accounts',
      '2 time',
      '2 zone',
      '4 null',
      '5 video',
    ])
    expect(errors[0]).toMatch(
      /^2 video: 2 videos are called “same.MP4”. Give the id of one instead, such as \d+, \d+\.$/,
    )
    expect(errors.at(-1)).toBe('5 video: This repeats the post on line 3.')
  })

  it('tells of an account that cannot be posted to', async () => {
    await testServer.deps.db
      .updateTable('accounts')
      .set({ relink_reason: 'TikTok ended the access.' })
      .where('account_id', '=', tiktok)
      .execute()
    expect(await errorsOf(fileOf(`a,${tart},${tiktok},2026-12-24 18:30,`))).toEqual([
      '2 accounts: Link @nova again first. TikTok ended the access.',
    ])
  })

  it('has no place for the choices that a platform asks for', async () => {
    const { db } = testServer.deps
    const row = await db
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', tiktok)
      .executeTakeFirstOrThrow()
    const { account_id, app_scoped_id, ...columns } = row
    const added = await db
      .insertInto('accounts')
      .values({ ...columns, platform: 'youtube', external_id: `UC${account_id}`, app_scoped_id })
      .returning('account_id')
      .executeTakeFirstOrThrow()
    expect(await errorsOf(fileOf(`a,${tart},${added.account_id},2026-12-24 18:30,`))).toEqual([
      '2 accounts: A post to YouTube needs choices that a CSV file has no column for. Make it under New post.',
    ])
  })

  it("knows nothing of another user's videos and accounts", async () => {
    const eve = await signUp(testServer, 'Eve')
    const errors = await errorsOf(fileOf(`a,${tart},${tiktok},2026-12-24 18:30,`), eve)
    expect(errors).toEqual([
      `2 video: No video in your library is called “${tart}”. Give its full name, such as “tart.mp4”.`,
      `2 accounts: “${tiktok}” is not one of your linked accounts.`,
    ])
  })

  it('stops at the account with which a file has too many', async () => {
    const fifty = Array.from({ length: 50 }, () => tiktok).join(' ')
    const rows = Array.from({ length: 102 }, (_, i) => `${i},${tart},${fifty},2026-12-24 18:30,`)
    const errors = await errorsOf(fileOf(...rows))
    expect(errors.at(-1)).toBe(
      '102 accounts: A file may name up to 5000 accounts in all, and this line goes over that. Split the file.',
    )
  })
})
