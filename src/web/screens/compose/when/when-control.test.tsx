import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, box, content, open, openDraft, primary, sent } from '#web/testing/composer.ts'
import { brand, freeSlot, post, queue } from '#web/testing/data.ts'
import { button, findHeading } from '#web/testing/render-app.tsx'

// A Sunday. Only the clock of dates: timers run.
const NOW = Date.parse('2026-11-22T12:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  answerComposer()
})

const answerQueues = (...queues: Parameters<typeof queue>[0][]) => {
  api.reply('listQueues', queues.map(queue))
  api.reply('listNextSlots', { slots: [freeSlot(24), freeSlot(26)] })
}
const choose = (name: RegExp | string) => screen.findByRole('radio', { name })
/** What the page saves as it is left must not arrive in the next test. */
const untilSaved = () => screen.findByText(/^Draft saved at/)
const select = (name: string) => screen.findByRole('combobox', { name })

test('a time is proposed in the zone of the brand that alone gets the post', async () => {
  api.reply('listBrands', [
    brand({ timezone: 'Asia/Tokyo' }),
    brand({ brand_id: 2, title: 'Harbour Coffee' }),
  ])
  const events = await openDraft()
  await events.click(await choose('Pick a time'))
  expect(screen.getByText('Asia/Tokyo time. For you: Mon 09:00.')).toBeVisible()
  await events.click(await primary('Schedule for Mon 18:00 Tokyo time'))
  await findHeading('Queue')
  expect(sent()[0]?.publish_at).toEqual({ local: '2026-11-23T18:00', timezone: 'Asia/Tokyo' })
})

test('a time that was chosen before its brand keeps its zone, and the brand’s is offered', async () => {
  api.reply('listBrands', [
    brand({ timezone: 'Asia/Tokyo' }),
    brand({ brand_id: 2, title: 'Harbour Coffee' }),
  ])
  const events = await openDraft({ content: content({ targets: [] }) })
  await events.click(await choose('Pick a time'))
  expect(screen.getByText('Europe/Lisbon time.')).toBeVisible()
  await events.click(await box('TikTok @northwind'))
  await events.click(button('Use Tokyo time, as Northwind'))
  await events.click(await primary('Schedule for Mon 18:00 Tokyo time'))
  await findHeading('Queue')
})

test('the address gives a new post its time', async () => {
  await open('?at=2026-12-24T18:30&zone=America%2FNew_York')
  expect(await choose('Pick a time')).toBeChecked()
  expect(screen.getByLabelText('Time')).toHaveValue('18:30')
  expect(screen.getByText(/^America\/New York time\./)).toBeVisible()
})

test.each([
  ['is still the next one is taken as such', 24, 'Next free slot Tue 18:00'],
  ['is not the next one gives only its time', 26, 'Pick a time'],
])('a free slot of the calendar that %s', async (_which, day, chosen) => {
  answerQueues({})
  const events = await open(`?at=2026-11-${day}T18:00&zone=Europe%2FLisbon&queue=1`)
  await choose('Next free slot Tue 18:00')
  await waitFor(async () => expect(await choose(chosen)).toBeChecked())
  await events.click(await choose('Now'))
  expect(await choose('Now')).toBeChecked()
})

test('the next free slot is named, chosen, kept in the draft and sent', async () => {
  answerQueues({}, { queue_id: 2, name: 'Mornings', paused: true })
  api.reply('createPost', post({ post_id: 7, publish_at: '2026-11-26T18:00:00.000Z', queue_id: 1 }))
  const events = await openDraft()
  await events.click(await choose('Next free slot Tue 18:00'))
  expect(await screen.findByText(/, then Thu 18:00\. Europe\/Lisbon time\./)).toBeVisible()
  expect(api.calls('listNextSlots').at(-1)).toMatchObject({
    params: { queueId: '1' },
    query: { platforms: 'tiktok' },
  })
  await events.click(await primary('Schedule for Tue 18:00'))
  await findHeading('Queue')
  const place = { queue_id: 1, place: 'next' }
  expect(sent()).toMatchObject([{ queue: place }])
  expect(sent()[0]?.publish_at).toBeUndefined()
  expect(api.calls('saveDraft').at(-1)?.body).toMatchObject({ content: { publish_at: null, queue: place } })
})

test('another queue and another place in it are chosen, and a paused one says so', async () => {
  answerQueues({}, { queue_id: 2, name: 'Mornings', paused: true })
  const events = await openDraft({ content: content({ queue: { queue_id: 1, place: 'next' } }) })
  await events.selectOptions(await select('Queue'), 'Mornings · paused')
  await events.selectOptions(await select('Place in the queue'), 'Top of the queue')
  expect(await screen.findByText(/^This queue is paused/)).toHaveTextContent('move one slot back')
  await events.click(await primary('Add to the queue'))
  await findHeading('Queue')
  expect(sent()).toMatchObject([{ queue: { queue_id: 2, place: 'top' } }])
})

test('only queues of brands that get the post are offered', async () => {
  answerQueues({ brand_id: 2, name: 'Coffee' })
  const events = await openDraft({ content: content({ targets: [] }) })
  await events.click(await choose('Next free slot Tue 18:00'))
  await events.click(await box('TikTok @northwind'))
  await events.click(await primary('Add to the queue'))
  const checks = screen.getByRole('region', { name: 'Checks' })
  expect(within(checks).getByText('Choose a queue of a brand that gets the post.')).toBeVisible()
  await untilSaved()
  expect(sent()).toEqual([])
})

test('a queue without a free slot for these accounts is refused before anything is sent', async () => {
  answerQueues({})
  api.reply('listNextSlots', { slots: [] })
  const events = await openDraft()
  await events.click(await choose('Next free slot'))
  await events.click(await primary('Add to the queue'))
  expect(await screen.findAllByText('This queue has no free slot for these accounts.')).toHaveLength(2)
  expect(await select('Queue')).toHaveFocus()
  await untilSaved()
  expect(sent()).toEqual([])
})
