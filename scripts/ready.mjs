// Entry of the npm scripts; needs only Node 20. Installs Node 24 and the packages where they are missing, then runs the program.
import path from 'node:path'
import { ensureWeb, isBuilt } from './build.mjs'
import { ensureNode, ensurePackages } from './install.mjs'
import { listSettings, root, runInFront, say, Stop } from './run.mjs'

/** Null: it only prepares. @type {Record<string, string | null>} */
const programs = {
  build: null,
  start: 'src/server/main.ts',
  dev: 'scripts/dev.mjs',
  test: 'scripts/check.mjs',
  crash: 'test/crash/cli.ts',
  drills: 'test/drills/cli.ts',
  keys: 'src/server/keys-cli.ts',
  storage: 'src/server/storage-cli.ts',
  backup: 'src/server/backup-cli.ts',
  restore: 'src/server/restore-cli.ts',
  operator: 'src/server/operator-cli.ts',
  doctor: 'src/server/doctor-cli.ts',
  bench: 'test/bench/bench.ts',
  lighthouse: 'scripts/lighthouse.mjs',
  screenshots: 'scripts/generate/screenshots.mjs',
  icons: 'scripts/generate/icons.mjs',
  'db:types': 'scripts/generate/db-types.mjs',
  'docs:api': 'scripts/generate/api-docs.ts',
}

/** These are configured by the environment, and by the file if it is there. */
const configured = new Set(['start', 'keys', 'storage', 'backup', 'restore', 'operator', 'doctor'])

const [task = '', ...args] = process.argv.slice(2)
const program = Object.hasOwn(programs, task) ? programs[task] : undefined
try {
  if (program === undefined)
    throw new Stop(`Usage: node scripts/ready.mjs ${Object.keys(programs).join('|')}`)
  const node = await ensureNode()
  await ensurePackages(node, { dev: !configured.has(task) || !isBuilt() })
  if (['build', 'start', 'bench'].includes(task)) await ensureWeb(node)
  if (program === null) say('All is prepared: the next npm start only starts.')
  else {
    const settings = configured.has(task) ? listSettings(path.join(root, 'reelay.env')) : []
    const env = task === 'bench' ? await browserFor(args) : {}
    process.exitCode = await runInFront(node, [...settings, program, ...args], env)
  }
} catch (error) {
  if (!(error instanceof Error)) throw error
  // A system error (full disk, read-only checkout) needs one line, not a stack.
  const expected = error instanceof Stop || 'syscall' in error
  process.stderr.write(`${expected ? error.message : error.stack}\n`)
  process.exitCode = 1
}

/**
 * The bench of the pages needs a browser.
 * @param {string[]} asked
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function browserFor(asked) {
  const names = asked.filter((one) => one !== '--write')
  if (names.length > 0 && !names.includes('pages')) return {}
  const { ensureBrowser } = await import('./browser.mjs')
  return { CHROMIUM_PATH: await ensureBrowser() }
}
