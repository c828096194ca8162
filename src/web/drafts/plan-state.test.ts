import { describe, expect, test } from 'vitest'
import type { AccountId, ScheduleId } from '#contract/ids.ts'
import { EMPTY_CONTENT, startState } from '#web/composer/compose-state.ts'
import { coverOf } from '#web/platforms/option-panels.tsx'
import { planReducer, readTiming, type PlanRow, type Timing } from './plan-state.ts'

const rows = (...texts: string[]): PlanRow[] =>
  texts.map((text) => ({ ...startState({ ...EMPTY_CONTENT, text }), draftId: text }))
const contents = (all: readonly PlanRow[]) => all.map(({ content }) => content)
const start = { local: '2027-03-27T18:30', timezone: 'Europe/Lisbon' }
const NOVA = 1 as AccountId

describe('several posts that are planned together', () => {
  test('get the same accounts, and one of them can differ', () => {
    const all = planReducer(rows('a', 'b'), { type: 'all', action: { type: 'select', accountIds: [NOVA] } })
    const one = planReducer(all, { type: 'row', draftId: 'b', action: { type: 'clear', accountIds: [NOVA] } })
    expect(contents(one).map(({ targets }) => targets.length)).toEqual([1, 0])
    // What did not change is not saved again.
    expect(one[0]).toBe(all[0])
    expect(planReducer(one, { type: 'row', draftId: 'b', action: { type: 'set text', text: 'b' } })[1]).toBe(
      one[1],
    )
  })

  test('go out every so many days at the same wall clock, in the order of the rows', () => {
    const timing: Timing = { kind: 'daily', start, every: 2 }
    const planned = contents(planReducer(rows('a', 'b', 'c'), { type: 'time', timing }))
    expect(planned.map(({ publish_at }) => publish_at?.local)).toEqual([
      '2027-03-27T18:30',
      '2027-03-29T18:30',
      '2027-03-31T18:30',
    ])
    expect(readTiming(planned)).toEqual(timing)
  })

  test('take the next free slots of a posting schedule', () => {
    const timing: Timing = { kind: 'slots', scheduleId: 7 as ScheduleId }
    const planned = contents(planReducer(rows('a', 'b'), { type: 'time', timing }))
    expect(planned.map(({ schedule }) => schedule?.place)).toEqual(['next', 'next'])
    expect(readTiming(planned)).toEqual(timing)
  })

  test('have times one by one as soon as one of them differs, or none has one', () => {
    const timing: Timing = { kind: 'daily', start, every: 1 }
    const planned = planReducer(rows('a', 'b', 'c'), { type: 'time', timing })
    const other = { ...start, local: '2027-04-01T09:00' }
    const action = { type: 'plan', plan: { publish_at: other } } as const
    expect(readTiming(contents(planReducer(planned, { type: 'row', draftId: 'c', action })))).toEqual({
      kind: 'single',
    })
    expect(readTiming(contents(rows('a', 'b')))).toEqual({ kind: 'single' })
  })

  test('share options, but not their covers', () => {
    const covered = planReducer(rows('a', 'b'), {
      type: 'row',
      draftId: 'a',
      action: { type: 'set cover', coverMs: 1500 },
    })
    const options = { ...covered[0]?.content.platform_options.tiktok, privacy: 'SELF_ONLY' }
    const shared = planReducer(covered, {
      type: 'all',
      action: { type: 'set platform options', platform: 'tiktok', options },
    })
    expect(contents(shared).map(({ platform_options }) => coverOf(platform_options))).toEqual([1500, 0])
  })
})
