import { expect, test } from 'vitest'
import { submissionOf } from './submission-key.ts'

const file = new File(['video'], 'tart.mp4', { lastModified: 1 })
const sent = submissionOf([], file, { title: 'Tart' })

test('sending the same again after a lost answer carries the same key, whenever the phone says that the file was made', () => {
  const sameFile = new File(['video'], 'tart.mp4', { lastModified: 2 })
  expect(submissionOf([sent], sameFile, { title: 'Tart' }).key).toBe(sent.key)
})

test('changed contents are another submission', () => {
  expect(submissionOf([sent], file, { title: 'Pie' }).key).not.toBe(sent.key)
})

test('contents changed, tried, and changed back are the submission that they were', () => {
  const tried = submissionOf([sent], file, { title: 'Pie' })
  expect(submissionOf([tried, sent], file, { title: 'Tart' }).key).toBe(sent.key)
})

test('what was taken once may be posted again on purpose', () => {
  expect(submissionOf([], file, { title: 'Tart' }).key).not.toBe(sent.key)
})
