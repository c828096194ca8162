// Entry of the npm scripts; needs only Node 20 or later. Installs Node 24 and the packages and builds what
// `npm start` runs where missing, then runs the program.
import path from 'node:path'
import { ensureNode, ensurePackages } from './install.mjs'
import { become, follow } from './follow.mjs'
import { Stop } from './run.mjs'
import { ensureServer, ensureWeb } from './build.mjs'

/** @type {Record<string, string>} */
const programs = {
  test: 'scripts/check.mjs',
  crash: 'test/crash/cli.ts',
  keys: 'src/server/keys-cli.ts',
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
  if (program === undefined && task !== 'start')
    throw new Stop(`Usage: node scripts/ready.mjs start|${Object.keys(programs).join('|')}`)
  const node = await ensureNode()
  await ensurePackages(node)
  if (program === undefined) {
    await ensureWeb(node)
    const server = await ensureServer(node)
    await become(node, [server, ...args], compiledBeside(server))
  } else if (task === 'bench') await follow(node, [program, ...args], await prepareBench(node))
  else await follow(node, [program, ...args])
} catch (error) {
  if (!(error instanceof Error)) throw error
  // A system error (full disk, read-only checkout) needs one line, not a stack.
  const expected = error instanceof Stop || 'syscall' in error
  process.stderr.write(`${expected ? error.message : error.stack}\n`)
  process.exitCode = 1
}

/**
 * A later start compiles nothing; Node does without where the folder cannot be written.
 * @param {string} server
 */
function compiledBeside(server) {
  return { NODE_COMPILE_CACHE: path.join(path.dirname(server), 'compiled') }
}

/**
 * @param {string} node
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function prepareBench(node) {
  const names = args.filter((one) => one !== '--write')
  const measures = (/** @type {string} */ name) => names.length === 0 || names.includes(name)
  /** @type {NodeJS.ProcessEnv} */
  const env = {}
  if (measures('start')) env['SERVER_PROGRAM'] = await ensureServer(node)
  if (measures('pages')) {
    await ensureWeb(node)
    const { ensureBrowser } = await import('./browser.mjs')
    env['CHROMIUM_PATH'] = await ensureBrowser()
  }
  return env
}
