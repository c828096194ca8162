import { expect, test } from 'vitest'
import { browserFileTimes, failureLines, flakyLines, slowestLines, unitFileTimes } from './report.mjs'

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

const results = (
  status: string,
  assertionResults: Parameters<typeof flakyLines>[0][0]['assertionResults'],
) => [
  {
    name: new URL('../src/a.test.ts', import.meta.url).pathname,
    status,
    message: 'no such module',
    assertionResults,
  },
]
const failureMessages = [['expected 1 to be 2', ...Array<string>(50).fill('    at somewhere')].join('\n')]
const tests = [
  { fullName: 'adds', status: 'passed', failureMessages: [] },
  { fullName: 'subtracts', status: 'failed', failureMessages },
  { fullName: 'divides', status: 'passed', failureMessages },
]

test('each failed test is listed with the beginning of its failure', () => {
  const lines = failureLines(results('failed', tests))
  expect(lines.slice(0, 2)).toEqual(['  src/a.test.ts > subtracts', '    expected 1 to be 2'])
  expect(lines.length).toBeLessThan(20)
  expect(lines.join('\n')).not.toMatch(/adds|divides/)
})

test('a test that failed and then passed is listed as flaky', () => {
  const lines = flakyLines(results('failed', tests))
  expect(lines.slice(0, 2)).toEqual(['  src/a.test.ts > divides', '    expected 1 to be 2'])
  expect(lines.join('\n')).not.toMatch(/adds|subtracts/)
})

test('a file that could not be loaded is listed with its failure', () => {
  expect(failureLines(results('failed', []))).toEqual(['  src/a.test.ts', '    no such module'])
})
