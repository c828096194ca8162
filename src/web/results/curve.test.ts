import { expect, test } from 'vitest'
import { ageTicks, placeOfAge, pointsOf, segmentsOf, viewTicks } from './curve.ts'
import { deliveryResults, LIVE_AT, mark } from '#web/testing/results.ts'

const at = (hours: number) => Date.parse(LIVE_AT) + hours * 3_600_000

test('a point stands for each age that the post has reached, and one for the last reading', () => {
  const results = deliveryResults({ views: { 1: 10, 24: 200 }, latest: { hours: 40, views: 320 } })
  expect(
    pointsOf(results, at(41)).map(({ ageHours, views, isLatest }) => [ageHours, views, isLatest]),
  ).toEqual([
    [1, 10, false],
    [24, 200, false],
    [40, 320, true],
  ])
})

test('the reading of a mark is not repeated as the last one', () => {
  const results = deliveryResults({ views: { 1: 10, 24: 200 }, latest: { hours: 24.1, views: 200 } })
  expect(pointsOf(results, at(30)).map(({ ageHours }) => ageHours)).toEqual([1, 24])
})

test('an age at which nothing was read is a gap that no line crosses', () => {
  const results = deliveryResults({ views: { 1: 10, 24: 200, 672: 900 }, latest: { hours: 700, views: 910 } })
  const points = pointsOf(results, at(701))
  expect(points[2]).toMatchObject({ ageHours: 168, views: null, missing: 'missed' })
  expect(segmentsOf(points).map((segment) => segment.map(({ ageHours }) => ageHours))).toEqual([
    [1, 24],
    [672, 700],
  ])
})

test('a post whose numbers are not known has no line', () => {
  const results = deliveryResults({ marks: [mark(1, null, 'not_allowed')] })
  expect(segmentsOf(pointsOf(results, at(2)))).toEqual([])
})

test('the first day has room beside twelve weeks', () => {
  expect(placeOfAge(24, 2016)).toBeGreaterThan(0.1)
  expect([placeOfAge(0, 2016), placeOfAge(2016, 2016)]).toEqual([0, 1])
})

test.each([
  [1, [1]],
  [20, [1, 20]],
  [200, [1, 24, 168]],
  [1100, [1, 24, 168, 672, 1100]],
  [2016, [24, 168, 672, 1344, 2016]],
])('the axis to %i hours has few ages', (max, ticks) => expect(ageTicks(max, 0.1)).toEqual(ticks))

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 5, 10]],
  [100, [0, 25, 50, 75, 100]],
  [62_000, [0, 20_000, 40_000, 60_000, 80_000]],
])('the axis to %i views has round numbers', (max, ticks) => expect(viewTicks(max)).toEqual(ticks))
