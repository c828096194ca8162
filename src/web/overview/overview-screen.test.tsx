import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { failureAnchor } from '#contract/help.ts'
import { OVERVIEW_COUNTED_MAX, OVERVIEW_DAYS } from '#contract/limits.ts'
import { noticePractice, NOTICE_SIGNUP_CLOSED, TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, delivery, overview, post, settings } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const openOverview = () => renderSignedIn('/dashboard/overview', 'Overview')

test('a new user reads the notice, is led through the first steps, and sees no empty lists', async () => {
  const notice = noticePractice(['TikTok', 'Instagram'])
  api.reply('getSettings', settings({ notice }))
  api.reply(
    'getOverview',
    overview({ first_steps: { brand: true, account: false, video: false, post: false } }),
  )
  const events = await openOverview()
  await screen.findByText(notice)
  expect(screen.getByRole('link', { name: 'See the practice feed' })).toHaveAttribute(
    'href',
    settings().practice_url,
  )
  const steps = within(await screen.findByRole('region', { name: 'First steps' })).getAllByRole('listitem')
  expect(steps).toHaveLength(4)
  expect(steps.filter((step) => /done/.test(step.textContent))).toEqual([steps[0]])
  expect(steps[0]).toHaveTextContent('Create a brand')
  for (const name of ['Needs attention', 'Up next', 'Recently published', 'Last two weeks'])
    expect(screen.queryByRole('region', { name })).not.toBeInTheDocument()
  screen.getByRole('link', { name: 'Go to accounts' }).focus()
  await events.keyboard('{Enter}')
  await findHeading('Accounts')
})

test('the notice is closed to a chip, stays closed, and opens again', async () => {
  const notice = noticePractice(['TikTok', 'Instagram'])
  api.reply('getSettings', settings({ notice }))
  const events = await openOverview()
  await screen.findByText(notice)
  await events.click(button('Close'))
  expect(screen.queryByText(notice)).toBeNull()
  await events.click(screen.getByRole('link', { name: 'Brands' }))
  await findHeading('Brands')
  await events.click(screen.getByRole('link', { name: 'Overview' }))
  await events.click(await screen.findByRole('button', { name: 'Practice mode' }))
  expect(screen.getByText(notice)).toBeVisible()
})

test('a server without sign-up says so in the notice, and what "no token found" means', async () => {
  api.reply('getSettings', settings({ signup: 'closed', notice: NOTICE_SIGNUP_CLOSED }))
  await openOverview()
  await screen.findByText(NOTICE_SIGNUP_CLOSED)
})

test('an overview that is slow says so, and one that cannot be read can be asked for again', async () => {
  api.refuse('getOverview', 'internal', TEXTS.unknownError)
  const release = api.hold('getOverview')
  const events = await openOverview()
  await screen.findByText('Loading')
  release()
  await findAlert(TEXTS.unknownError)
  api.reply('getOverview', overview())
  await events.click(button('Try again'))
  await screen.findByRole('region', { name: 'First steps' })
})

test.for([
  [3, '2 more in the queue'],
  [OVERVIEW_COUNTED_MAX, '99+ more in the queue'],
] as const)('of %i posts to come, one is shown and the others are counted', async ([total, more]) => {
  const first_steps = { brand: true, account: true, video: true, post: true }
  api.reply('getOverview', overview({ first_steps, next: { posts: [post()], total } }))
  await openOverview()
  expect(await screen.findByRole('link', { name: more })).toBeVisible()
})

test('a live post whose first comment failed needs attention until that is dismissed', async () => {
  const comment = { kind: 'first_comment', status: 'failed', message: 'Not added.', remedy: null } as const
  const failed = delivery({ follow_ups: [{ ...comment, needs_attention: true, actions: ['dismiss'] }] })
  const first_steps = { brand: true, account: true, video: true, post: true }
  const posts = [post({ text: 'Tarts', deliveries: [failed] })]
  api.reply('getOverview', overview({ first_steps, attention: { posts, total: 1 } }))
  const events = await openOverview()
  const section = await screen.findByRole('region', { name: 'Needs attention' })
  expect(section).toHaveTextContent('The post is live. Not added.')
  api.reply('dismissFollowUp', () => {
    api.reply('getOverview', overview({ first_steps }))
    return delivery({ follow_ups: [{ ...comment, needs_attention: false, actions: [] }] })
  })
  await events.click(button('Dismiss, first comment: @northwind on TikTok'))
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'Needs attention' })).not.toBeInTheDocument(),
  )
})

const DONE = { brand: true, account: true, video: true, post: true }
const region = (name: string) => within(screen.getByRole('region', { name }))

test('a failed post heads the overview with its remedy, and leaves it once tried again', async () => {
  const reason = {
    code: 'spam_risk_user_banned_from_posting',
    message: 'TikTok has banned this account from posting.',
    remedy: 'Open the TikTok app to see why.',
    detail: null,
  }
  const failed = delivery({ status: 'failed', published_at: null, reason, actions: ['retry'] })
  const days = overview().days.with(OVERVIEW_DAYS - 1, { day: '2026-11-14', published: 0, failed: 1 })
  const posts = [post({ text: 'Latte art', deliveries: [failed] })]
  api.reply('getOverview', overview({ first_steps: DONE, attention: { posts, total: 1 }, days }))
  const events = await openOverview()
  const trouble = within(await screen.findByRole('region', { name: 'Needs attention' }))
  const row = within(trouble.getByRole('listitem', { name: 'Latte art' }))
  expect(row.getByText('Failed')).toBeVisible()
  expect(row.getAllByText('@northwind')[0]).toBeVisible()
  expect(row.getByText(/Open the TikTok app to see why\./)).toBeVisible()
  expect(row.getByRole('link', { name: `What this means: ${reason.message}` })).toHaveAttribute(
    'href',
    `/dashboard/help#${failureAnchor(reason)}`,
  )
  expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull()
  expect(region('Up next').getByText('Nothing scheduled.')).toBeVisible()
  expect(region('Recently published').getByText(/^Nothing published yet\./)).toBeVisible()
  expect(region('Last two weeks').getByText(/1 failed in 14 days\./)).toBeVisible()

  api.reply('retryDelivery', () => {
    api.reply('getOverview', overview({ first_steps: DONE, published: [post({ text: 'Latte art' })] }))
    return delivery({ status: 'preparing', published_at: null })
  })
  row.getByRole('button', { name: 'Retry: @northwind on TikTok' }).focus()
  await events.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull())
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
  expect(await region('Recently published').findByText('Latte art')).toBeVisible()
})

test('one cause of several failures is said once, and each is shown by the post itself', async () => {
  const reason = { code: 'spam_risk', message: 'TikTok has banned it.', remedy: 'Ask TikTok.', detail: null }
  const deliveries = [1, 2].map((delivery_id) =>
    delivery({ delivery_id, status: 'failed', published_at: null, reason, actions: ['retry'] }),
  )
  const failed = post({ text: 'Latte art', deliveries })
  api.reply('getOverview', overview({ first_steps: DONE, attention: { posts: [failed], total: 1 } }))
  api.reply('getPost', { ...failed, events: [], targets: [] })
  const events = await openOverview()
  const row = await screen.findByRole('listitem', { name: 'Latte art' })
  expect(within(row).getAllByText(reason.message)).toHaveLength(1)
  expect(button('Retry all', row)).toBeVisible()
  await events.click(button('Show each', row))
  await findHeading('Latte art')
})

test('the last two weeks are read one by one with the arrow keys', async () => {
  const days = overview().days.with(OVERVIEW_DAYS - 1, { day: '2026-11-14', published: 0, failed: 1 })
  api.reply('getOverview', overview({ first_steps: DONE, days }))
  const events = await openOverview()
  const weeks = within(await screen.findByRole('region', { name: 'Last two weeks' }))
  const bars = weeks.getAllByRole('button')
  const [first, yesterday, today] = [bars[0], bars.at(-2), bars.at(-1)]
  expect(bars).toHaveLength(14)
  expect(today).toHaveAccessibleName(/: 1 failed$/)
  today?.focus()
  await events.keyboard('{ArrowLeft}')
  expect(yesterday).toHaveFocus()
  expect(yesterday).toHaveAccessibleName(/: nothing$/)
  expect(weeks.getByText('Yesterday:').parentElement).toHaveTextContent('Yesterday: nothing')
  await events.keyboard('{Home}')
  expect(first).toHaveFocus()
  await events.keyboard('{End}')
  expect(today).toHaveFocus()
  expect(today).toHaveAttribute('aria-pressed', 'true')
})

test('an account that must be linked again is named once, and leads to the platform', async () => {
  const message = "Reelay's access to this TikTok account has ended."
  const ended = account({ health: { status: 'relink', reason: message } })
  const reason = { code: 'token_expired', message, remedy: 'Link the account again.', detail: null }
  const its = { status: 'blocked', cause: 'account', published_at: null, reason } as const
  const waiting = delivery({ ...its, actions: ['link_again'] })
  api.reply('listBlockers', [{ kind: 'link_again', account: ended, posts: 4 }])
  api.reply(
    'getOverview',
    overview({
      first_steps: DONE,
      attention: { posts: [post({ text: 'Opening day', deliveries: [waiting] })], total: 1 },
    }),
  )
  api.reply('startLink', { url: '#consent', state: 's' })
  const release = api.hold('listBlockers')
  const events = await openOverview()
  // Its post says nothing of it meanwhile, which would go again.
  await screen.findByRole('heading', { name: 'Recently published' })
  expect(screen.queryByText('Opening day')).toBeNull()
  release()
  const said = await screen.findByRole('region', { name: 'What keeps posts from going out' })
  expect(said).toHaveTextContent('@northwind on TikTok must be linked again · 4 posts wait.')
  await waitFor(() => expect(screen.queryByText('Opening day')).toBeNull())
  expect(
    region('Up next').getByText('Your scheduled posts are waiting: see above what keeps them.'),
  ).toBeVisible()
  await events.click(button('Link again: @northwind on TikTok', said))
  await waitFor(() => expect(location.hash).toBe('#consent'))
  expect(api.calls('startLink').map(({ params, body }) => [params, body])).toEqual([
    [{ platform: 'tiktok' }, { brand_id: 1, account_id: 1 }],
  ])
})

test('the week is shown in numbers, those of each platform by themselves', async () => {
  api.reply('getOverview', overview({ first_steps: DONE }))
  api.reply('getResultsWeek', {
    live: 14,
    views: [
      { platform: 'tiktok', views: 48_210, counted: 5, of: 5 },
      { platform: 'youtube', views: 900, counted: 2, of: 3 },
      { platform: 'instagram', views: 0, counted: 0, of: 4 },
    ],
    above: 5,
    compared: 12,
  })
  await openOverview()
  const week = await screen.findByRole('region', { name: 'Results of the last 7 days' })
  expect(
    within(week)
      .getAllByRole('term')
      .map(({ textContent }) => textContent),
  ).toEqual(['Went live', 'TikTok views', 'YouTube views', 'Above usual'])
  expect(week).toHaveTextContent(
    /live14posts.*views48\.2Kafter 24 hours, 5 posts.*900after 24 hours, 2 of 3 posts/,
  )
  expect(week).toHaveTextContent('5 of 12')
  expect(within(week).getByRole('link', { name: 'See all results' })).toHaveAttribute(
    'href',
    '/dashboard/results',
  )
})

test('a week in which nothing went live has no numbers', async () => {
  api.reply('getOverview', overview({ first_steps: DONE }))
  await openOverview()
  await screen.findByRole('region', { name: 'Last two weeks' })
  await waitFor(() => expect(api.calls('getResultsWeek')).toHaveLength(1))
  expect(screen.queryByRole('region', { name: 'Results of the last 7 days' })).not.toBeInTheDocument()
})
