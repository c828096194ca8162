import { expect, test } from 'vitest'
import { byViews, currentValue, shownMetrics } from './post-numbers.ts'
import { deliveryResults, measured } from '#web/testing/results.ts'

const reason = (its: Parameters<typeof deliveryResults>[0]) =>
  currentValue(deliveryResults(its), 'views').missing

test('the last number counts, and without any reading the reason', () => {
  const { value } = currentValue(deliveryResults({ latest: { hours: 3, views: 7 } }), 'views')
  expect(value).toBe(7)
  expect(reason({})).toBe('not_yet')
  expect(reason({ allowed: false })).toBe('not_allowed')
  expect(reason({ allowed: false, linked: false })).toBe('unlinked')
})

test('metrics that no platform of the post reports are left out', () => {
  const plain = deliveryResults({ latest: { hours: 3, views: 7, its: { likes: measured(2) } } })
  expect(shownMetrics([plain])).toEqual(['views', 'likes'])
  const more = deliveryResults({ latest: { hours: 3, views: 7, its: { reach: measured(null, 'not_yet') } } })
  expect(shownMetrics([plain, more])).toEqual(['views', 'likes', 'reach'])
})

test('a number that needs the permission is not allowed, and one that does not is only not there yet', () => {
  const unread = deliveryResults({ platform: 'youtube', allowed: false })
  expect(currentValue(unread, 'followers_gained').missing).toBe('not_allowed')
  expect(currentValue(unread, 'views').missing).toBe('not_yet')
})

test('accounts with most views come first, those without a number last', () => {
  const all = [undefined, 5, 50].map((views, nth) =>
    deliveryResults({ delivery_id: nth, ...(views !== undefined && { latest: { hours: 2, views } }) }),
  )
  expect(byViews(all).map(({ delivery_id }) => delivery_id)).toEqual([2, 1, 0])
})
