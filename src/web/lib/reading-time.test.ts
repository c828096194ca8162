import { expect, test } from 'vitest'
import { readingMs } from './reading-time.ts'

test('a longer text is shown longer, with a minimum for short ones', () => {
  expect(readingMs('Nickname updated.')).toBeGreaterThanOrEqual(6_000)
  expect(readingMs('x'.repeat(150))).toBe(17_000)
})
