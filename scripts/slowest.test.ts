import { expect, test } from 'vitest'
import { browserFileTimes, slowestLines, unitFileTimes } from './slowest.mjs'

test("a file's time is from its first test to its last", () => {
  const name = new URL('../src/a.test.ts', import.meta.url).pathname
  expect(unitFileTimes([{ name, startTime: 1_000, endTime: 3_500 }])).toEqual([
    { file: 'src/a.test.ts', seconds: 2.5 },
  ])
})

const spec = (...durations: number[]) => ({
  tests: [{ results: durations.map((duration) => ({ duration })) }],
})

test("a browser file's time includes all groups and attempts", () => {
  const group = { title: 'group', file: 'a.spec.ts', specs: [spec(500)] }
  expect(
    browserFileTimes([{ title: 'a', file: 'a.spec.ts', specs: [spec(1_000, 2_000)], suites: [group] }]),
  ).toEqual([{ file: 'test/e2e/a.spec.ts', seconds: 3.5 }])
})

test('the ten slowest files are listed, slowest first', () => {
  const times = Array.from({ length: 12 }, (_, at) => ({ file: `${at}.ts`, seconds: at }))
  const lines = slowestLines(times)
  expect(lines).toHaveLength(10)
  expect(lines[0]).toBe('   11.0 s  11.ts')
})
