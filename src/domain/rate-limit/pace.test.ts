import { describe, expect, it } from 'vitest'
import { askAgainAt, NO_TURNS, roomFor, takeTurn, type Rate, type Turns } from './pace.ts'

const RATE: Rate = { most: 5, perS: 60 }
const NOW = Date.UTC(2026, 10, 21, 12)

/** Everybody asks in order at their own time, and comes again when told, `lateMs` later: who called when. */
function play(
  askers: readonly { readonly at: number; readonly comes?: boolean }[],
  lateMs: (i: number) => number,
) {
  let turns: Turns = NO_TURNS
  const called: { i: number; at: number }[] = []
  const queue = askers.map((asker, i) => ({ i, at: asker.at, promised: null as number | null }))
  for (let asks = 0; queue.length > 0; asks++) {
    if (asks > 20_000) throw new Error('it does not come to an end')
    queue.sort((a, b) => a.at - b.at || a.i - b.i)
    const asker = queue.shift()
    if (!asker) break
    const { i, at: now, promised } = asker
    if (promised !== null && askers[i]?.comes === false) continue
    const turn = takeTurn(turns, RATE, { promised, notBefore: now, now })
    turns = turn.turns
    if (turn.at <= now) called.push({ i, at: now })
    else queue.push({ i, at: turn.at + lateMs(i), promised: turn.at })
  }
  return called
}

const late = (i: number) => (i * 7919) % 9_000

const most = (called: readonly { at: number }[]): number =>
  Math.max(...called.map(({ at }) => called.filter((one) => one.at > at - 60_000 && one.at <= at).length))

describe('turns at a limited call', () => {
  it('the first ones go at once, and the next when the minute has passed', () => {
    const called = play(
      Array.from({ length: 7 }, () => ({ at: NOW })),
      () => 0,
    )
    expect(called.map(({ at }) => (at - NOW) / 1000)).toEqual([0, 0, 0, 0, 0, 70, 71])
  })

  it('two hundred at once trickle out in order, never more in a minute, each asking twice at most', () => {
    const called = play(
      Array.from({ length: 200 }, () => ({ at: NOW })),
      () => 0,
    )
    expect(called.map(({ i }) => i)).toEqual(Array.from({ length: 200 }, (_, i) => i))
    expect(most(called)).toBeLessThanOrEqual(5)
    expect(called.at(-1)?.at).toBeLessThan(NOW + 46 * 60_000)
  })

  it('who comes late still goes near their turn, and the limit holds', () => {
    const called = play(
      Array.from({ length: 100 }, () => ({ at: NOW })),
      late,
    )
    expect(called).toHaveLength(100)
    expect(most(called)).toBeLessThanOrEqual(5)
    for (const [place, { i }] of called.entries()) expect(Math.abs(place - i)).toBeLessThan(15)
  })

  it('who comes an hour late, with many others, is served without a crowd asking again and again', () => {
    const called = play(
      Array.from({ length: 100 }, () => ({ at: NOW })),
      (i) => (i < 60 ? 3_600_000 : 0),
    )
    expect(called).toHaveLength(100)
    expect(most(called)).toBeLessThanOrEqual(5)
  })

  it('who asks later does not overtake those who wait', () => {
    const askers = [...Array.from({ length: 12 }, () => ({ at: NOW })), { at: NOW + 69_500 }]
    expect(play(askers, () => 0).map(({ i }) => i)).toEqual(Array.from({ length: 13 }, (_, i) => i))
  })

  it('who never comes again holds up nobody for longer than their own turn', () => {
    const askers = Array.from({ length: 30 }, (_, i) => ({ at: NOW, comes: i % 2 === 0 }))
    const called = play(askers, () => 0)
    expect(called.at(-1)?.at).toBeLessThan(NOW + 7 * 70_000)
    expect(play([...askers, { at: NOW + 3_600_000 }], () => 0).at(-1)).toEqual({ i: 30, at: NOW + 3_600_000 })
  })

  it('whose clock is behind counts what others have done meanwhile', () => {
    let turns: Turns = NO_TURNS
    const given = Array.from({ length: 8 }, (_, i) => {
      const now = NOW - i * 2000
      const turn = takeTurn(turns, RATE, { promised: null, notBefore: now, now })
      turns = turn.turns
      return turn.at <= now
    })
    expect(given.filter(Boolean)).toHaveLength(5)
  })

  it('who is not concerned by a stop that others wait for goes before them, within the limit', () => {
    const stop = { promised: null, notBefore: NOW + 86_400_000, now: NOW }
    let turns: Turns = NO_TURNS
    for (let i = 0; i < 3; i++) turns = takeTurn(turns, RATE, stop).turns
    const waits = Array.from({ length: 7 }, () => {
      const turn = takeTurn(turns, RATE, { promised: null, notBefore: NOW, now: NOW })
      turns = turn.turns
      return (turn.at - NOW) / 1000
    })
    expect(waits).toEqual([0, 0, 0, 0, 0, 70, 71])
    expect(takeTurn(turns, RATE, stop).at).toBe(NOW + 86_403_000)
  })

  it('calls that were made by a clock that was a day ahead hold up nobody for that day', () => {
    const ahead = NOW + 86_400_000
    let turns: Turns = NO_TURNS
    for (let i = 0; i < 5; i++)
      turns = takeTurn(turns, RATE, { promised: null, notBefore: ahead, now: ahead }).turns
    expect(takeTurn(turns, RATE, { promised: null, notBefore: NOW, now: NOW }).at).toBeLessThan(NOW + 100_000)
  })

  it('nobody gets a turn before a moment that is named, and they do not all come at that moment', () => {
    const notBefore = NOW + 600_000
    let turns: Turns = NO_TURNS
    const promised = Array.from({ length: 8 }, () => {
      const turn = takeTurn(turns, { most: 1000, perS: 86_400 }, { promised: null, notBefore, now: NOW })
      turns = turn.turns
      return turn.at
    })
    expect(promised.map((at) => (at - notBefore) / 1000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})

describe('room for one more post', () => {
  const told = { used: 40, total: 50, at: NOW }
  const soon = NOW + 10_000
  const rows = [
    ['nobody has asked yet', null, null, { onTheirWay: 0, since: 0 }, 'ask'],
    ['somebody asks right now', null, soon, { onTheirWay: 0, since: 0 }, 'full'],
    ['there is room', told, soon, { onTheirWay: 9, since: 0 }, 'go'],
    ['those on their way take the rest', told, soon, { onTheirWay: 10, since: 0 }, 'full'],
    ['those that became live since count too', told, soon, { onTheirWay: 5, since: 5 }, 'full'],
    ['what was told is old', told, NOW, { onTheirWay: 0, since: 0 }, 'ask'],
    ['it was asked and did not tell', { ...told, total: null }, soon, { onTheirWay: 99, since: 9 }, 'go'],
  ] as const
  for (const [when, said, askAt, ours, kind] of rows) {
    it(`when ${when}: ${kind}`, () => {
      expect(roomFor(said, askAt, ours, NOW).kind).toBe(kind)
    })
  }

  it('the platform is asked again within minutes while there is room, and hourly while there is none', () => {
    expect(askAgainAt(told)).toBe(NOW + 300_000)
    expect(askAgainAt({ ...told, used: 50 })).toBe(NOW + 3_600_000)
    expect(askAgainAt({ ...told, total: null })).toBe(NOW + 300_000)
  })

  it('what our own posts fill is asked about after a minute, since one of them may fail', () => {
    const room = roomFor(told, NOW + 300_000, { onTheirWay: 10, since: 0 }, NOW + 1000)
    expect(room).toMatchObject({ kind: 'full', until: NOW + 60_000, total: 50 })
  })
})
