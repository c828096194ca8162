import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { alone } from './install.mjs'
import { root, runQuietly, say } from './run.mjs'

/** What the web app is built of, and the server. */
const WEB = ['src/web', 'src/contract', 'src/domain', 'package-lock.json', 'tsconfig.base.json']
const SERVER = [
  ...['server', 'base', 'identity', 'platforms', 'simulators', 'contract', 'domain'].map(
    (folder) => `src/${folder}`,
  ),
  'package.json',
  'package-lock.json',
]

const webStamp = path.join(root, 'dist', 'web.sources')

/**
 * Builds the web app into dist/web if its sources changed since the last build.
 * @param {string} node
 */
export async function ensureWeb(node) {
  if (isWebBuilt()) return
  await alone(async (onPid) => {
    if (isWebBuilt()) return
    const built = fingerprint(WEB)
    await build('web', 'web app', [], { node, onPid })
    mkdirSync(path.dirname(webStamp), { recursive: true })
    writeFileSync(webStamp, built)
  })
}

function isWebBuilt() {
  if (!existsSync(path.join(root, 'src/web/vite.config.ts'))) return true
  const built = existsSync(webStamp) && existsSync(path.join(root, 'dist/web/index.html'))
  return built && readFileSync(webStamp, 'utf8') === fingerprint(WEB)
}

/** Servers that run load more of their own build, and start programs of it. */
const KEPT_BUILDS = 3
const PARTIAL = '.part'

/**
 * Bundles the server and what it starts, if today's sources were not yet.
 * @param {string} node
 * @returns {Promise<string>} the program, in a folder of its own
 */
export async function ensureServer(node) {
  const builds = path.join(root, 'dist', 'server')
  const name = fingerprint(SERVER).slice(0, 16)
  const program = path.join(builds, name, 'main.mjs')
  if (existsSync(program)) return program
  await alone(async (onPid) => {
    if (existsSync(program)) return
    const draft = path.join(builds, `${name}${PARTIAL}`)
    await build('server', 'server', ['--outDir', draft], { node, onPid })
    // Renamed when complete, so that a killed start leaves no partial build.
    renameSync(draft, path.join(builds, name))
    removeOldBuilds(builds)
  })
  return program
}

/**
 * Keeps the newest builds. What killed starts left of theirs goes: only one build is made at a time.
 * @param {string} folder
 */
export function removeOldBuilds(folder) {
  const entries = readdirSync(folder)
  const partial = entries.filter((name) => name.endsWith(PARTIAL))
  const madeAt = (/** @type {string} */ name) => statSync(path.join(folder, name)).mtimeMs
  const newestFirst = entries
    .filter((name) => !name.endsWith(PARTIAL))
    .toSorted((a, b) => madeAt(b) - madeAt(a))
  for (const name of [...partial, ...newestFirst.slice(KEPT_BUILDS)])
    rmSync(path.join(folder, name), { recursive: true })
}

/**
 * @param {string} zone of src, with a configuration of Vite
 * @param {string} title
 * @param {string[]} args
 * @param {{ node: string, onPid: (pid: number) => void }} how
 */
async function build(zone, title, args, { node, onPid }) {
  say(`Building the ${title} …`)
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  await runQuietly({
    name: `build-${zone}`,
    failed: `The ${title} could not be built`,
    command: node,
    args: [vite, 'build', '--config', `src/${zone}/vite.config.ts`, ...args],
    node,
    onPid,
  })
}

/**
 * A hash of the contents, not of the times: switching branches back and forth changes nothing.
 * @param {readonly string[]} sources
 */
function fingerprint(sources) {
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
