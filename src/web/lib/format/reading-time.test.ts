import { expect, test } from 'vitest'
import { readingMs } from './reading-time.ts'

test('a longer text stays longer, and a short one long enough to be noticed', () => {
  expect(readingMs('Nickname updated.')).toBeGreaterThanOrEqual(6_000)
  expect(readingMs('x'.repeat(150))).toBe(17_000)
})
