import { describe, expect, it } from 'vitest'
import { type CallTimes, NO_CALLS, type Rate, reserveCallTime } from './sliding-window.ts'

const RATE: Rate = { most: 5, perS: 60 }
const NOW = Date.UTC(2026, 10, 21, 12)

/** Callers ask in order at their own time and again at their reservation, `lateMs` late. Returns which one called when. */
function play(
  askers: readonly { readonly at: number; readonly comes?: boolean }[],
  lateMs: (i: number) => number,
) {
  let times: CallTimes = NO_CALLS
  const called: { i: number; at: number }[] = []
  const pending = askers.map((asker, i) => ({ i, at: asker.at, reservedAt: null as number | null }))
  for (let asks = 0; pending.length > 0; asks++) {
    if (asks > 20_000) throw new Error('it does not come to an end')
    pending.sort((a, b) => a.at - b.at || a.i - b.i)
    const asker = pending.shift()
    if (!asker) break
    const { i, at: now, reservedAt } = asker
    if (reservedAt !== null && askers[i]?.comes === false) continue
    const reservation = reserveCallTime(times, RATE, { reservedAt, notBefore: now, now })
    times = reservation.times
    if (reservation.at <= now) called.push({ i, at: now })
    else pending.push({ i, at: reservation.at + lateMs(i), reservedAt: reservation.at })
  }
  return called
}

const late = (i: number) => (i * 7919) % 9_000

const most = (called: readonly { at: number }[]): number =>
  Math.max(...called.map(({ at }) => called.filter((one) => one.at > at - 60_000 && one.at <= at).length))

describe('reserving a limited call', () => {
  it('the first calls are allowed at once, the next after a minute', () => {
    const called = play(
      Array.from({ length: 7 }, () => ({ at: NOW })),
      () => 0,
    )
    expect(called.map(({ at }) => (at - NOW) / 1000)).toEqual([0, 0, 0, 0, 0, 70, 71])
  })

  it('two hundred at once are spread in order, each asking twice at most', () => {
    const called = play(
      Array.from({ length: 200 }, () => ({ at: NOW })),
      () => 0,
    )
    expect(called.map(({ i }) => i)).toEqual(Array.from({ length: 200 }, (_, i) => i))
    expect(most(called)).toBeLessThanOrEqual(5)
    expect(called.at(-1)?.at).toBeLessThan(NOW + 46 * 60_000)
  })

  it('a late caller keeps about its place, and the limit holds', () => {
    const called = play(
      Array.from({ length: 100 }, () => ({ at: NOW })),
      late,
    )
    expect(called).toHaveLength(100)
    expect(most(called)).toBeLessThanOrEqual(5)
    for (const [place, { i }] of called.entries()) expect(Math.abs(place - i)).toBeLessThan(15)
  })

  it('many callers who are an hour late do not ask again and again', () => {
    const called = play(
      Array.from({ length: 100 }, () => ({ at: NOW })),
      (i) => (i < 60 ? 3_600_000 : 0),
    )
    expect(called).toHaveLength(100)
    expect(most(called)).toBeLessThanOrEqual(5)
  })

  it('a new caller does not overtake waiting ones', () => {
    const askers = [...Array.from({ length: 12 }, () => ({ at: NOW })), { at: NOW + 69_500 }]
    expect(play(askers, () => 0).map(({ i }) => i)).toEqual(Array.from({ length: 13 }, (_, i) => i))
  })

  it('an abandoned reservation delays others by its own slot only', () => {
    const askers = Array.from({ length: 30 }, (_, i) => ({ at: NOW, comes: i % 2 === 0 }))
    const called = play(askers, () => 0)
    expect(called.at(-1)?.at).toBeLessThan(NOW + 7 * 70_000)
    expect(play([...askers, { at: NOW + 3_600_000 }], () => 0).at(-1)).toEqual({ i: 30, at: NOW + 3_600_000 })
  })

  it('a machine whose clock is behind counts the calls of others', () => {
    let times: CallTimes = NO_CALLS
    const given = Array.from({ length: 8 }, (_, i) => {
      const now = NOW - i * 2000
      const reservation = reserveCallTime(times, RATE, { reservedAt: null, notBefore: now, now })
      times = reservation.times
      return reservation.at <= now
    })
    expect(given.filter(Boolean)).toHaveLength(5)
  })

  it('a caller without a cool-down goes before those that wait for one, within the limit', () => {
    const stop = { reservedAt: null, notBefore: NOW + 86_400_000, now: NOW }
    let times: CallTimes = NO_CALLS
    for (let i = 0; i < 3; i++) times = reserveCallTime(times, RATE, stop).times
    const waits = Array.from({ length: 7 }, () => {
      const reservation = reserveCallTime(times, RATE, { reservedAt: null, notBefore: NOW, now: NOW })
      times = reservation.times
      return (reservation.at - NOW) / 1000
    })
    expect(waits).toEqual([0, 0, 0, 0, 0, 70, 71])
    expect(reserveCallTime(times, RATE, stop).at).toBe(NOW + 86_403_000)
  })

  it('calls recorded by a clock that was a day ahead delay nobody for that day', () => {
    const ahead = NOW + 86_400_000
    let times: CallTimes = NO_CALLS
    for (let i = 0; i < 5; i++)
      times = reserveCallTime(times, RATE, { reservedAt: null, notBefore: ahead, now: ahead }).times
    expect(reserveCallTime(times, RATE, { reservedAt: null, notBefore: NOW, now: NOW }).at).toBeLessThan(
      NOW + 100_000,
    )
  })

  it('no call is allowed before `notBefore`, and reservations after it are spread', () => {
    const notBefore = NOW + 600_000
    let times: CallTimes = NO_CALLS
    const moments = Array.from({ length: 8 }, () => {
      const reservation = reserveCallTime(
        times,
        { most: 1000, perS: 86_400 },
        { reservedAt: null, notBefore, now: NOW },
      )
      times = reservation.times
      return reservation.at
    })
    expect(moments.map((at) => (at - notBefore) / 1000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})
