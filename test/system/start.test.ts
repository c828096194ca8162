import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isProcessAlive } from '#base/process-info.ts'
import { COMPILED, PROGRAM } from '../support/program.ts'
import { copyCluster } from '../support/database/cluster.ts'
import { freePort } from '../support/ports/free-port.ts'
import { signIn, signUp, until } from '../support/test-server.ts'

let dir: string
let env: Record<string, string>
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-start-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const [port, practicePort] = [await freePort(), await freePort()]
  env = { PORT: String(port), PRACTICE_PORT: String(practicePort), DATA_DIR: dir, LOG_LEVEL: 'error' }
})
afterEach(async () => {
  for (const child of running) child.kill('SIGTERM')
  await Promise.all([...running].map((child) => ended(child)))
  await rm(dir, { recursive: true, force: true })
})

const running = new Set<ChildProcess>()

function start(more: Record<string, string> = {}, output: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env['PATH'], ...COMPILED, ...env, ...more },
    stdio: ['ignore', output, output, 'ipc'],
    detached: true,
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const said = { out: '', err: '' }
  child.stdout?.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  return { child, said, end: ended(child) }
}

const ended = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise<number | null>((resolve) => child.once('exit', resolve))

/** This address also answers without a built web app. */
const answers = (port: string | undefined, at = '/') =>
  fetch(`http://127.0.0.1:${port}${at}`).then(
    (answer) => answer.ok,
    () => false,
  )

const ready = (said: { out: string; err: string }) =>
  until(`the server to be ready; it said: ${said.err}`, async () => said.out.includes('Reelay is at'))

const databaseDir = () => path.join(dir, 'postgres')

/** The process id of the folder's database, if it runs. */
async function databasePid(): Promise<number | null> {
  const file = path.join(databaseDir(), 'cluster', 'postmaster.pid')
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : Number(text.split('\n')[0])
}

describe('the program', () => {
  it('answers at both addresses, and ends with everything that it started', async () => {
    const { child, said, end } = start()
    await ready(said)
    expect(said.out).toContain(`http://localhost:${env['PORT']}`)
    expect(await answers(env['PORT'], '/healthz')).toBe(true)
    expect(await answers(env['PRACTICE_PORT'])).toBe(true)
    const database = (await databasePid()) ?? 0
    expect(isProcessAlive(database)).toBe(true)

    child.kill('SIGINT')
    expect(await end).toBe(0)
    expect(said.err).toBe('')
    expect(isProcessAlive(database)).toBe(false)
    expect(await answers(env['PRACTICE_PORT'])).toBe(false)
  })

  it('starts again after it was killed, on the database that was left running', async () => {
    await copyCluster(databaseDir())
    const first = start()
    await ready(first.said)
    const database = await databasePid()
    first.child.kill('SIGKILL')
    await first.end

    const second = start()
    await ready(second.said)
    expect(await databasePid()).toBe(database)
    expect(await answers(env['PRACTICE_PORT'])).toBe(true)
  })

  it('ends with its database, in one line and with 1, and the next start recovers the data', async () => {
    await copyCluster(databaseDir())
    const first = start()
    await ready(first.said)
    const url = `http://127.0.0.1:${env['PORT']}`
    const ada = await signUp({ url })
    process.kill((await databasePid()) ?? 0, 'SIGKILL')
    expect(await first.end).toBe(1)
    expect(first.said.err).toMatch(/^The database ended: .+\n$/)

    const { child, said, end } = start()
    await ready(said)
    await signIn({ url }, ada.email)
    child.kill('SIGHUP') // its terminal was closed
    expect(await end).toBe(0)
  })

  it('names the server that uses the data, its address and how to stop it', async () => {
    await copyCluster(databaseDir())
    const first = start()
    await ready(first.said)
    const { said, end } = start({ PORT: String(await freePort()), PRACTICE_PORT: String(await freePort()) })
    expect(await end).toBe(1)
    const { pid } = first.child
    expect(said.err).toContain(`(process ${pid}, http://localhost:${env['PORT']})`)
    expect(said.err).toContain(`stop it with "kill ${pid}"`)
    expect(await answers(env['PORT'], '/readyz')).toBe(true)
  })

  it('leaves nothing under DATA_DIR that another local user can read', async () => {
    // Created like this by an earlier version.
    await mkdir(path.join(dir, 'practice', 'media'), { recursive: true, mode: 0o755 })
    const { said } = start()
    await ready(said)
    const someone = await signUp({ url: `http://127.0.0.1:${env['PORT']}` })
    const sample = await fetch(`http://127.0.0.1:${env['PRACTICE_PORT']}/sample.mp4`)
    const body = new FormData()
    body.append('file', new File([await sample.bytes()], 'a.mp4'))
    expect((await someone.request('/videos', { method: 'POST', body })).status).toBe(201)

    const seen = await readdir(dir, { recursive: true })
    expect(seen).toEqual(expect.arrayContaining(['practice/journal.jsonl', 'secret.key']))
    expect(seen.some((name) => name.startsWith('media/files/'))).toBe(true)
    const open = await Promise.all(
      seen.map(async (name) => {
        const found = await lstat(path.join(dir, name)).catch(() => null) // the database makes and removes files
        const passable = name === 'postgres' ? 0o011 : 0 // for the database's account, where we are root
        return found !== null && !found.isSymbolicLink() && (found.mode & 0o077 & ~passable) !== 0
          ? [name]
          : []
      }),
    )
    expect(open.flat()).toEqual([])
  })

  it.runIf(existsSync('/dev/full'))('serves and ends in order while its log cannot be written', async () => {
    await copyCluster(databaseDir())
    const full = openSync('/dev/full', 'w')
    const { child, end } = start({ LOG_LEVEL: 'warn' }, full)
    closeSync(full)
    await until('the server to be ready', () => answers(env['PORT'], '/readyz'))
    const database = (await databasePid()) ?? 0
    for (let call = 0; call < 3; call += 1) {
      const refused = await fetch(`http://127.0.0.1:${env['PORT']}/hooks/tiktok/events`, {
        method: 'POST',
        body: '{}',
      })
      expect(refused.status).toBe(403) // and logged
    }
    expect(await answers(env['PORT'], '/readyz')).toBe(true)
    child.kill('SIGTERM')
    expect(await end).toBe(0)
    expect(isProcessAlive(database)).toBe(false)
  })

  it('as a worker it answers about its health, and ends in order', async () => {
    await copyCluster(databaseDir())
    const { child, end } = start({ ROLE: 'worker', PUBLIC_URL: 'https://reelay.example.com' })
    await until('the worker to be ready', () => answers(env['PORT'], '/readyz'))
    expect(await answers(env['PORT'], '/healthz')).toBe(true)
    expect(await answers(env['PORT'], '/api/v1/settings')).toBe(false)
    child.kill('SIGTERM')
    expect(await end).toBe(0)
  })

  it('ends when its launcher has ended', async () => {
    await copyCluster(databaseDir())
    const { child, said, end } = start()
    await ready(said)
    child.disconnect()
    expect(await end).toBe(0)
  })
})

/** It exits with 1 and one line, and leaves nothing running. */
async function fails(more: Record<string, string>, line: RegExp): Promise<void> {
  const { said, end } = start(more)
  expect(await end).toBe(1)
  expect(said.err).toMatch(line)
  expect(said.err.trim().split('\n')).toHaveLength(1)
  const database = await databasePid()
  expect(database === null || !isProcessAlive(database)).toBe(true)
}

describe('what cannot be started', () => {
  it('a bad variable is one line that names it', () => fails({ PORT: 'abc' }, /^PORT must be/))
  it('a folder that cannot be written is one line', () =>
    fails({ DATA_DIR: '/proc/nowhere' }, /^DATA_DIR .* cannot be written/))

  for (const variable of ['PORT', 'PRACTICE_PORT']) {
    it(`a taken port is one line that names ${variable}, and leaves nothing running`, async () => {
      await copyCluster(databaseDir())
      const taken: Server = createServer()
      await new Promise<void>((resolve) => taken.listen(Number(env[variable]), '127.0.0.1', resolve))
      try {
        await fails({}, new RegExp(`port ${env[variable]} is taken.*${variable}`, 'i'))
      } finally {
        await new Promise((resolve) => taken.close(resolve))
      }
    })
  }
})
