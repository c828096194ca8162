import { expect, test } from 'vitest'
import { textForLists } from './use-publish.ts'

test('lists show a post by an own caption only where no account has the shared one', () => {
  const own = [{ text: 'For TikTok' }, { text: 'For Instagram' }]
  expect(textForLists('', own)).toBe('For TikTok')
  expect(textForLists('Shared', own)).toBe('Shared')
  // An account without a caption stays without one.
  expect(textForLists('', [...own, {}])).toBe('')
})
