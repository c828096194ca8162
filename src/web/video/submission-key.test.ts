import { expect, test } from 'vitest'
import { makeSubmissionKeys } from './submission-key.ts'

const file = new File(['video'], 'tart.mp4', { lastModified: 1 })

test('sending the same again after a lost answer carries the same key', () => {
  const keys = makeSubmissionKeys()
  expect(keys.keyFor(file, { title: 'Tart' })).toBe(keys.keyFor(file, { title: 'Tart' }))
})

test('changed contents are another submission', () => {
  const keys = makeSubmissionKeys()
  expect(keys.keyFor(file, { title: 'Tart' })).not.toBe(keys.keyFor(file, { title: 'Pie' }))
})

test('what was taken once may be posted again on purpose', () => {
  const keys = makeSubmissionKeys()
  const first = keys.keyFor(file, { title: 'Tart' })
  keys.spent()
  expect(keys.keyFor(file, { title: 'Tart' })).not.toBe(first)
})
