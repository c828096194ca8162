import { beforeEach, expect, test, vi } from 'vitest'
import { forgetDrafts, readDraft, writeDraft } from './form-drafts.ts'

// Vitest runs in Node, which has no such storage; this one keeps its keys as own properties, as a browser's does.
beforeEach(() => {
  const storage = Object.create({
    getItem: (key: string) => (storage[key] as string | undefined) ?? null,
    setItem: (key: string, value: string) => (storage[key] = value),
    removeItem: (key: string) => delete storage[key],
  }) as Record<string, unknown>
  vi.stubGlobal('localStorage', storage)
})

test('a log-out leaves no draft of anybody behind, and everything else in its place', () => {
  localStorage.setItem('darkMode', 'true')
  writeDraft('ada', 'form', { title: 'Tart' })
  writeDraft('grace', 'form', { title: 'Pie' })
  forgetDrafts(null)
  expect(Object.keys(localStorage)).toEqual(['darkMode'])
})

test('somebody else who signs in finds no draft of the one before, and one own draft again', () => {
  writeDraft('ada', 'form', { title: 'Tart' })
  writeDraft('adam', 'form', { title: 'Pie' })
  forgetDrafts('ada')
  expect(readDraft('ada', 'form')).toEqual({ title: 'Tart' })
  expect(readDraft('adam', 'form')).toBeNull()
})

test('what is not JSON is no draft', () => {
  localStorage.setItem('draft ada form', '{')
  expect(readDraft('ada', 'form')).toBeNull()
})
