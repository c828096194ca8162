import { beforeEach, expect, test, vi } from 'vitest'
import { clearDrafts, readDraft, writeDraft } from './form-drafts.ts'

// Node has no localStorage; like a browser's, this one has its keys as own properties.
beforeEach(() => {
  const storage = Object.create({
    getItem: (key: string) => (storage[key] as string | undefined) ?? null,
    setItem: (key: string, value: string) => (storage[key] = value),
    removeItem: (key: string) => delete storage[key],
  }) as Record<string, unknown>
  vi.stubGlobal('localStorage', storage)
})

test('a log-out clears every draft and nothing else', () => {
  localStorage.setItem('darkMode', 'true')
  writeDraft('ada', 'form', { title: 'Tart' })
  writeDraft('grace', 'form', { title: 'Pie' })
  clearDrafts(null)
  expect(Object.keys(localStorage)).toEqual(['darkMode'])
})

test('a sign-in clears the drafts of other users only', () => {
  writeDraft('ada', 'form', { title: 'Tart' })
  writeDraft('adam', 'form', { title: 'Pie' })
  clearDrafts('ada')
  expect(readDraft('ada', 'form')).toEqual({ title: 'Tart' })
  expect(readDraft('adam', 'form')).toBeNull()
})

test('a draft that is not JSON is ignored', () => {
  localStorage.setItem('draft ada form', '{')
  expect(readDraft('ada', 'form')).toBeNull()
})
