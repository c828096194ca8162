import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import {
  answerComposer,
  box,
  content,
  open,
  openDraft,
  primary,
  sent,
  whenChoice,
  rowOf,
} from '#web/testing/composer.ts'
import { brand, freeSlot, nextSlots, post, schedule } from '#web/testing/data.ts'
import { button, findAlert, findHeading } from '#web/testing/render-app.tsx'

// A Sunday. Only the clock of dates: timers run.
const NOW = Date.parse('2026-11-22T12:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  answerComposer()
})

const answerSchedules = (...schedules: Parameters<typeof schedule>[0][]) => {
  api.reply('listSchedules', schedules.map(schedule))
  api.reply('listNextSlots', nextSlots(freeSlot(24), freeSlot(26)))
}
/** What the page saves as it is left must not arrive in the next test. */
const untilSaved = () => screen.findByText(/^Draft saved at/)
const select = (name: string) => screen.findByRole('combobox', { name })

test('a time is proposed in the zone of the brand that alone gets the post', async () => {
  api.reply('listBrands', [
    brand({ timezone: 'Asia/Tokyo' }),
    brand({ brand_id: 2, title: 'Harbour Coffee' }),
  ])
  const events = await openDraft()
  await events.click(await whenChoice(events, 'Pick a time'))
  expect(screen.getByText('Asia/Tokyo time. For you: Mon 09:00.')).toBeVisible()
  await events.click(await primary('Schedule for Mon 18:00 Tokyo time'))
  await findHeading('Queue')
  expect(sent()[0]?.publish_at).toEqual({ local: '2026-11-23T18:00', timezone: 'Asia/Tokyo' })
})

test('a post is spread over an hour, shuffled, with a time of its own for one account', async () => {
  const events = await openDraft()
  await events.click(await box('Instagram @northwind.bakes'))
  await whenChoice(events, 'Now')
  await events.type(screen.getByRole('spinbutton', { name: 'Spread over' }), '60')
  await screen.findByText('About 1 h apart, in the order of the accounts.')
  vi.spyOn(Math, 'random').mockReturnValue(0.99)
  await events.click(button('Shuffle'))
  await waitFor(async () => expect(await rowOf('TikTok @northwind')).toHaveTextContent('+1 h'))
  await events.keyboard('{Escape}')
  expect(button('When: Now, over 1 h')).toBeVisible()
  await events.click(button('Caption and options for @northwind.bakes on Instagram'))
  await events.type(await screen.findByLabelText("After the post's time"), '7')
  await events.click(await primary('Publish to 2 accounts'))
  await findHeading('Queue')
  expect(sent()[0]?.targets).toMatchObject([
    { account_id: 2, after_minutes: 7 },
    { account_id: 1, after_minutes: 60 },
  ])
})

test('a time that was chosen before its brand keeps its zone, and the brand’s is offered', async () => {
  api.reply('listBrands', [
    brand({ timezone: 'Asia/Tokyo' }),
    brand({ brand_id: 2, title: 'Harbour Coffee' }),
  ])
  const events = await openDraft({ content: content({ targets: [] }) })
  await events.click(await whenChoice(events, 'Pick a time'))
  expect(screen.getByText('Europe/Lisbon time.')).toBeVisible()
  await events.click(await box('TikTok @northwind'))
  await whenChoice(events, 'Pick a time')
  await events.click(button('Use Tokyo time, as Northwind'))
  await events.click(await primary('Schedule for Mon 18:00 Tokyo time'))
  await findHeading('Queue')
})

test('the address gives a new post its time', async () => {
  const events = await open('?at=2026-12-24T18:30&zone=America%2FNew_York')
  expect(await whenChoice(events, 'Pick a time')).toBeChecked()
  expect(screen.getByLabelText('Hours')).toHaveValue('18')
  expect(screen.getByLabelText('Minutes')).toHaveValue('30')
  expect(screen.getByText(/^America\/New York time\./)).toBeVisible()
})

const SLOT = {
  schedule_id: 1,
  place: 'slot' as const,
  slot: { local: '2026-11-26T18:00', timezone: 'Europe/Lisbon' },
}

test('a free slot of the calendar is chosen and named, and can be left and taken again', async () => {
  answerSchedules({})
  const events = await open('?at=2026-11-26T18:00&zone=Europe%2FLisbon&schedule=1')
  expect(await whenChoice(events, 'Free slot Thu 26 Nov, 18:00')).toBeChecked()
  expect(await screen.findByText('Thu 26 Nov, 18:00 · Evenings')).toBeVisible()
  await events.selectOptions(await select('Place in the schedule'), 'At the end')
  expect(await whenChoice(events, 'Next free slot Tue 18:00')).toBeChecked()
  await events.selectOptions(await select('Place in the schedule'), 'Thu 26 Nov, 18:00')
  expect(await whenChoice(events, 'Free slot Thu 26 Nov, 18:00')).toBeChecked()
})

test('a chosen slot is sent, and where it is no longer free its place says so', async () => {
  answerSchedules({})
  const message = 'Another post has this slot. Choose another one.'
  api.refuse('createPost', 'slot_not_free', message, { 'schedule.slot': [message] })
  const events = await openDraft({ content: content({ schedule: SLOT }) })
  await events.click(await primary('Schedule for Thu 18:00'))
  expect(await findAlert(`Nothing was published. ${message}`)).toBeVisible()
  expect(sent()).toMatchObject([{ schedule: SLOT }])
  expect(await select('Posting schedule')).not.toBeInvalid()
  const place = await select('Place in the schedule')
  expect(place).toBeInvalid()
  await waitFor(() => expect(place).toHaveFocus())
  await events.selectOptions(await select('Place in the schedule'), 'Next free slot')
  expect(await primary('Schedule for Tue 18:00')).toBeEnabled()
  await untilSaved()
})

test('a slot that has passed is refused before anything is sent', async () => {
  answerSchedules({})
  const passed = { ...SLOT, slot: { local: '2026-11-19T18:00', timezone: 'Europe/Lisbon' } }
  const events = await openDraft({ content: content({ schedule: passed }) })
  await events.click(await primary('Schedule for 19 Nov 18:00'))
  expect((await screen.findAllByText('This slot has passed. Choose a later one.')).length).toBeGreaterThan(0)
  expect(sent()).toEqual([])
})

/** What is said below the fields, found by a text in it. */
const below = async (text: RegExp) => (await screen.findByText(text)).closest('p')

test('the top and the end of a schedule show their time and how many posts move', async () => {
  answerSchedules({})
  const at = '2026-11-24T18:00:00.000Z'
  const move = { post_id: 3, from: at, to: '2026-11-26T18:00:00.000Z' }
  const end = { at: '2026-12-03T18:00:00.000Z', moves: [] }
  api.reply('listNextSlots', { slots: [freeSlot(26)], top: { at, moves: [move, move] }, bottom: end })
  const events = await openDraft({ content: content({ schedule: { schedule_id: 1, place: 'top' } }) })
  await whenChoice(events, 'Next free slot Thu 18:00')
  expect(await below(/2 posts move to later slots\./)).toHaveTextContent(
    'Tue 18:00, before everything that waits.',
  )
  await primary('Schedule for Tue 18:00')
  await events.selectOptions(await select('Place in the schedule'), 'At the end')
  expect(await below(/No other post moves\./)).toHaveTextContent('3 Dec 18:00, after everything that waits.')
  await primary('Schedule for 3 Dec 18:00')
  await untilSaved()
})

test('the next free slot is named, chosen, kept in the draft and sent', async () => {
  answerSchedules({}, { schedule_id: 2, name: 'Mornings', paused: true })
  api.reply('createPost', post({ post_id: 7, publish_at: '2026-11-26T18:00:00.000Z', schedule_id: 1 }))
  const events = await openDraft()
  await events.click(await whenChoice(events, 'Next free slot Tue 18:00'))
  expect(await screen.findByText(/, then Thu 18:00\. Europe\/Lisbon time\./)).toBeVisible()
  expect(api.calls('listNextSlots').at(-1)).toMatchObject({
    params: { scheduleId: '1' },
    query: { platforms: 'tiktok', accounts: '1' },
  })
  await events.click(await primary('Schedule for Tue 18:00'))
  await findHeading('Queue')
  expect((await screen.findAllByText(/^Scheduled: .+18:00$/))[0]).toBeInTheDocument()
  const place = { schedule_id: 1, place: 'next' }
  expect(sent()).toMatchObject([{ schedule: place }])
  expect(sent()[0]?.publish_at).toBeUndefined()
  expect(api.calls('saveDraft').at(-1)?.body).toMatchObject({
    content: { publish_at: null, schedule: place },
  })
})

test('another post to the account at the minute of the slot is named', async () => {
  answerSchedules({})
  const at = '2026-11-24T18:00:00.000Z'
  api.reply('findSimilarPosts', ({ body }) => ({
    items: 'publish_at' in Object(body) ? [{ account_id: 1, post_id: 5, same: 'time', goes_out_at: at }] : [],
  }))
  await openDraft({ content: content({ schedule: { schedule_id: 1, place: 'next' } }) })
  await screen.findByText(/Another post is scheduled here at the same time/)
  expect(api.calls('findSimilarPosts').at(-1)?.body).toMatchObject({
    publish_at: { local: '2026-11-24T18:00', timezone: 'Europe/Lisbon' },
  })
})

test('an account is paused only for a post that goes out before the pause ends', async () => {
  api.reply('listBrands', [brand({ paused: true, paused_until: '2026-11-23T12:00:00.000Z' })])
  const events = await openDraft()
  const row = within(await rowOf('TikTok @northwind'))
  expect(await row.findByText('Posting here is paused until 23 Nov, 12:00.')).toBeVisible()
  await events.click(await whenChoice(events, 'Pick a time'))
  await waitFor(() => expect(row.queryByText('Paused')).not.toBeInTheDocument())
  await untilSaved()
})

test('Escape closes the calendar of the date before the choice around it', async () => {
  const events = await openDraft()
  await events.click(await whenChoice(events, 'Pick a time'))
  await events.click(button(/^Date/))
  await screen.findByRole('button', { name: 'Next month' })
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Next month' })).not.toBeInTheDocument())
  expect(await whenChoice(events, 'Pick a time')).toBeChecked()
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('group', { name: 'When' })).not.toBeInTheDocument())
  await untilSaved()
})

test('another schedule and another place in it are chosen, and a paused one says so', async () => {
  answerSchedules({}, { schedule_id: 2, name: 'Mornings', paused: true })
  const events = await openDraft({ content: content({ schedule: { schedule_id: 1, place: 'next' } }) })
  await whenChoice(events, 'Next free slot Tue 18:00')
  await events.selectOptions(await select('Posting schedule'), 'Mornings · paused')
  await events.selectOptions(await select('Place in the schedule'), 'At the top')
  expect(await below(/^This schedule is paused/)).toHaveTextContent('No other post moves.')
  await events.click(await primary('Schedule for Tue 18:00'))
  await findHeading('Queue')
  expect(sent()).toMatchObject([{ schedule: { schedule_id: 2, place: 'top' } }])
})

test('only schedules of brands that get the post are offered', async () => {
  answerSchedules({ brand_id: 2, name: 'Coffee' })
  const events = await openDraft({ content: content({ targets: [] }) })
  await events.click(await whenChoice(events, 'Next free slot Tue 18:00'))
  await events.click(await box('TikTok @northwind'))
  await events.click(await primary('Schedule'))
  const checks = screen.getByRole('region', { name: 'Checks' })
  expect(within(checks).getByText('Choose a posting schedule of a brand that gets the post.')).toBeVisible()
  await untilSaved()
  expect(sent()).toEqual([])
})

test('a schedule without a free slot for these accounts is refused before anything is sent', async () => {
  answerSchedules({})
  api.reply('listNextSlots', nextSlots())
  const events = await openDraft()
  await events.click(await whenChoice(events, 'Next free slot'))
  await events.click(await primary('Schedule'))
  expect(await screen.findAllByText('This schedule has no free slot for these accounts.')).toHaveLength(2)
  expect(await select('Posting schedule')).toHaveFocus()
  await untilSaved()
  expect(sent()).toEqual([])
})
