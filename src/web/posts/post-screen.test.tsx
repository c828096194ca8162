import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { PostDetail } from '#contract/posts.ts'
import { api } from '#web/testing/api-stub.ts'
import { delivery, post, posts } from '#web/testing/data.ts'
import { button, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

type DetailReply = z.input<typeof PostDetail>

const AT = '2026-12-24T18:30:00.000Z'
const SCHEDULED: Parameters<typeof delivery>[0] = {
  status: 'scheduled',
  published_at: null,
  due_at: AT,
  actions: ['cancel'],
}

const detail = (its: Partial<DetailReply> = {}): DetailReply => ({
  ...post({ text: 'Lemon tart\nThree ways to plate it.', ...its }),
  events: [{ event_id: 1, delivery_id: 1, at: AT, status: 'published', message: 'Published on TikTok.' }],
  targets: [{ delivery_id: 1, text: 'Lemon tart\nThree ways to plate it.', options: {}, after_minutes: 0 }],
  ...its,
})

const openPost = (its?: Partial<DetailReply>) => {
  api.reply('getPost', detail(its))
  return renderSignedIn('/dashboard/posts/1')
}
const account = (name: RegExp) => screen.getByRole('region', { name })

test('the page of a post plays its video and has all captions, timelines and links', async () => {
  await openPost({
    deliveries: [
      delivery({ url: 'https://tiktok.example/1' }),
      delivery({ delivery_id: 2, platform: 'instagram', username: 'northwind.bakes', ...SCHEDULED }),
    ],
    targets: [
      { delivery_id: 1, text: 'Lemon tart\nThree ways to plate it.', options: {}, after_minutes: 0 },
      { delivery_id: 2, text: 'Only for Instagram', options: {}, after_minutes: 0 },
    ],
  })
  await findHeading('Lemon tart')
  expect(await screen.findByLabelText('good.mp4')).toHaveAttribute('src', '/media/an-hour.mp4')
  expect(screen.getByText(/Three ways to plate it\./)).toBeVisible()
  const tiktok = account(/@northwind$/)
  expect(tiktok).toHaveTextContent('Published on TikTok.')
  expect(within(tiktok).getByRole('link', { name: /^Open on TikTok/ })).toHaveAttribute(
    'href',
    'https://tiktok.example/1',
  )
  expect(tiktok).not.toHaveTextContent('Caption for this account')
  expect(account(/@northwind\.bakes/)).toHaveTextContent('Only for Instagram')
})

test('what has not started can be edited, and is cancelled after a question', async () => {
  const events = await openPost({ deliveries: [delivery(SCHEDULED)] })
  await findHeading('Lemon tart')
  expect(screen.getByRole('link', { name: 'Edit' })).toHaveAttribute('href', '/dashboard/compose?edit=1')
  const cancelled = delivery({ status: 'cancelled', published_at: null })
  api.reply('cancelDelivery', cancelled)
  await events.click(button('Cancel post: @northwind on TikTok'))
  api.reply('getPost', detail({ deliveries: [cancelled] }))
  await events.click(button('Cancel post'))
  await waitFor(() => expect(account(/@northwind/)).toHaveTextContent('Cancelled'))
  expect(api.calls('cancelDelivery')).toHaveLength(1)
})

test('what is live offers no edit, and the page of a deleted post leads back to the queue', async () => {
  const events = await openPost()
  await findHeading('Lemon tart')
  expect(screen.queryByRole('link', { name: 'Edit' })).toBeNull()
  expect(screen.getByRole('link', { name: 'Duplicate' })).toHaveAttribute('href', '/dashboard/compose?post=1')
  api.reply('deletePost', undefined)
  api.reply('listPosts', posts())
  await events.click(button('More about Lemon tart'))
  await events.click(await screen.findByRole('menuitem', { name: 'Delete this post' }))
  await events.click(button('Delete post'))
  await findHeading('Queue')
})

test('a post is summed up, failures come first, and several timelines are folded', async () => {
  const events = await openPost({
    deliveries: [
      delivery(),
      delivery({
        delivery_id: 2,
        platform: 'instagram',
        username: 'bakes',
        status: 'failed',
        published_at: null,
      }),
    ],
    events: [
      { event_id: 1, delivery_id: 1, at: AT, status: 'published', message: 'Published on TikTok.' },
      { event_id: 2, delivery_id: 2, at: AT, status: 'failed', message: 'Refused.' },
    ],
  })
  await findHeading('Lemon tart')
  expect(screen.getByText('1 of 2 failed')).toBeVisible()
  const [first, second] = screen.getAllByRole('region', { name: /@/ })
  expect(first).toHaveTextContent('@bakes')
  expect(second).toHaveTextContent('@northwind')
  expect(screen.getByText('Refused.')).not.toBeVisible()
  await events.click(within(account(/@bakes/)).getByText('Timeline'))
  expect(screen.getByText('Refused.')).toBeVisible()
})

test('one cause of many accounts is said once, for all of them, and their list is folded', async () => {
  const reason = { code: 'x', message: 'The account is banned.', remedy: 'Try later.', detail: null }
  const failed = Array.from({ length: 8 }, (_, at) =>
    delivery({
      delivery_id: at + 1,
      account_id: at + 1,
      username: `cafe${at}`,
      status: 'failed',
      published_at: null,
      reason,
      actions: ['retry', 'dismiss'],
    }),
  )
  const other = {
    ...failed[0],
    delivery_id: 9,
    username: 'last',
    reason: { ...reason, message: 'Too long.' },
  }
  const events = await openPost({ deliveries: [...failed, delivery(other)] })
  await findHeading('Lemon tart')
  expect(screen.getAllByText('The account is banned.')).toHaveLength(1)
  expect(screen.getAllByRole('region', { name: /@cafe/ })).toHaveLength(6)
  await events.click(button('Show all 8 accounts'))
  expect(screen.getAllByRole('region', { name: /@cafe/ })).toHaveLength(8)
  api.reply('retryDelivery', ({ params }) => delivery({ delivery_id: Number(params['deliveryId']) }))
  await events.click(button('Retry all'))
  await waitFor(() =>
    expect(api.calls('retryDelivery').map(({ params }) => Number(params['deliveryId']))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]),
  )
  await events.click(button('Show each'))
  expect(screen.getAllByText('The account is banned.')).toHaveLength(8)
})

test('everything that has not started is cancelled at once, after a question', async () => {
  const events = await openPost({
    deliveries: [1, 2, 3].map((id) =>
      delivery({ delivery_id: id, username: `cafe${id}`, ...(id === 3 ? {} : SCHEDULED) }),
    ),
  })
  await findHeading('Lemon tart')
  api.reply('bulkPosts', { done: [{ post_id: 1 }], refused: [] })
  await events.click(button('More about Lemon tart'))
  await events.click(await screen.findByRole('menuitem', { name: 'Cancel all that have not started' }))
  await events.click(button('Cancel for 2 accounts'))
  await waitFor(() =>
    expect(api.calls('bulkPosts')).toMatchObject([{ body: { action: 'cancel', post_ids: [1] } }]),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('an address without a post says so', async () => {
  api.refuse('getPost', 'not_found', "This post doesn't exist.")
  await renderSignedIn('/dashboard/posts/77', 'Post not found')
  expect(screen.getByRole('link', { name: 'Go to the queue' })).toBeVisible()
})

test('a post shows one time on its page, in the queue and in the overview', async () => {
  const one = detail({
    publish_at: AT,
    deliveries: [delivery({ ...SCHEDULED, due_at: '2026-12-24T18:45:00.000Z' })],
  })
  api.reply('getPost', one)
  api.reply('listPosts', ({ query }) => posts(query['status'] === 'upcoming' ? [one] : []))
  const events = await renderSignedIn('/dashboard/queue', 'Queue')
  expect(await screen.findByRole('listitem', { name: 'Lemon tart' })).toHaveTextContent(/Northwind.*18:30/)
  expect(screen.getByText('Times in Europe/Lisbon')).toBeVisible()
  await events.click(screen.getByRole('link', { name: 'Lemon tart' }))
  await findHeading('Lemon tart')
  expect(screen.getByRole('main')).toHaveTextContent(/Northwind · .*, 18:30/)
})
