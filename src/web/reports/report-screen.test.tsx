import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { REPORT_NOTE_MAX_CHARS } from '#contract/limits.ts'
import { api } from '#web/testing/api-stub.ts'
import { brand } from '#web/testing/data.ts'
import { button, fill, findAlert, goTo, renderSignedIn } from '#web/testing/render-app.tsx'
import { ownReport, reportNumbers, reportPost } from '#web/testing/reports.ts'

const PATH = '/dashboard/results/report'
const UNTIL = '2026-12-29T12:00:00.000Z'
const ADDRESS = 'https://reelay.example.com/report#secret'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-29T12:00:00Z') })
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
})

const open = (search = '') => renderSignedIn(PATH + search, 'Report')
const findReport = (title: string) => screen.findByRole('article', { name: `Report for ${title}` })
const words = () => screen.findByRole('textbox', { name: 'Your words to the client' })
/** The box of a number, by its label. */
const numberOf = async (label: string) => {
  const term = (await screen.findAllByRole('term')).find(({ textContent }) => textContent === label)
  if (!term?.parentElement) throw new Error(`no number is called ${label}`)
  return term.parentElement
}

test('numbers stand beside those of last month, which may be 0, and say of how many posts they are', async () => {
  const last = reportNumbers({ videos: 0, live: 16, comments: { value: 0, counted: 2, of: 2 } })
  api.reply('getReport', ownReport({ last_month: last, note: 'A good month.\nMore tarts.' }))
  await open()
  const shown = await findReport('Northwind')
  expect(within(shown).getByRole('heading', { level: 2 })).toHaveTextContent('Northwind')
  expect(shown).toHaveTextContent('October 2026')
  expect(shown).toHaveTextContent('Days in Europe/Lisbon')
  expect(within(shown).getByText(/A good month/).textContent).toBe('A good month.\nMore tarts.')
  expect(await numberOf('Videos')).toHaveTextContent('Videos77 more0 in September')
  expect(await numberOf('Posts that went live')).toHaveTextContent('142 fewer (−13%)16 in September')
  expect(await numberOf('Views on TikTok')).toHaveTextContent('12,4005 of 7 posts countedNo change')
  expect(await numberOf('Views on YouTube')).toHaveTextContent('900No change')
  expect(await numberOf('Likes')).toHaveTextContent('1,20012 of 14 posts counted')
  expect(await numberOf('Comments')).toHaveTextContent('8080 more0 in September')
  expect(api.calls('getReport').map(({ params }) => params)).toEqual([{ brandId: '1', month: '2026-10' }])
})

test('the best and the weakest post say what is usual, and lead to the live post', async () => {
  const weakest = reportPost({
    platform: 'youtube',
    username: null,
    views: { value: null, missing: 'gone' },
    url: null,
  })
  api.reply('getReport', ownReport({ weakest }))
  await open()
  const best = await screen.findByRole('region', { name: 'Best post' })
  expect(best).toHaveTextContent('TikTok @northwindLemon tart in one minute5,200 views, 2.1× usual')
  expect(best).toHaveTextContent('Went live on 14 Oct 2026')
  expect(within(best).getByRole('link', { name: 'Open on TikTok' })).toHaveAttribute(
    'href',
    'https://www.tiktok.com/@northwind/video/1',
  )
  const other = screen.getByRole('region', { name: 'Weakest post' })
  expect(other).toHaveTextContent('Views not known')
  expect(within(other).queryByRole('link')).not.toBeInTheDocument()
})

test('another brand and month are shown, named by the address, and a month without posts says so', async () => {
  api.reply('getReport', ({ params }) =>
    params['month'] === '2026-09'
      ? ownReport({
          brand_title: 'Harbour',
          month: '2026-09',
          numbers: reportNumbers({ live: 0 }),
          best: null,
        })
      : ownReport({
          brand_title: params['brandId'] === '2' ? 'Harbour' : 'Northwind',
          month: params['month'] ?? '',
        }),
  )
  const events = await open('?brand=1&month=2026-11')
  await findReport('Northwind')
  expect(button('Next month')).toBeDisabled()
  await events.selectOptions(screen.getByRole('combobox', { name: 'Brand' }), 'Harbour')
  await findReport('Harbour')
  await events.click(button('Previous month'))
  await screen.findByText('October against September')
  expect(button('Previous month')).toHaveFocus()
  await events.click(button('Previous month'))
  expect(await screen.findByText('No posts went live in September 2026.')).toBeVisible()
  expect(location.search).toBe('?brand=2&month=2026-09')
  await events.click(button(/^Month/))
  await events.click(await screen.findByRole('button', { name: /Aug/ }))
  await waitFor(() => expect(location.search).toBe('?brand=2&month=2026-08'))
})

test('words are shown while they are typed, saved, and kept through an error and a change of the page', async () => {
  let saved = 'First words'
  api.reply('getReport', () => ownReport({ note: saved }))
  const events = await open()
  expect(await words()).toHaveValue('First words')
  expect(button('Save')).toBeDisabled()
  await fill(events, await words(), 'A good month')
  expect(within(await findReport('Northwind')).getByText('A good month')).toBeVisible()
  expect(screen.getByText('Not saved yet')).toBeVisible()
  api.refuse('setReportNote', 'unavailable', 'Try again in a moment.')
  await events.click(button('Save'))
  await findAlert('Try again in a moment. Your words are kept in this browser.')

  await goTo(events, 'Brands')
  history.back()
  await waitFor(async () => expect(await words()).toHaveValue('A good month'))
  api.reply('setReportNote', ({ body }) => void (saved = (body as { note: string }).note))
  await events.click(button('Save'))
  await screen.findByText('Saved')
  expect(saved).toBe('A good month')

  await fill(events, await words(), 'x'.repeat(REPORT_NOTE_MAX_CHARS + 1))
  expect(screen.getByText('The text can have at most 5,000 characters.')).toBeVisible()
  expect(button('Save')).toBeDisabled()
  await events.click(button('Discard changes'))
  expect(await words()).toHaveValue('A good month')
})

test('a link is made for some days, copied once, replaced and ended', async () => {
  let made = 0
  api.reply('getReport', ownReport())
  api.reply('createReportLink', () => {
    made += 1
    return { url: `${ADDRESS}${made}`, expires_at: UNTIL }
  })
  api.reply('deleteReportLink', undefined)
  const events = await open()
  await findReport('Northwind')
  await events.click(button('Share link'))
  const dialog = await screen.findByRole('dialog', { name: 'Share link' })
  expect(within(dialog).queryByRole('button', { name: 'End link' })).not.toBeInTheDocument()
  await events.selectOptions(within(dialog).getByRole('combobox', { name: 'Ends after' }), '7 days')
  await events.click(button('Create link', dialog))
  const address = await within(dialog).findByRole('textbox', { name: 'Address of the report' })
  expect(address).toHaveValue(`${ADDRESS}1`)
  expect(dialog).toHaveTextContent('Anyone with the address can read this report until 29 Dec 2026.')
  await events.click(button(/^Copy/, dialog))
  await within(dialog).findByRole('button', { name: /^Copied/ })
  expect(await navigator.clipboard.readText()).toBe(`${ADDRESS}1`)
  await events.click(button('Replace link', dialog))
  await waitFor(() => expect(address).toHaveValue(`${ADDRESS}2`))
  expect(api.calls('createReportLink').map(({ params, body }) => [params, body])[0]).toEqual([
    { brandId: '1', month: '2026-10' },
    { days: 7 },
  ])

  await events.click(button('End link', dialog))
  await within(dialog).findByRole('button', { name: 'Create link' })
  expect(address).not.toBeInTheDocument()
  expect(api.calls('deleteReportLink')).toHaveLength(1)
  api.refuse('createReportLink', 'not_found', "This brand doesn't exist.")
  await events.click(button('Create link', dialog))
  await findAlert("This brand doesn't exist.", dialog)
})

test('a link that was made before is named, without its address', async () => {
  api.reply('getReport', ownReport({ link_expires_at: UNTIL }))
  const events = await open()
  expect(await screen.findByText('Shared by link until 29 Dec 2026.')).toBeVisible()
  await fill(events, await words(), 'More')
  await events.click(button('Share link'))
  const dialog = await screen.findByRole('dialog', { name: 'Share link' })
  expect(dialog).toHaveTextContent('Readers don’t see them until you save.')
  expect(within(dialog).queryByRole('textbox')).not.toBeInTheDocument()
  expect(button('End link', dialog)).toBeEnabled()
})

test('the report is printed under its own name, and its posts are downloaded', async () => {
  api.reply('getReport', ownReport())
  api.reply('exportResults', 'post_id,views\r\n1,5')
  const titles: string[] = []
  vi.stubGlobal('print', () => void titles.push(document.title))
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  const events = await open()
  await findReport('Northwind')
  await events.click(button('Print'))
  dispatchEvent(new Event('afterprint'))
  expect(titles).toEqual(['Northwind, October 2026'])
  expect(document.title).toBe('Report · Reelay')
  vi.unstubAllGlobals()

  await events.click(button('Download CSV'))
  await waitFor(() => expect(names).toEqual(['Northwind, October 2026.csv']))
  expect(api.calls('exportResults').map(({ query }) => query)).toEqual([
    { brandId: 1, from: '2026-10-01', to: '2026-10-31', timezone: 'Europe/Lisbon', age: '7d' },
  ])
  api.refuse('exportResults', 'not_found', "This brand doesn't exist.")
  await events.click(button('Download CSV'))
  await findAlert("This brand doesn't exist.")
})

test('a report that cannot be read is tried again, and without brands one leads to them', async () => {
  api.refuse('getReport', 'not_found', "This brand doesn't exist.")
  const events = await open()
  await findAlert("This brand doesn't exist.")
  expect(button('Print')).toBeDisabled()
  api.reply('getReport', ownReport())
  await events.click(button('Try again'))
  await findReport('Northwind')
  expect(screen.getByRole('link', { name: 'Back to results' })).toHaveAttribute('href', '/dashboard/results')
})

test('without a brand there is no report', async () => {
  api.reply('listBrands', [])
  await open()
  expect(await screen.findByRole('link', { name: 'Go to brands' })).toHaveAttribute(
    'href',
    '/dashboard/brands',
  )
})
