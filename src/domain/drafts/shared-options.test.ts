import { expect, test } from 'vitest'
import { findSharedOptions } from './shared-options.ts'

const feed = { share_to_feed: true }
const reel = { share_to_feed: false }

test('accounts share the options that most of them have', () => {
  expect(findSharedOptions([reel, feed, { ...feed }])).toEqual(feed)
  expect(findSharedOptions([reel, reel, feed, feed])).toEqual(reel)
})

test('what one account alone has is not shared', () => {
  expect(findSharedOptions([feed])).toBeNull()
  expect(findSharedOptions([feed, reel])).toBeNull()
  expect(findSharedOptions([])).toBeNull()
})
