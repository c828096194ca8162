// Entry of the npm scripts; needs only Node 20. Installs Node 24 and the packages where they are missing, then runs the program.
import { ensureWeb } from './build.mjs'
import { ensureNode, ensurePackages } from './install.mjs'
import { runInFront, Stop } from './run.mjs'

/** @type {Record<string, string>} */
const programs = {
  start: 'src/server/main.ts',
  dev: 'scripts/dev.mjs',
  test: 'scripts/check.mjs',
  crash: 'test/crash/cli.ts',
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

const [task = '', ...args] = process.argv.slice(2)
const program = Object.hasOwn(programs, task) ? programs[task] : undefined
try {
  if (program === undefined)
    throw new Stop(`Usage: node scripts/ready.mjs ${Object.keys(programs).join('|')}`)
  const node = await ensureNode()
  await ensurePackages(node)
  if (task === 'start' || task === 'bench') await ensureWeb(node)
  process.exitCode = await runInFront(
    node,
    [program, ...args],
    task === 'bench' ? await browserFor(args) : {},
  )
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
