import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { failureAnchor } from '#contract/help.ts'
import type { PostFilter } from '#contract/posts.ts'
import { pausedReason, REASONS } from '#domain/delivery/reasons.ts'
import { api } from '#web/testing/api-stub.ts'
import { delivery, post, posts } from '#web/testing/data.ts'
import { renderSignedIn } from '#web/testing/render-app.tsx'

const DUE = '2026-12-24T18:30:00.000Z'
const held = { status: 'blocked', published_at: null } as const

async function problemOf(
  its: Parameters<typeof delivery>[0],
  under: PostFilter = 'attention',
): Promise<HTMLElement> {
  api.reply('listPosts', ({ query }) =>
    posts(query['status'] === under ? [post({ text: 'Late', deliveries: [delivery(its)] })] : []),
  )
  await renderSignedIn('/dashboard/queue', 'Queue')
  return screen.findByRole('listitem', { name: 'Late' })
}

test('a missed post says when it was due, and is published now on demand', async () => {
  const row = await problemOf({
    ...held,
    cause: 'missed',
    due_at: DUE,
    reason: REASONS.missed,
    actions: ['retry', 'cancel'],
  })
  expect(row).toHaveTextContent('Missed')
  expect(row).not.toHaveTextContent('next try')
  expect(row).toHaveTextContent('It was due 24 Dec')
  expect(within(row).getByRole('link', { name: /^What this means/ })).toHaveAttribute(
    'href',
    `/dashboard/help#${failureAnchor(REASONS.missed)}`,
  )
  api.reply('retryDelivery', () => delivery({ status: 'preparing', published_at: null }))
  await userEvent.click(within(row).getByRole('button', { name: /^Publish now/ }))
  await waitFor(() => expect(api.calls('retryDelivery')).toHaveLength(1))
})

test('a paused post says what is paused, and can only be cancelled', async () => {
  const row = await problemOf({
    ...held,
    cause: 'paused',
    due_at: null,
    reason: pausedReason('brand'),
    actions: ['cancel'],
  })
  expect(row).toHaveTextContent('Paused')
  expect(row).toHaveTextContent('Posting is paused for this brand. It goes out once you resume it.')
  expect(within(row).queryByRole('button', { name: /^Publish now|^Retry/ })).toBeNull()
})

const refused = {
  code: 'spam_risk_text',
  message: 'TikTok refused the text.',
  remedy: 'Change it.',
  detail: null,
}
const failed = {
  status: 'failed',
  published_at: null,
  reason: refused,
  actions: ['retry', 'dismiss'],
} as const

const actionsOf = (row: HTMLElement) =>
  within(row)
    .getAllByText(/^(Edit and resend|Retry|Publish now|Dismiss|Cancel post)$/)
    .map(({ textContent }) => textContent)

test.each([
  ['that must be changed', { ...refused, needs_change: true }, ['Edit and resend', 'Retry', 'Dismiss']],
  ['that may pass unchanged', refused, ['Retry', 'Edit and resend', 'Dismiss']],
])('of a failure %s the action that helps comes first', async (_what, reason, shown) => {
  expect(actionsOf(await problemOf({ ...failed, reason, actions: [...failed.actions] }))).toEqual(shown)
})

test('a held post that was never sent is published, not retried', async () => {
  const row = await problemOf({
    ...held,
    cause: 'limit',
    editable: true,
    reason: refused,
    actions: ['retry', 'cancel'],
  })
  expect(actionsOf(row)).toEqual(['Publish now', 'Cancel post'])
})

test('a failure is dismissed with one press', async () => {
  const before = await problemOf({ ...failed, actions: [...failed.actions] })
  const dismissed = delivery({
    ...failed,
    settled: { kind: 'dismissed', at: DUE, post_id: null },
    reason: { ...refused, remedy: 'It was dismissed, so there is nothing to do.' },
    actions: ['retry'],
    updated_at: DUE,
  })
  api.reply('dismissDelivery', () => {
    const settled = post({ text: 'Late', deliveries: [dismissed] })
    api.reply('listPosts', ({ query }) => posts(query['status'] === 'past' ? [settled] : []))
    return dismissed
  })
  await userEvent.click(within(before).getByRole('button', { name: 'Dismiss: @northwind on TikTok' }))
  await screen.findByText('Failed: dismissed')
  const row = await screen.findByRole('listitem', { name: 'Late' })
  expect(row).toHaveTextContent('TikTok refused the text. It was dismissed, so there is nothing to do.')
  expect(within(row).queryByRole('button', { name: /^Dismiss/ })).toBeNull()
  expect(within(row).getByRole('button', { name: /^Retry/ })).toBeVisible()
  expect(within(row).getByRole('link', { name: /^Edit and resend/ })).toBeVisible()
})

test('a replaced failure leads to the newer post, and cannot be sent again', async () => {
  const row = await problemOf(
    {
      ...failed,
      settled: { kind: 'replaced', at: DUE, post_id: 7 },
      reason: { ...refused, remedy: 'A newer post has replaced it, so there is nothing to do.' },
      actions: [],
    },
    'past',
  )
  expect(row).toHaveTextContent('Failed: replaced')
  expect(within(row).getByRole('link', { name: /^Show the newer post/ })).toHaveAttribute(
    'href',
    '/dashboard/posts/7',
  )
  expect(within(row).queryByRole('button', { name: /^Retry|^Dismiss/ })).toBeNull()
  expect(within(row).queryByRole('link', { name: /^Edit and resend/ })).toBeNull()
})

const repeat = {
  platform: 'tiktok',
  username: 'northwind',
  display_name: 'Northwind',
  post_id: 7,
  status: 'published',
  at: DUE,
  url: 'https://tiktok.example/7',
}
const alreadyPosted = { code: 'already_posted', message: 'It has this video already.', repeats: [repeat] }

const unconfirmed = { status: 'unconfirmed', published_at: null, reason: refused } as const

test.each([
  ['a retry', 'retryDelivery', failed, /^Retry/, null],
  ['"not live: post again"', 'resolveDelivery', unconfirmed, /^It's not live/, 'Post again'],
] as const)(
  '%s of a video that its account has since asks first',
  async (_what, call, its, press, confirm) => {
    const actions = its.status === 'failed' ? ([...its.actions] as const) : (['resolve_not_live'] as const)
    const row = await problemOf({ ...its, actions: [...actions] })
    api.fail(call, 409, alreadyPosted)
    const ask = async () => {
      const button = within(row).queryByRole('button', { name: press })
      if (button) await userEvent.click(button)
      if (confirm !== null) await userEvent.click(within(row).getByRole('button', { name: confirm }))
      return screen.findByRole('dialog', { name: 'Post it again?' })
    }
    const asked = await ask()
    expect(asked).toHaveTextContent('@northwind on TikTok')
    expect(asked).toHaveTextContent('Published: Thursday 24 December, 18:30')
    expect(within(asked).getByRole('link', { name: 'Show that post' })).toHaveAttribute(
      'href',
      '/dashboard/posts/7',
    )
    expect(within(asked).getByRole('link', { name: 'Open on TikTok' })).toHaveAttribute('href', repeat.url)
    await userEvent.click(within(asked).getByRole('button', { name: 'Leave it' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(screen.queryByText(/already/)).toBeNull()
    expect(api.calls(call)).toHaveLength(1)

    const again = await ask()
    api.reply(call, delivery({ status: 'scheduled', published_at: null, updated_at: DUE }))
    await userEvent.click(within(again).getByRole('button', { name: 'Post it again' }))
    await waitFor(() => expect(api.calls(call)).toHaveLength(3))
    expect(api.calls(call).map(({ body }) => (body as { confirm_repeat?: true }).confirm_repeat)).toEqual([
      undefined,
      undefined,
      true,
    ])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  },
)

test('a post held after a restore may have been posted, and its user says what became of it', async () => {
  const row = await problemOf({
    ...held,
    cause: 'restored',
    due_at: DUE,
    reason: REASONS.restored,
    actions: ['resolve_live', 'retry', 'cancel'],
  })
  expect(row).toHaveTextContent('Held after a restore')
  expect(row).toHaveTextContent('may have gone out without this copy knowing')
  expect(row).toHaveTextContent('Its time: 24 Dec')
  expect(row).not.toHaveTextContent('was not posted')
  expect(within(row).getByRole('button', { name: /^Publish now/ })).toBeEnabled()
  api.reply('resolveDelivery', () => delivery({ status: 'published' }))
  await userEvent.click(within(row).getByRole('button', { name: /^It's live/ }))
  expect(within(row).getByRole('button', { name: 'Keep it held' })).toBeEnabled()
  await userEvent.click(within(row).getByRole('button', { name: "It's live" }))
  await waitFor(() => expect(api.calls('resolveDelivery')).toHaveLength(1))
})

test('planned posts that wait after a restore are resumed together', async () => {
  const row = await problemOf({
    ...held,
    cause: 'restored',
    due_at: DUE,
    reason: REASONS.restoredPlanned,
    actions: ['resume_planned', 'retry', 'cancel'],
  })
  expect(row).toHaveTextContent('this scheduled post waits: it could go out twice.')
  api.reply('decideRestored', { decided: 2, missed: 0, missed_post_ids: [] })
  await userEvent.click(within(row).getByRole('button', { name: 'Resume scheduled posts' }))
  await waitFor(() =>
    expect(api.calls('decideRestored').map(({ body }) => body)).toEqual([{ decision: 'resume_planned' }]),
  )
})
