import { expect, test } from 'vitest'
import { Delivery } from '#contract/deliveries.ts'
import { takeNews } from './posts-cache.ts'
import { postsQuery, queryClient } from './queries.ts'

const nothing = { all: 0, attention: 0, scheduled: 0, publishing: 0, published: 0, failed: 0 }
const delivery = Delivery.parse({
  delivery_id: 1,
  post_id: 1,
  account_id: 1,
  platform: 'tiktok',
  username: 'nova',
  display_name: 'Nova',
  status: 'unconfirmed',
  progress: null,
  reason: null,
  url: null,
  due_at: null,
  published_at: null,
  actions: [],
  attempt: 1,
  updated_at: '2026-11-21T00:00:00.000Z',
})

test('a list that is out of sight is asked again when it is shown, whatever news came in between', async () => {
  const { queryKey } = postsQuery('attention')
  queryClient.setQueryData(queryKey, {
    pages: [{ items: [], next_cursor: null, counts: nothing }],
    pageParams: [null],
  })
  await queryClient.invalidateQueries({ queryKey })
  takeNews({ event: null, delivery })
  expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true)
})
