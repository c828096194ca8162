import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import { MissingReason, type resultsEndpoints, type ResultsCell, type ResultsRow } from '#contract/results.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'
import { MISSING } from './numbers.ts'
import { LIVE_AT, deliveryResults, measured } from '#web/testing/results.ts'

type List = z.input<typeof resultsEndpoints.listResults.reply>

const cell = (
  accountId: number,
  its: Partial<z.input<typeof ResultsCell>> = {},
): z.input<typeof ResultsCell> => ({
  delivery_id: accountId,
  account_id: accountId,
  live_at: LIVE_AT,
  views: measured(12_345),
  usual: null,
  band: null,
  ...its,
})

const row = (its: Partial<z.input<typeof ResultsRow>> = {}): z.input<typeof ResultsRow> => ({
  post_id: 1,
  brand_id: 1,
  brand_title: 'Northwind',
  text: 'Lemon tart\nThree ways to plate it.',
  video: { video_id: 1, poster_url: null },
  live_at: LIVE_AT,
  cells: [cell(1)],
  ...its,
})

function list(...rows: z.input<typeof ResultsRow>[]): List {
  const ids = [...new Set(rows.flatMap(({ cells }) => cells.map(({ account_id }) => account_id)))]
  return {
    rows,
    accounts: ids.map((account_id) => {
      const { platform, display_name, avatar_url, linked, allowed } = deliveryResults()
      return {
        account_id,
        platform,
        username: `shop${String(account_id)}`,
        display_name,
        avatar_url,
        linked,
        allowed,
      }
    }),
    next_cursor: null,
  }
}

const open = (reply: List | Parameters<typeof api.reply<'listResults'>>[1], search = '') => {
  api.reply('listResults', reply)
  return renderSignedIn(`/dashboard/results${search}`, 'Results')
}

test('each post has a row and each account a column, with views and what is usual there', async () => {
  await open(
    list(
      row({
        cells: [
          cell(1, { views: measured(2100), usual: 1000, band: 'above' }),
          cell(2, { views: measured(400), usual: 1000, band: 'below' }),
          cell(3, { views: measured(1100), usual: 1000, band: 'usual' }),
        ],
      }),
      row({ post_id: 2, text: ' ', brand_title: null, cells: [cell(2)] }),
    ),
  )
  const region = await screen.findByRole('region', { name: 'Views after 24 hours' })
  expect(region).toHaveAttribute('tabindex', '0')
  expect(
    within(region)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'Post',
    expect.stringContaining('TikTok @shop1'),
    expect.stringContaining('TikTok @shop2'),
    expect.stringContaining('TikTok @shop3'),
  ])
  const [, first, second] = within(region).getAllByRole('row')
  expect(first).toHaveTextContent(
    /Lemon tart1 Nov 2026 · Northwind2\.1K▲ 2\.1× usual400▼ 0\.4× usual1\.1Kusual$/,
  )
  expect(second).toHaveTextContent(/No caption1 Nov 202612\.3K$/)
  expect(screen.getByTitle('12,345 views')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Lemon tart' })).toHaveAttribute('href', '/dashboard/posts/1')
})

test('a number that is missing is a dash, and says why', async () => {
  const cells = MissingReason.options.map((reason, nth) => cell(nth + 1, { views: measured(null, reason) }))
  await open(list(row({ cells })))
  const region = await screen.findByRole('region', { name: 'Views after 24 hours' })
  const shown = within(region).getAllByRole('cell')
  for (const [nth, reason] of MissingReason.options.entries()) {
    expect(shown[nth]).toHaveTextContent(`–No number: ${MISSING[reason].word}`)
    expect(within(region).getByTitle(MISSING[reason].why)).toBeVisible()
  }
})

test('age, order and filters are asked of the server, and the address keeps them', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  const events = await open(list(row()), '?sort=views')
  await screen.findByText(/they are not added up/)
  await events.click(button('Now'))
  await screen.findByText(/The posts differ in age, so nothing is compared/)
  await screen.findByRole('region', { name: 'Views now' })
  await events.click(button('Filters'))
  await events.selectOptions(await screen.findByRole('combobox', { name: 'Brand' }), 'Harbour')
  await waitFor(() =>
    expect(api.calls('listResults').at(-1)?.query).toEqual({ age: 'now', sort: 'views', brandId: 2 }),
  )
  expect(location.search).toBe('?age=now&sort=views&brand=2')
  await events.click(button('Remove the filter Brand: Harbour'))
  await waitFor(() => expect(location.search).toBe('?age=now&sort=views'))
})

test('the last days are chosen by one press, and by another given up', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-29T12:00:00Z'), toFake: ['Date'] })
  const events = await open(list(row()))
  await events.click(button('Last 28 days'))
  await waitFor(() => expect(location.search).toBe('?days=28'))
  await waitFor(() => expect(api.calls('listResults').at(-1)?.query).toMatchObject({ from: '2026-11-02' }))
  expect(button('Last 28 days')).toHaveAttribute('aria-pressed', 'true')
  await events.click(button('Last 28 days'))
  await waitFor(() => expect(location.search).toBe(''))
})

test('a fixed day takes the place of the last days', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-29T12:00:00Z'), toFake: ['Date'] })
  const events = await open(list(row()))
  await events.click(button('Last 7 days'))
  await events.click(button('Filters'))
  await events.click(await screen.findByLabelText('From'))
  await events.click(await screen.findByRole('button', { name: '5 November 2026' }))
  await waitFor(() => expect(location.search).toBe('?from=2026-11-05'))
  expect(button('Last 7 days')).toHaveAttribute('aria-pressed', 'false')
  await events.click(button('Last 7 days'))
  await waitFor(() => expect(location.search).toBe('?days=7'))
})

test('more posts are loaded on demand, and their accounts become columns', async () => {
  const events = await open(({ query }) =>
    query['cursor'] === undefined
      ? { ...list(row()), next_cursor: 'more' }
      : list(row({ post_id: 2, text: 'Rye starter', cells: [cell(1), cell(2)] })),
  )
  await events.click(await screen.findByRole('button', { name: 'Show more posts' }))
  await screen.findByRole('link', { name: 'Rye starter' })
  expect(screen.getAllByRole('columnheader')).toHaveLength(3)
  expect(screen.queryByRole('button', { name: 'Show more posts' })).not.toBeInTheDocument()
})

test('a user without live posts is led to the composer', async () => {
  await open(list())
  await screen.findByText('Once a post is live, its views on each account show here.')
  expect(screen.getByRole('main')).not.toHaveTextContent('What these numbers mean')
})

test('filters without a match are cleared by one press', async () => {
  const events = await open(
    ({ query }) => (query['platform'] === 'youtube' ? list() : list(row())),
    '?platform=youtube',
  )
  await screen.findByText('No live posts match.')
  await events.click(button('Clear filters'))
  await screen.findByRole('link', { name: 'Lemon tart' })
})

test('results that cannot be read can be asked for again', async () => {
  api.refuse('listResults', 'internal', TEXTS.unknownError)
  const events = await renderSignedIn('/dashboard/results', 'Results')
  await findAlert(TEXTS.unknownError)
  api.reply('listResults', list(row()))
  await events.click(button('Try again'))
  await screen.findByRole('link', { name: 'Lemon tart' })
})

test('the numbers are exported as they are filtered', async () => {
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  api.reply('exportResults', 'a,b\n')
  const events = await open(list(row()), '?age=7d&platform=tiktok&sort=views')
  await events.click(button('Export CSV'))
  await waitFor(() => expect(saved).toHaveBeenCalledOnce())
  expect(api.calls('exportResults').map(({ query }) => query)).toEqual([{ age: '7d', platform: 'tiktok' }])
  api.refuse('exportResults', 'internal', TEXTS.unknownError)
  await events.click(button('Export CSV'))
  await findAlert(TEXTS.unknownError)
  saved.mockRestore()
})

const SILENT = [{ name: 'results' as const, granted: false }]

test('accounts without the permission are linked again from here', async () => {
  api.reply('listAccounts', [
    account({ account_id: 1, permissions: SILENT }),
    account({ account_id: 2, permissions: [{ name: 'results', granted: true }] }),
    account({ account_id: 3, username: 'harbour', platform: 'instagram', permissions: SILENT }),
    // Its views are read without the permission.
    account({ account_id: 4, platform: 'youtube', permissions: SILENT }),
  ])
  api.refuse('startLink', 'platform_failed', 'TikTok is down.')
  const events = await open(list(row()))
  await screen.findByText("2 accounts don't show results: link them again to allow it.")
  expect(button('Show results: @harbour on Instagram')).toBeVisible()
  await events.click(button('Show results: @northwind on TikTok'))
  await findAlert('TikTok is down.')
  expect(api.calls('startLink')[0]?.body).toMatchObject({ account_id: 1, permissions: ['results'] })
})

test('many accounts without the permission are linked on their own screen', async () => {
  const ids = [1, 2, 3, 4]
  api.reply(
    'listAccounts',
    ids.map((account_id) => account({ account_id, permissions: SILENT })),
  )
  const events = await open(list(row()))
  await screen.findByText("4 accounts don't show results: link them again to allow it.")
  await events.click(screen.getByRole('link', { name: 'Go to accounts' }))
  await findHeading('Accounts')
})

test('on a phone each post is a card with its accounts', async () => {
  const wide = window.matchMedia
  const narrow = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((media) =>
      Object.assign(wide(media), { matches: media.includes('max-width: 37.49em') }),
    )
  await open(list(row({ cells: [cell(1), cell(2, { views: measured(null, 'gone') })] })))
  const cards = await screen.findByRole('list', { name: 'Views after 24 hours' })
  expect(cards).toHaveTextContent(/@shop112\.3K.*@shop2–No number: Not found$/)
  expect(screen.queryByRole('table')).not.toBeInTheDocument()
  narrow.mockRestore()
})
