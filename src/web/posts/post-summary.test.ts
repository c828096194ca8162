import { expect, test } from 'vitest'
import { Delivery, type DeliveryStatus } from '#contract/deliveries.ts'
import { delivery } from '#web/testing/data.ts'
import { summarize } from './post-summary.ts'

const textOf = (...of: readonly (readonly [number, DeliveryStatus])[]): string => {
  const all = of.flatMap(([count, status]) =>
    Array.from({ length: count }, () => Delivery.parse(delivery({ status }))),
  )
  const { look, rest } = summarize(all)
  return look.word + rest
}

test.each([
  [[[6, 'published']], 'Published'],
  [
    [
      [5, 'published'],
      [1, 'failed'],
    ],
    '1 of 6 failed · 5 published',
  ],
  [
    [
      [5, 'published'],
      [1, 'processing'],
    ],
    '5 of 6 published',
  ],
  [
    [
      [3, 'scheduled'],
      [1, 'preparing'],
    ],
    '1 of 4 uploading · 3 scheduled',
  ],
  [
    [
      [1, 'cancelled'],
      [2, 'unconfirmed'],
      [1, 'failed'],
    ],
    '1 of 4 failed · 2 unconfirmed · 1 cancelled',
  ],
] as const)('the accounts of a post are summed up, the worst first: %j', (of, said) => {
  expect(textOf(...of)).toBe(said)
})

const scheduled = (paused: Delivery['paused']) => Delivery.parse(delivery({ status: 'scheduled', paused }))

test('a scheduled post that is paused says so', () => {
  expect(summarize([scheduled('brand'), scheduled(null)])).toMatchObject({
    look: { word: '1 of 2 paused', tone: 'held' },
    rest: ' · 1 scheduled',
  })
})
