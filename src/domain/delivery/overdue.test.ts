import { describe, expect, it } from 'vitest'
import { eventAfterOutage, eventAfterPause, eventAfterRestore } from './overdue.ts'
import { type DeliveryState, initial, type Preparing } from './state.ts'
import { step } from './step.ts'
import { isHeldWhenLate } from './while-held.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE_MS = 60_000
const graceMs = 60 * MINUTE_MS
const reason = { code: 'c', message: 'm', remedy: 'r', detail: null }
const session = { id: 's' }
const earlier = { session, since: NOW, looks: 0 }

const next = (state: DeliveryState, event: Parameters<typeof step>[1], now = NOW) => {
  const result = step(state, event, now)
  if ('refused' in result) throw new Error(result.refused)
  return result
}

describe('after an outage', () => {
  const outage = { since: NOW - 5 * 60 * MINUTE_MS, until: NOW }
  const lateBy = (minutes: number, freeAt = NOW, now = NOW) =>
    eventAfterOutage(initial(NOW - minutes * MINUTE_MS), NOW - minutes * MINUTE_MS, outage, {
      graceMs,
      freeAt,
      now,
    })

  it.each([
    ['a minute late goes out at once', 1, 0],
    ['an hour late goes out at once', 60, 0],
    ['late with one ahead waits a minute', 30, 1],
    ['late with nine ahead waits nine minutes', 30, 9],
  ])('a post that is %s', (_what, minutes, waits) => {
    const until = NOW + waits * MINUTE_MS
    const shown: unknown = waits === 0 ? null : expect.objectContaining({ code: 'waiting_late' })
    expect(lateBy(minutes, until)).toEqual({ type: 'postponed', until, reason: shown })
  })

  it('a post that is later than the grace is held, and its user may publish it', () => {
    const event = lateBy(61)
    expect(event).toMatchObject({
      type: 'missed',
      reason: { code: 'missed' },
    })
    if (event === null) throw new Error('nothing happened')
    const held = next(initial(NOW - 61 * MINUTE_MS), event)
    expect(held).toMatchObject({
      to: { kind: 'blocked', cause: 'missed', attempt: 1, dueAt: NOW - 61 * MINUTE_MS },
      wakeAt: null,
    })
    expect(next(held.to, { type: 'retry' })).toMatchObject({
      to: { kind: 'scheduled', attempt: 2, dueAt: NOW },
      wakeAt: NOW,
    })
  })

  it('a post that a limit had put off before is held for that, not as due meanwhile', () => {
    const postponed = { ...initial(outage.since - MINUTE_MS), reason }
    const event = eventAfterOutage(postponed, outage.since + MINUTE_MS, outage, {
      graceMs,
      freeAt: NOW,
      now: NOW,
    })
    expect(event).toMatchObject({ type: 'missed', reason: { code: 'missed_after_limit' } })
  })

  it('a post goes out after the outage on the clock of the worker that recorded it', () => {
    expect(lateBy(30, NOW - MINUTE_MS, NOW - MINUTE_MS)).toMatchObject({ type: 'postponed', until: NOW })
  })

  it('what its user has sent again, or what was begun, is not held however late', () => {
    for (const state of [
      { ...initial(NOW), attempt: 2 },
      { ...initial(NOW), earlier },
    ]) {
      expect(isHeldWhenLate(state)).toBe(false)
      expect(
        eventAfterOutage(state, NOW - graceMs * 4, outage, { graceMs, freeAt: NOW + MINUTE_MS, now: NOW }),
      ).toBeNull()
    }
  })
})

const whilePaused = (dueAt: number) =>
  eventAfterRestore(dueAt, { graceMs, freeAt: NOW, now: NOW, paused: 'account' })

describe('after a restore, when its user lets it go', () => {
  it('a post whose time has passed waits for what is paused, however late it is', () => {
    const event = whilePaused(NOW - graceMs - 1)
    expect(event).toMatchObject({ type: 'paused' })
    const held = next(initial(NOW - graceMs - 1), { type: 'held' }).to
    expect(next(held, event).to).toMatchObject({ cause: 'paused', dueAt: NOW - graceMs - 1 })
  })

  it('a post whose time is to come keeps it, since what is paused may be resumed before', () => {
    expect(whilePaused(NOW + 1)).toEqual({ type: 'resumed', dueAt: NOW + 1, reason: null })
  })
})

describe('a pause', () => {
  const paused = { type: 'paused', reason } as const

  it('keeps the time of a post that had not begun', () => {
    const { to } = next(initial(NOW), paused, NOW + MINUTE_MS)
    expect(to).toMatchObject({ kind: 'blocked', cause: 'paused', attempt: 1, dueAt: NOW, earlier: null })
    const event = eventAfterPause(NOW, { graceMs, freeAt: NOW, now: NOW + graceMs })
    expect(next(to, event, NOW + graceMs).to).toEqual({ ...initial(NOW + graceMs), reason: null })
  })

  it('that lasts longer than the grace leaves the post to its user', () => {
    const event = eventAfterPause(NOW, { graceMs, freeAt: NOW, now: NOW + graceMs + 1 })
    expect(event).toMatchObject({
      type: 'missed',
      reason: { code: 'missed_while_paused' },
    })
    const held = next(next(initial(NOW), paused).to, event).to
    expect(held).toMatchObject({ cause: 'missed', dueAt: NOW })
    expect('refused' in step(held, { type: 'relink', reason }, NOW)).toBe(true)
    expect('refused' in step(held, { type: 'linked_again', freeAt: NOW }, NOW)).toBe(true)
  })

  it('lets a late post go at its end, or says until when it waits for others', () => {
    const at = (freeAt: number) => eventAfterPause(NOW, { graceMs, freeAt, now: NOW })
    expect(at(NOW)).toEqual({ type: 'resumed', dueAt: NOW, reason: null })
    expect(at(NOW + MINUTE_MS)).toMatchObject({
      type: 'resumed',
      dueAt: NOW + MINUTE_MS,
      reason: { code: 'waiting_late' },
    })
  })

  const sending: Preparing = {
    kind: 'preparing',
    attempt: 1,
    repeats: 0,
    session,
    sent: 5,
    tries: 0,
    lostOpenings: 0,
    commits: 0,
    notReady: 0,
    renewed: false,
    reason: null,
  }

  it('ends an upload, which starts afresh after it', () => {
    const { to } = next(sending, paused)
    expect(to).toMatchObject({ kind: 'blocked', cause: 'paused', attempt: 2, dueAt: NOW })
  })

  it('leaves the session of a post that may still go live, and makes it wait', () => {
    const contested = { ...sending, commits: 1 }
    expect(next(contested, paused)).toEqual({ to: { ...contested, reason }, wakeAt: NOW + MINUTE_MS })
  })

  it('asks once more about an earlier session after it', () => {
    const again = { ...initial(NOW), attempt: 2, earlier }
    const held = next(again, paused).to
    expect(next(held, { type: 'resumed', dueAt: NOW, reason: null }).to).toEqual(again)
  })

  it('gives way to an account that must be linked again', () => {
    const held = next(initial(NOW - MINUTE_MS), paused).to
    const relink = next(held, { type: 'relink', reason }).to
    expect(relink).toMatchObject({ cause: 'account', attempt: 1, dueAt: NOW - MINUTE_MS })
  })
})
