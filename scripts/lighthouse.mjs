// `npm run lighthouse`: scores the built app with Lighthouse on a server with seed data, three runs each for phone and desktop.
// A median under what is wanted fails. `-- overview mobile` measures only that. Reports: .cache/lighthouse/reports.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { z } from 'zod'
import { createSeedData } from '../test/e2e/support/seed-data.ts'
import { logIn } from '../test/e2e/support/fixtures.ts'
import startReelay from '../test/e2e/support/start-reelay.ts'
import { freePort } from '../test/support/ports/free-port.ts'
import { signUp } from '../test/support/test-server.ts'
import { ensureBrowser } from './browser.mjs'
import { alone, npm } from './install.mjs'
import { root, say } from './run.mjs'
import { ensureWeb } from './build.mjs'

/** Not in package.json: it brings a hundred packages that nothing else needs. */
const VERSION = '13.5.0'
const RUNS = 3
/** A slow phone has to load and run the script before it paints: docs/performance.md. */
const wantedScore = (/** @type {string} */ category, /** @type {string} */ device) =>
  category === 'performance' && device === 'mobile' ? 50 : 95
const CATEGORIES = /** @type {const} */ (['performance', 'accessibility', 'best-practices'])
const PAGES = /** @type {const} */ (['login', 'overview'])
const DEVICES = /** @type {const} */ (['mobile', 'desktop'])
const asked = process.argv.slice(2)
const pages = selected(PAGES)
const devices = selected(DEVICES)

const Scored = z.object({ score: z.number().nullable() })
const Report = z.object({
  categories: z.record(
    z.enum(CATEGORIES),
    Scored.extend({ auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })) }),
  ),
  audits: z.record(z.string(), Scored.extend({ title: z.string(), displayValue: z.string().optional() })),
})
/** @typedef {z.infer<typeof Report>} Report */

const home = path.join(root, '.cache/lighthouse')
const cli = path.join(home, VERSION, 'node_modules/lighthouse/cli/index.js')
const reports = path.join(home, 'reports')

await ensureWeb(process.execPath)
await ensureLighthouse()
mkdirSync(reports, { recursive: true })
const browserPath = await ensureBrowser()
const profile = mkdtempSync(path.join(tmpdir(), 'reelay-lighthouse-'))
const stop = await startReelay()
const url = process.env['REELAY_URL'] ?? ''
const practiceUrl = process.env['REELAY_PRACTICE_URL'] ?? ''
const port = await freePort()
const context = await chromium.launchPersistentContext(profile, {
  executablePath: browserPath,
  baseURL: url,
  args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`],
})
try {
  if (pages.includes('login')) await measurePage('login', '/')
  if (pages.includes('overview')) await measureOverview()
} finally {
  await context.close()
  await stop()
  rmSync(profile, { recursive: true, force: true })
}

async function measureOverview() {
  const owner = await signUp({ url })
  await createSeedData({ url, practiceUrl }, owner)
  const page = await context.newPage()
  await logIn(page, owner.email)
  await page.close() // otherwise its event stream would use the CPU
  await measurePage('overview', '/dashboard/overview')
}

/**
 * The values named on the command line; all if there are none.
 * @template {string} T
 * @param {readonly T[]} known
 */
function selected(known) {
  const wanted = known.filter((one) => asked.includes(one))
  return wanted.length > 0 ? wanted : known
}

/**
 * @param {string} name
 * @param {string} at
 */
async function measurePage(name, at) {
  for (const device of devices) {
    const runs = []
    for (let run = 1; run <= RUNS; run++)
      runs.push(await measure(`${name}-${device}-${run}`, url + at, device))
    for (const category of CATEGORIES) {
      const scores = runs.map((report) => scoreOf(report, category)).toSorted((one, other) => one - other)
      const middle = scores[Math.floor(RUNS / 2)] ?? 0
      const ok = middle >= wantedScore(category, device)
      say(`${ok ? 'ok    ' : 'FAILED'} ${name}, ${device}, ${category}: ${middle} (${scores.join(', ')})`)
      if (ok) continue
      process.exitCode = 1
      for (const line of complaints(runs[0], category)) say(`         ${line}`)
    }
  }
}

/**
 * @param {string} name
 * @param {string} address
 * @param {'mobile' | 'desktop'} device
 */
async function measure(name, address, device) {
  // On a busy machine Lighthouse may miss the page load and fails with an error.
  for (let attempt = 1; ; attempt++) {
    await clearCache()
    try {
      return await measureOnce(name, address, device)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

/**
 * @param {string} name
 * @param {string} address
 * @param {'mobile' | 'desktop'} device
 */
async function measureOnce(name, address, device) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      cli,
      address,
      `--port=${port}`,
      '--output=json',
      '--quiet',
      '--no-enable-error-reporting',
      `--only-categories=${CATEGORIES.join(',')}`,
      // Keeps the session.
      '--disable-storage-reset',
      ...(device === 'desktop' ? ['--preset=desktop'] : []),
    ],
    { maxBuffer: 100_000_000 },
  )
  writeFileSync(path.join(reports, `${name}.json`), stdout)
  return Report.parse(JSON.parse(stdout))
}

/** Clears the HTTP cache, so that every run is a first visit with a session. */
async function clearCache() {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  await page.close()
}

/**
 * @param {Report} report
 * @param {(typeof CATEGORIES)[number]} category
 */
function scoreOf(report, category) {
  return Math.round((report.categories[category].score ?? 0) * 100)
}

/**
 * The audits that cost points.
 * @param {Report | undefined} report
 * @param {(typeof CATEGORIES)[number]} category
 */
function complaints(report, category) {
  return (report?.categories[category].auditRefs ?? [])
    .filter(({ id }) => (report?.audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => `${id}: ${report?.audits[id]?.title ?? ''} ${report?.audits[id]?.displayValue ?? ''}`)
}

async function ensureLighthouse() {
  if (existsSync(cli)) return
  await alone(async (onPid) => {
    if (existsSync(cli)) return
    say(`Installing Lighthouse ${VERSION} in .cache …`)
    const folder = path.join(home, VERSION)
    mkdirSync(folder, { recursive: true })
    const flags = [
      '--prefix',
      folder,
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    await npm(process.execPath, ['install', ...flags, `lighthouse@${VERSION}`], {
      name: 'install-lighthouse',
      failed: 'Lighthouse could not be installed',
      cwd: folder,
      onPid,
    })
  })
}
