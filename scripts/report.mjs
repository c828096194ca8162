import path from 'node:path'
import { root } from './run.mjs'

/** @typedef {{ file: string, seconds: number }} FileTime */
/** @typedef {{ title: string, file: string, suites?: Suite[] | undefined, specs: { tests: { results: { duration: number }[] }[] }[] }} Suite */

/**
 * The files of a Vitest report with the time from the start of each one's first test to the end of its last.
 * @param {readonly { name: string, startTime: number, endTime: number }[]} results
 * @returns {FileTime[]}
 */
export const unitFileTimes = (results) =>
  results.map(({ name, startTime, endTime }) => ({
    file: path.relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }))

/**
 * The files of a Playwright report with the sum of what their tests took.
 * @param {readonly Suite[]} suites
 * @returns {FileTime[]}
 */
export const browserFileTimes = (suites) =>
  suites.map((suite) => ({ file: path.join('test/e2e', suite.file), seconds: durationOf(suite) / 1000 }))

/**
 * @param {Suite} suite
 * @returns {number} ms
 */
function durationOf(suite) {
  const own = suite.specs.flatMap(({ tests }) => tests).flatMap(({ results }) => results)
  return sum([...own.map(({ duration }) => duration), ...(suite.suites ?? []).map(durationOf)])
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, each) => total + each, 0)

/**
 * @param {readonly FileTime[]} times
 * @returns {string[]} the ten slowest, a line each
 */
export const slowestLines = (times) =>
  times
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)

/** A stack or a difference of large objects can be endless. */
const FAILURE_LINES = 12

/**
 * The failed tests of a Vitest report, each with the beginning of its failure.
 * @param {readonly { name: string, status: string, message: string, assertionResults: { fullName: string, status: string, failureMessages: string[] | null }[] }[]} results
 * @returns {string[]} lines
 */
export const failureLines = (results) =>
  results.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed')
    const file = path.relative(root, name)
    if (status === 'failed' && failed.length === 0) return [`  ${file}`, ...beginningOf(message)]
    return failed.flatMap(({ fullName, failureMessages }) => [
      `  ${file} > ${fullName}`,
      ...beginningOf((failureMessages ?? []).join('\n')),
    ])
  })

const beginningOf = (/** @type {string} */ text) =>
  text
    .split('\n')
    .slice(0, FAILURE_LINES)
    .map((line) => `    ${line}`)
