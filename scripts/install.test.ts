import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alone, sameLock } from './install.mjs'

const lock = (packages: object) => JSON.stringify({ packages })

describe('node_modules matches the lock', () => {
  const wanted = lock({
    '': { name: 'reelay', version: '2' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/b-mac': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  })

  test('when every package is there as wanted, those for other machines aside', () => {
    expect(sameLock(wanted, lock({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }))).toBe(
      true,
    )
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
    expect(sameLock(wanted, installed)).toBe(false)
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

  test('waits for the tool of a start that was killed, and no longer', async () => {
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
