import { expect, test } from 'vitest'
import { isDark, momentsToTry, posterSize } from './poster-frame.ts'

test('without a cover time the poster is at one second, or later where that is black', () => {
  expect(momentsToTry(0, 20)).toEqual([1, 5, 10, 15])
  expect(momentsToTry(0, 0.5)[0]).toBeCloseTo(0.45)
  expect(momentsToTry(0, Infinity)).toEqual([1])
})

test('a chosen cover time is used, up to the end of the video', () => {
  expect(momentsToTry(2500, 20)).toEqual([2.5])
  expect(momentsToTry(90_000, 20)[0]).toBeCloseTo(19.95)
})

test('a poster keeps its aspect ratio and is at most 480 px long', () => {
  expect(posterSize(1080, 1920)).toEqual({ width: 270, height: 480 })
  expect(posterSize(1920, 1080)).toEqual({ width: 480, height: 270 })
  expect(posterSize(320, 240)).toEqual({ width: 320, height: 240 })
  expect(posterSize(10_000, 1)).toEqual({ width: 480, height: 1 })
})

const all = (grey: number) => new Uint8ClampedArray(6400).fill(grey)

test('black and nearly black frames are dark, a night scene is not', () => {
  expect([0, 15, 40, 255].map((grey) => isDark(all(grey)))).toEqual([true, true, false, false])
})
