import { beforeEach, expect, test, vi } from 'vitest'
import { clearDrafts } from '#web/lib/form-drafts.ts'
import { removeExpired, submissionOf } from './submission-key.ts'

const NOW = Date.UTC(2026, 10, 21)
const file = new File(['video'], 'tart.mp4', { lastModified: 1 })
const sent = submissionOf([], file, { title: 'Tart' }, NOW)

// Node has no localStorage; like a browser's, this one has its keys as own properties.
beforeEach(() => {
  const storage = Object.create({
    getItem: (key: string) => (storage[key] as string | undefined) ?? null,
    removeItem: (key: string) => delete storage[key],
  }) as Record<string, unknown>
  vi.stubGlobal('localStorage', storage)
})

test('the same contents get the same key, whatever the file’s modification time', () => {
  const sameFile = new File(['video'], 'tart.mp4', { lastModified: 2 })
  expect(submissionOf([sent], sameFile, { title: 'Tart' }, NOW).key).toBe(sent.key)
})

test('changed contents get another key', () => {
  expect(submissionOf([sent], file, { title: 'Pie' }, NOW).key).not.toBe(sent.key)
})

test('contents that are changed, sent and changed back get their first key again', () => {
  const tried = submissionOf([sent], file, { title: 'Pie' }, NOW)
  expect(submissionOf([tried, sent], file, { title: 'Tart' }, NOW).key).toBe(sent.key)
})

test('accepted contents can be posted again on purpose', () => {
  expect(submissionOf([], file, { title: 'Tart' }, NOW).key).not.toBe(sent.key)
})

test('after a month the same contents get another key', () => {
  expect(submissionOf([sent], file, { title: 'Tart' }, NOW + 29 * 86_400_000).key).toBe(sent.key)
  expect(submissionOf([sent], file, { title: 'Tart' }, NOW + 31 * 86_400_000).key).not.toBe(sent.key)
})

test('a stored submission does not reveal what was typed', () => {
  expect(JSON.stringify(submissionOf([], file, { title: 'Secret tart' }, NOW))).not.toMatch(/tart/i)
})

test('submissions outlive a log-out, for a month', () => {
  Object.assign(localStorage, { 'sent ada tiktok': JSON.stringify([sent]), 'draft ada form': '{}' })
  clearDrafts(null)
  removeExpired(NOW + 29 * 86_400_000)
  expect(Object.keys(localStorage)).toEqual(['sent ada tiktok'])
  removeExpired(NOW + 31 * 86_400_000)
  expect(Object.keys(localStorage)).toEqual([])
})
