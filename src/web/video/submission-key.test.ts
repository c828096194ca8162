import { beforeEach, expect, test, vi } from 'vitest'
import { forgetDrafts } from '#web/lib/form-drafts.ts'
import { forgetOld, submissionOf } from './submission-key.ts'

const NOW = Date.UTC(2026, 10, 21)
const file = new File(['video'], 'tart.mp4', { lastModified: 1 })
const sent = submissionOf([], file, { title: 'Tart' }, NOW)

// Vitest runs in Node, which has no such storage; this one keeps its keys as own properties, as a browser's does.
beforeEach(() => {
  const storage = Object.create({
    getItem: (key: string) => (storage[key] as string | undefined) ?? null,
    removeItem: (key: string) => delete storage[key],
  }) as Record<string, unknown>
  vi.stubGlobal('localStorage', storage)
})

test('sending the same again after a lost answer carries the same key, whenever the phone says that the file was made', () => {
  const sameFile = new File(['video'], 'tart.mp4', { lastModified: 2 })
  expect(submissionOf([sent], sameFile, { title: 'Tart' }, NOW).key).toBe(sent.key)
})

test('changed contents are another submission', () => {
  expect(submissionOf([sent], file, { title: 'Pie' }, NOW).key).not.toBe(sent.key)
})

test('contents changed, tried, and changed back are the submission that they were', () => {
  const tried = submissionOf([sent], file, { title: 'Pie' }, NOW)
  expect(submissionOf([tried, sent], file, { title: 'Tart' }, NOW).key).toBe(sent.key)
})

test('what was taken once may be posted again on purpose', () => {
  expect(submissionOf([], file, { title: 'Tart' }, NOW).key).not.toBe(sent.key)
})

test('a month later the same contents are another submission', () => {
  expect(submissionOf([sent], file, { title: 'Tart' }, NOW + 29 * 86_400_000).key).toBe(sent.key)
  expect(submissionOf([sent], file, { title: 'Tart' }, NOW + 31 * 86_400_000).key).not.toBe(sent.key)
})

test('what is kept does not tell what was typed', () => {
  expect(JSON.stringify(submissionOf([], file, { title: 'Secret tart' }, NOW))).not.toMatch(/tart/i)
})

test("a log-out keeps everybody's for a month, and no longer", () => {
  Object.assign(localStorage, { 'sent ada tiktok': JSON.stringify([sent]), 'draft ada form': '{}' })
  forgetDrafts(null)
  forgetOld(NOW + 29 * 86_400_000)
  expect(Object.keys(localStorage)).toEqual(['sent ada tiktok'])
  forgetOld(NOW + 31 * 86_400_000)
  expect(Object.keys(localStorage)).toEqual([])
})
