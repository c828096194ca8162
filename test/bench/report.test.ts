import { expect, test } from 'vitest'
import { isKept, type Measurement, table } from './report.ts'

const measured = (promise: Measurement['promise'], floor?: readonly number[]): Measurement => ({
  what: 'lists',
  unit: 'ms',
  ours: [30, 10, 24],
  ...(floor && { floor }),
  ...(promise && { promise }),
})

test('a promise of a ratio is judged by the median of the turns', () => {
  // 3, 0.5 and 1.2.
  const floor = [10, 20, 20]
  expect(isKept(measured({ atMost: 1.2 }, floor))).toBe(true)
  expect(isKept(measured({ atMost: 1.19 }, floor))).toBe(false)
  expect(isKept(measured({ atLeast: 1.2 }, floor))).toBe(true)
  expect(isKept(measured({ atLeast: 1.21 }, floor))).toBe(false)
})

test('a promise without a floor is judged by the value, and a figure without one by nothing', () => {
  expect(isKept(measured({ atMost: 24 }))).toBe(true)
  expect(isKept(measured({ atMost: 23 }))).toBe(false)
  expect(isKept(measured(undefined, [1, 1, 1]))).toBe(null)
})

test('a promise of every turn is broken by one turn', () => {
  expect(isKept(measured({ atMost: 30, inEveryTurn: true }))).toBe(true)
  expect(isKept(measured({ atMost: 29, inEveryTurn: true }))).toBe(false)
})

test('the table says what broke its promise', () => {
  const rows = [measured({ atMost: 1.19 }, [10, 20, 20]), measured({ atMost: 24 }), measured(undefined)]
  const cells = table(rows).split('\n')
  expect(cells.map((line) => line.split('|').map((cell) => cell.trim()))).toMatchObject([
    ['', 'What', 'Floor', 'Ours', 'Ratio', 'Promise', 'Kept', ''],
    expect.anything(),
    ['', 'lists (ms)', '20.0 (10.0-20.0)', '24.0 (10.0-30.0)', '1.20 (0.50-3.00)', '≤ 1.19', 'BROKEN', ''],
    ['', 'lists (ms)', '–', '24.0 (10.0-30.0)', '–', '≤ 24', 'kept', ''],
    ['', 'lists (ms)', '–', '24.0 (10.0-30.0)', '–', '–', '–', ''],
  ])
  expect(new Set(cells.map(({ length }) => length)).size).toBe(1)
})
