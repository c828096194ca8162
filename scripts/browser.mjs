import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { root, runQuietly, say, Stop } from './run.mjs'

/** The headless shell first: it has no windows of its own to draw, which is a third of the work of the browser tests. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/**
 * The path of a Chromium for the browser tests; installs one if necessary.
 * @returns {Promise<string>} its absolute path
 * @throws {Stop} when none is found and none can be installed.
 */
export async function ensureBrowser() {
  const given = process.env['CHROMIUM_PATH']
  if (given) {
    if (runs(given)) return given
    throw new Stop(`CHROMIUM_PATH is ${given}, which does not run.`)
  }
  return findBrowser() ?? (await installBrowser())
}

function findBrowser() {
  const folders = process.env['PATH']?.split(path.delimiter) ?? []
  const inPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)))
  return [...inPath, chromium.executablePath()].find((file) => existsSync(file) && runs(file)) ?? null
}

/** @param {string} file must run: Ubuntu's `chromium-browser` only prints where to get one. */
function runs(file) {
  return spawnSync(file, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
}

async function installBrowser() {
  const isRoot = process.getuid?.() === 0
  const problems = []
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    say('Installing Chromium for the browser tests (apt-get install chromium-headless-shell) …')
    const failed = await attempt(() =>
      runQuietly({
        name: 'install-chromium',
        failed: 'Chromium could not be installed by apt-get',
        command: 'sh',
        args: [
          '-c',
          // Older releases have only the whole browser.
          'apt-get update && export DEBIAN_FRONTEND=noninteractive && for name in chromium-headless-shell chromium; do apt-get install -y --no-install-recommends $name && exit 0; done; exit 1',
        ],
      }),
    )
    const found = findBrowser()
    if (found) return found
    problems.push(failed)
  }
  say('Installing Chromium for the browser tests (playwright install chromium) …')
  const cli = path.join(root, 'node_modules/@playwright/test/cli.js')
  problems.push(
    await attempt(() =>
      runQuietly({
        name: 'playwright-install',
        failed: 'Chromium could not be installed by Playwright',
        command: process.execPath,
        // System libraries need root.
        args: [cli, 'install', ...(isRoot ? ['--with-deps'] : []), 'chromium'],
      }),
    ),
  )
  const found = findBrowser()
  if (found) return found
  const reasons = problems.filter((problem) => problem !== null).join('\n')
  throw new Stop(
    `No Chromium for the browser tests: install one, or set CHROMIUM_PATH to it.${reasons && `\n${reasons}`}`,
  )
}

/**
 * @param {() => Promise<void>} work
 * @returns {Promise<string | null>} the error message
 */
async function attempt(work) {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Stop) return error.message
    throw error
  }
}
