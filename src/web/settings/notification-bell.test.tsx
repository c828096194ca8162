import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BROWSER_NOTIFICATIONS_KEY } from '#web/lib/storage-keys.ts'
import { ANY_NOTIFICATIONS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { api } from '#web/testing/api-stub.ts'
import { allowInBrowser } from '#web/testing/browser-notifications.ts'
import { notification } from '#web/testing/data.ts'
import { renderSignedIn } from '#web/testing/render-app.tsx'

const bell = (name: string | RegExp) => screen.findByRole('button', { name })

test('the bell counts what is unread, and lists it with a link to each post', async () => {
  const items = [notification(2), notification(1, { read: true, post_id: null, account_id: 3 })]
  api.reply('getUnread', {
    unread: 1,
    latest: items[0] ?? null,
    needs_attention: 0,
    accounts_to_link: 0,
    quiet: false,
  })
  api.reply('listNotifications', { items, next_cursor: null })
  api.reply('readNotifications', undefined)
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(await bell('Notifications, 1 unread'))
  const [unread, read] = await screen.findAllByRole('link', { name: /Failed on/ })
  expect(unread).toHaveAttribute('href', '/dashboard/posts/12')
  expect(unread).toHaveAccessibleName(/^Unread\. Failed on 2 of 6 accounts/)
  expect(read).toHaveAttribute('href', '/dashboard/accounts')
  expect(read).toHaveAccessibleName(/^Failed on/)

  api.reply('getUnread', { unread: 0, latest: null, needs_attention: 0, accounts_to_link: 0, quiet: false })
  api.reply('listNotifications', { items: items.map((item) => ({ ...item, read: true })), next_cursor: null })
  await events.click(screen.getByRole('button', { name: 'Mark all as read' }))
  await bell('Notifications')
  expect(api.calls('readNotifications').map(({ body }) => body)).toEqual([
    { notification_id: 2, and_earlier: true },
  ])
  await waitFor(() =>
    expect(screen.queryByRole('button', { name: 'Mark all as read' })).not.toBeInTheDocument(),
  )
})

test('an empty list says so, and older ones are loaded on demand', async () => {
  api.reply('listNotifications', { items: [], next_cursor: null })
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(await bell('Notifications'))
  await screen.findByText(/^No notifications\./)
  api.reply('listNotifications', ({ query }) =>
    query['cursor'] === '2'
      ? { items: [notification(1)], next_cursor: null }
      : { items: [notification(2)], next_cursor: '2' },
  )
  await queryClient.invalidateQueries(ANY_NOTIFICATIONS)
  await events.click(await screen.findByRole('button', { name: 'Show older' }))
  await waitFor(() => expect(screen.getAllByRole('link', { name: /Failed on/ })).toHaveLength(2))
  expect(screen.queryByRole('button', { name: 'Show older' })).not.toBeInTheDocument()
})

test('what is new is shown by the browser once, where that is on', async () => {
  const shown = allowInBrowser()
  localStorage.setItem(BROWSER_NOTIFICATIONS_KEY, '4')
  api.reply('getUnread', {
    unread: 1,
    latest: notification(5),
    needs_attention: 0,
    accounts_to_link: 0,
    quiet: false,
  })
  await renderSignedIn('/dashboard/brands', 'Brands')
  await waitFor(() => expect(shown).toEqual(['Failed on 2 of 6 accounts']))
  api.reply('getUnread', {
    unread: 2,
    latest: notification(5),
    needs_attention: 0,
    accounts_to_link: 0,
    quiet: false,
  })
  await queryClient.invalidateQueries(ANY_NOTIFICATIONS)
  await bell('Notifications, 2 unread')
  expect(shown).toHaveLength(1)
})

test.each([
  ['in quiet hours', '4', true],
  ['where it is off', null, false],
])('%s the browser shows nothing', async (_when, stored, quiet) => {
  const shown = allowInBrowser()
  if (stored !== null) localStorage.setItem(BROWSER_NOTIFICATIONS_KEY, stored)
  api.reply('getUnread', {
    unread: 1,
    latest: notification(5),
    needs_attention: 0,
    accounts_to_link: 0,
    quiet,
  })
  await renderSignedIn('/dashboard/brands', 'Brands')
  await bell('Notifications, 1 unread')
  expect(shown).toEqual([])
})

test('the menu counts what needs attention, and asks again when a post changes', async () => {
  const unread = { unread: 0, latest: null, accounts_to_link: 2, quiet: false }
  api.reply('getUnread', { ...unread, needs_attention: 1 })
  await renderSignedIn('/dashboard/brands', 'Brands')
  await screen.findByRole('link', { name: 'Queue 1 needs attention' })
  await screen.findByRole('link', { name: 'Accounts 2 must be linked again' })
  api.reply('getUnread', { ...unread, needs_attention: POSTS_COUNTED_MAX })
  await queryClient.invalidateQueries(ANY_POSTS)
  await screen.findByRole('link', { name: `Queue ${POSTS_COUNTED_MAX}+ need attention` })
  api.reply('getUnread', { ...unread, needs_attention: 0 })
  await queryClient.invalidateQueries(ANY_POSTS)
  await screen.findByRole('link', { name: 'Queue' })
})
