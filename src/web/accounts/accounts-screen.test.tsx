import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, creator } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const AT = '2099-11-03T12:00:00.000Z'

const openAccounts = (search = '') => renderSignedIn(`/dashboard/accounts${search}`, 'Accounts')

async function openMenu(events: Awaited<ReturnType<typeof openAccounts>>, item: string): Promise<void> {
  await events.click(await screen.findByRole('button', { name: 'More about @northwind on TikTok' }))
  await events.click(await screen.findByRole('menuitem', { name: item }))
}

test('without brands no account can be added, and the screen leads to the brands', async () => {
  await openAccounts()
  await screen.findByRole('link', { name: 'Go to brands' })
  const select = screen.getByRole('combobox', { name: 'Brand' })
  expect(select).toBeDisabled()
  expect(select).toHaveAttribute('placeholder', 'No brands found')
  expect(button('Add Account')).toBeDisabled()
})

test('brands and accounts that cannot be fetched can be asked for again', async () => {
  api.fail('listBrands', 500)
  const release = api.hold('listBrands')
  const events = await openAccounts()
  await within(screen.getByRole('main')).findByText('Loading')
  release()
  await findAlert('Error fetching brands')
  api.reply('listBrands', [brand()])
  api.fail('listAccounts', 500)
  await events.click(button('Try again'))
  await findAlert('Request failed with status code 500')
  api.reply('listAccounts', [])
  await events.click(button('Try again'))
  await screen.findByText('No accounts are linked to Northwind yet.')
})

test('an account that the platform no longer accepts says why it must be linked again', async () => {
  api.reply('listBrands', [brand()])
  const reason = 'The owner has withdrawn the access.'
  api.reply('listAccounts', [account({ health: { status: 'relink', reason } })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(list).toHaveTextContent(reason)
  expect(button('Link again: @northwind on TikTok', list)).toBeVisible()
})

test('an account without the permission for comments is linked again with it', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [
    account({ platform: 'instagram', permissions: [{ name: 'comments', granted: false }] }),
    account({
      account_id: 2,
      username: 'westwind',
      platform: 'instagram',
      permissions: [{ name: 'comments', granted: true }],
    }),
  ])
  const asked: unknown[] = []
  api.reply('startLink', ({ body }) => {
    asked.push(body)
    return { url: '#consent', state: 's' }
  })
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  const [allow, ...others] = within(list).getAllByRole('button', { name: /^Allow comments/ })
  expect(others).toEqual([])
  await events.click(allow ?? expect.unreachable())
  await waitFor(() => expect(asked).toEqual([{ brand_id: 1, account_id: 1, permissions: ['comments'] }]))
})

test('results are more results where some are read without the permission', async () => {
  const permissions = [{ name: 'results' as const, granted: false }]
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [
    account({ permissions }),
    account({ account_id: 2, username: 'westwind', platform: 'youtube', permissions }),
  ])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(button('Show results: @northwind on TikTok', list)).toBeVisible()
  expect(button('Show more results: @westwind on YouTube', list)).toBeVisible()
  expect(list).toHaveTextContent('More results need a permission')
})

test('the accounts of all brands are shown together, and one is added to a chosen brand', async () => {
  const asked: unknown[] = []
  api.reply('startLink', ({ body }) => {
    asked.push(body)
    return { url: '#consent', state: 's' }
  })
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour Coffee' })])
  api.reply('listAccounts', ({ query }) =>
    query['brandId'] === undefined
      ? [account(), account({ account_id: 2, brand_id: 2, username: 'harbour' })]
      : [],
  )
  const events = await openAccounts()
  await events.click(await screen.findByRole('combobox', { name: 'Brand' }))
  await events.click(await screen.findByRole('option', { name: 'All brands' }))
  expect(await screen.findByRole('list', { name: 'Accounts of Northwind' })).toHaveTextContent('@northwind')
  expect(screen.getByRole('list', { name: 'Accounts of Harbour Coffee' })).toHaveTextContent('@harbour')
  await events.click(button('Add Account'))
  const dialog = await screen.findByRole('dialog')
  await events.selectOptions(within(dialog).getByLabelText('Brand'), 'Harbour Coffee')
  await events.click(within(dialog).getByRole('button', { name: /TikTok/ }))
  await waitFor(() => expect(asked).toMatchObject([{ brand_id: 2 }]))
})

test('an account whose access ends soon says when', async () => {
  api.reply('listBrands', [brand()])
  const ends = new Date(Date.now() + 12 * 86_400_000 + 60_000).toISOString()
  api.reply('listAccounts', [account({ access_ends_at: ends })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(list).toHaveTextContent('Expires in 12 d')
  expect(list).toHaveTextContent('Link the account again before then.')
})

test('two accounts of one name have actions that name their platform', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account(), account({ account_id: 2, platform: 'instagram' })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  for (const action of ['Pause', 'More about'])
    for (const platform of ['TikTok', 'Instagram'])
      expect(button(`${action} @northwind on ${platform}`, list)).toBeVisible()
})

test('an account is unlinked by keyboard after a question, which Escape takes back', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  api.reply('getAccountWaiting', { posts: 0, first_at: null, last_at: null })
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  const more = button('More about @northwind on TikTok', list)
  more.focus()
  await events.keyboard('{Enter}')
  await screen.findByRole('menuitem', { name: 'Link again' })
  await events.keyboard('{ArrowUp}{Enter}')
  await waitFor(() => expect(button('Keep', list)).toHaveFocus())
  expect(within(list).getByRole('group', { name: /^Unlink @northwind\?/ })).toBeVisible()
  await events.keyboard('{Escape}')
  expect(more).toHaveFocus()

  api.refuse('unlinkAccount', 'in_flight', 'A post to it is on its way.')
  await openMenu(events, 'Unlink…')
  const confirm = button('Unlink account', list)
  confirm.focus()
  await events.keyboard('{Enter}')
  await findAlert('A post to it is on its way.', list)
  api.reply('unlinkAccount', undefined)
  api.reply('listAccounts', [])
  await waitFor(() => expect(button('Unlink account', list)).toBeEnabled())
  await events.click(button('Unlink account', list))
  await findAlert('@northwind is unlinked.')
  await screen.findByText('No accounts are linked to Northwind yet.')
})

/** Every row of a list is in view. */
function showAll(): void {
  class Observer {
    readonly #changed: (entries: object[]) => void
    constructor(changed: (entries: object[]) => void) {
      this.#changed = changed
    }
    observe(): void {
      queueMicrotask(() => this.#changed([{ isIntersecting: true }]))
    }
    disconnect(): void {}
  }
  vi.stubGlobal('IntersectionObserver', Observer)
  onTestFinished(() => void vi.unstubAllGlobals())
}

/** Opens the question whether @northwind is unlinked while 2 posts wait for it. */
async function unlinkWith(...others: ReturnType<typeof account>[]) {
  api.reply('listBrands', [brand({ brand_id: 2, title: 'Harbour' }), brand()])
  const accounts = [...others, account()]
  api.reply('listAccounts', ({ query }) =>
    accounts.filter(({ brand_id }) => query['brandId'] === undefined || brand_id === query['brandId']),
  )
  api.reply('getAccountWaiting', {
    posts: 2,
    first_at: '2026-11-03T12:00:00.000Z',
    last_at: '2026-11-04T12:00:00.000Z',
  })
  api.reply('moveAccountPosts', { done: [{ post_id: 1 }, { post_id: 2 }], refused: [], left: 0 })
  const events = await openAccounts('?brand=1')
  await openMenu(events, 'Unlink…')
  return { events, select: await screen.findByRole('combobox', { name: /^Post them to another account/ }) }
}
const moved = () => api.calls('moveAccountPosts').map(({ body }) => body)

test("no other brand's account is proposed for the posts of one that is unlinked", async () => {
  const { events, select } = await unlinkWith(
    account({ account_id: 2, username: 'harbour', brand_id: 2 }),
    account({ account_id: 3, username: 'westwind' }),
    account({ account_id: 4, username: 'eastwind' }),
  )
  expect(select).toHaveValue('')
  expect(button('Move posts')).toBeDisabled()
  const groups = [...select.querySelectorAll('optgroup')].map(({ label, textContent }) => [
    label,
    textContent,
  ])
  expect(groups).toEqual([
    ['Northwind', '@westwind@eastwind'],
    ['Harbour', '@harbour'],
  ])
  await events.selectOptions(select, '@harbour')
  expect(screen.getByText('This account belongs to Harbour.')).toBeVisible()
  await events.click(button('Move posts'))
  await findAlert('2 posts go to @harbour now.')
  expect(moved()).toEqual([{ to_account_id: 2, posts: 2 }])
})

test('posts that cannot move are tried once, however many are left', async () => {
  const { events } = await unlinkWith(account({ account_id: 3, username: 'westwind' }))
  const refused = [{ post_id: 1, message: 'This post already goes to that account.' }]
  api.reply('moveAccountPosts', { done: [], refused, left: 1 })
  await events.click(button('Move posts'))
  await screen.findByText(/This post already goes to that account/)
  expect(moved()).toHaveLength(1)
})

test('the one other account of the same brand is proposed for its posts', async () => {
  const { events, select } = await unlinkWith(
    account({ account_id: 2, username: 'harbour', brand_id: 2 }),
    account({ account_id: 3, username: 'westwind' }),
  )
  expect(select).toHaveDisplayValue('@westwind')
  expect(screen.queryByText(/This account belongs to/)).toBeNull()
  await events.click(button('Move posts'))
  await findAlert('2 posts go to @westwind now.')
  expect(moved()).toEqual([{ to_account_id: 3, posts: 2 }])
})

const today = { sent: 0, waiting: 0, used: null, total: null, usual: 15, stopped: null }

test('accounts show their handles and what they can do, each asked for once', async () => {
  showAll()
  api.reply('listBrands', [brand()])
  const photos = account({ account_id: 2, username: 'northwind.bakes', platform: 'instagram' })
  api.reply('listAccounts', [account(), photos])
  api.reply('getAccountOptions', () => {
    // The answer to the next call.
    api.refuse('getAccountOptions', 'platform_failed', 'Instagram answered with an error.')
    return {
      ...creator({ privacy_levels: ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'], comment_disabled: true }),
      today,
    }
  })
  const events = await openAccounts()
  const list = within(await screen.findByRole('list', { name: 'Accounts of Northwind' }))
  const [first, second] = list
    .getAllByRole('listitem')
    .filter((item) => within(item).queryByText(/^@northwind/) !== null)
  const [clips, pictures] = [first ?? expect.unreachable(), second ?? expect.unreachable()]
  expect(clips).toHaveTextContent('@northwindTikTok')
  expect(within(clips).getByText('Linked')).toBeVisible()
  expect(clips).toHaveTextContent(/Access until .+, renewed automatically/)
  const abilities = await within(clips).findByRole('list', { name: 'What this account can do now' })
  expect(abilities).toHaveTextContent('No public posts')
  expect(abilities).toHaveTextContent(/[Cc]omments.* turned off in TikTok/)
  expect(clips).toHaveTextContent('About 15 posts a day; 0 posted in the last 24 hours')

  expect(pictures).toHaveTextContent('@northwind.bakesInstagram')
  await within(pictures).findByText(/^Couldn't check what this account can do\. Instagram answered/)
  api.reply('getAccountOptions', {
    platform: 'instagram',
    username: 'northwind.bakes',
    avatar_url: null,
    quota_used: 0,
    quota_total: 25,
    today: { ...today, used: 0, total: 25, usual: null },
  })
  await events.click(button('Try again', pictures))
  await within(pictures).findByText('0 of 25 posts used in the last 24 hours')
  expect(api.calls('getAccountOptions').map(({ params }) => params['accountId'])).toEqual(['1', '2', '2'])
})

test('an account that its platform refuses says so instead of that it is linked', async () => {
  showAll()
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  const ban = 'TikTok has banned this account from posting.'
  api.refuse('getAccountOptions', 'platform_refused', ban)
  api.reply('listPostsToday', [
    { account_id: 1, today: { ...today, stopped: { message: ban, until: AT, limit: false } } },
  ])
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  await within(list).findByText("Can't post")
  expect(list).toHaveTextContent(ban)
  expect(within(list).queryByText('Linked')).toBeNull()
  const stopped = { message: ban, until: AT, limit: false }
  api.reply('getAccountOptions', { ...creator(), today: { ...today, stopped } })
  await events.click(button('Check again: @northwind on TikTok', list))
  await within(list).findByText('Held')
  expect(list).toHaveTextContent(`${ban} Next try:`)
})

test('an account that has used up its posts says that it is full, and until when', async () => {
  showAll()
  const full = 'TikTok says this account has posted too much in the last 24 hours, across all apps.'
  const stopped = { message: full, until: AT, limit: true }
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  api.refuse('getAccountOptions', 'platform_refused', `${full} The next post is tried within 9 hours.`)
  api.reply('listPostsToday', [{ account_id: 1, today: { ...today, stopped } }])
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  await within(list).findByText('Full until 3 Nov, 12:00')
  expect(within(list).queryByText("Can't post")).toBeNull()
  expect(list).toHaveTextContent(full)

  // Instagram says how many, and not from when on there are more.
  api.reply('getAccountOptions', { ...creator(), today: { ...today, used: 25, total: 25, usual: null } })
  await events.click(button('Check again: @northwind on TikTok', list))
  await within(list).findByText('Full')
})

test('an account moves to another brand with its posts, after its menu asked to which', async () => {
  const harbour = brand({ brand_id: 2, title: 'Harbour', paused: true })
  api.reply('listBrands', [brand(), harbour])
  api.reply('listAccounts', [account()])
  api.reply('getAccountWaiting', { posts: 2, first_at: AT, last_at: AT })
  api.refuse('moveAccount', 'conflict', 'This brand has 100 accounts already.')
  const events = await openAccounts()
  await openMenu(events, 'Move to another brand…')
  const dialog = await screen.findByRole('dialog', { name: 'Move @northwind to another brand' })
  await within(dialog).findByText(/^Its 2 scheduled posts go with it, at the same time\./)
  const move = within(dialog).getByRole('button', { name: 'Move account' })
  expect(move).toBeDisabled()
  await events.selectOptions(within(dialog).getByLabelText('Brand'), 'Harbour')
  expect(dialog).toHaveTextContent('Posting to Harbour is paused. Its posts wait until you resume it.')
  await events.click(move)
  await within(dialog).findByText('This brand has 100 accounts already.')
  api.reply('moveAccount', account({ brand_id: 2 }))
  api.reply('listAccounts', [])
  await events.click(move)
  await findAlert('@northwind is in Harbour now.')
  expect(api.calls('moveAccount').map(({ params, body }) => [params, body])).toEqual(
    Array.from({ length: 2 }, () => [{ accountId: '1' }, { brand_id: 2 }]),
  )
  await screen.findByText('No accounts are linked to Northwind yet.')
})

test('with a single brand an account has nowhere to move', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  const events = await openAccounts()
  await events.click(await screen.findByRole('button', { name: 'More about @northwind on TikTok' }))
  await screen.findByRole('menuitem', { name: 'Unlink…' })
  expect(screen.queryByRole('menuitem', { name: /another brand/ })).toBeNull()
})

test('the first brand is selected, and another one stays selected in the address', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  const events = await openAccounts()
  const select = screen.getByRole('combobox', { name: 'Brand' })
  await screen.findByText('No accounts are linked to Northwind yet.')
  expect(select).toHaveValue('Northwind')
  await events.click(select)
  await events.click(await screen.findByRole('option', { name: 'Harbour' }))
  await screen.findByText('No accounts are linked to Harbour yet.')
  expect(location.search).toBe('?brand=2')

  const add = button('Add Account')
  await events.click(add)
  const dialog = within(await screen.findByRole('dialog', { name: 'Add Account' }))
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Continue with TikTok' })).toHaveFocus())
  expect(dialog.getByRole('button', { name: 'Continue with Instagram' })).toBeVisible()
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(add).toHaveFocus())
  cleanup()

  await openAccounts('?brand=2')
  await screen.findByText('No accounts are linked to Harbour yet.')
  expect(screen.getByRole('combobox', { name: 'Brand' })).toHaveValue('Harbour')
})

test("the brands' table leads to the accounts of each brand", async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(await screen.findByRole('link', { name: '0: show the accounts of Harbour' }))
  await findHeading('Accounts')
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Brand' })).toHaveValue('Harbour'))
})

test('a brand that was deleted in another tab leaves the list when it is used', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  const events = await openAccounts()
  const select = screen.getByRole('combobox', { name: 'Brand' })
  await screen.findByText('No accounts are linked to Northwind yet.')
  expect(select).toHaveValue('Northwind')
  api.reply('listBrands', [brand({ brand_id: 2, title: 'Harbour' })])
  api.refuse('startLink', 'not_found', "This brand doesn't exist.")
  await events.click(button('Add Account'))
  await events.click(await screen.findByRole('button', { name: 'Continue with TikTok' }))
  await waitFor(() => expect(select).toHaveValue('Harbour'))
})
