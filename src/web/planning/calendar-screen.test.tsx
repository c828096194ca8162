import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import { CalendarDraft, CalendarPost, type Calendar } from '#contract/planning/calendar.ts'
import { FreeSlot } from '#contract/planning/schedules.ts'
import { TEXTS } from '#contract/texts.ts'
import { queryClient } from '#web/api/queries.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, delivery, post as fullPost, schedule, video, videosPage } from '#web/testing/data.ts'
import { summary } from '#web/testing/composer.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

afterEach(() => vi.useRealTimers())

const post = (post_id: number, at: string, its: Partial<z.input<typeof CalendarPost>> = {}) =>
  CalendarPost.parse({
    post_id,
    version: 1,
    timezone: 'Europe/Lisbon',
    at: `${at}:00.000Z`,
    last_at: `${at}:00.000Z`,
    post_at: `${at}:00.000Z`,
    text: `Post ${post_id}`,
    poster_url: null,
    brand_id: 1,
    marks: [{ platform: 'tiktok', accounts: 2 }],
    slot: null,
    status: 'scheduled',
    settled: false,
    held_for: null,
    fixed: null,
    ...its,
  })
const draft = (at: string) =>
  CalendarDraft.parse({
    draft_id: '11111111-1111-4111-8111-111111111111',
    version: 1,
    publish_at: { local: at, timezone: 'Europe/Lisbon' },
    at: `${at}:00.000Z`,
    text: 'Night market',
    poster_url: null,
    brand_id: null,
    marks: [],
    slot: null,
  })
const calendar = (its: Partial<Calendar> = {}): Calendar => ({
  timezone: 'Europe/Lisbon',
  posts: [],
  drafts: [],
  slots: [],
  more: false,
  more_slots: false,
  ...its,
})

/** A post that the calendar shows where it was moved last. */
function store(post_id: number, at: string) {
  let stored = post(post_id, at)
  api.reply('getCalendar', () => calendar({ posts: [stored] }))
  api.reply('editPost', ({ body }) => {
    const { moment, version } = body as { moment: { at: string }; version: number }
    stored = post(post_id, moment.at.slice(0, 16), { version: version + 1 })
    return fullPost({ post_id, version: version + 1, goes_out_at: moment.at })
  })
}

const open = async (query = '') => {
  api.reply('getPost', ({ params }) => ({
    ...fullPost({ post_id: Number(params['postId']) }),
    events: [],
    targets: [],
  }))
  const events = await renderSignedIn(`/dashboard/calendar?date=2026-11-25${query}`)
  await screen.findByRole('heading', { level: 1, name: /^Calendar,/ })
  return events
}
const day = (name: string) => screen.findByRole('region', { name: new RegExp(`^${name}`) })
const chips = (within_: HTMLElement) =>
  within(within_)
    .getAllByRole('button')
    .map((chip) => chip.getAttribute('aria-label'))

test('a week shows each post on its day, in words for those who do not see it', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply(
    'getCalendar',
    calendar({
      posts: [
        post(1, '2026-11-25T08:00', { status: 'published', fixed: 'It is published.' }),
        post(2, '2026-11-25T08:00', { status: 'blocked', held_for: 'account', brand_id: 2 }),
      ],
      drafts: [draft('2026-11-29T17:00')],
    }),
  )
  await open()
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('23 – 29 Nov 2026')
  screen.getByText('Times in Europe/Lisbon')
  expect(chips(await day('Wednesday 25 November, 2 posts'))).toEqual([
    '08:00, Post 2, Link again, TikTok, 2 accounts, Harbour',
    '08:00, Post 1, Northwind, Published, TikTok, 2 accounts',
  ])
  expect(chips(await day('Sunday 29 November, 1 post'))).toEqual(['17:00, Night market, Draft'])
  // Once more where the events of the server begin later.
  for (const { query } of api.calls('getCalendar'))
    expect(query).toMatchObject({ from: '2026-11-23', days: 7, timezone: 'Europe/Lisbon' })
})

test('the calendar shows the time of a brand where that is chosen', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Sakura', timezone: 'Asia/Tokyo' })])
  api.reply('getCalendar', calendar({ posts: [post(1, '2026-11-25T20:00')] }))
  const events = await open()
  const zone = await screen.findByRole('combobox', { name: 'Times in' })
  expect(
    within(zone)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Europe/Lisbon (yours)', 'Asia/Tokyo (Sakura)'])
  await events.selectOptions(zone, 'Asia/Tokyo')
  const thursday = await day('Thursday 26 November, 1 post')
  expect(chips(thursday)).toEqual([expect.stringMatching(/^05:00, Post 1,/)])
  expect(api.calls('getCalendar').at(-1)?.query).toMatchObject({ timezone: 'Asia/Tokyo' })
})

test('a month shows three posts of a day, and the rest once the day is opened', async () => {
  const posts = [9, 10, 11, 12, 13].map((hour) =>
    post(hour, `2026-11-27T${String(hour).padStart(2, '0')}:00`),
  )
  api.reply('getCalendar', calendar({ posts }))
  const events = await open('&view=month')
  const friday = await day('Friday 27 November, 5 posts')
  expect(chips(friday).slice(0, 4)).toEqual([
    '09:00, Post 9, Scheduled, TikTok, 2 accounts',
    '10:00, Post 10, Scheduled, TikTok, 2 accounts',
    '11:00, Post 11, Scheduled, TikTok, 2 accounts',
    '2 more on Friday 27 November',
  ])
  await events.click(button('2 more on Friday 27 November'))
  const dialog = await screen.findByRole('dialog', { name: 'Friday 27 November' })
  expect(within(dialog).getAllByRole('listitem')).toHaveLength(5)
  await events.click(within(dialog).getByRole('button', { name: /^13:00/ }))
  const opened = await screen.findByRole('dialog', { name: 'Friday 27 November, 13:00' })
  expect(opened).toHaveTextContent('Post 13')
  expect(await within(opened).findByRole('listitem')).toHaveTextContent('TikTok @northwind')
  const links = within(opened).getAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Show post', '/dashboard/posts/13'],
    ['Edit', '/dashboard/compose?edit=13'],
  ])
  await events.keyboard('{Escape}')
  await waitFor(() => expect(button('2 more on Friday 27 November')).toHaveFocus())
})

const slot = (its: Partial<z.input<typeof FreeSlot>> = {}) =>
  FreeSlot.parse({
    schedule_id: 3,
    schedule_name: 'Evenings',
    brand_id: 2,
    local: '2026-11-26T18:00',
    timezone: 'Europe/Lisbon',
    platforms: null,
    at: '2026-11-26T18:00:00.000Z',
    ...its,
  })
const findSlot = () => screen.findByRole('link', { name: /^\+ 18:00/ })
const slotLink = () =>
  screen.findByRole('link', { name: '+ 18:00, Harbour, new post on Thursday 26 November' })

test('a free slot leads to the composer at its time', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply('getCalendar', calendar({ slots: [slot()] }))
  const events = await open()
  const to = '/dashboard/compose?at=2026-11-26T18%3A00&zone=Europe%2FLisbon&schedule=3'
  expect(await slotLink()).toHaveAttribute('href', to)
  for (const view of ['Month', 'List']) {
    await events.click(button(view))
    expect(await slotLink()).toHaveAttribute('href', to)
  }
})

const newPosts = () => screen.findAllByRole('link', { name: /^New post on / })
const namesOf = (links: readonly HTMLElement[]) => links.map((link) => link.getAttribute('aria-label'))

test('an empty hour to come leads to the composer at that time, by pointer and by keys', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T18:20:00Z') })
  api.reply('getCalendar', calendar())
  const events = await open()
  // Days that are over have none.
  expect(namesOf(await newPosts())).toEqual([
    'New post on Saturday 28 November, 19:00',
    'New post on Sunday 29 November, 18:00',
  ])
  const today = screen.getByRole('link', { name: /^New post on Saturday/ })
  const sunday = screen.getByRole('link', { name: /^New post on Sunday/ })
  // The column begins at 07:00, and an hour is 48 px high. An hour of today that is over is not offered.
  await events.pointer({ target: sunday, coords: { clientY: 48 * 3 + 20 } })
  expect(sunday).toHaveAttribute('href', '/dashboard/compose?at=2026-11-29T10%3A00&zone=Europe%2FLisbon')
  await events.pointer({ target: today, coords: { clientY: 48 * 3 + 20 } })
  expect(today).toHaveAccessibleName('New post on Saturday 28 November, 19:00')
  today.focus()
  await events.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(today).toHaveAccessibleName('New post on Saturday 28 November, 20:00')
})

test('the empty part of a day of a month leads to the composer at that day', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T18:20:00Z') })
  api.reply('getCalendar', calendar({ posts: [post(1, '2026-11-29T08:00')] }))
  await open('&view=month')
  const links = await newPosts()
  expect(namesOf(links).slice(0, 2)).toEqual([
    'New post on Saturday 28 November, 19:00',
    'New post on Sunday 29 November, 18:00',
  ])
  expect(links[1]).toHaveAttribute('href', '/dashboard/compose?at=2026-11-29T18%3A00&zone=Europe%2FLisbon')
})

/** A post of a schedule on Wednesday, which the keys bring to 18:00 of Thursday. */
async function moveToThursday(answers: readonly Partial<Parameters<typeof fullPost>[0]>[]) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
  const had = {
    schedule_id: 9,
    local: '2026-11-25T18:00',
    timezone: 'Europe/Lisbon',
    at: '2026-11-25T18:00:00.000Z',
  }
  api.reply('listSchedules', [schedule({ schedule_id: 3, name: 'Evenings' })])
  api.reply('getCalendar', calendar({ posts: [post(1, '2026-11-25T18:07', { slot: had })] }))
  api.reply('editPost', () => fullPost({ post_id: 1, ...answers[moves().length - 1] }))
  const events = await open()
  const chip = await screen.findByRole('button', { name: /^18:07, Post 1/ })
  chip.focus()
  await events.keyboard('{Alt>}{ArrowRight}{/Alt}{Enter}')
  return events
}
const moves = () => api.calls('editPost').map(({ body }) => body)
const MOVE = { version: 1, moment: { at: '2026-11-26T18:07:00.000Z', timezone: 'Europe/Lisbon' } }
const BACK = {
  version: 2,
  moment: { at: '2026-11-25T18:00:00.000Z', timezone: 'Europe/Lisbon', schedule_id: 9, or_time: true },
}

test('a post moves as far as its accounts that get it later', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T12:00:00Z') })
  const spread = post(7, '2026-11-25T18:30', {
    post_at: '2026-11-25T16:00:00.000Z',
    last_at: '2026-11-25T19:30:00.000Z',
  })
  api.reply('getCalendar', calendar({ posts: [spread] }))
  api.reply('editPost', fullPost({ post_id: 7, publish_at: '2026-11-26T16:00:00.000Z', version: 2 }))
  const events = await open()
  const chip = await screen.findByRole('button', { name: /^18:30–19:30, Post 7/ })
  chip.focus()
  await events.keyboard('{Alt>}{ArrowRight}{/Alt}{Enter}')
  await screen.findByText('“Post 7” moved to Thu 26 Nov, 18:30.')
  await events.click(button('Undo'))
  await waitFor(() => expect(moves()).toHaveLength(2))
  expect(moves()).toMatchObject([
    { moment: { at: '2026-11-26T16:00:00.000Z' } },
    { version: 2, moment: { at: '2026-11-25T16:00:00.000Z' } },
  ])
})

test('a post that the keys bring to a free slot takes it, and goes back to its own', async () => {
  const events = await moveToThursday([
    { version: 2, schedule_id: 3 },
    { version: 3, schedule_id: 9 },
  ])
  await screen.findByText('“Post 1” moved to Thu 26 Nov, 18:07 · Evenings.')
  expect(moves()).toEqual([MOVE])
  await events.click(button('Undo'))
  await waitFor(() => expect(moves()[1]).toEqual(BACK))
  expect(await screen.findByText('Undone.')).toBeInTheDocument()
  expect(screen.getByRole('button', { name: /^18:07, Post 1/ })).toHaveFocus()
})

test('a move right after an undo is undone to the place that the undo gave', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T12:00:00Z') })
  store(4, '2026-11-25T18:00')
  const events = await open()
  const chip = await screen.findByRole('button', { name: /^18:00, Post 4/ })
  chip.focus()
  await events.keyboard('{Alt>}{ArrowRight}{/Alt}{Enter}')
  await screen.findByText('“Post 4” moved to Thu 26 Nov, 18:00.')
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  const release = api.hold('getCalendar')
  await events.click(button('Undo'))
  const back = await within(await day('Wednesday 25 November')).findByRole('button', { name: /Post 4/ })
  await waitFor(() => expect(moves()).toHaveLength(2))
  back.focus()
  await events.keyboard('{Alt>}{ArrowLeft}{/Alt}{Enter}')
  await screen.findByText('“Post 4” moved to Tue 24 Nov, 18:00.')
  release()
  await events.click(button('Undo'))
  await waitFor(() => expect(moves()).toHaveLength(4))
  expect(moves()[3]).toMatchObject({ version: 4, moment: { at: '2026-11-25T18:00:00.000Z' } })
})

test('a paused post names its pause, which is ended there', async () => {
  let paused = true
  api.reply('getCalendar', () =>
    calendar({ posts: [post(1, '2026-11-26T18:00', { held_for: paused ? 'paused' : null })] }),
  )
  api.reply('listBrands', [brand({ paused: true, paused_until: '2026-12-07T09:00:00.000Z' })])
  api.reply('listAccounts', [account()])
  api.reply('listSchedules', [])
  api.reply('pauseBrand', () => {
    paused = false
    return { paused, released: 0, missed: 0, missed_post_ids: [] }
  })
  const events = await open()
  const deliveries = () => [delivery({ account_id: 1, status: 'scheduled', paused: paused ? 'brand' : null })]
  api.reply('getPost', () => ({
    ...fullPost({ post_id: 1, deliveries: deliveries() }),
    events: [],
    targets: [],
  }))
  await events.click(await screen.findByRole('button', { name: /^18:00, Post 1/ }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('is paused until 7 Dec, 09:00', { exact: false })
  await events.click(dialog.getByRole('button', { name: 'Resume Northwind' }))
  await waitFor(() => expect(dialog.queryByText('Paused')).not.toBeInTheDocument())
  expect(dialog.queryByRole('button', { name: 'Resume Northwind' })).not.toBeInTheDocument()
})

test('Ctrl and Z undo the last move, but not one behind a dialog', async () => {
  const events = await moveToThursday([
    { version: 2, schedule_id: 3 },
    { version: 3, schedule_id: 9 },
  ])
  await screen.findByText('“Post 1” moved to Thu 26 Nov, 18:07 · Evenings.')
  await events.keyboard('{Enter}')
  await screen.findByRole('dialog')
  await events.keyboard('{Control>}z{/Control}')
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(moves()).toHaveLength(1)
  await events.keyboard('{Control>}z{/Control}')
  await waitFor(() => expect(moves()).toHaveLength(2))
  expect(await screen.findByText('Undone.')).toBeInTheDocument()
})

test('a move whose slot was taken meanwhile is undone to its time, and says so', async () => {
  const events = await moveToThursday([
    { version: 2, schedule_id: null },
    { version: 3, schedule_id: null },
  ])
  await screen.findByText('“Post 1” moved to Thu 26 Nov, 18:07.')
  await events.click(button('Undo'))
  expect(
    (await screen.findAllByText(/no longer in its schedule: its slot is not free/)).length,
  ).toBeGreaterThan(0)
  expect(moves()[1]).toEqual(BACK)
})

test('a move that the server refuses says why, and the post is where it was', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
  api.reply('getCalendar', calendar({ posts: [post(1, '2026-11-25T18:00')] }))
  api.refuse('editPost', 'in_flight', 'Posting to @nova has already started.')
  const events = await open()
  const before = await chip('Wednesday 25 November', '18:00')
  before.focus()
  await events.keyboard('{Alt>}{ArrowRight}{/Alt}{Enter}')
  await screen.findByText('Posting to @nova has already started.')
  await chip('Wednesday 25 November', '18:00')
})

const chip = async (on: string, time: string) =>
  within(await day(on)).findByRole('button', { name: new RegExp(`^${time}, Post \\d`) })

test('a post is moved, put back, opened and moved again by the keyboard alone', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
  store(5, '2026-11-25T18:00')
  const events = await open()
  const said = screen.getByRole('status', { name: 'Moves' })
  const before = await chip('Wednesday 25 November', '18:00')
  before.focus()
  await events.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(await chip('Wednesday 25 November', '18:15')).toHaveFocus()
  expect(said).toHaveTextContent('18:15. Enter keeps it, Escape puts it back.')
  await events.keyboard('{Escape}')
  expect(await chip('Wednesday 25 November', '18:00')).toHaveFocus()

  await events.keyboard('{Alt>}{ArrowRight}{ArrowDown}{/Alt}')
  expect(await chip('Thursday 26 November', '18:15')).toHaveFocus()
  await events.keyboard('{Alt>}{ArrowLeft}{/Alt}')
  expect(await chip('Wednesday 25 November', '18:15')).toHaveFocus()
  await events.keyboard('{Alt>}{ArrowRight}{/Alt}')
  expect(await chip('Thursday 26 November', '18:15')).toHaveFocus()
  expect(moves()).toEqual([])
  await events.keyboard('{Enter}')
  await waitFor(() => expect(said).toHaveTextContent('You can undo this.'))
  expect(await chip('Thursday 26 November', '18:15')).toHaveFocus()

  await events.keyboard('{Enter}')
  const opened = await screen.findByRole('dialog', { name: 'Thursday 26 November, 18:15' })
  button('Move to…', opened).focus()
  await events.keyboard('{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'Move to' })
  const chooseDay = async (name: string) => {
    button(/^Date/, dialog).focus()
    await events.keyboard('{Enter}')
    const choice = await screen.findByRole('button', { name })
    choice.focus()
    await events.keyboard('{Enter}')
    await waitFor(() => expect(choice).not.toBeInTheDocument())
  }
  await chooseDay('24 November 2026')
  button('Move', dialog).focus()
  await events.keyboard('{Enter}')
  expect(dialog).toHaveTextContent('This time has passed. Choose a later one.')
  await chooseDay('27 November 2026')
  within(dialog).getByLabelText('Time').focus()
  await events.keyboard('0930')
  button('Move', dialog).focus()
  await events.keyboard('{Enter}')
  await chip('Friday 27 November', '09:30')
  button('Undo').focus()
  await events.keyboard('{Enter}')
  await chip('Thursday 26 November', '18:15')
  expect(moves()).toMatchObject(
    ['2026-11-26T18:15', '2026-11-27T09:30', '2026-11-26T18:15'].map((time) => ({
      moment: { at: `${time}:00.000Z`, timezone: 'Europe/Lisbon' },
    })),
  )
})

test('a slot that a draft is to take is not drawn as free', async () => {
  const { schedule_id, local, timezone, at } = slot()
  const taken = { schedule_id, local, timezone, at }
  api.reply(
    'getCalendar',
    calendar({ drafts: [{ ...draft('2026-11-26T18:00'), slot: taken }], slots: [slot()] }),
  )
  await open()
  await day('Thursday 26 November, 1 post')
  expect(screen.queryByRole('link', { name: /^\+ 18:00/ })).toBeNull()
})

const saved = () => api.calls('saveDraft').map(({ body }) => body)

test('what has no time is in the tray, where it is given one and loses it again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T12:00:00Z') })
  const next = { schedule_id: 3, place: 'next' as const }
  const stored = {
    draft_id: '11111111-1111-4111-8111-111111111111',
    version: 4,
    author: 'Ada',
    created_at: '2026-11-20T12:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
    deleted_at: null,
  }
  const written = { video_id: 1, text: 'Flat white', platform_options: {}, targets: [], publish_at: null }
  api.reply('getCalendar', calendar({ slots: [slot()] }))
  api.reply('getDraft', { ...stored, content: { ...written, schedule: next } })
  const slotPlace = { local: '2026-11-26T18:00', timezone: 'Europe/Lisbon' }
  const inSlot = { ...written, schedule: { schedule_id: 3, place: 'slot' as const, slot: slotPlace } }
  api.reply('saveDraft', { ...stored, content: inSlot })
  api.reply('listSchedules', [schedule({ schedule_id: 3, name: 'Evenings' })])
  api.reply('deleteDraft', undefined)
  api.reply('listVideos', videosPage(video({ video_id: 7, filename: 'harbour.mp4' })))
  api.reply('listDrafts', {
    items: [
      summary({ text: 'Has a time', planned: true }),
      summary({ draft_id: stored.draft_id, text: 'Flat white', planned: false }),
    ],
  })
  const events = await open()
  await findSlot()
  await events.click(button('Unplanned'))
  await events.click(await screen.findByRole('button', { name: 'Plan Flat white for…' }))
  expect(screen.queryByText('Has a time')).toBeNull()
  const dialog = await screen.findByRole('dialog', { name: 'Plan for' })
  expect(within(dialog).getByRole('button', { name: /^Date/ })).toHaveTextContent('Thu 26 Nov 2026')
  expect(within(dialog).getByLabelText('Time')).toHaveValue('18')
  await events.click(within(dialog).getByRole('button', { name: 'Plan' }))
  await screen.findByText('“Flat white” planned for Thu 26 Nov, 18:00 · Evenings.')
  const moment = { at: '2026-11-26T18:00:00.000Z', timezone: 'Europe/Lisbon' }
  expect(saved()).toEqual([{ version: 4, content: { ...written, schedule: next }, moment }])
  await events.click(button('Undo'))
  await waitFor(() => expect(saved()[1]).toEqual({ version: 4, content: { ...written, schedule: next } }))

  await events.click(button('Plan harbour.mp4 for…'))
  await events.click(await screen.findByRole('button', { name: 'Plan' }))
  await screen.findByText('“harbour.mp4” planned for Thu 26 Nov, 18:00 · Evenings.')
  expect(saved()[2]).toMatchObject({ version: 0, content: { video_id: 7, text: '' }, moment })
  await events.click(button('Undo'))
  await waitFor(() => expect(api.calls('deleteDraft')).toHaveLength(1))
})

test('the filters and the days are part of the address, and of what is asked for', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply('listAccounts', [account(), account({ account_id: 2, brand_id: 2, username: 'harbour' })])
  api.reply('getCalendar', calendar())
  const events = await open()
  await events.click(button('Filter'))
  const filter = within(await screen.findByRole('dialog', { name: 'Filter' }))
  await events.selectOptions(await filter.findByRole('combobox', { name: 'Brand' }), 'Harbour')
  await events.click(filter.getByRole('combobox', { name: 'Account' }))
  await events.click(await filter.findByRole('option', { name: /@harbour$/ }))
  await events.click(filter.getByRole('button', { name: 'Failed' }))
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await events.click(button('Next week'))
  await events.click(button('List'))
  await screen.findByText('Nothing planned in these four weeks.')
  await waitFor(() =>
    expect(location.search).toBe('?date=2026-12-02&brand=2&account=2&status=failed&view=list'),
  )
  await waitFor(() =>
    expect(api.calls('getCalendar').at(-1)).toMatchObject({
      query: { from: '2026-12-02', days: 28, brandId: 2, accountId: 2, status: 'failed' },
    }),
  )
  await events.click(button('Filter (3)'))
  await events.click(await screen.findByRole('button', { name: 'Show everything' }))
  await waitFor(() => expect(location.search).toBe('?date=2026-12-02&view=list'))
  await events.keyboard('{Escape}')
  await waitFor(() => expect(button('Filter')).toHaveFocus())
})

test('a calendar that cannot be read says so, and can be asked for again', async () => {
  api.refuse('getCalendar', 'internal', TEXTS.unknownError)
  const events = await open()
  await findAlert(TEXTS.unknownError)
  api.reply('getCalendar', calendar({ posts: [post(1, '2026-11-25T08:00')] }))
  await events.click(button('Try again'))
  await screen.findByRole('button', { name: /^08:00, Post 1/ })
})
