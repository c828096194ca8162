import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { PostId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account } from '#web/testing/data.ts'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import PostResults from './post-results.tsx'
import { deliveryResults, LIVE_AT, measured } from '#web/testing/results.ts'

const HOUR_MS = 3_600_000

/** Renders the results `hours` after the post went live. */
function open(hours: number, ...deliveries: ReturnType<typeof deliveryResults>[]) {
  vi.useFakeTimers({ now: Date.parse(LIVE_AT) + hours * HOUR_MS, toFake: ['Date'] })
  api.reply('getPostResults', { post_id: 1, deliveries })
  return renderPart(<PostResults postId={PostId.parse(1)} />)
}
const countFaint = () => screen.getByRole('graphics-document').querySelectorAll('[data-faint]').length
const findRows = async () => within(await table('The last numbers of each account')).getAllByRole('row')
const table = (name: string) => screen.findByRole('table', { name })

test('a chart has a line for each account, and two tables have its numbers', async () => {
  const its = { likes: measured(30), average_watch_ms: measured(8400) }
  const events = await open(
    700.2,
    deliveryResults({ views: { 1: 10, 24: 200, 672: 900 }, latest: { hours: 700, views: 910, its } }),
    deliveryResults({
      delivery_id: 2,
      account_id: 2,
      username: 'harbour',
      platform: 'youtube',
      views: { 1: 5 },
    }),
  )
  const chart = await screen.findByRole('graphics-document', {
    name: /^Views by the age of the post, on @northwind on TikTok, @harb/,
  })
  expect(chart.querySelectorAll('title')[0]).toHaveTextContent('@northwind on TikTok: 10 views after 1 hour')
  // The 7 days were missed: one line before, one after.
  expect(chart.querySelectorAll('polyline')).toHaveLength(2)

  const now = within(await table('The last numbers of each account'))
  expect(now.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Account',
    'Views',
    'Likes',
    'Average watch',
    'Last read',
  ])
  expect(now.getAllByRole('row')[1]).toHaveTextContent(/@northwind910308\.4 s12 minutes ago$/)
  expect(now.getAllByRole('row')[2]).toHaveTextContent(/@harbour–No number: Not yetNever$/)

  await events.click(screen.getByText('Show the curve as a table'))
  const marks = within(await table('Views by the age of the post'))
  expect(marks.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Age/),
    '1 hour105',
    expect.stringMatching(/^24 hours200–No number: Not yet/),
    expect.stringMatching(/^7 days–No number: Not read–/),
    expect.stringMatching(/^28 days900–/),
    expect.stringMatching(/^Last reading910, 29 days old–/),
  ])
})

test('an account that is pointed at or chosen stands out', async () => {
  const events = await open(
    30,
    deliveryResults({ views: { 1: 10 } }),
    deliveryResults({ delivery_id: 2, username: 'harbour', views: { 1: 5 } }),
  )
  const legend = within(await screen.findByRole('list', { name: 'Accounts of the chart' }))
  expect(countFaint()).toBe(0)
  const choose = legend.getByRole('button', { name: /@harbour/ })
  choose.focus()
  await waitFor(() => expect(countFaint()).toBe(1))
  await events.keyboard('{Enter}')
  expect(choose).toHaveAttribute('aria-pressed', 'true')
  // Its axis fits it, too.
  expect(screen.getByText('Views by the age of the post, at the scale of @harbour on TikTok')).toBeVisible()
  choose.blur()
  expect(countFaint()).toBe(1)
})

const pointed = async (words: string) => {
  await waitFor(() => expect(document.activeElement).toHaveAccessibleName(words))
  expect(screen.getByText(words, { selector: 'p' })).toBeVisible()
}

test('arrow keys walk along a line and to the next one, and the heading has the point in words', async () => {
  const events = await open(
    30,
    deliveryResults({ views: { 1: 10, 24: 200 } }),
    deliveryResults({ delivery_id: 2, username: 'harbour', views: { 1: 5 } }),
  )
  const chart = within(await screen.findByRole('graphics-document'))
  const points = chart.getAllByRole('graphics-symbol')
  expect(points.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1])
  points[0]?.focus()
  await pointed('@northwind on TikTok: 10 views after 1 hour')
  await events.keyboard('{ArrowLeft}{ArrowRight}')
  await pointed('@northwind on TikTok: 200 views after 24 hours')
  await events.keyboard('{ArrowRight}{ArrowDown}')
  await pointed('@harbour on TikTok: 5 views after 1 hour')
  await events.keyboard('{ArrowUp}{End}')
  await pointed('@northwind on TikTok: 200 views after 24 hours')
  // Tab comes back to the point that it left.
  expect(points.map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1])
  points[1]?.blur()
  expect(await screen.findByText('Views by the age of the post', { selector: 'p' })).toBeVisible()
})

test('what is special about an account is said once, with what can be done', async () => {
  api.reply('listAccounts', [account({ account_id: 2, username: 'harbour' })])
  await open(
    900,
    deliveryResults({ views: { 1: 10 }, gone_since: '2026-11-20T09:00:00.000Z', next_reading_at: null }),
    deliveryResults({ delivery_id: 2, account_id: 2, username: 'harbour', allowed: false }),
    deliveryResults({ delivery_id: 3, account_id: 3, username: 'bakery', linked: false }),
  )
  expect(await screen.findByText(/^: not found since 20 Nov, 09:00\.$/)).toBeVisible()
  expect(screen.getByText(/: results need a permission\. Link the account again/)).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Show results: @harbour on TikTok' })).toBeVisible()
  expect(screen.getByText(': unlinked. The numbers stay as they were.')).toBeVisible()
  expect(screen.getByText(', not read any more')).toBeVisible()
})

test('an account that only some of its numbers need the permission for has the others', async () => {
  api.reply('listAccounts', [account({ platform: 'youtube', username: 'harbour' })])
  const its = { followers_gained: measured(null, 'not_allowed') }
  const youtube = { platform: 'youtube', username: 'harbour' } as const
  await open(
    30,
    deliveryResults({ ...youtube, allowed: false, latest: { hours: 29, views: 910, its } }),
    deliveryResults({
      ...youtube,
      delivery_id: 2,
      account_id: 2,
      username: 'bakery',
      latest: { hours: 29, views: 20, its: { followers_gained: measured(12) } },
    }),
  )
  expect((await findRows()).map(({ textContent }) => textContent)).toEqual([
    'AccountViewsFollowers gainedLast read',
    expect.stringMatching(/@harbour910–No number: Not allowed1 hour ago$/),
    expect.stringMatching(/@bakery20121 hour ago$/),
  ])
  expect(
    screen.getByText(
      ': shares, followers gained, average watch, and total watch need a permission. Link the account again to allow it.',
    ),
  ).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Show more results: @harbour on YouTube' })).toBeVisible()
})

test('more than six accounts fold to those with most views', async () => {
  const eight = Array.from({ length: 8 }, (_, nth) =>
    deliveryResults({ delivery_id: nth + 1, username: `shop${nth}`, latest: { hours: 2, views: nth * 10 } }),
  )
  const events = await open(3, ...eight)
  expect(await findRows()).toHaveLength(7)
  expect((await findRows())[1]).toHaveTextContent('@shop7')
  await events.click(button('Show all 8 accounts'))
  expect(await findRows()).toHaveLength(9)
  expect((await findRows())[1]).toHaveTextContent('@shop0')
})

test('results that cannot be read can be asked for again; before the first reading the chart says so', async () => {
  api.refuse('getPostResults', 'internal', TEXTS.unknownError)
  const events = await renderPart(<PostResults postId={PostId.parse(1)} />)
  await findAlert(TEXTS.unknownError)
  api.reply('getPostResults', { post_id: 1, deliveries: [deliveryResults()] })
  await events.click(button('Try again'))
  await screen.findByText('No views have been read yet.')
})
