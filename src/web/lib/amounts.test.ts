import { expect, test } from 'vitest'
import { counted, formatBytes, formatSentBytes, percent, formatPlayTime, formatDuration } from './amounts.ts'

test('bytes are shown in the largest unit that fits', () => {
  expect([512, 1_300_000, 39_200_000, 4_294_967_296].map(formatBytes)).toEqual([
    '512 B',
    '1.3 MB',
    '39 MB',
    '4.3 GB',
  ])
})

test('a part is shown in the unit of the total', () => {
  expect(formatSentBytes(24_000_000, 39_000_000)).toBe('24 of 39 MB')
  expect(formatSentBytes(0, 5_300_000)).toBe('0 of 5.3 MB')
})

test('100 percent is shown only when everything is sent', () => {
  expect(percent(999, 1000)).toBe(99)
  expect(percent(1000, 1000)).toBe(100)
  expect(percent(0, 0)).toBe(0)
})

test('lengths and durations are shown in everyday units', () => {
  expect([42, 65, 3665].map(formatPlayTime)).toEqual(['0:42', '1:05', '1:01:05'])
  expect([8, 170, 68_280, 187_200].map(formatDuration)).toEqual(['8 s', '3 min', '18 h 58 min', '2 d 4 h'])
})

test('a number is written with the plural of its thing', () => {
  expect([0, 1, 2000].map((count) => counted(count, 'video'))).toEqual([
    '0 videos',
    '1 video',
    '2,000 videos',
  ])
})
