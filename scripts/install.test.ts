import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { alone, installPackages, installPinned, nodePackages, sameLock } from './install.mjs'

const lock = (packages: object) => JSON.stringify({ packages })

describe('node_modules matches the lock', () => {
  const a = { version: '1.0.0', integrity: 'sha512-a' }
  const installedA = lock({ 'node_modules/a': a })
  const wanted = lock({
    '': { name: 'reelay', version: '2' },
    'node_modules/a': a,
    'node_modules/b-mac': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  })

  test('when every package matches, except for other platforms', () => {
    expect(sameLock(wanted, installedA, { dev: true })).toBe(true)
  })

  test('without those that build, where it is built', () => {
    const building = { version: '1.0.0', integrity: 'sha512-v', dev: true }
    const more = lock({ 'node_modules/a': a, 'node_modules/vite': building })
    expect(sameLock(more, installedA, { dev: false })).toBe(true)
    expect(sameLock(more, installedA, { dev: true })).toBe(false)
  })

  test.each([
    ['nothing is installed', null],
    ['a package is missing', lock({})],
    [
      'a package has another version',
      lock({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }),
    ],
    ['a package has other contents', lock({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } })],
  ])('but not when %s', (_, installed) => {
    expect(sameLock(wanted, installed, { dev: true })).toBe(false)
  })
})

describe('installing', () => {
  let dir: string
  let file: string
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'reelay-lock-'))
    file = path.join(dir, 'lock')
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  test('happens one at a time', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setTimeout(resolve, 20))
      inside--
    }
    await Promise.all([alone(work, file), alone(work, file), alone(work, file)])
    expect(most).toBe(1)
    expect(existsSync(file)).toBe(false)
  })

  test('waits for the tool of a killed start', async () => {
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    const tool = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 400)'])
    await once(tool, 'spawn')
    writeFileSync(file, `${gone.pid} ${tool.pid}`)
    await alone(async () => {
      expect(tool.exitCode).toBe(0)
    }, file)
  })
})

const packagesOf = (checkout: string) =>
  readdirSync(path.join(checkout, 'node_modules')).filter((each) => !each.startsWith('.'))

describe('the package registry', () => {
  const name = 'a-node'
  const version = '1.0.0'
  let dir: string
  let registry: Server
  let integrity: string

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'reelay-node-'))
    mkdirSync(path.join(dir, 'package'))
    mkdirSync(path.join(dir, 'to'))
    writeFileSync(path.join(dir, 'package/package.json'), JSON.stringify({ name, version }))
    spawnSync('tar', ['-czf', 'a.tgz', 'package'], { cwd: dir })
    const tarball = readFileSync(path.join(dir, 'a.tgz'))
    integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    registry = createServer((request, response) => {
      if (request.url?.endsWith('.tgz')) return response.end(tarball)
      const dist = { tarball: `http://${request.headers.host}/a.tgz`, integrity }
      return response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: version },
          versions: { [version]: { name, version, dist } },
        }),
      )
    })
    await once(registry.listen(0, '127.0.0.1'), 'listening')
    const address = registry.address()
    const port = typeof address === 'object' ? address?.port : ''
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${port}`)
    vi.stubEnv('npm_config_cache', path.join(dir, 'cache'))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    registry.closeAllConnections()
    registry.close()
    rmSync(dir, { recursive: true })
  })

  const install = (wanted: string): Promise<void> =>
    installPinned({ name, version, integrity: wanted }, path.join(dir, 'to'), () => {})

  /** A checkout with the packages of an earlier version, and a lock file that wants another. */
  function makeCheckout(): string {
    const checkout = path.join(dir, 'checkout')
    mkdirSync(path.join(checkout, 'node_modules/earlier'), { recursive: true })
    const wanted = { name: 'checkout', version: '1.0.0', dependencies: { [name]: version } }
    const packages = { '': wanted, [`node_modules/${name}`]: { version, integrity } }
    writeFileSync(path.join(checkout, 'package.json'), JSON.stringify(wanted))
    writeFileSync(
      path.join(checkout, 'package-lock.json'),
      JSON.stringify({ name: 'checkout', version: '1.0.0', lockfileVersion: 3, requires: true, packages }),
    )
    return checkout
  }

  test('swaps in the packages of an update once all are there', async () => {
    const checkout = makeCheckout()
    await installPackages(process.execPath, checkout, () => {})
    expect(packagesOf(checkout)).toEqual([name])
    expect(readdirSync(path.join(checkout, '.cache'))).toEqual([])
  })

  test('leaves the packages of the version before where it does not answer', async () => {
    const checkout = makeCheckout()
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1')
    vi.stubEnv('npm_config_fetch_retries', '0')
    await expect(installPackages(process.execPath, checkout, () => {})).rejects.toThrow(
      'Those of the version before are as they were: go back to it',
    )
    expect(packagesOf(checkout)).toEqual(['earlier'])
    expect(readdirSync(path.join(checkout, '.cache'))).toEqual([])
  })

  test('gives the Node that is pinned if its contents match the pinned hash', async () => {
    await install(integrity)
    expect(existsSync(path.join(dir, 'to/node_modules/a-node/package.json'))).toBe(true)
  })

  test('gives no Node whose contents differ from the pinned hash', async () => {
    const another = `sha512-${createHash('sha512').update('another').digest('base64')}`
    await expect(install(another)).rejects.toThrow('EINTEGRITY')
    expect(existsSync(path.join(dir, 'to/node_modules/a-node'))).toBe(false)
  })

  test('has a pinned Node for every platform', () => {
    for (const pinned of Object.values(nodePackages))
      expect(pinned.integrity).toMatch(/^sha512-[\w+/]{86}==$/)
  })
})
