import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXPORT_COLUMNS } from '#contract/planning/csv.ts'
import type { AccountId, BrandId, VideoId } from '#contract/ids.ts'
import { countTurns } from '#test/support/count-turns.ts'
import { withRecordedQueries } from '#test/support/database/explain.ts'
import { makeState, setState } from '#test/support/delivery-states.ts'
import { uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'
import { exportRows, PAGE_POSTS } from './export-rows.ts'
import { readText } from './formulas.ts'

const NOW = Date.parse('2026-10-20T12:00:00Z')

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let video: VideoId
beforeAll(async () => {
  testServer = await startTestServer({ now: () => NOW })
})
afterAll(() => testServer.stop())
beforeEach(async () => {
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: '-Northwind' } })).brand_id
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
  const file = new File([sampleVideo().file], 'Lemon, tart.mp4', { type: 'video/mp4' })
  video = (await uploadVideo(ada, file)).video_id
})

const create = (text: string, local: string, accounts = [tiktok]) =>
  ada.call('createPost', {
    body: {
      video_id: video,
      text,
      targets: accounts.map((account_id) => ({ account_id })),
      publish_at: { local, timezone: 'Asia/Tokyo' },
    },
  })

async function download(query = '') {
  const answer = await ada.request(`/posts/export${query}`)
  return { answer, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer()) }
}
async function rowsOf(query = ''): Promise<Record<string, string>[]> {
  return parse((await download(query)).text, { bom: true, columns: true })
}
const captions = async (query = '') => (await rowsOf(query)).map(({ caption }) => caption)

describe('the export', () => {
  it('has a line for each delivery with its outcome, in the order in which they go out', async () => {
    const failed = await create('Second', '2026-12-25T03:30', [tiktok])
    const live = await create('First', '2026-12-24T18:30', [tiktok, instagram])
    const reason = { code: 'x', message: 'TikTok refused it.', remedy: 'Try, again.', detail: null }
    await setState(testServer, { post_id: failed.post_id }, makeState('failed', NOW, { reason }))
    const published = makeState('published', NOW, { url: 'https://example.com/1' })
    await setState(testServer, { post_id: live.post_id }, published)
    const rows = await rowsOf()
    expect(rows.map(({ caption, platform }) => [caption, platform])).toEqual([
      ['First', 'TikTok'],
      ['First', 'Instagram'],
      ['Second', 'TikTok'],
    ])
    expect(rows[0]).toEqual({
      post_id: String(live.post_id),
      time: '2026-12-24 09:30',
      zone: 'Europe/Lisbon',
      brand: "'-Northwind",
      platform: 'TikTok',
      account: "'@nova",
      video: 'Lemon, tart.mp4',
      caption: 'First',
      status: 'published',
      published_at: '2026-10-20 13:00',
      link: 'https://example.com/1',
      reason: '',
      remedy: '',
    })
    expect(rows[2]).toMatchObject({
      status: 'failed',
      reason: 'TikTok refused it.',
      remedy: 'Try, again.',
      published_at: '',
    })
  })

  it('is a file that spreadsheets read as UTF-8, also where it is empty', async () => {
    const { answer, text } = await download()
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe(
      'attachment; filename="reelay-posts-2026-10-20.csv"',
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(text.trimEnd()).toBe(`\ufeff${EXPORT_COLUMNS.map((name) => `"${name}"`).join(',')}`)
    await create('Zitrone 🍋', '2026-12-24T18:30')
    expect((await download()).text).toMatch(/^\ufeff"post_id",[^\n]*\r\n"\d+",.*Zitrone 🍋/)
  })

  it.each(['=1+1', '+1', '-1', '@nova', '\t=1', '\r=1', '\n=1', ' =1', '＝1+1', '＋1', '－1', '＠x', "'=1"])(
    'starts no cell with a formula (%j)',
    async (text) => {
      await create(text, '2026-12-24T18:30')
      const [caption = ''] = await captions()
      expect(caption).toMatch(/^'/)
      expect(readText(caption)).toBe(text)
    },
  )

  it('leaves captions whole that are no formulas, with quotes and line breaks', async () => {
    const text = 'He said "no",\r\nno formula = none; 5-3'
    await create(text, '2026-12-24T18:30')
    expect(await captions()).toEqual([text])
  })

  it('keeps each post in one line for readers that end a line at any bare line break', async () => {
    await create('Tart\n#lemon #tart', '2026-12-24T18:30')
    const { text } = await download()
    const records: string[][] = parse(text, { bom: true, record_delimiter: ['\r\n', '\n'] })
    expect(records.map(({ length }) => length)).toEqual([EXPORT_COLUMNS.length, EXPORT_COLUMNS.length])
    expect(records[1]).toContain('Tart\n#lemon #tart')
  })

  it('has captions that an import makes the same posts of', async () => {
    const text = '=1+1\nx;=cmd()\n- "two"'
    await create(text, '2026-12-24T18:30')
    const caption = (await captions())[0]?.replaceAll('"', '""')
    const csv = `caption,video,accounts,time\n"${caption}",${video},${tiktok},2026-12-25 09:00`
    await ada.call('importPosts', { body: { csv } })
    expect((await ada.call('listPosts')).items.map((post) => post.text)).toEqual([text, text])
  })

  it('is of a brand or of days in the zone of its user, without deleted posts', async () => {
    const other = (await ada.call('createBrand', { body: { title: 'Alpine' } })).brand_id
    const luna = await linkAccount(ada, { platform: 'tiktok', brandId: other, creator: 'atlas' })
    // 00:30 and 23:30 in Lisbon.
    await create('Early', '2026-12-24T09:30')
    await create('Late', '2026-12-25T08:30', [tiktok, luna.account_id])
    const gone = await create('Gone', '2026-12-24T18:30')
    await ada.call('deletePost', { params: { postId: gone.post_id } })
    expect(await captions()).toEqual(['Early', 'Late', 'Late'])
    expect(await captions('?from=2026-12-24&to=2026-12-24')).toEqual(['Early', 'Late', 'Late'])
    expect(await captions('?from=2026-12-25')).toEqual([])
    expect(await captions('?to=2026-12-23')).toEqual([])
    expect(await captions(`?brandId=${other}`)).toEqual(['Late'])
  })

  it.each(['to=9999-12-31', 'from=9999-12-31', 'from=0001-01-01', 'to=+010000-01-01'])(
    'refuses a day that is no day of posts (%s)',
    async (query) => {
      expect((await ada.request(`/posts/export?${query}`)).status).toBe(400)
    },
  )

  it('reads a page of posts at a time, each post once, however many there are', async () => {
    const count = 2 * PAGE_POSTS + 1
    // Three posts at each time, so that a page ends within a time.
    const rows = Array.from({ length: count }, (_, i) => {
      const accounts = [tiktok, instagram, `${tiktok} ${instagram}`][i % 3]
      const nth = Math.floor(i / 3)
      return `${i},${video},${accounts},2026-12-${10 + Math.floor(nth / 12)} ${10 + (nth % 12)}:00`
    })
    await ada.call('importPosts', { body: { csv: ['caption,video,accounts,time', ...rows].join('\n') } })
    const all = await captions()
    expect([...new Set(all)]).toEqual(Array.from({ length: count }, (_, i) => String(i)))
    expect(all).toHaveLength(count + Math.floor(count / 3))

    const { user_id: userId } = await ada.call('getUser')
    await withRecordedQueries(testServer.env['DATABASE_URL'], 'select', async (db, queries) => {
      const reading = exportRows(
        db,
        { userId, brandId: null, from: undefined, before: undefined, timezone: 'UTC' },
        (work) => work(),
      )
      await reading.next()
      const turns = countTurns()
      for (let i = 1; i < PAGE_POSTS; i += 1) await reading.next()
      expect(queries).toHaveLength(2)
      expect(turns.stop()).toBeGreaterThan(0)
      await reading.return(undefined)
    })
  })
})
