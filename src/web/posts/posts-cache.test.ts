import { InfiniteQueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Delivery } from '#contract/deliveries.ts'
import type { AccountNow } from '#contract/platforms/index.ts'
import type { Overview } from '#contract/overview.ts'
import type { PostDetail } from '#contract/posts.ts'
import { applyUpdate } from './posts-cache.ts'
import {
  accountOptionsQuery,
  ANY_POSTS,
  overviewQuery,
  postQuery,
  postsQuery,
  queryClient,
} from '#web/api/queries.ts'
import { delivery as aDelivery, posts } from '#web/testing/data.ts'

const nothing = posts().counts
const delivery = Delivery.parse(aDelivery({ status: 'unconfirmed', published_at: null }))

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

test('a hidden list is refetched when it is shown', async () => {
  const { queryKey } = postsQuery('attention')
  queryClient.setQueryData(queryKey, {
    pages: [{ items: [], next_cursor: null, counts: nothing }],
    pageParams: [null],
  })
  await queryClient.invalidateQueries({ queryKey })
  applyUpdate({ event: null, delivery })
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true)
})

test('the overview shows a change at once and refetches once per burst', () => {
  const ask = vi.spyOn(queryClient, 'invalidateQueries')
  const post = { post_id: delivery.post_id, deliveries: [{ ...delivery, status: 'committing' }] }
  queryClient.setQueryData<Overview>(overviewQuery.queryKey, {
    attention: { posts: [post], total: 1 },
    next: { posts: [post], total: 1 },
    published: [post],
  } as unknown as Overview) // the rest does not matter here
  for (let i = 0; i < 20; i++) {
    const status = i % 2 === 0 ? 'processing' : 'unconfirmed'
    applyUpdate({ event: null, delivery: { ...delivery, status } })
  }
  const shown = queryClient.getQueryData(overviewQuery.queryKey)
  for (const list of [shown?.attention.posts, shown?.next.posts, shown?.published])
    expect(list?.[0]?.deliveries[0]?.status).toBe('unconfirmed')
  vi.runAllTimers()
  expect(ask.mock.calls.filter(([asked]) => asked === ANY_POSTS)).toHaveLength(1)
})

test('a failure that was settled elsewhere is taken off the lists', () => {
  const ask = vi.spyOn(queryClient, 'invalidateQueries')
  const failed = { ...delivery, status: 'failed' } as const
  queryClient.setQueryData<PostDetail>(postQuery(delivery.post_id).queryKey, {
    post_id: delivery.post_id,
    deliveries: [failed],
    events: [],
  } as unknown as PostDetail) // the rest does not matter here
  const settled = { kind: 'dismissed', at: delivery.updated_at, post_id: null } as const
  applyUpdate({ event: null, delivery: { ...failed, settled } })
  vi.runAllTimers()
  expect(ask.mock.calls.filter(([asked]) => asked === ANY_POSTS)).toHaveLength(1)
})

test("an account's remaining posts are refetched after it publishes", () => {
  const { queryKey } = accountOptionsQuery(delivery.account_id)
  queryClient.setQueryData(queryKey, {} as AccountNow) // what it says does not matter here
  const event = { event_id: 1, delivery_id: delivery.delivery_id, at: delivery.updated_at, message: '' }
  applyUpdate({ event: { ...event, status: 'processing' }, delivery: { ...delivery, status: 'processing' } })
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(false)
  applyUpdate({ event: { ...event, status: 'published' }, delivery: { ...delivery, status: 'published' } })
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true)
})

test('a timeline is refetched with the lists after a lost connection', async () => {
  const { queryKey } = postQuery(delivery.post_id)
  queryClient.setQueryData<PostDetail>(queryKey, { deliveries: [], events: [] } as unknown as PostDetail) // nor here
  await queryClient.invalidateQueries(ANY_POSTS)
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true)
})

test('an event that arrives while a list is being fetched is not lost to the older answer', async () => {
  const query = postsQuery('published')
  const listed = (url: string | null) => ({
    items: [{ post_id: delivery.post_id, deliveries: [{ ...delivery, status: 'published', url }] }],
    next_cursor: null,
    counts: nothing,
  })
  const older = Promise.withResolvers<unknown>()
  const answers = [
    Promise.resolve(listed(null)),
    older.promise,
    Promise.resolve(listed('https://live.example')),
  ]
  const observer = new InfiniteQueryObserver(queryClient, {
    ...query,
    queryFn: () => answers.shift() as never, // the rest of a post does not matter here
  })
  const unsubscribe = observer.subscribe(() => undefined)
  await vi.runAllTimersAsync()
  void observer.refetch()
  const event = { event_id: 2, delivery_id: delivery.delivery_id, at: delivery.updated_at, message: '' }
  applyUpdate({
    event: { ...event, status: 'published' },
    delivery: { ...delivery, status: 'published', url: 'https://live.example' },
  })
  older.resolve(listed(null))
  await vi.runAllTimersAsync()
  const [page] = queryClient.getQueryData(query.queryKey)?.pages ?? []
  expect(page?.items[0]?.deliveries[0]?.url).toBe('https://live.example')
  unsubscribe()
})
