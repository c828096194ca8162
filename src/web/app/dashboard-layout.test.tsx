import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { greeting, TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { user, videosPage } from '#web/testing/data.ts'
import {
  button,
  field,
  fill,
  findAlert,
  findHeading,
  renderApp,
  renderSignedIn,
} from '#web/testing/render-app.tsx'

const LABELS = [
  'Overview',
  'Calendar',
  'Queue',
  'Drafts',
  'Library',
  'Results',
  'Accounts',
  'Brands',
  'Upload',
  'Settings',
  'Help',
]

const menu = () => screen.getByRole('navigation', { name: 'Dashboard' })
const link = (name: string) => within(menu()).getByRole('link', { name })
const logOut = () => button('Log out', menu())

test('the sidebar greets by name, links its pages with icons, and ends with Log out', async () => {
  api.reply('getCalendar', {
    timezone: 'Europe/Lisbon',
    posts: [],
    drafts: [],
    slots: [],
    more: false,
    more_slots: false,
  })
  api.refuse('getHelp', 'internal', TEXTS.unknownError)
  api.reply('listDrafts', { items: [] })
  api.reply('listVideos', videosPage())
  api.refuse('getLibrary', 'internal', TEXTS.unknownError)
  const events = await renderSignedIn('/dashboard/overview', 'Overview')
  await within(menu()).findByText(greeting('Ada'))
  const lists = within(menu()).getAllByRole('list')
  const pages = lists.flatMap((list) => within(list).getAllByRole('link'))
  expect(pages.map((page) => page.textContent)).toEqual(LABELS)
  for (const page of pages) expect(page.querySelectorAll('svg')).toHaveLength(1)
  expect(link('New post')).toHaveAttribute('href', '/dashboard/compose')
  expect([...menu().querySelectorAll('a, button')].at(-1)).toBe(logOut())
  for (const label of LABELS.toReversed()) {
    await events.click(link(label))
    await screen.findByRole('heading', { level: 1, name: new RegExp(`^${label}`) })
    expect(location.pathname).toBe(`/dashboard/${label.toLowerCase()}`)
    await waitFor(() => expect(document.title).toBe(`${label} · Reelay`))
    expect(menu().querySelectorAll('[aria-current=page]')).toHaveLength(1)
    expect(link(label)).toHaveAttribute('aria-current', 'page')
    // Screen-reader and keyboard users start at the beginning of the page.
    await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
  }

  await events.click(logOut())
  await findHeading('Login')
  expect(location.pathname).toBe('/')
  renderApp('/dashboard/brands')
  await waitFor(() => expect(location.pathname).toBe('/'))
  expect(screen.queryByRole('navigation', { name: 'Dashboard' })).toBeNull()
})

const notice = () => screen.queryByText('Nickname updated.')
/** Lets time pass, and a second more for what a notice that closes still does. */
const pass = (ms: number) => {
  for (const time of [ms, 1_000]) act(() => void vi.advanceTimersByTime(time))
}

test('a notice closes after a while unless it has the focus, and leaves with its page', async () => {
  const events = await renderSignedIn('/dashboard/settings', 'Settings')
  await screen.findByLabelText('Nickname')
  api.reply('setNickname', ({ body }) => user(body as { nickname: string }))
  const rename = async (nickname: string) => {
    await fill(events, field('Nickname'), nickname)
    await events.click(button('Update'))
    await findAlert('Nickname updated.')
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await rename('Ada L.')
  act(() => button('Close').focus())
  pass(60_000)
  expect(notice()).toBeVisible()
  act(() => field('Nickname').focus())
  pass(60_000)
  expect(notice()).toBeNull()

  await rename('Ada Lovelace')
  await events.click(link('Brands'))
  await findHeading('Brands')
  pass(0)
  expect(notice()).toBeNull()
})

test('the menu of small screens has the focus, and closes by Escape, a link or Back', async () => {
  const events = await renderSignedIn('/dashboard/overview', 'Overview')
  const opener = button('Open the menu')
  const open = async () => {
    await events.click(opener)
    return screen.findByRole('dialog')
  }
  const drawer = await open()
  expect(drawer).toHaveTextContent(greeting('Ada'))
  await waitFor(() => expect(drawer).toContainElement(document.activeElement as HTMLElement))
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(opener).toHaveFocus())

  await events.click(within(await open()).getByRole('link', { name: 'Brands' }))
  await findHeading('Brands')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
  await open()
  act(() => history.back())
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(location.pathname).toBe('/dashboard/overview')
})
