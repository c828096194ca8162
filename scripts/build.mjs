import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { alone } from './install.mjs'
import { root, runQuietly, say } from './run.mjs'

const SOURCES = [
  'src/web',
  'src/cli',
  'src/contract',
  'src/domain',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
]

const stamp = path.join(root, 'dist', 'web.sources')

/**
 * Builds the web app into dist/web and the command into dist/cli if their sources changed since the last build.
 * @param {string} node
 */
export async function ensureWeb(node) {
  if (isBuilt()) return
  await alone(async (onPid) => {
    if (isBuilt()) return
    const built = fingerprint()
    say('Building the web app …')
    const vite = path.join(root, 'node_modules/vite/bin/vite.js')
    for (const zone of ['web', 'cli'])
      await runQuietly({
        name: `build-${zone}`,
        failed: zone === 'web' ? 'The web app could not be built' : 'The command could not be built',
        command: node,
        args: [vite, 'build', '--config', `src/${zone}/vite.config.ts`],
        node,
        onPid,
      })
    mkdirSync(path.dirname(stamp), { recursive: true })
    writeFileSync(stamp, built)
  })
}

/** Both are built from the sources that are there. */
export const isBuilt = () =>
  existsSync(stamp) &&
  existsSync(path.join(root, 'dist/web/index.html')) &&
  existsSync(path.join(root, 'dist/cli/reelay.mjs')) &&
  readFileSync(stamp, 'utf8') === fingerprint()

/** A hash of the contents, not of the times: switching branches back and forth changes nothing. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const file of SOURCES.flatMap(filesOf)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * @param {string} source
 * @returns {string[]}
 */
function filesOf(source) {
  if (path.extname(source) === '.json') return [source]
  return readdirSync(path.join(root, source), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted()
}
