import { screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { failureAnchor } from '#contract/help.ts'
import { pausedReason, REASONS } from '#domain/delivery/reasons.ts'
import { api } from '#web/testing/api-stub.ts'
import { delivery, post, posts } from '#web/testing/data.ts'
import { renderSignedIn } from '#web/testing/render-app.tsx'

const DUE = '2026-12-24T18:30:00.000Z'
const held = { status: 'blocked', published_at: null } as const

async function problemOf(its: Parameters<typeof delivery>[0]): Promise<HTMLElement> {
  api.reply('listPosts', ({ query }) =>
    posts(query['status'] === 'attention' ? [post({ text: 'Late', deliveries: [delivery(its)] })] : []),
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
