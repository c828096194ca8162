import { assert, integer, oneof, property, tuple, type Arbitrary } from 'fast-check'
import { expect, it } from 'vitest'
import { megabytes, plain, seconds, tellApart } from './figures.ts'

const UNITS: Record<string, number> = {
  second: 1,
  minute: 60,
  bytes: 1,
  MB: 1_000_000,
}
/** Reads the number back. The gigabyte is 2^30 bytes from 4 GB on, as in TikTok's limit. */
function read(text: string): number {
  let sum = 0
  for (const [, digits = '', unit = ''] of text.matchAll(/([\d.,]+) ?([A-Za-z]*)/g)) {
    const value = Number(digits.replaceAll(',', ''))
    const gigabyte = value >= 4 ? 1_073_741_824 : 1_000_000_000
    sum += value * (unit === 'GB' ? gigabyte : (UNITS[unit] ?? UNITS[unit.replace(/s$/, '')] ?? 1))
  }
  return sum
}

const thousandths = (max: number) => integer({ min: 0, max: max * 1000 }).map((value) => value / 1000)
const drawPair = (value: Arbitrary<number>, step: number) =>
  oneof(
    tuple(value, value),
    tuple(value, integer({ min: -60, max: 60 })).map(([limit, steps]) => {
      const figure = limit + steps * step
      return [Math.max(0, step < 1 ? Math.round(figure * 1000) / 1000 : figure), limit] as const
    }),
  ).filter(([figure, limit]) => figure !== limit)

it.each([
  ['lengths', seconds, drawPair(thousandths(7200), 0.001)],
  ['rates', plain, drawPair(thousandths(240), 0.001)],
  ['sizes', megabytes, drawPair(integer({ min: 1, max: 6_000_000_000 }), 1)],
] as const)('a figure and the limit that it breaks never read the same: %s', (_what, format, pairs) => {
  assert(
    property(pairs, ([figure, limit]) => {
      const texts = tellApart(figure, limit, format)
      expect(texts.figure).not.toBe(texts.limit)
      // Both meanings of the gigabyte meet right below 4 GB, where equal texts are allowed.
      if (format === megabytes && Math.min(figure, limit) > 3.9e9) return
      expect(Math.sign(read(texts.figure) - read(texts.limit))).toBe(Math.sign(figure - limit))
    }),
    { numRuns: 2000 },
  )
})

it('figures have no more digits than they need', () => {
  expect(tellApart(900.05, 900, seconds)).toEqual({ figure: '15 minutes 0.05 seconds', limit: '15 minutes' })
  expect(tellApart(2.997, 3, seconds)).toEqual({ figure: '2.997 seconds', limit: '3 seconds' })
  expect(tellApart(961.4, 900, seconds).figure).toBe('16 minutes 1 second')
  expect(tellApart(59.999, 120, seconds).figure).toBe('1 minute')
  expect(tellApart(300_000_050, 300_000_000, megabytes)).toEqual({
    figure: '300,000,050 bytes',
    limit: '300,000,000 bytes',
  })
  expect(tellApart(4_294_967_297, 4_294_967_296, megabytes).figure).toBe('4,294,967,297 bytes')
  expect(tellApart(999_999_999, 300_000_000, megabytes).figure).toBe('1 GB')
})
