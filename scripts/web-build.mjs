import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { alone } from './install.mjs'
import { root, runQuietly, say } from './run.mjs'

const sources = ['src/web', 'src/contract', 'src/domain', 'package-lock.json', 'tsconfig.base.json']
const stamp = path.join(root, 'dist', 'web.sources')

/**
 * Builds the web app into dist/web if its sources changed since the last build.
 * @param {string} node
 */
export async function ensureWeb(node) {
  if (isBuilt()) return
  await alone(async (onPid) => {
    if (isBuilt()) return
    say('Building the web app …')
    const built = fingerprint()
    await runQuietly({
      name: 'build-web',
      failed: 'The web app could not be built',
      command: node,
      args: [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', 'src/web/vite.config.ts'],
      node,
      onPid,
    })
    mkdirSync(path.dirname(stamp), { recursive: true })
    writeFileSync(stamp, built)
  })
}

function isBuilt() {
  if (!existsSync(path.join(root, 'src/web/vite.config.ts'))) return true
  const built = existsSync(stamp) && existsSync(path.join(root, 'dist/web/index.html'))
  return built && readFileSync(stamp, 'utf8') === fingerprint()
}

/** A hash of the contents, not of the times: switching branches back and forth changes nothing. */
function fingerprint() {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of filesOf(source)) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(root, file)))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

/**
 * @param {string} place
 * @returns {string[]}
 */
function filesOf(place) {
  const full = path.join(root, place)
  if (!existsSync(full)) return []
  if (path.extname(place) === '.json') return [place]
  return readdirSync(full, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted()
}
