import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { PATHS } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import { AT, summary } from '#web/testing/composer.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const IDS = [1, 2, 3].map((id) => `11111111-1111-4111-8111-11111111111${id}`)
const TITLES = ['Lemon tart', 'Rye', 'Oat']
let deleted: Set<string>

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T10:00:00.000Z'), toFake: ['Date'] })
  deleted = new Set()
  api.reply('listBrands', [brand({ brand_id: 2, title: 'Northwind' })])
  api.reply('listAccounts', [])
  store(TITLES.map((text) => ({ text })))
  api.reply('deleteDraft', ({ params }) => void deleted.add(params['draftId'] ?? ''))
  api.reply('restoreDraft', ({ params }) => {
    deleted.delete(params['draftId'] ?? '')
    return draftOf(params['draftId'] ?? '')
  })
})

const store = (drafts: readonly object[]) =>
  api.reply('listDrafts', ({ query }) => ({
    items: drafts
      .map((its, at) => summary({ draft_id: IDS[at], ...its }))
      .filter(({ draft_id }) => deleted.has(draft_id) === (query['deleted'] === 'true'))
      .map((draft) => ({ ...draft, deleted_at: query['deleted'] === 'true' ? AT : null })),
  }))

const draftOf = (draft_id: string) => ({
  draft_id,
  version: 1,
  content: { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null },
  author: 'Ada',
  created_at: AT,
  updated_at: AT,
  deleted_at: null,
})

const open = () => renderSignedIn(PATHS.drafts, 'Drafts')
const row = (name: string) => screen.findByRole('listitem', { name })
const shown = () =>
  within(screen.getByRole('list', { name: 'Drafts' }))
    .getAllByRole('link')
    .map((link) => link.textContent)

test('a draft shows caption, brand, accounts, time and last change, and opens in the composer', async () => {
  const video = { video_id: 1, filename: 'tart.mp4', poster_url: null }
  const accounts = [account({ account_id: 1 }), account({ account_id: 2, platform: 'instagram' })]
  api.reply('listAccounts', accounts)
  store([
    { planned: true, planned_for: '2026-11-25T18:00:00.000Z', brand_ids: [2], video },
    { text: ' ', accounts: 0, account_ids: [], place: 'next', video, updated_at: '2026-11-23T09:30:00.000Z' },
    { text: 'Too late', planned: true, planned_for: '2026-11-22T18:00:00.000Z' },
  ])
  await open()
  const planned = await row('Lemon tart')
  expect(planned).toHaveTextContent('Northwind · 1 TikTok and 1 Instagram accounts')
  expect(planned).toHaveTextContent('Wednesday 25 November, 18:00')
  expect(planned).toHaveTextContent('Changed 22 Nov, 14:06')
  expect(within(planned).getByRole('link')).toHaveAttribute('href', `/dashboard/compose?draft=${IDS[0]}`)
  const bare = await row('tart.mp4')
  expect(within(bare).getByRole('link')).toHaveTextContent('No caption yet')
  expect(bare).toHaveTextContent('No accounts yet · tart.mp4')
  expect(bare).toHaveTextContent('Next free slot')
  expect(bare).toHaveTextContent('Changed today, 09:30')
  const late = await row('Too late')
  expect(late).toHaveTextContent('Yesterday, 18:00 has passed')
  expect(late).toHaveTextContent('No video yet')
})

test('a draft is deleted, which can be undone', async () => {
  const events = await open()
  await row('Rye')
  await events.click(button('Delete Rye'))
  await screen.findByText('1 draft deleted.')
  await waitFor(() => expect(shown()).toEqual(['Lemon tart', 'Oat']))
  await events.click(button('Undo'))
  await waitFor(() => expect(shown()).toEqual(TITLES))
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('several are deleted at once, and restored from the list of deleted ones', async () => {
  const events = await open()
  await row('Rye')
  await events.click(screen.getByRole('checkbox', { name: 'Select all drafts' }))
  await events.click(screen.getByRole('checkbox', { name: 'Select Oat' }))
  const bar = screen.getByRole('region', { name: 'Selected drafts' })
  expect(bar).toHaveTextContent('2 selected')
  await events.click(button('Delete', bar))
  await screen.findByText('2 drafts deleted.')
  await waitFor(() => expect(shown()).toEqual(['Oat']))
  await events.click(screen.getByText('Deleted in the last 30 days (2)'))
  await events.click(button('Restore Rye'))
  await waitFor(() => expect(shown()).toEqual(['Rye', 'Oat']))
})

test('with Shift a range of drafts is selected', async () => {
  const events = await open()
  await row('Rye')
  await events.click(screen.getByRole('checkbox', { name: 'Select Lemon tart' }))
  await events.keyboard('{Shift>}')
  await events.click(screen.getByRole('checkbox', { name: 'Select Oat' }))
  await events.keyboard('{/Shift}')
  expect(screen.getByRole('region', { name: 'Selected drafts' })).toHaveTextContent('3 selected')
})

test('what cannot be deleted stays, and the reason is said', async () => {
  const answer = 'The server is busy.'
  api.refuse('deleteDraft', 'internal', answer)
  const events = await open()
  await row('Rye')
  await events.click(button('Delete Rye'))
  await findAlert(answer)
  expect(shown()).toEqual(TITLES)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('without drafts the screen says what they are and leads to a new post', async () => {
  store([])
  await open()
  await screen.findByText('What you start is kept here until you publish it.')
  expect(within(screen.getByRole('main')).getAllByRole('link', { name: 'New post' })).toHaveLength(1)
})
