import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { FollowUp } from '#contract/deliveries.ts'
import type { Post, PostFilter } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, delivery, post, posts } from '#web/testing/data.ts'
import { eventStream } from '#web/testing/identity-stub.ts'
import { button, fill, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

type PostReply = z.input<typeof Post>

const AT = '2026-12-24T18:30:00.000Z'
const openQueue = (search = '') => renderSignedIn(`/dashboard/queue${search}`, 'Queue')
const findPost = (name: string) => screen.findByRole('listitem', { name })
const more = (name: string) => button(`More about ${name}`)

/** Answers each filter with these posts. */
const list = (lists: Partial<Record<PostFilter, readonly PostReply[]>>): void =>
  api.reply('listPosts', ({ query }) => posts(lists[query['status'] as PostFilter] ?? []))

const scheduled = (its: Partial<z.input<typeof Post>> = {}): PostReply =>
  post({
    text: 'Advent calendar',
    publish_at: AT,
    timezone: 'Europe/Lisbon',
    deliveries: [delivery({ status: 'scheduled', published_at: null, due_at: AT, actions: ['cancel'] })],
    ...its,
  })

const failed = (): PostReply =>
  post({
    text: 'Too hot',
    deliveries: [
      delivery({
        status: 'failed',
        published_at: null,
        actions: ['retry'],
        reason: {
          code: 'spam_risk_user_banned_from_posting',
          message: 'TikTok has banned this account from posting.',
          remedy: 'Open the TikTok app to see why.',
          detail: '{"error":{"code":"spam_risk_user_banned_from_posting"}}',
        },
      }),
    ],
  })

const unconfirmed = (): PostReply =>
  post({
    deliveries: [
      delivery({
        status: 'unconfirmed',
        published_at: null,
        due_at: AT,
        actions: ['resolve_live', 'resolve_not_live'],
        reason: { code: 'no_answer', message: 'TikTok did not answer.', remedy: '', detail: null },
        open_outcome: {
          called_at: AT,
          times_asked: 2,
          asked_at: AT,
          answer: 'It answered with an error.',
        },
      }),
    ],
  })

const inInbox = (its: Parameters<typeof delivery>[0] = {}): PostReply =>
  post({
    text: 'Lemon tart',
    deliveries: [
      delivery({
        status: 'in_inbox',
        to_inbox: true,
        published_at: null,
        in_inbox_at: new Date(Date.now() - 3_600_000).toISOString(),
        ...its,
      }),
    ],
  })

test('a draft in the inbox says what its owner does next, and for how long that is possible', async () => {
  list({ past: [inInbox()] })
  await openQueue()
  const row = await findPost('Lemon tart')
  expect(row).toHaveTextContent('In the TikTok inbox')
  expect(row).toHaveTextContent("Open TikTok's notification within about 24 hours to finish the post.")
  expect(row).not.toHaveTextContent('Published')
})

test('a draft that was not posted for a day is not called posted, nor a failure', async () => {
  list({ past: [inInbox({ in_inbox_at: new Date(Date.now() - 90_000_000).toISOString() })] })
  await openQueue()
  const row = await findPost('Lemon tart')
  expect(row).toHaveTextContent("TikTok hasn't told us that it was posted")
  expect(within(row).queryByRole('button', { name: /Retry/ })).toBeNull()
  expect(within(row).queryByRole('link', { name: /Edit and resend/ })).toBeNull()
})

test('of a draft that may have arrived the user says whether it is in the inbox', async () => {
  const reason = { code: 'no_answer', message: 'TikTok did not answer.', remedy: '', detail: null }
  const open = { called_at: AT, times_asked: 2, asked_at: AT, answer: 'It answered with an error.' }
  list({
    attention: [
      inInbox({
        status: 'unconfirmed',
        in_inbox_at: null,
        reason,
        open_outcome: open,
        actions: ['resolve_in_inbox', 'resolve_not_live'],
      }),
    ],
  })
  const asked: unknown[] = []
  api.reply('resolveDelivery', ({ body }) => {
    asked.push(body)
    return delivery({ status: 'in_inbox' })
  })
  const events = await openQueue()
  const row = await findPost('Lemon tart')
  expect(within(row).getByRole('button', { name: /^It's not there: send again/ })).toBeVisible()
  await events.click(within(row).getByRole('button', { name: /^It's in the inbox/ }))
  expect(row).toHaveTextContent('Is the draft in the TikTok inbox of @northwind?')
  await events.click(button("It's in the inbox", row))
  await waitFor(() => expect(asked).toEqual([{ outcome: 'in_inbox' }]))
})

test('an empty queue says so and leads to a new post', async () => {
  api.reply('listDrafts', { items: [] })
  api.reply('listPostsToday', [])
  api.reply('listSchedules', [])
  const events = await openQueue()
  await screen.findByText('No posts yet.')
  const links = screen.getAllByRole('link', { name: 'New post' })
  expect(links.map((link) => link.getAttribute('href'))).toEqual(Array(3).fill('/dashboard/compose'))
  await events.click(links.at(-1) ?? expect.unreachable())
  await findHeading('New post')
})

test('a post can be made again, also for one failed account or all of them', async () => {
  const twice = failed()
  const [first] = twice.deliveries
  list({ past: [{ ...twice, deliveries: first ? [first, { ...first, delivery_id: 2 }] : [] }] })
  const events = await openQueue()
  const row = await findPost('Too hot')
  await events.click(button('Show each', row))
  expect(
    within(row).getAllByRole('link', { name: 'Edit and resend: @northwind on TikTok' })[0],
  ).toHaveAttribute('href', '/dashboard/compose?post=1&delivery=1')
  await events.click(more('Too hot'))
  expect(await screen.findByRole('menuitem', { name: 'Edit and resend to 2 accounts' })).toHaveAttribute(
    'href',
    '/dashboard/compose?post=1&failed',
  )
  expect(await screen.findByRole('menuitem', { name: 'Duplicate' })).toHaveAttribute(
    'href',
    '/dashboard/compose?post=1',
  )
})

test('a queue that cannot be read says so, and can be asked for again', async () => {
  api.refuse('listPosts', 'internal', TEXTS.unknownError)
  const events = await openQueue('?status=failed')
  await findAlert(TEXTS.unknownError)
  list({})
  await events.click(button('Try again'))
  await screen.findByText('No failed posts.')
})

test('the queue says that it reconnects, and then shows what it missed', async () => {
  eventStream.disconnect()
  await openQueue()
  await screen.findByText('Reconnecting…')
  list({ past: [post({ text: 'Meanwhile' })] })
  eventStream.reconnect()
  await findPost('Meanwhile')
  await waitFor(() => expect(screen.queryByText('Reconnecting…')).not.toBeInTheDocument())
})

test('a post appears, moves and is announced in the open queue, and links to where it is live', async () => {
  const [uploading, published] = [
    delivery({ status: 'preparing', published_at: null }),
    delivery({ url: 'https://tiktok.example/rye', updated_at: AT }),
  ]
  const change = (its: typeof uploading, event_id: number) => ({
    delivery: its,
    event: { event_id, delivery_id: 1, at: AT, status: its.status, message: '' },
  })
  await openQueue()
  await screen.findByText('No posts yet.')
  list({ upcoming: [post({ text: 'Rye starter', deliveries: [uploading] })] })
  eventStream.send(change(uploading, 1))
  expect(await findPost('Rye starter')).toHaveTextContent('Uploading')
  expect(screen.getByRole('status', { name: 'Updates' })).toHaveTextContent(/^$/)

  list({ past: [post({ text: 'Rye starter', deliveries: [published] })] })
  eventStream.send(change(published, 2))
  const done = await screen.findByRole('region', { name: 'Done' })
  expect(done).toHaveTextContent('Published')
  expect(within(done).getByRole('link', { name: 'Open on TikTok' })).toHaveAttribute('href', published.url)
  expect(screen.queryByRole('region', { name: 'Upcoming' })).not.toBeInTheDocument()
  expect(screen.getByRole('status', { name: 'Updates' })).toHaveTextContent('TikTok @northwind: Published.')
})

const rye = (status: 'preparing' | 'published' | 'failed') =>
  post({ text: 'Rye starter', deliveries: [delivery({ status })] })
const moveRye = (status: 'published' | 'failed', event_id: number) =>
  eventStream.send({
    delivery: delivery({ status, updated_at: new Date(Date.now() + event_id).toISOString() }),
    event: { event_id, delivery_id: 1, at: AT, status, message: '' },
  })

test('a post that was just sent is shown where it moves to, until the user does something', async () => {
  const shown: string[] = []
  vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function (this: HTMLElement) {
    shown.push(`${this.ariaLabel} in ${this.closest('section')?.ariaLabel}`)
  })
  await renderSignedIn('/dashboard/brands', 'Brands')
  list({ upcoming: [rye('preparing')] })
  history.pushState({ usr: { postId: 1 }, key: 'sent', idx: 1 }, '', '/dashboard/queue')
  dispatchEvent(new PopStateEvent('popstate'))
  await waitFor(() => expect(shown).toEqual([expect.stringMatching(/^Rye starter in Upcoming/)]))
  list({ past: [rye('published')] })
  moveRye('published', 1)
  await waitFor(() => expect(shown.slice(1)).toEqual([expect.stringMatching(/^Rye starter in Done/)]))
  window.dispatchEvent(new Event('wheel'))
  list({ attention: [rye('failed')] })
  moveRye('failed', 2)
  await screen.findByRole('region', { name: 'Needs attention' })
  expect(shown).toHaveLength(2)
})

const textsOf = (role: string, level?: number) =>
  screen.getAllByRole(role, level === undefined ? {} : { level }).map(({ textContent }) => textContent)

const out = (post_id: number, at: string) => {
  const its = delivery({ delivery_id: post_id, published_at: at })
  return post({ post_id, text: `Out at ${at}`, goes_out_at: at, deliveries: [its] })
}

test('what was published in the last hour stands above what is to come', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-23T10:00:00Z') })
  const at = ['2026-12-23T09:30:00.000Z', '2026-12-23T08:59:00.000Z'] as const
  list({ upcoming: [scheduled({ post_id: 3 })], past: at.map((one, i) => out(i + 1, one)) })
  await openQueue()
  const recent = await screen.findByRole('region', { name: 'Just published' })
  expect(within(recent).getAllByRole('heading', { level: 3 })[0]).toHaveTextContent(`Out at ${at[0]}`)
  expect(within(screen.getByRole('region', { name: 'Done' })).queryByText(`Out at ${at[0]}`)).toBeNull()
  expect(textsOf('heading', 2)).toEqual(['Just published', 'Upcoming', 'Done'])
})

test('each post is shown under its day: video, brand, time, accounts and outcomes', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-12-23T22:30:00Z') })
  const today = '2026-12-23T09:05:00.000Z'
  const advent = scheduled()
  const opening = post({
    post_id: 2,
    text: 'Opening day',
    created_at: today,
    deliveries: [delivery({ delivery_id: 2, published_at: today })],
  })
  const lists: Partial<Record<PostFilter, readonly PostReply[]>> = {
    upcoming: [advent],
    past: [opening],
    scheduled: [advent],
  }
  api.reply('listPosts', ({ query }) => {
    const shown = posts(lists[query['status'] as PostFilter] ?? [])
    return { ...shown, counts: { ...shown.counts, all: 2, scheduled: 1, published: 1 } }
  })
  const release = api.hold('listPosts')
  const events = await openQueue()
  await waitFor(() => expect(textsOf('status')).toContain('Loading'))
  expect(button('Needs attention')).toBeVisible()
  release()

  const row = await findPost('Opening day')
  expect(textsOf('heading', 2)).toEqual(['Upcoming', 'Done'])
  expect(textsOf('heading', 3)).toEqual(['Tomorrow', 'Today'])
  expect(within(screen.getByRole('region', { name: 'Done Today' })).getAllByRole('listitem')).toContain(row)
  expect(row).toHaveTextContent(/Northwind.*09:05/)
  expect(row).toHaveTextContent('@northwindPublished')
  const tomorrow = screen.getByRole('region', { name: 'Upcoming Tomorrow' })
  expect(tomorrow).toHaveTextContent(/Advent calendar.*Northwind.*Scheduled ?in 20 h.*18:30/)

  const filters = within(screen.getByRole('group', { name: 'Show' })).getAllByRole('button')
  expect(filters.map(({ textContent }) => textContent)).toEqual([
    'All',
    'Needs attention',
    'Scheduled 1',
    'Publishing',
    'Published',
    'Failed',
  ])
  await events.click(button(/^Scheduled/))
  await waitFor(() => expect(location.search).toBe('?status=scheduled'))
  await waitFor(() => expect(row).not.toBeInTheDocument())
  expect(await findPost('Advent calendar')).toBeVisible()
  await events.click(button('Failed'))
  await screen.findByText('No failed posts.')
  await events.click(button('Show all posts'))
  await waitFor(() => expect(location.search).toBe(''))
  await findPost('Opening day')
})

const to = (count: number, its: Parameters<typeof delivery>[0] = {}) =>
  Array.from({ length: count }, (_, i) => delivery({ ...its, delivery_id: i + 1, username: `cafe${i}` }))

test('a post to forty accounts is one line, and opens to them', async () => {
  list({ past: [post({ text: 'Tarts', deliveries: to(40) })] })
  const events = await openQueue()
  const row = await findPost('Tarts')
  expect(row).toHaveTextContent('TikTok 40')
  expect(within(row).queryByRole('list', { name: 'Accounts' })).toBeNull()
  const state = button('Published: accounts of Tarts', row)
  expect(state).toHaveAttribute('aria-expanded', 'false')
  await events.click(state)
  const accounts = within(row).getByRole('list', { name: 'Accounts' })
  expect(within(accounts).getAllByText('Published')).toHaveLength(40)
  await events.click(state)
  expect(accounts).not.toBeInTheDocument()
})

test('one cause of several failures is said once, with what can be done about all of them', async () => {
  const [one] = failed().deliveries
  list({ attention: [post({ text: 'Tarts', deliveries: to(12, one) })] })
  api.reply('bulkPosts', { done: [], refused: [] })
  api.reply('retryDelivery', ({ params }) => delivery({ delivery_id: Number(params['deliveryId']) }))
  const events = await openQueue()
  const row = await findPost('Tarts')
  expect(within(row).getAllByText(one?.reason?.message ?? '')).toHaveLength(1)
  expect(row).toHaveTextContent(/@cafe0.*@cafe1.*@cafe2.*and 9 more/)
  expect(within(row).getByRole('link', { name: 'Edit and resend to 12 accounts' })).toBeVisible()
  await events.click(button('Retry all', row))
  await waitFor(() => expect(api.calls('retryDelivery')).toHaveLength(12))
  await events.click(button('Dismiss all', row))
  await waitFor(() =>
    expect(api.calls('bulkPosts')).toMatchObject([{ body: { action: 'dismiss', post_ids: [1] } }]),
  )
  await events.click(button('Show each', row))
  expect(within(row).getAllByRole('button', { name: /^Retry:/ })).toHaveLength(12)
  await events.click(button('Show fewer', row))
  expect(within(row).getAllByText(one?.reason?.message ?? '')).toHaveLength(1)
})

test('of many failures of one post the first are shown, and the rest on demand', async () => {
  const [one] = failed().deliveries
  const reason = one?.reason
  if (!reason) throw new Error('it has no reason')
  const deliveries = to(12, one).map((its, i) => ({ ...its, reason: { ...reason, message: `Cause ${i}.` } }))
  list({ attention: [post({ text: 'Tarts', deliveries })] })
  const events = await openQueue()
  const row = await findPost('Tarts')
  expect(within(row).getAllByRole('button', { name: /^Retry/ })).toHaveLength(3)
  await events.click(button('Show 9 more', row))
  expect(within(row).getAllByRole('button', { name: /^Retry/ })).toHaveLength(12)
  expect(button('Show fewer', row)).toHaveFocus()
})

test('a post is cancelled by keyboard, and Escape keeps it', async () => {
  list({ upcoming: [scheduled()] })
  api.reply('getPost', {
    ...scheduled(),
    events: [{ event_id: 1, delivery_id: 1, at: AT, status: 'scheduled', message: 'Waiting for its time.' }],
    targets: [],
  })
  const cancelled = delivery({ status: 'cancelled', published_at: null, updated_at: AT })
  api.reply('cancelDelivery', cancelled)
  const events = await openQueue()
  const row = await findPost('Advent calendar')
  more('Advent calendar').focus()
  await events.keyboard('{Enter}')
  await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Show the timeline' })).toHaveFocus())
  await events.keyboard('{Enter}')
  await waitFor(() => expect(within(row).getByRole('heading', { name: 'Timeline' })).toHaveFocus())
  await within(row).findByText('Waiting for its time.')
  await events.tab()
  await events.keyboard('{Enter}')
  expect(more('Advent calendar')).toHaveFocus()

  const askToCancel = async () => {
    await events.keyboard('{Enter}')
    await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Show the timeline' })).toHaveFocus())
    await events.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{Enter}')
    await waitFor(() => expect(button('Keep it', row)).toHaveFocus())
  }
  await askToCancel()
  expect(within(row).getByText('Cancel this post?', { exact: false })).toBeVisible()
  await events.keyboard('{Escape}')
  expect(within(row).queryByRole('button', { name: 'Keep it' })).not.toBeInTheDocument()
  expect(more('Advent calendar')).toHaveFocus()
  expect(api.calls('cancelDelivery')).toEqual([])

  await askToCancel()
  list({ past: [scheduled({ deliveries: [cancelled] })] })
  await events.tab()
  await events.keyboard('{Enter}')
  // It moves to another section, and takes the focus along.
  const done = await screen.findByRole('region', { name: 'Done' })
  await within(done).findByText('Cancelled')
  await waitFor(async () => expect(await findPost('Advent calendar')).toContainElement(focused()))
  expect(api.calls('cancelDelivery')).toHaveLength(1)
})
const focused = () => document.activeElement as HTMLElement // nothing else takes the focus here

const question = () => screen.getByRole('group', { name: /^Delete this post\?/ })

test('a post is deleted from the row menu, which says what that means', async () => {
  const [live, waiting] = [post({ text: 'Opening day' }), scheduled({ post_id: 2 })]
  list({ upcoming: [waiting], past: [live] })
  api.reply('deletePost', undefined)
  const events = await openQueue()
  await findPost('Opening day')
  const ask = async () => {
    await events.keyboard('{Enter}')
    await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Show the timeline' })).toHaveFocus())
    await events.keyboard('{ArrowUp}')
    expect(screen.getByRole('menuitem', { name: 'Delete this post' })).toHaveFocus()
    await events.keyboard('{Enter}')
    await waitFor(() => expect(button('Keep', question())).toHaveFocus())
  }
  more('Opening day').focus()
  await ask()
  expect(question()).toHaveTextContent("What's live on TikTok stays there.")
  await events.keyboard('{Escape}')
  expect(more('Opening day')).toHaveFocus()
  await ask()
  list({ upcoming: [waiting] })
  await events.tab()
  await events.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('listitem', { name: 'Opening day' })).not.toBeInTheDocument())
  expect(await findPost('Advent calendar')).toHaveFocus()

  await events.click(more('Advent calendar'))
  await events.click(await screen.findByRole('menuitem', { name: 'Delete this post' }))
  expect(question()).toHaveTextContent("It won't be posted. You can't undo this.")
  list({})
  await events.click(button('Delete post', question()))
  await screen.findByText('No posts yet.')
  expect(api.calls('deletePost').map(({ params }) => params)).toEqual([{ postId: '1' }, { postId: '2' }])
})

test('a post that the server refuses to delete stays, with the reason', async () => {
  const message = 'This post may be live, and Reelay is still checking.'
  list({ attention: [unconfirmed()] })
  api.refuse('deletePost', 'in_flight', message)
  const events = await openQueue()
  const row = await findPost('Opening day')
  await events.click(more('Opening day'))
  await events.click(await screen.findByRole('menuitem', { name: 'Delete this post' }))
  await events.click(button('Delete post', row))
  await findAlert(message, row)
  await events.click(button('Keep', row))
  expect(within(row).getByText('Unconfirmed')).toBeVisible()
})

test('an unconfirmed post says what is known, and the user can say that it is live', async () => {
  list({ attention: [unconfirmed()] })
  const published = delivery({ updated_at: AT })
  api.reply('resolveDelivery', published)
  const events = await openQueue()
  const row = await findPost('Opening day')
  expect(row).toHaveTextContent("The post may be live, so Reelay won't send it twice.")
  expect(row).toHaveTextContent(/Sent .* Checked with TikTok .*Next check/)

  const sendAgain = button("It's not live: post again: @northwind on TikTok", row)
  sendAgain.focus()
  await events.keyboard('{Enter}')
  expect(within(row).getByRole('group')).toHaveTextContent("If it's live after all, it will be there twice.")
  await waitFor(() => expect(button('Keep checking', row)).toHaveFocus())
  await events.keyboard('{Escape}')
  expect(sendAgain).toHaveFocus()
  await events.click(button("It's live: @northwind on TikTok", row))
  const asked = within(row).getByRole('group')
  expect(asked).toHaveTextContent('Reelay marks it as published and stops checking')
  list({ past: [post({ deliveries: [published] })] })
  await events.click(button("It's live", asked))
  await within(await screen.findByRole('region', { name: 'Done' })).findByText('Published')
  await waitFor(async () => expect(await findPost('Opening day')).toContainElement(focused()))
  expect(api.calls('resolveDelivery').map(({ body }) => body)).toEqual([{ outcome: 'live' }])
})

test('a double click in the menu cancels for one account only', async () => {
  const instagram = delivery({
    delivery_id: 2,
    account_id: 2,
    platform: 'instagram',
    status: 'scheduled',
    published_at: null,
    due_at: AT,
    actions: ['cancel'],
  })
  const [tiktok] = scheduled().deliveries
  list({ upcoming: [scheduled({ deliveries: tiktok ? [tiktok, instagram] : [] })] })
  api.reply('cancelDelivery', delivery({ status: 'cancelled', published_at: null, updated_at: AT }))
  const events = await openQueue()
  const row = await findPost('Advent calendar')
  await events.click(more('Advent calendar'))
  await events.dblClick(await screen.findByRole('menuitem', { name: 'Cancel post for @northwind on TikTok' }))
  await events.dblClick(button('Cancel post', row))
  await waitFor(() =>
    expect(api.calls('cancelDelivery').map(({ params }) => params)).toEqual([{ deliveryId: '1' }]),
  )
})

const door = (number: number) => scheduled({ post_id: number, text: `Door ${number}` })

test('the focus goes to the first of the further posts when they are shown', async () => {
  const first = Array.from({ length: 30 }, (_, index) => door(index + 1))
  api.reply('listPosts', ({ query }) => {
    if (query['status'] !== 'upcoming') return posts()
    return query['cursor'] === undefined ? { ...posts(first), next_cursor: 'page-2' } : posts([door(31)])
  })
  const events = await openQueue()
  await findPost('Door 1')
  expect(screen.getAllByRole('listitem', { name: /^Door/ })).toHaveLength(30)
  await events.dblClick(button('Show more: Upcoming'))
  await waitFor(() => expect(screen.getByRole('listitem', { name: 'Door 31' })).toHaveFocus())
  expect(screen.getAllByRole('listitem', { name: /^Door/ })).toHaveLength(31)
  expect(screen.queryByRole('button', { name: /^Show more/ })).not.toBeInTheDocument()
})

test('captions are searched and posts filtered, which the address keeps', async () => {
  api.reply('listBrands', [brand({ brand_id: 3, title: 'Atlas' })])
  api.reply('listAccounts', [account({ account_id: 4, brand_id: 3, username: 'atlas' })])
  api.reply('listPosts', ({ query }) =>
    posts(query['status'] === 'past' && query['search'] !== 'nothing' ? [post({ text: 'Lemon tart' })] : []),
  )
  const events = await openQueue('?search=lemon&platform=tiktok')
  await findPost('Lemon tart')
  const search = screen.getByRole('searchbox', { name: 'Search captions' })
  expect(search).toHaveValue('lemon')
  await events.click(button('Filters: 1 chosen'))
  await events.selectOptions(await screen.findByLabelText('Brand'), 'Atlas')
  await events.click(screen.getByRole('combobox', { name: 'Account' }))
  await events.click(await screen.findByRole('option', { name: /@atlas$/ }))
  await waitFor(() =>
    expect(api.calls('listPosts').at(-1)?.query).toMatchObject({
      search: 'lemon',
      platform: 'tiktok',
      brandId: 3,
      accountId: 4,
    }),
  )
  await events.keyboard('{Escape}')
  await events.click(button('Remove the filter Platform: TikTok'))
  await fill(events, search, 'nothing')
  await screen.findByText('No posts match.')
  await events.click(button('Clear filters'))
  await findPost('Lemon tart')
  expect(search).toHaveValue('')
})

/** The query of the last list that was asked for. */
const lastQuery = () => api.calls('listPosts').at(-1)?.query

test('days of a filter are those of the zone that is shown', async () => {
  api.reply('listBrands', [brand({ timezone: 'Asia/Tokyo' })])
  list({ past: [post({ text: 'Lemon tart' })] })
  const events = await openQueue('?from=2026-11-02&timezone=Asia%2FTokyo')
  await findPost('Lemon tart')
  expect(lastQuery()).toMatchObject({ from: '2026-11-02', timezone: 'Asia/Tokyo' })
  await events.click(button('Filters: 1 chosen'))
  await events.selectOptions(await screen.findByLabelText('Platform'), 'TikTok')
  await waitFor(() => expect(lastQuery()).toMatchObject({ platform: 'tiktok', timezone: 'Asia/Tokyo' }))
  await events.keyboard('{Escape}')
  await events.click(button('Remove the filter From: 2 Nov 2026'))
  await waitFor(() => expect(lastQuery()?.['from']).toBeUndefined())
  expect(screen.getByRole('combobox', { name: 'Times in' })).toHaveValue('Asia/Tokyo')
})

test('of thousands of posts only those in view are rendered, and the rest on the way down', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(100)
  const many = Array.from({ length: 100 }, (_, index) => door(index + 1))
  list({ upcoming: many })
  await openQueue()
  await findPost('Door 1')
  expect(screen.getAllByRole('listitem', { name: /^Door/ }).length).toBeLessThan(40)
  expect(screen.queryByRole('listitem', { name: 'Door 100' })).not.toBeInTheDocument()
})

const check = (name: string) => screen.getByRole('checkbox', { name: `Select ${name}` })

test('several posts are rescheduled at once, and what is refused stays selected with its reason', async () => {
  list({ upcoming: [door(1), door(2), door(3), door(4)] })
  const asked: unknown[] = []
  api.reply('bulkPosts', ({ body }) => {
    asked.push(body)
    return { done: [{ post_id: 1 }, { post_id: 2 }], refused: [{ post_id: 3, message: 'It has started.' }] }
  })
  const events = await openQueue()
  await findPost('Door 1')
  await events.click(check('Door 1'))
  await events.keyboard('{Shift>}')
  await events.click(check('Door 3'))
  await events.keyboard('{/Shift}')
  const bar = screen.getByRole('region', { name: 'Selected posts' })
  expect(bar).toHaveTextContent('3 selected')
  await events.click(button('Reschedule', bar))
  const dialog = await screen.findByRole('dialog', { name: 'Reschedule 3 posts?' })
  await events.selectOptions(within(dialog).getByLabelText('Unit'), 'hours')
  await events.click(button('Reschedule 3 posts', dialog))
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('Door 3 It has started.')
  expect(asked).toEqual([{ post_ids: [1, 2, 3], action: 'move', by_minutes: 60, versions: [1, 1, 1] }])
  await events.click(button('Done', dialog))
  await waitFor(() => expect(bar).toHaveTextContent('1 selected'))
  expect(check('Door 3')).toBeChecked()
  await events.click(button('Clear', bar))
  await waitFor(() => expect(bar).not.toBeInTheDocument())
})

test('selected posts are deleted after a question', async () => {
  list({ upcoming: [door(1)] })
  api.reply('bulkPosts', { done: [{ post_id: 1 }], refused: [] })
  const events = await openQueue()
  await findPost('Door 1')
  await events.click(check('Door 1'))
  await events.click(button('Delete'))
  const dialog = await screen.findByRole('dialog', { name: 'Delete 1 post?' })
  list({})
  await events.click(button('Delete 1 post', dialog))
  await screen.findByText('No posts yet.')
  expect(api.calls('bulkPosts').map(({ body }) => body)).toEqual([{ post_ids: [1], action: 'delete' }])
  expect(screen.queryByRole('region', { name: 'Selected posts' })).not.toBeInTheDocument()
})

test('the raw answer of a platform can be copied', async () => {
  list({ past: [failed()] })
  const events = await openQueue()
  const row = await findPost('Too hot')
  await events.click(within(row).getByText('Details'))
  await events.click(button('Copy', row))
  await within(row).findByRole('button', { name: 'Copied' })
  expect(await navigator.clipboard.readText()).toContain('spam_risk_user_banned')
})

type CommentReply = z.input<typeof FollowUp>

const commented = (its: Pick<CommentReply, 'status' | 'needs_attention' | 'actions'>) =>
  delivery({
    follow_ups: [
      {
        kind: 'first_comment',
        message: 'Instagram did not accept the first comment.',
        remedy: 'Look at the text.',
        ...its,
      },
    ],
  })

test('a first comment that is not there is named under its live post, and can be retried', async () => {
  const retried: Record<string, string>[] = []
  const uncommented = commented({ status: 'failed', needs_attention: true, actions: ['retry', 'dismiss'] })
  list({ past: [post({ text: 'Tarts', deliveries: [uncommented] })] })
  api.reply('retryFollowUp', ({ params }) => {
    retried.push({ ...params })
    const waiting = commented({ status: 'waiting', needs_attention: false, actions: [] })
    list({ past: [post({ text: 'Tarts', deliveries: [waiting] })] })
    return waiting
  })
  const events = await openQueue()
  const row = await findPost('Tarts')
  expect(row).toHaveTextContent(
    'The post is live. Instagram did not accept the first comment. Look at the text.',
  )
  await events.click(button('Retry, first comment: @northwind on TikTok'))
  await waitFor(() => expect(row).not.toHaveTextContent('The post is live.'))
  expect(retried).toEqual([{ deliveryId: '1', kind: 'first_comment' }])
  expect(more('Tarts')).toHaveFocus()
})

test('a first comment that failed is not named any more once it is dismissed', async () => {
  const row = (deliveries: ReturnType<typeof commented>[]) =>
    list({ past: [post({ text: 'Tarts', deliveries })] })
  row([commented({ status: 'failed', needs_attention: true, actions: ['retry', 'dismiss'] })])
  api.reply('dismissFollowUp', () => {
    const dismissed = commented({ status: 'failed', needs_attention: false, actions: ['retry'] })
    row([dismissed])
    return dismissed
  })
  const events = await openQueue()
  const shown = await findPost('Tarts')
  await events.click(button('Dismiss, first comment: @northwind on TikTok'))
  await waitFor(() => expect(shown).not.toHaveTextContent('The post is live.'))
  expect(more('Tarts')).toHaveFocus()
})

test('a link that nobody asks for any more can be asked for again', async () => {
  const link = { kind: 'public_link', needs_attention: false, remedy: null } as const
  const gone = delivery({
    follow_ups: [{ ...link, status: 'failed', message: 'Not told.', actions: ['retry'] }],
  })
  const asking = delivery({ follow_ups: [{ ...link, status: 'waiting', message: 'Not yet.', actions: [] }] })
  list({ past: [post({ text: 'Tarts', deliveries: [gone] })] })
  api.reply('retryFollowUp', () => {
    list({ past: [post({ text: 'Tarts', deliveries: [asking] })] })
    return asking
  })
  const events = await openQueue()
  const row = await findPost('Tarts')
  await events.click(button('Retry, link: @northwind on TikTok'))
  await waitFor(() => expect(row).not.toHaveTextContent('Not told.'))
})

test('a post that its platform has changed since is not called live, and can be looked at again', async () => {
  const removed = delivery({
    follow_ups: [
      {
        kind: 'as_asked',
        status: 'failed',
        needs_attention: true,
        message: 'It was removed.',
        remedy: 'Look at it.',
        actions: ['retry', 'dismiss'],
      },
    ],
  })
  list({ past: [post({ text: 'Tarts', deliveries: [removed] })] })
  await openQueue()
  expect(await findPost('Tarts')).toHaveTextContent('The post went live. It was removed. Look at it.')
  expect(button('Check again, post: @northwind on TikTok')).toBeVisible()
})

test('a first comment that may be there is only looked for again', async () => {
  const open = commented({ status: 'unconfirmed', needs_attention: true, actions: ['retry', 'dismiss'] })
  list({ past: [post({ text: 'Tarts', deliveries: [open] })] })
  await openQueue()
  await findPost('Tarts')
  expect(button('Check again, first comment: @northwind on TikTok')).toBeVisible()
})

test('a post to accounts of several brands says how many, and names them', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply('listAccounts', [account(), account({ account_id: 2, brand_id: 2, username: 'harbour' })])
  const none = { brand_id: null, brand_title: null }
  const both = [delivery(), delivery({ delivery_id: 2, account_id: 2 })]
  const gone = [delivery({ delivery_id: 3, account_id: 9 })]
  list({
    past: [
      post({ text: 'Shared', ...none, deliveries: both }),
      post({ post_id: 2, text: 'Left over', ...none, deliveries: gone }),
    ],
  })
  await openQueue()
  const brands = await within(await findPost('Shared')).findByText('2 brands')
  expect(brands.parentElement).toHaveAttribute('title', 'Northwind, Harbour')
  expect(within(await findPost('Left over')).queryByText(/brand/)).toBeNull()
})
