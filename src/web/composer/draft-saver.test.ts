import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { clearDrafts } from '#web/lib/form-drafts.ts'
import { DraftSaver, type DraftPlace, type StoredEdit } from './draft-saver.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const said = (text: string): DraftContent => ({
  video_id: null,
  text,
  platform_options: {},
  targets: [],
  publish_at: null,
})
const draft = (version: number, content: DraftContent): Draft => ({
  draft_id: ID,
  version,
  content,
  author: 'Ada',
  created_at: '2026-11-22T12:00:00.000Z',
  updated_at: '2026-11-22T14:06:00.000Z',
  deleted_at: null,
})
const problem = (code: 'conflict' | 'not_found') =>
  new ApiProblem({ kind: 'refused', code, message: 'Refused.' })
const offline = () => new ApiProblem({ kind: 'unreachable', message: 'Network Error' })

/** A server with one draft, as two tabs see it. */
function server() {
  let stored: Draft | null = null
  const kept: (StoredEdit | null)[] = []
  const saves: number[] = []
  const faults: ApiProblem[] = []
  const place: DraftPlace = {
    uid: 'ada',
    draftId: ID,
    save: async ({ version, content }) => {
      saves.push(version)
      const fault = faults.shift()
      if (fault) throw fault
      if (stored === null && version > 0) throw problem('not_found')
      const isSame = stored !== null && JSON.stringify(stored.content) === JSON.stringify(content)
      if (stored !== null && isSame) return stored
      if ((stored?.version ?? 0) !== version) throw problem('conflict')
      stored = draft(version + 1, content)
      return stored
    },
    load: async () => stored,
    keep: (edit) => void kept.push(edit),
  }
  return { place, kept, saves, faults, get: () => stored, set: (next: Draft | null) => (stored = next) }
}

const open = (place: DraftPlace, start = { version: 0, content: said('') }, isChanged = false) =>
  new DraftSaver(place, start, isChanged)

describe('a draft', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is saved by the page that shows it alone, also where a copy was started twice', async () => {
    const it = server()
    const copy = { version: 0, content: said('Copied') }
    open(it.place, copy, true)
    const saver = open(it.place, copy, true)
    saver.change(said('Copied'), true)
    await vi.advanceTimersByTimeAsync(999)
    saver.change(said('Copied and changed'), true)
    await vi.advanceTimersByTimeAsync(2000)
    expect(it.saves).toEqual([0])
    expect(saver.state.get().kind).toBe('saved')
  })

  test('is kept in the browser at once, and saved once a moment after the last change', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said('T'), true)
    saver.change(said('Tart'), true)
    expect(it.kept).toEqual([
      { version: 0, content: said('T') },
      { version: 0, content: said('Tart') },
    ])
    expect(it.saves).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(it.saves).toEqual([0])
    expect(it.get()?.content).toEqual(said('Tart'))
    expect(it.kept.at(-1)).toBeNull()
    expect(saver.state.get()).toEqual({ kind: 'saved', at: '2026-11-22T14:06:00.000Z' })
  })

  test('is saved at once when it is needed, and not again without a change', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said('Tart'), true)
    expect(await saver.flush()).toEqual({ draft_id: ID, version: 1 })
    expect(await saver.flush()).toEqual({ draft_id: ID, version: 1 })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(it.saves).toEqual([0])
  })

  test('that changes while it is saved is saved again', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said('T'), true)
    const first = saver.flush()
    saver.change(said('Tart'), true)
    await first
    expect(await saver.flush()).toEqual({ draft_id: ID, version: 2 })
    expect(it.get()?.content).toEqual(said('Tart'))
  })

  test('that cannot be saved stays in the browser, and is tried again', async () => {
    const it = server()
    it.faults.push(offline(), offline())
    const saver = open(it.place)
    saver.change(said('Tart'), true)
    expect(await saver.flush()).toBeNull()
    expect(it.kept).not.toContain(null)
    await vi.advanceTimersByTimeAsync(5000)
    expect(saver.state.get()).toMatchObject({ kind: 'saved' })
  })

  test('is tried again while its user is logged in, and not for another', async () => {
    const it = server()
    it.faults.push(offline(), offline(), offline())
    open(it.place).change(said('Tart'), true)
    await vi.advanceTimersByTimeAsync(1000)
    clearDrafts('ada')
    await vi.advanceTimersByTimeAsync(5000)
    expect(it.saves).toHaveLength(2)
    clearDrafts('eve')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(it.saves).toHaveLength(2)
  })

  test('that another tab has changed is not overwritten before the user has chosen', async () => {
    const it = server()
    it.set(draft(4, said('Theirs')))
    const saver = open(it.place, { version: 3, content: said('Before') })
    saver.change(said('Mine'), true)
    expect(await saver.flush()).toBeNull()
    expect(saver.state.get()).toEqual({ kind: 'conflict', theirs: draft(4, said('Theirs')) })
    saver.change(said('Mine too'), true)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(it.get()?.content).toEqual(said('Theirs'))
    await saver.keepMine()
    expect(it.get()).toMatchObject({ version: 5, content: said('Mine too') })
  })

  test('that is gone says so and is not made again', async () => {
    const it = server()
    const saver = open(it.place, { version: 3, content: said('Before') })
    saver.change(said('Mine'), true)
    expect(await saver.flush()).toBeNull()
    expect(saver.state.get()).toEqual({ kind: 'conflict', theirs: null })
    expect(it.get()).toBeNull()
  })

  test('without anything in it is not made', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said(''), false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await saver.flush()).toBeNull()
    expect(it.saves).toEqual([])
    expect(it.kept).toEqual([null])
  })

  test('that is changed back needs no save', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said('Tart'), true)
    await saver.flush()
    saver.change(said('Tarts'), true)
    saver.change(said('Tart'), true)
    expect(saver.state.get()).toEqual({ kind: 'saved', at: '2026-11-22T14:06:00.000Z' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(it.saves).toEqual([0])
  })

  test('is not saved any more once it is published', async () => {
    const it = server()
    const saver = open(it.place)
    saver.change(said('Tart'), true)
    saver.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(it.saves).toEqual([])
    expect(it.kept.at(-1)).toBeNull()
  })
})
