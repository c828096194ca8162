import { expect, test } from 'vitest'
import { browserFileTimes, failureLines, slowestLines, unitFileTimes } from './report.mjs'

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

const file = new URL('../src/a.test.ts', import.meta.url).pathname

test('each failed test is listed with the beginning of its failure', () => {
  const failureMessages = [['expected 1 to be 2', ...Array<string>(50).fill('    at somewhere')].join('\n')]
  const lines = failureLines([
    {
      name: file,
      status: 'failed',
      message: '',
      assertionResults: [
        { fullName: 'adds', status: 'passed', failureMessages: [] },
        { fullName: 'subtracts', status: 'failed', failureMessages },
      ],
    },
  ])
  expect(lines.slice(0, 2)).toEqual(['  src/a.test.ts > subtracts', '    expected 1 to be 2'])
  expect(lines.length).toBeLessThan(20)
})

test('a file that could not be loaded is listed with its failure', () => {
  const unloaded = { name: file, status: 'failed', message: 'no such module', assertionResults: [] }
  expect(failureLines([unloaded])).toEqual(['  src/a.test.ts', '    no such module'])
})
