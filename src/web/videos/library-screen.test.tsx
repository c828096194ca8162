import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import { VideoId } from '#contract/ids.ts'
import { Video, type Library, type VideoUsage } from '#contract/videos.ts'
import { addDays } from '#domain/schedule/days.ts'
import { dayOf } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { api } from '#web/testing/api-stub.ts'
import { goodVideo } from '#web/testing/composer.ts'
import { account, brand, video, videosPage } from '#web/testing/data.ts'
import { creator } from '#web/testing/composer.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'
import { matroskaFile } from '#web/testing/sample-files.ts'
import { answerRanges } from '#web/testing/stored-file.ts'
import { tus } from '#web/testing/tus-stub.ts'
import { keepLocalFile } from './local-files.ts'

type VideoReply = z.input<typeof Video>

const ID = '11111111-1111-4111-8111-111111111111'
const AT = '2026-12-24T18:30:00.000Z'

const tart = video({ video_id: 101, filename: 'tart.mp4', size: 78_000_000, tags: ['recipe', 'tart'] })
const bread = video({ video_id: 102, filename: 'bread.mov', size: 32_000_000 })
const coffee = video({ video_id: 103, filename: 'coffee.mp4', size: 54_000_000, tags: ['morning'] })
const used = (its: VideoReply, posts: number, drafts = 0) => ({ ...its, used_in: { posts, drafts } })

const library = (its: Partial<z.input<typeof Library>> = {}): z.input<typeof Library> => ({
  videos: 3,
  unused: 2,
  tags: [
    { tag: 'morning', videos: 1 },
    { tag: 'recipe', videos: 1 },
    { tag: 'tart', videos: 1 },
  ],
  storage: { used_bytes: 18_200_000_000, quota_bytes: 50_000_000_000 },
  ...its,
})

const usage = (its: Partial<z.input<typeof VideoUsage>> = {}): z.input<typeof VideoUsage> => ({
  video_id: 101,
  posts: [],
  post_counts: { blocks: 0, cancelled: 0, kept: 0 },
  drafts: [],
  ...its,
})

beforeEach(() => {
  api.reply('getLibrary', library())
  api.reply('listVideos', videosPage(tart, bread, coffee))
})

const open = (search = '') => renderSignedIn(`/dashboard/library${search}`, 'Library')
/** Its name is all that is written on it. */
const named = (name: string) => new RegExp(` ${name} `)
const card = (name: string) => screen.findByRole('gridcell', { name: named(name) })
const bar = () => screen.findByRole('region', { name: 'Selected videos' })
const asked = () => api.calls('listVideos').map(({ query }) => query)
const dialog = (name: string | RegExp) => screen.findByRole('dialog', { name })
const select = async (events: Awaited<ReturnType<typeof open>>, ...names: string[]) => {
  for (const name of names)
    await events.click(await screen.findByRole('checkbox', { name: `Select ${name}` }))
}
const choose = async (events: Awaited<ReturnType<typeof open>>, name: string, item: string) => {
  await events.click(await screen.findByRole('button', { name: `More about ${name}` }))
  await events.click(await screen.findByRole('menuitem', { name: item }))
}

test('each video is shown with its size, its use, brand, date and tags', async () => {
  api.reply('listBrands', [brand()])
  const refused = {
    platform: 'tiktok',
    level: 'error',
    code: 'too_short',
    message: 'The video is too short.',
    remedy: 'Use a longer one.',
  } as const
  api.reply(
    'listVideos',
    videosPage({ ...used(tart, 2), brand_id: 1 }, used(bread, 0, 1), { ...coffee, findings: [refused] }),
  )
  await open()
  await waitFor(async () =>
    expect(await card('tart.mp4')).toHaveAccessibleName(
      '0:04 tart.mp4 78 MB · Used in 2 posts 1 Nov 2026 · Northwind recipe tart',
    ),
  )
  expect(await card('bread.mov')).toHaveAccessibleName('0:04 bread.mov 32 MB · Used in 1 draft 1 Nov 2026')
  expect(await card('coffee.mp4')).toHaveAccessibleName(
    '0:04 coffee.mp4 Not for TikTok · 54 MB · Not used yet 1 Nov 2026 morning',
  )
  expect(screen.getByText('3 videos')).toBeVisible()
})

test('a video that is played says what a platform refuses in it, and leads to a new post', async () => {
  const message = 'The video is too short.'
  const refused = { platform: 'tiktok', level: 'error', code: 'too_short', message, remedy: '' } as const
  api.reply('listVideos', videosPage({ ...tart, findings: [refused] }))
  api.reply('readVideoUsage', { videos: [usage()] })
  const events = await open()
  await choose(events, 'tart.mp4', 'Play')
  const played = await dialog('tart.mp4')
  expect(played).toHaveTextContent(`TikTok: ${message}`)
  const link = within(played).getByRole('link', { name: 'New post' })
  expect(link).toHaveAttribute('href', '/dashboard/compose?video=101')
})

test.each([
  ['some of the quota', { used_bytes: 18_200_000_000, quota_bytes: 50_000_000_000 }, 'Storage18 GB of 50 GB'],
  [
    'little room',
    { used_bytes: 46_000_000_000, quota_bytes: 50_000_000_000 },
    'Storage almost full46 GB of 50 GB',
  ],
  ['no room', { used_bytes: 50_000_000_000, quota_bytes: 50_000_000_000 }, 'Storage full50 GB of 50 GB'],
])('the meter says how much is stored: %s', async (_, storage, words) => {
  api.reply('getLibrary', library({ storage }))
  await open()
  const meter = await screen.findByRole('progressbar', { name: /^Storage used: / })
  expect(meter.closest('header')).toHaveTextContent(words)
})

test('without a quota the meter is a figure', async () => {
  api.reply('getLibrary', library({ storage: { used_bytes: 1_500_000, quota_bytes: null } }))
  await open()
  expect(await screen.findByText('1.5 MB stored')).toBeVisible()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('an empty library offers the upload', async () => {
  api.reply('getLibrary', library({ videos: 0, unused: 0, tags: [] }))
  api.reply('listVideos', videosPage())
  await open()
  const text = await screen.findByText('Videos that you upload stay here, ready for the next post.')
  expect(
    within(text.parentElement ?? document.body).getByRole('button', { name: 'Upload videos' }),
  ).toBeEnabled()
})

test('a list that could not be loaded says why and is tried again', async () => {
  api.refuse('listVideos', 'internal', 'Something broke here.')
  const events = await open()
  await findAlert('Something broke here.')
  api.reply('listVideos', videosPage(tart))
  await events.click(button('Try again'))
  expect(await card('tart.mp4')).toBeVisible()
})

test('the slash key leads to the search, whose words are sent and stay in the address', async () => {
  const events = await open()
  await card('tart.mp4')
  await events.keyboard('/')
  const search = screen.getByRole('searchbox', { name: 'Search name or tag' })
  expect(search).toHaveFocus()
  api.reply('listVideos', videosPage())
  await events.keyboard('lem/on')
  expect(search).toHaveValue('lem/on')
  expect(await screen.findByText('No video matches.')).toBeVisible()
  expect(asked().at(-1)).toMatchObject({ search: 'lem/on' })
  await waitFor(() => expect(location.search).toBe('?search=lem%2Fon'))
  api.reply('listVideos', videosPage(tart))
  await events.click(button('Show all videos'))
  expect(await card('tart.mp4')).toBeVisible()
  await waitFor(() => expect(location.search).toBe(''))
})

test('use, brand, tag and order are asked of the server', async () => {
  api.reply('listBrands', [brand({ brand_id: 7, title: 'Northwind' })])
  const events = await open()
  await events.click(await screen.findByRole('button', { name: 'Unused 2' }))
  await events.click(await screen.findByRole('button', { name: 'Brand' }))
  await events.click(await screen.findByRole('menuitem', { name: 'Northwind' }))
  await events.click(await screen.findByRole('button', { name: 'Tag' }))
  await events.click(await screen.findByRole('menuitem', { name: /^recipe/ }))
  await events.click(button('Order: Newest first'))
  await events.click(await screen.findByRole('menuitem', { name: 'Largest first' }))
  await waitFor(() =>
    expect(asked().at(-1)).toMatchObject({ use: 'unused', brand_id: 7, tag: 'recipe', sort: 'largest' }),
  )
  await events.click(button('Brand: Northwind'))
  await events.click(await screen.findByRole('menuitem', { name: 'All brands' }))
  await waitFor(() => expect(asked().at(-1)).toMatchObject({ brand_id: undefined, tag: 'recipe' }))
})

test('the last 30 days are chosen, and all days again', async () => {
  const events = await open()
  await events.click(await screen.findByRole('button', { name: 'Added' }))
  await events.click(await screen.findByRole('button', { name: 'Last 30 days' }))
  const today = dayOf(new Date(serverNow()).toISOString(), 'Europe/Lisbon')
  await waitFor(() => expect(asked().at(-1)).toMatchObject({ from: addDays(today, -29), to: undefined }))
  expect(button('Added: last 30 days')).toBeVisible()
  await waitFor(() => expect(location.search).toBe(`?from=${addDays(today, -29)}`))
  await events.click(button('Last 30 days'))
  expect(button('Added')).toBeVisible()
  await waitFor(() => expect(location.search).toBe(''))
})

test('an address with a filter opens with it', async () => {
  await open('?tag=tart&use=unused&from=2020-11-03&to=2020-11-09')
  await card('tart.mp4')
  expect(asked()[0]).toMatchObject({ tag: 'tart', use: 'unused', from: '2020-11-03', to: '2020-11-09' })
  expect(button('Added: 3 Nov 2020 to 9 Nov 2020')).toBeVisible()
  expect(button('Tag: tart')).toBeVisible()
  expect(button('Unused 2')).toHaveAttribute('aria-pressed', 'true')
})

test('the next page is loaded as the end comes near', async () => {
  const pages: Record<string, VideoReply> = { none: tart, second: bread }
  api.reply('listVideos', ({ query }) => {
    const cursor = typeof query['cursor'] === 'string' ? query['cursor'] : 'none'
    return { videos: [pages[cursor] ?? coffee], next_cursor: cursor === 'none' ? 'second' : null }
  })
  await open()
  expect(await card('bread.mov')).toBeVisible()
  expect(asked().map(({ cursor }) => cursor)).toEqual([undefined, 'second'])
})

test('a page that could not be loaded leaves the others, and is tried again on demand', async () => {
  api.reply('listVideos', () => {
    // The answer to the next call.
    api.refuse('listVideos', 'internal', 'Something broke here.')
    return { videos: [tart], next_cursor: 'second' }
  })
  const events = await open()
  const more = await screen.findByRole('button', { name: 'Load more videos' })
  expect(await card('tart.mp4')).toBeVisible()
  api.reply('listVideos', videosPage(bread))
  await events.click(more)
  expect(await card('bread.mov')).toBeVisible()
  expect(asked().at(-1)).toMatchObject({ cursor: 'second' })
})

test('Space selects, Shift with an arrow extends, Escape clears', async () => {
  const events = await open()
  const first = await card('tart.mp4')
  first.focus()
  await events.keyboard(' ')
  expect(first).toHaveAttribute('aria-selected', 'true')
  expect(await bar()).toHaveTextContent('1 selected')
  await events.keyboard('{Shift>}{ArrowRight}{ArrowDown}{/Shift}')
  expect(await bar()).toHaveTextContent('3 selected164 MB · not used in any post')
  expect(await card('coffee.mp4')).toHaveFocus()
  await events.keyboard('{Shift>}{ArrowLeft}{/Shift}')
  expect(await bar()).toHaveTextContent('2 selected')
  await events.keyboard('{Escape}')
  expect(screen.queryByRole('region', { name: 'Selected videos' })).toBeNull()
})

test('while videos are selected a press selects, else it plays', async () => {
  const events = await open()
  await events.click(await card('bread.mov'))
  expect(await dialog('bread.mov')).toBeVisible()
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(async () => expect(await card('bread.mov')).toHaveFocus())
  await select(events, 'tart.mp4')
  await events.click(await card('bread.mov'))
  expect(await bar()).toHaveTextContent('2 selected')
  await events.click(within(await bar()).getByRole('button', { name: 'Clear' }))
  expect(await card('bread.mov')).toHaveAttribute('aria-selected', 'false')
})

test('a finger that rests on a video selects it, and the click at the end of that opens nothing', async () => {
  await open()
  const cell = await card('tart.mp4')
  const picture = cell.firstElementChild ?? cell
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  fireEvent.pointerDown(picture, { pointerType: 'touch', clientX: 5, clientY: 5 })
  vi.advanceTimersByTime(500)
  vi.useRealTimers()
  fireEvent.pointerUp(picture, { pointerType: 'touch' })
  fireEvent.click(picture)
  expect(await bar()).toHaveTextContent('1 selected')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a played video says where it is used', async () => {
  api.reply('listVideos', videosPage(used(tart, 1, 1)))
  api.reply('readVideoUsage', {
    videos: [
      usage({
        posts: [
          { post_id: 5, text: 'Lemon tart\nand more', publish_at: AT, effect: 'kept' },
          { post_id: 6, text: 'Again', publish_at: null, effect: 'kept' },
        ],
        post_counts: { blocks: 0, cancelled: 0, kept: 2 },
        drafts: [{ draft_id: ID, text: '' }],
      }),
    ],
  })
  const events = await open()
  await choose(events, 'tart.mp4', 'Play')
  const shown = within(await dialog('tart.mp4'))
  expect(await shown.findByRole('link', { name: 'Lemon tart' })).toHaveAttribute('href', '/dashboard/queue')
  expect(shown.getByText('24 Dec, 18:30')).toBeVisible()
  expect(shown.getByRole('link', { name: 'Again' }).parentElement).toHaveTextContent('AgainFinished')
  expect(shown.getByRole('link', { name: 'No caption' })).toHaveAttribute(
    'href',
    `/dashboard/compose?draft=${ID}`,
  )
})

test('a renamed video keeps its extension', async () => {
  const events = await open()
  await choose(events, 'bread.mov', 'Rename')
  const name = within(await dialog('Rename video')).getByRole('textbox', { name: 'Name' })
  expect(name).toHaveValue('bread')
  await events.clear(name)
  await events.click(button('Rename'))
  expect(await screen.findByText('A video needs a name.')).toBeVisible()
  api.reply('updateVideo', video({ ...bread, filename: 'loaf.mov' }))
  api.reply('listVideos', videosPage(tart, video({ ...bread, filename: 'loaf.mov' }), coffee))
  await events.type(name, 'loaf{Enter}')
  expect(await card('loaf.mov')).toBeVisible()
  expect(api.calls('updateVideo')).toMatchObject([
    { params: { videoId: '102' }, body: { filename: 'loaf.mov' } },
  ])
})

test('tags are added to and taken from several videos at once', async () => {
  const events = await open()
  await select(events, 'tart.mp4', 'coffee.mp4')
  await events.click(within(await bar()).getByRole('button', { name: 'Tag' }))
  const shown = within(await dialog('Tags of 2 videos'))
  await events.type(shown.getByRole('textbox', { name: 'New tag' }), 'Summer{Enter}')
  expect(shown.getByRole('checkbox', { name: 'Summer' })).toBeChecked()
  expect(shown.getByRole('checkbox', { name: 'morning' })).toBePartiallyChecked()
  await events.click(shown.getByRole('checkbox', { name: 'morning' }))
  await events.click(shown.getByRole('checkbox', { name: 'morning' }))
  const changed = [video({ ...tart, tags: ['tart', 'Summer'] }), video({ ...coffee, tags: ['Summer'] })]
  api.reply('updateVideos', { videos: changed })
  api.reply('listVideos', videosPage(...changed))
  await events.click(shown.getByRole('button', { name: 'Save tags' }))
  await waitFor(async () => expect(await card('coffee.mp4')).toHaveTextContent('Summer'))
  expect(api.calls('updateVideos')[0]?.body).toEqual({
    video_ids: [101, 103],
    add_tags: ['Summer'],
    remove_tags: ['morning'],
  })
})

test('a brand is given to the selected videos', async () => {
  api.reply('listBrands', [brand({ brand_id: 7, title: 'Northwind' })])
  api.reply('updateVideos', { videos: [video({ ...tart, brand_id: 7 })] })
  const events = await open()
  await select(events, 'tart.mp4')
  await events.click(within(await bar()).getByRole('button', { name: 'Brand' }))
  await events.click(await screen.findByRole('menuitem', { name: 'Northwind' }))
  await findAlert('1 video assigned to Northwind.')
  expect(api.calls('updateVideos')[0]?.body).toEqual({ video_ids: [101], brand_id: 7 })
})

test('before videos are deleted, their posts and drafts are named with what becomes of them', async () => {
  const waiting = { post_id: 5, text: 'Advent, door one', publish_at: AT, effect: 'cancelled' as const }
  api.reply('readVideoUsage', {
    videos: [
      usage({
        posts: [waiting],
        post_counts: { blocks: 0, cancelled: 1, kept: 2 },
        drafts: [{ draft_id: ID, text: 'Door two' }],
      }),
      usage({ video_id: 102 }),
    ],
  })
  const events = await open()
  await select(events, 'tart.mp4', 'bread.mov')
  await events.click(within(await bar()).getByRole('button', { name: 'Delete 2' }))
  const shown = within(await dialog('Delete 2 videos?'))
  expect(
    within(await shown.findByRole('list', { name: "Won't be posted" })).getByRole('link'),
  ).toHaveTextContent('Advent, door one')
  expect(shown.getByRole('link', { name: 'Door two' })).toBeVisible()
  expect(shown.getByText('2 finished posts stay in the queue, and what is live stays online.')).toBeVisible()
  expect(shown.getByRole('button', { name: 'Keep' })).toHaveFocus()

  api.refuse('deleteVideos', 'posts_waiting', 'Another post waits for one of these videos.')
  await events.click(shown.getByRole('button', { name: 'Delete 2 videos' }))
  await findAlert('Another post waits for one of these videos.')
  await waitFor(() => expect(api.calls('readVideoUsage')).toHaveLength(2))

  api.reply('deleteVideos', undefined)
  api.reply('listVideos', videosPage(coffee))
  await events.click(shown.getByRole('button', { name: 'Delete 2 videos' }))
  await findAlert('2 videos are deleted.')
  expect(api.calls('deleteVideos').at(-1)?.body).toEqual({ video_ids: [101, 102], cancel_posts: 1 })
  expect(screen.queryByRole('gridcell', { name: named('tart.mp4') })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Selected videos' })).toBeNull()
})

test('videos that nothing uses say so before they are deleted', async () => {
  api.reply('readVideoUsage', { videos: [usage({}), usage({ video_id: 102 })] })
  const events = await open()
  await select(events, 'tart.mp4', 'bread.mov')
  await events.click(within(await bar()).getByRole('button', { name: 'Delete 2' }))
  const shown = within(await dialog('Delete 2 videos?'))
  expect(await shown.findByText("No post or draft uses them. You can't undo this.")).toBeVisible()
})

test('a video that is being sent stays, the others can be deleted', async () => {
  api.reply('readVideoUsage', {
    videos: [
      usage({
        posts: [{ post_id: 5, text: 'Tart', publish_at: null, effect: 'blocks' }],
        post_counts: { blocks: 1, cancelled: 0, kept: 0 },
      }),
      usage({ video_id: 102 }),
    ],
  })
  api.reply('deleteVideos', undefined)
  const events = await open()
  await select(events, 'tart.mp4', 'bread.mov')
  await events.click(within(await bar()).getByRole('button', { name: 'Delete 2' }))
  const shown = within(await dialog('Delete 2 videos?'))
  expect(await shown.findByText(/^tart\.mp4 can't be deleted yet/)).toBeVisible()
  expect(shown.getByText("No post or draft uses the others. You can't undo this.")).toBeVisible()
  await events.click(shown.getByRole('button', { name: 'Delete the other 1' }))
  await findAlert('bread.mov is deleted.')
  expect(api.calls('deleteVideos')[0]?.body).toEqual({ video_ids: [102], cancel_posts: 0 })
})

test('several videos become drafts for the accounts of their brands, which are planned then', async () => {
  const saved: Record<string, object> = {}
  api.reply('listSchedules', [])
  api.reply('listPostsToday', [])
  api.reply('getAccountOptions', creator)
  api.reply('getVideo', tart)
  api.reply('getDraft', ({ params }) => saved[params['draftId'] ?? ''] as never)
  api.reply('listVideos', videosPage(tart, { ...bread, brand_id: 2 }))
  api.reply('listAccounts', [
    account({ account_id: 1, brand_id: 1 }),
    account({ account_id: 2, brand_id: 2 }),
  ])
  api.reply('saveDraft', ({ params, body }) => {
    const draft = {
      draft_id: params['draftId'] ?? ID,
      version: 1,
      content: (body as { content: never }).content,
      author: 'Ada',
      created_at: AT,
      updated_at: AT,
      deleted_at: null,
    }
    saved[draft.draft_id] = draft
    return draft
  })
  const events = await open()
  await select(events, 'tart.mp4', 'bread.mov')
  await events.click(within(await bar()).getByRole('button', { name: 'New posts with these' }))
  expect(await screen.findByRole('list', { name: 'Posts' })).toBeVisible()
  const calls = api.calls('saveDraft')
  expect(calls).toMatchObject([
    { body: { version: 0, content: { video_id: 101, targets: [] } } },
    { body: { version: 0, content: { video_id: 102, targets: [{ account_id: 2 }] } } },
  ])
  expect(new Set(calls.map(({ params }) => params['draftId'])).size).toBe(2)
})

test('drafts that could not be saved leave their videos selected, with the reason', async () => {
  api.refuse('saveDraft', 'conflict', 'You have as many drafts as there may be.')
  const events = await open()
  await select(events, 'tart.mp4', 'bread.mov')
  await events.click(within(await bar()).getByRole('button', { name: 'New posts with these' }))
  await findAlert('0 of 2 drafts are saved. You have as many drafts as there may be.')
  expect(await bar()).toHaveTextContent('2 selected')
})

test('a download is asked of the address that plays the video', async () => {
  const links: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    links.push(`${this.pathname}${this.search}`)
  })
  const events = await open()
  await choose(events, 'tart.mp4', 'Download')
  await waitFor(() => expect(links).toEqual(['/media/an-hour.mp4?download=1']))
})

test('several files are uploaded, and each that is refused says why', async () => {
  const events = await open()
  await card('tart.mp4')
  let id = 110
  const become = (filename: string) => video({ video_id: id++, filename })
  tus.becomes(({ filename }) => Video.parse(become(filename)))
  const release = tus.hold()
  const notes = new File(['Flour, butter'], 'notes.mp4', { type: 'video/mp4' })
  const copy = new File([goodVideo()], 'copy.mp4', { type: 'video/mp4' })
  await events.upload(screen.getByLabelText('Video files'), [goodVideo(), notes, copy])
  await findAlert('notes.mp4 is not uploaded. Please select a valid video file')
  await waitFor(() => expect(tus.parts()).toHaveLength(2))
  expect(screen.getByRole('progressbar', { name: 'Upload of good.mp4' })).toBeVisible()
  const totals = /^0 of 2 uploaded · \d+ B of /
  expect(screen.getByText(totals)).toBeVisible()
  api.reply('listDrafts', { items: [] })
  await events.click(screen.getByRole('link', { name: 'Drafts' }))
  const dock = within(await screen.findByRole('region', { name: 'Uploads' }))
  expect(dock.getByText(totals)).toBeVisible()
  expect(dock.getAllByRole('progressbar')).toHaveLength(1)
  await events.click(dock.getByRole('link', { name: '2 videos for your library' }))
  await screen.findByRole('heading', { level: 1, name: 'Library' })
  api.reply('listVideos', videosPage(become('good.mp4'), tart))
  release()
  await findAlert('2 videos are uploaded.')
  expect(await card('good.mp4')).toBeVisible()
  await events.click(button('Remove notes.mp4'))
  expect(screen.queryByRole('list', { name: 'Uploads' })).toBeNull()
})

test('a file that the library has is not uploaded again, unless one says so', async () => {
  const file = goodVideo()
  const stored = video({ video_id: 101, filename: 'tart.mp4', size: file.size })
  api.reply('listVideos', videosPage(stored))
  answerRanges(file)
  const events = await open()
  await card('tart.mp4')
  await events.upload(screen.getByLabelText('Video files'), [file])
  await findAlert(
    'good.mp4 is already in your library, as tart.mp4. It was added on 1 Nov 2026, so nothing was uploaded.',
  )
  expect(asked().at(-1)).toMatchObject({ size: file.size })
  expect(tus.parts()).toEqual([])
  await events.click(button('Show it'))
  expect(await dialog('tart.mp4')).toBeVisible()
  await events.keyboard('{Escape}')
  tus.becomes(({ filename }) => Video.parse(video({ video_id: 110, filename })))
  await events.click(button('Upload a copy'))
  await findAlert('good.mp4 is uploaded.')
})

test('a file with the size of another video is uploaded', async () => {
  const file = goodVideo()
  api.reply('listVideos', videosPage(video({ video_id: 101, filename: 'tart.mp4', size: file.size })))
  answerRanges(new File([new Uint8Array(file.size)], 'tart.mp4'))
  tus.becomes(({ filename }) => Video.parse(video({ video_id: 110, filename })))
  const events = await open()
  await events.upload(screen.getByLabelText('Video files'), [file])
  await findAlert('good.mp4 is uploaded.')
})

test('a video that can be fixed says so, and gets a fixed copy with its tags', async () => {
  const refused = {
    platform: 'instagram',
    level: 'error',
    code: 'container',
    message: "The file's format is Matroska; Instagram takes MP4 or MOV.",
    remedy: '',
  } as const
  const facts = { ...video().facts, container: 'mkv' }
  const cake = video({ video_id: 104, filename: 'cake.mkv', tags: ['recipe'], facts, findings: [refused] })
  api.reply('listVideos', videosPage(cake, bread))
  keepLocalFile(VideoId.parse(104), await matroskaFile())
  tus.becomes(({ filename }) => Video.parse(video({ video_id: 110, filename })))
  api.reply('updateVideo', video({ video_id: 110, filename: 'cake.mp4', tags: ['recipe'] }))
  const events = await open()
  expect(await card('cake.mkv')).toHaveTextContent('Can be fixed')
  expect(await card('bread.mov')).not.toHaveTextContent('Can be fixed')
  await choose(events, 'cake.mkv', 'Fix')
  await findAlert('cake.mp4 is uploaded.')
  expect(tus.parts().map(({ filename }) => filename)).toEqual(['cake.mp4'])
  expect(api.calls('updateVideo').map(({ params, body }) => [params, body])).toEqual([
    [{ videoId: '110' }, { tags: ['recipe'], brand_id: null }],
  ])
})

test('an upload that the server refuses is tried again on demand', async () => {
  const events = await open()
  await card('tart.mp4')
  tus.becomes(({ filename }) => Video.parse(video({ video_id: 110, filename })))
  tus.onOther((method) =>
    method === 'POST'
      ? { status: 507, body: { code: 'quota_exceeded', message: 'Your storage is full.' } }
      : null,
  )
  await events.upload(screen.getByLabelText('Video files'), [goodVideo()])
  await findAlert('good.mp4 is not uploaded. Your storage is full.')
  tus.onOther(() => null)
  await events.click(button('Try again'))
  await findAlert('good.mp4 is uploaded.')
})
