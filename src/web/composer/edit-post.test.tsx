import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { PostDetail } from '#contract/posts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, box, primary, rowOf, typeTime, whenChoice } from '#web/testing/composer.ts'
import { delivery, freeSlot, nextSlots, post, schedule } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

type Detail = z.input<typeof PostDetail>
type DeliveryReply = Parameters<typeof delivery>[0]

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  answerComposer()
})

const waiting = (its: DeliveryReply) => delivery({ status: 'scheduled', published_at: null, ...its })
const one = waiting({ delivery_id: 11, account_id: 1 })
const two = waiting({ delivery_id: 12, account_id: 2, platform: 'instagram', username: 'northwind.bakes' })

/** Two accounts, the second with its own caption, on Tuesday at six in Lisbon. */
const detail = (its: Partial<Detail> = {}): Detail => ({
  ...post({
    post_id: 7,
    text: 'Lemon tart',
    publish_at: '2026-11-24T18:00:00.000Z',
    timezone: 'Europe/Lisbon',
    version: 3,
    deliveries: [one, two],
  }),
  events: [],
  targets: [
    {
      delivery_id: 11,
      text: 'Lemon tart',
      options: { privacy_level: 'PUBLIC_TO_EVERYONE' },
      after_minutes: 0,
    },
    { delivery_id: 12, text: 'Tart', options: { share_to_feed: true }, after_minutes: 0 },
  ],
  ...its,
})

/** The server takes changes to the version that it has. */
function answerEdits(its: Partial<Detail> = {}) {
  let stored = detail(its)
  api.reply('getPost', () => stored)
  api.reply('editPost', () => (stored = { ...stored, version: stored.version + 1 }))
  return { change: (changed: Partial<Detail>) => (stored = { ...stored, ...changed }) }
}
const edit = () => renderSignedIn(`${PATHS.compose}?edit=7`, 'Edit post')
const caption = () => screen.findByRole('textbox', { name: 'Caption' })
const changes = () => api.calls('editPost').map(({ body }) => body)

test('a post is loaded as it is, and only its time is sent where only that was changed', async () => {
  answerEdits()
  const events = await edit()
  expect(await caption()).toHaveValue('Lemon tart')
  expect(await box('TikTok @northwind')).toBeChecked()
  expect(within(await rowOf('Instagram @northwind.bakes')).getByText(/^Custom caption/)).toBeVisible()
  expect(await whenChoice(events, 'Pick a time')).toBeChecked()
  expect(screen.queryByRole('radio', { name: 'Save draft' })).not.toBeInTheDocument()
  await typeTime(events, '1930')
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toEqual([
    { version: 3, publish_at: { local: '2026-11-24T19:30', timezone: 'Europe/Lisbon' } },
  ])
  expect(api.calls('saveDraft')).toEqual([])
  await edit()
  expect(await caption()).toHaveValue('Lemon tart')
  expect(screen.queryByRole('button', { name: 'Discard changes' })).not.toBeInTheDocument()
})

test('a changed caption goes out with the whole set of accounts', async () => {
  answerEdits()
  const events = await edit()
  await events.type(await caption(), ', plated')
  await screen.findByText(/^\d ready$/)
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toMatchObject([
    {
      version: 3,
      text: 'Lemon tart, plated',
      targets: [
        { account_id: 1, options: { privacy_level: 'PUBLIC_TO_EVERYONE' } },
        { account_id: 2, text: 'Tart' },
      ],
    },
  ])
  expect(changes()[0]).not.toHaveProperty('publish_at')
})

test('an account gets the post later than the others, and another distance is sent', async () => {
  const [first, second] = detail().targets
  if (!first || !second) throw new Error('There are two accounts.')
  answerEdits({ targets: [first, { ...second, after_minutes: 30 }] })
  const events = await edit()
  expect(
    within(await rowOf('Instagram @northwind.bakes')).getByText(/^\+30 min · Custom caption/),
  ).toBeVisible()
  await whenChoice(events, 'Pick a time')
  const spread = screen.getByRole('spinbutton', { name: 'Spread over' })
  expect(spread).toHaveValue(30)
  await events.clear(spread)
  await screen.findByText('All accounts get it at the same time.')
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toMatchObject([
    {
      targets: [
        { account_id: 1, after_minutes: 0 },
        { account_id: 2, after_minutes: 0 },
      ],
    },
  ])
  expect(changes()[0]).not.toHaveProperty('publish_at')
})

test('an account that has started is locked, and stays in the post as it was sent', async () => {
  const published = delivery({ delivery_id: 11, account_id: 1 })
  answerEdits({ deliveries: [published, two] })
  const events = await edit()
  expect(await box('TikTok @northwind')).toBeDisabled()
  const row = await rowOf('TikTok @northwind')
  expect(within(row).getByText('Published')).toBeVisible()
  expect(screen.getByText(/has started for some accounts, so its video/)).toBeVisible()
  await events.click(await box('Instagram @harbour_coffee'))
  await screen.findByText(/^\d ready$/)
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toMatchObject([
    {
      targets: [{ account_id: 2 }, { account_id: 4 }, { account_id: 1, options: {} }],
    },
  ])
})

test('an account that starts meanwhile is named, and locked from then on', async () => {
  const server = answerEdits()
  const events = await edit()
  await events.type(await caption(), '!')
  await screen.findByText(/^\d ready$/)
  server.change({ deliveries: [delivery({ delivery_id: 11, account_id: 1, status: 'committing' }), two] })
  api.refuse('editPost', 'in_flight', 'Posting to @northwind has started.')
  await events.click(await primary('Save changes'))
  await findAlert('Nothing was changed. Posting to @northwind has started.')
  expect(await box('TikTok @northwind')).toBeDisabled()
})

describe('a post that was changed elsewhere', () => {
  test('shows what changed, and takes these changes on top where that is wanted', async () => {
    const server = answerEdits()
    const events = await edit()
    await events.type(await caption(), '!')
    await screen.findByText(/^\d ready$/)
    server.change({ version: 4, publish_at: '2026-11-26T12:00:00.000Z' })
    api.refuse('editPost', 'conflict', 'This post was changed somewhere else.')
    await events.click(await primary('Save changes'))
    const alert = await findAlert('This post was changed elsewhere.')
    expect(within(alert).getByText('New time: Thursday 26 November, 12:00.')).toBeVisible()
    expect(await primary('Save changes')).toBeDisabled()
    api.reply('editPost', { ...detail(), version: 5 })
    await events.click(button('Keep my changes'))
    await events.click(await primary('Save changes'))
    await findHeading('Queue')
    expect(changes().at(-1)).toMatchObject({ version: 4, text: 'Lemon tart!' })
    expect(changes().at(-1)).not.toHaveProperty('publish_at')
  })

  test('is taken as it is where that is wanted', async () => {
    const server = answerEdits()
    const events = await edit()
    await events.type(await caption(), '!')
    await screen.findByText(/^\d ready$/)
    server.change({ version: 4, text: 'Orange tart' })
    api.refuse('editPost', 'conflict', 'This post was changed somewhere else.')
    await events.click(await primary('Save changes'))
    await events.click(await screen.findByRole('button', { name: 'Use the other version' }))
    await waitFor(async () => expect(await caption()).toHaveValue('Orange tart'))
    expect(screen.queryByText('Not saved yet')).not.toBeInTheDocument()
  })
})

test('unsaved changes are there again, and can be discarded', async () => {
  answerEdits()
  const events = await edit()
  await events.type(await caption(), ', plated')
  expect(await screen.findByText('Not saved yet')).toBeVisible()
  await events.click(screen.getByRole('link', { name: 'Accounts' }))
  await findHeading('Accounts')
  const again = await edit()
  expect(await caption()).toHaveValue('Lemon tart, plated')
  await again.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitFor(async () => expect(await caption()).toHaveValue('Lemon tart'))
})

test('a post is changed and put into a schedule by one call', async () => {
  answerEdits()
  api.reply('listSchedules', [schedule()])
  api.reply('listNextSlots', nextSlots(freeSlot(26)))
  const events = await edit()
  await events.click(await whenChoice(events, 'Next free slot Thu 18:00'))
  await events.type(await caption(), '!')
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toMatchObject([
    { version: 3, text: 'Lemon tart!', schedule: { schedule_id: 1, place: 'next' } },
  ])
})

test('a time of its own takes a post out of its schedule, which is said before', async () => {
  answerEdits({ schedule_id: 1 })
  const events = await edit()
  await whenChoice(events, 'Pick a time')
  expect(await screen.findByText(/Its schedule gave it this time\.$/)).toBeVisible()
  await typeTime(events, '1930')
  expect(screen.getByText(/It leaves its schedule, and its slot is free again\.$/)).toBeVisible()
})

test('a time that has passed does not keep other changes from being saved', async () => {
  answerEdits({ publish_at: '2026-11-20T18:00:00.000Z' })
  const events = await edit()
  await events.type(await caption(), '!')
  await screen.findByText(/^\d ready$/)
  await events.click(await primary('Save changes'))
  await findHeading('Queue')
  expect(changes()).toHaveLength(1)
})

test('a post that has gone out can no longer be changed, and says so', async () => {
  answerEdits({ deliveries: [delivery({ delivery_id: 11 })] })
  await edit()
  expect(await screen.findByText(/^This post has gone out or was cancelled/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Go to the queue' })).toBeVisible()
})
