import { expect, test } from 'vitest'
import { findSharedOptions, withoutProposed } from './shared-options.ts'

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

test('an option that the text proposes is left out, and one that was typed stays', () => {
  const options = { title: 'Lemon tart', privacy: 'public' }
  expect(withoutProposed('youtube', { options, text: 'Lemon tart\nStill warm' })).toEqual({
    privacy: 'public',
  })
  expect(withoutProposed('youtube', { options, text: 'Still warm' })).toEqual(options)
  expect(withoutProposed('tiktok', { options, text: 'Lemon tart' })).toEqual(options)
})
