import { expect, test } from 'vitest'
import { fnv1a, SEEDS } from './fnv1a.ts'

test('the hash is that of the published test vectors', () => {
  // http://www.isthe.com/chongo/tech/comp/fnv/
  const hashes = ['', 'a', 'foobar'].map((text) => fnv1a(new TextEncoder().encode(text), SEEDS[0]))
  expect(hashes).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
})
