// `npm test`: every check and every test. Each check counts as one test; the last line is `N passed, N failed`.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { ensureBrowser } from './browser.mjs'
import { root, say, Stop } from './run.mjs'
import { browserFileTimes, failureLines, slowestLines, unitFileTimes } from './report.mjs'
import { ensureWeb } from './build.mjs'

const VitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullable(),
        }),
      ),
    }),
  ),
})
const Suite = z.object({
  title: z.string(),
  file: z.string(),
  specs: z.array(
    z.object({ tests: z.array(z.object({ results: z.array(z.object({ duration: z.number() })) })) }),
  ),
  get suites() {
    return z.array(Suite).optional()
  },
})
const PlaywrightReport = z.object({
  suites: z.array(Suite),
  stats: z.object({ expected: z.number(), flaky: z.number(), unexpected: z.number() }),
})

/** @typedef {{ passed: number, failed: number }} Count */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
/** @type {import('./report.mjs').FileTime[]} */
const fileTimes = []
/** @type {string[]} */
const failures = []
/** Printed at the end, as one block each. @type {{ title: string, output: string }[]} */
const blocks = []
let interrupted = false
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, interrupt)
process.on('disconnect', interrupt) // the launcher was killed

const bin = (/** @type {string} */ name) => path.join(root, 'node_modules', name)
// Groups run one after the other, the steps of a group in parallel.
const groups = [
  [
    () => check('lint', [bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings']),
    // More checkers each check the types that they share anew: twice the work on two cores.
    () => check('types', [bin('typescript/bin/tsc'), '-b', '--checkers', '1']),
    () => check('format', [bin('oxfmt/bin/oxfmt'), '--check', '.']),
    () => check('unused code', [bin('knip/bin/knip.js')]),
    buildWeb,
  ],
  // The first wait much, for timers, leases and processes; the last compute, beside all of the others.
  [serverTests, browserTests, webTests],
]

/** @type {Count} */
const total = { passed: 0, failed: 0 }
for (const steps of groups) {
  if (interrupted) break
  for (const count of await Promise.all(steps.map((step) => step()))) {
    total.passed += count.passed
    total.failed += count.failed
  }
}
for (const { title, output } of blocks) say(`\n${title}\n${output.trimEnd()}`)
if (fileTimes.length > 0) say(['', 'The ten slowest test files:', ...slowestLines(fileTimes)].join('\n'))
// At the end too: of a long output often only the end is kept.
if (failures.length > 0) say(['', 'Failed tests without a browser:', ...failures].join('\n'))
if (interrupted) say('Stopped before the end.')
say(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = interrupted ? 130 : total.failed > 0 || total.passed === 0 ? 1 : 0
process.disconnect?.()

/**
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<Count>}
 */
async function check(name, args) {
  const from = Date.now()
  const { code, output } = await run(args, { capture: true })
  return report(name, code === 0, from, output)
}

async function buildWeb() {
  const from = Date.now()
  try {
    await ensureWeb(process.execPath)
    return report('web build', true, from, '')
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return report('web build', false, from, error.message)
  }
}

async function serverTests() {
  say('\nTests of the server and of journeys (the others are printed at the end)')
  return (await unitTests(['large', 'server'])).count
}

async function webTests() {
  // One worker lasts as long as the others.
  const { count, output } = await unitTests(['component', 'small'], { workers: 1, capture: true })
  blocks.push({ title: 'Tests of the web app and of functions', output })
  return count
}

/**
 * @param {string[]} projects of vitest.config.ts
 * @param {{ workers?: number, capture?: boolean }} [options]
 * @returns {Promise<{ count: Count, output: string }>}
 */
async function unitTests(projects, { workers, capture = false } = {}) {
  const file = reportFile(`${projects.join('-')}.json`)
  const args = [
    ...projects.map((project) => `--project=${project}`),
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]
  const { code, output } = await run([bin('vitest/vitest.mjs'), 'run', ...args], { capture })
  return { count: countOf(file, code), output }
}

/**
 * @param {string} file
 * @param {number} code with which vitest ended
 * @returns {Count}
 */
function countOf(file, code) {
  const result = readReport(file, VitestReport)
  if (!result) return { passed: 0, failed: 1 }
  fileTimes.push(...unitFileTimes(result.testResults))
  failures.push(...failureLines(result.testResults))
  // A file that failed to load has no tests to count.
  const unloaded = result.testResults.filter(
    (one) => one.status === 'failed' && one.assertionResults.length === 0,
  )
  const failed = result.numFailedTests + unloaded.length
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed }
}

async function browserTests() {
  const config = path.join(root, 'test/e2e/playwright.config.ts')
  /** @type {string} */
  let browser
  try {
    browser = await ensureBrowser()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    say(error.message)
    return { passed: 0, failed: 1 }
  }
  const file = reportFile('playwright.json')
  const { code, output } = await run(
    [bin('@playwright/test/cli.js'), 'test', '--config', config, '--reporter=list,json'],
    { capture: true, env: { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: file } },
  )
  blocks.push({ title: 'Browser tests', output })
  const result = readReport(file, PlaywrightReport)
  if (!result) return { passed: 0, failed: 1 }
  fileTimes.push(...browserFileTimes(result.suites))
  const { expected, flaky, unexpected } = result.stats
  return { passed: expected + flaky, failed: unexpected === 0 && code !== 0 ? 1 : unexpected }
}

/**
 * @param {string[]} args
 * @param {{ capture?: boolean, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
async function run(args, { capture = false, env = {} } = {}) {
  const pipe = capture ? 'pipe' : 'inherit'
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', pipe, pipe],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text))
  /** @type {number} */
  const code = await new Promise((resolve) => child.once('close', (exitCode) => resolve(exitCode ?? 1)))
  running.delete(child)
  return { code, output }
}

/**
 * @param {string} name
 * @param {boolean} ok
 * @param {number} from
 * @param {string} output
 * @returns {Count}
 */
function report(name, ok, from, output) {
  const seconds = ((Date.now() - from) / 1000).toFixed(1)
  say(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (!ok) say(output.trimEnd())
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** @param {string} name */
function reportFile(name) {
  const file = path.join(root, '.cache', 'reports', name)
  mkdirSync(path.dirname(file), { recursive: true })
  rmSync(file, { force: true }) // of the last run
  return file
}

/**
 * @template T
 * @param {string} file
 * @param {z.ZodType<T>} schema
 * @returns {T | null} null when the run ended before it could report
 */
function readReport(file, schema) {
  return existsSync(file) ? schema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
}

function interrupt() {
  if (interrupted) return // from the terminal and from npm
  interrupted = true
  for (const child of running) child.kill('SIGINT')
}
