import { assert, constantFrom, double, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { lastMoment, momentAfterKey, momentText, snapToFrame } from './cover-moments.ts'

const film = { durationS: 42, fps: 30 }
const press = (ms: number, key: string, shiftKey = false, timing: typeof film = film) =>
  momentAfterKey(ms, { key, shiftKey }, timing)

test('an arrow moves by one frame, with Shift by one second', () => {
  expect([press(0, 'ArrowRight'), press(34, 'ArrowRight'), press(67, 'ArrowRight')]).toEqual([34, 67, 100])
  expect([press(100, 'ArrowLeft'), press(34, 'ArrowDown')]).toEqual([67, 0])
  expect([press(11_000, 'ArrowRight', true), press(11_000, 'ArrowLeft', true)]).toEqual([12_000, 10_000])
})

test('Home and End go to the first and the last frame, and other keys mean nothing', () => {
  expect(press(11_000, 'Home')).toBe(0)
  expect(press(11_000, 'End')).toBe(41_967)
  expect(press(11_000, 'Enter')).toBeNull()
})

test('no key leads out of the video', () => {
  expect([press(0, 'ArrowLeft'), press(500, 'ArrowLeft', true)]).toEqual([0, 0])
  expect([press(41_967, 'ArrowRight'), press(41_900, 'ArrowRight', true)]).toEqual([41_967, 41_967])
})

test('a video without a known frame rate moves by a thirtieth of a second', () => {
  expect(momentAfterKey(0, { key: 'ArrowRight', shiftKey: false }, { durationS: 3, fps: null })).toBe(34)
})

const timings = record({
  durationS: double({ min: 0.05, max: 900, noNaN: true }),
  fps: constantFrom(23.976, 24, 25, 29.97, 30, 59.94, 60),
})

test('any moment is a frame of its own that lies before the end of the video', () => {
  assert(
    property(timings, integer({ min: 0, max: 1_000_000 }), (timing, ms) => {
      const moment = snapToFrame(ms, timing)
      expect(snapToFrame(moment, timing)).toBe(moment)
      expect(Number.isInteger(moment) && moment >= 0 && moment < timing.durationS * 1000).toBe(true)
      expect(moment).toBeLessThanOrEqual(lastMoment(timing))
    }),
  )
})

test('right and left from a frame come back to it', () => {
  assert(
    property(timings, integer({ min: 0, max: 900_000 }), (timing, ms) => {
      const here = snapToFrame(ms, timing)
      const right = press(here, 'ArrowRight', false, timing) ?? -1
      expect(right).toBeGreaterThanOrEqual(here)
      if (right > here) expect(press(right, 'ArrowLeft', false, timing)).toBe(here)
    }),
  )
})

test('a moment is written in seconds, and in hundredths between them', () => {
  expect([0, 11_000, 11_370, 71_067].map(momentText)).toEqual(['0:00', '0:11', '0:11.37', '1:11.06'])
})
