import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { migrate } from '#server/db/migrate.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { openDisk } from '#server/storage/disk.ts'
import { isKept } from '#server/videos/store.ts'
import { startDatabaseServer } from '../support/database/test-database.ts'
import { freePort } from '../support/ports/free-port.ts'
import { control, signIn, signUp, type Person } from '../support/test-server.ts'
import { uploadVideo } from '../support/publish.ts'
import { sampleVideo, type Sample } from '../support/sample.ts'
import { COMPILED } from '../support/program.ts'
import { loadWorkerProcess, type WorkerProcess } from './processes/workers.ts'

const PLATFORMS = fileURLToPath(new URL('../../src/simulators/main.ts', import.meta.url))
const SERVER = fileURLToPath(new URL('processes/server.ts', import.meta.url))
/** More than one TikTok chunk: six of them, the last one longer. */
const LONG_BYTES = 64_500_000
/** An access token lasts an hour; it is renewed well before. */
const TOKEN_MS = 40 * 60_000

/**
 * An isolated Reelay with each part in its own process: database, web server, practice platforms and workers on demand. It
 * plays one run after another. All but the database use one clock, which the lane moves ahead.
 */
export type Lane = {
  readonly db: Db
  readonly practiceUrl: string
  readonly env: Readonly<Record<string, string>>
  now(): number
  advance(ms: number): Promise<void>
  /** How far that clock is ahead of the machine's. */
  clockMs(): number
  person(): Promise<Person>
  video(kind: 'short' | 'long'): Promise<{ readonly videoId: number; readonly sample: Sample }>
  /** A worker that has loaded its code; the next one is loaded meanwhile. */
  takeWorker(): WorkerProcess
  /** Taken workers that are alive. */
  workers(): readonly WorkerProcess[]
  restartDatabase(): Promise<void>
  cutDatabase(): Promise<void>
  restartWeb(): Promise<void>
  restartPlatforms(): Promise<void>
  /** Resets the platforms: creators, posts and faults. */
  clearPlatforms(): Promise<void>
  strays(): Promise<readonly string[]>
  takeLog(): string
  stop(): Promise<void>
}

export async function openLane(): Promise<Lane> {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-crash-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const databaseDir = path.join(dir, 'database')
  await mkdir(databaseDir, { mode: 0o711 })
  let database = await startDatabaseServer(databaseDir)
  const databaseUrl = database.url
  await migrate(databaseUrl)
  const db = openDb(databaseUrl)
  const [port, practicePort] = await Promise.all([freePort(), freePort()])
  const practiceUrl = `http://127.0.0.1:${practicePort}`
  const env = {
    PORT: String(port),
    PRACTICE_PORT: String(practicePort),
    DATA_DIR: dir,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'warn',
    ...COMPILED,
  }
  const url = `http://127.0.0.1:${port}`

  let clockMs = 0
  let practiceClockMs = 0
  let log = ''
  const hear = (text: string) => {
    log = (log + text).slice(-20_000)
  }

  const startPlatforms = () =>
    startChild(PLATFORMS, hear, env, [
      `--port=${practicePort}`,
      `--dir=${path.join(dir, 'practice')}`,
      `--app-url=http://localhost:${port}`,
      `--mailbox-dir=${path.join(dir, 'mailbox')}`,
    ])
  const startWeb = () => startChild(SERVER, hear, { ...env, ROLE: 'web', CLOCK_MS: String(clockMs) })
  let platforms = await startPlatforms()
  let web = await startWeb()

  const syncPlatforms = async () => {
    const behind = clockMs - practiceClockMs
    if (behind === 0) return
    await control(practiceUrl, 'POST', '/_control/clock', { advance_s: behind / 1000 })
    practiceClockMs = clockMs
  }

  let taken: WorkerProcess[] = []
  const load = () => loadWorkerProcess(env, hear)
  let spare = load()

  let someone: { person: Person; until: number } | null = null
  const now = () => Date.now() + clockMs
  const person = async (): Promise<Person> => {
    if (someone !== null && someone.until > now()) return someone.person
    const known = someone
    someone = {
      // The previous run may have cut the database's connections: the identity service then answers 503.
      person: await steady(() => (known === null ? signUp({ url }) : signIn({ url }, known.person.email))),
      until: now() + TOKEN_MS,
    }
    return someone.person
  }
  const videos = new Map<string, { videoId: number; sample: Sample }>()

  return {
    db,
    practiceUrl,
    env,
    now,
    clockMs: () => clockMs,
    async advance(ms) {
      clockMs += Math.ceil(ms)
      if (web.connected) web.send({ clockMs }, () => {})
      for (const worker of taken) worker.tell({ type: 'clock', ms: clockMs })
      await syncPlatforms()
      await sql`select pg_notify('reelay_wake', '')`.execute(db)
    },
    person,
    async video(kind) {
      const known = videos.get(kind)
      if (known !== undefined) return known
      const sample = sampleVideo(kind === 'long' ? LONG_BYTES : undefined)
      const { video_id } = await uploadVideo(await person(), sample.file)
      const made = { videoId: video_id, sample }
      videos.set(kind, made)
      return made
    },
    takeWorker() {
      const worker = spare
      spare = load()
      taken = [...taken.filter((one) => one.isAlive()), worker]
      return worker
    },
    workers: () => taken.filter((one) => one.isAlive()),
    async restartDatabase() {
      await database.stop()
      database = await startDatabaseServer(databaseDir)
    },
    async cutDatabase() {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    },
    async restartWeb() {
      await end(web, 'SIGKILL')
      web = await startWeb()
    },
    async restartPlatforms() {
      await end(platforms, 'SIGKILL')
      platforms = await startPlatforms()
      await syncPlatforms()
    },
    async clearPlatforms() {
      await control(practiceUrl, 'DELETE', '/_control')
      practiceClockMs = 0
      await syncPlatforms()
    },
    async strays() {
      const storage = await openDisk(path.join(dir, 'media'))
      const found: string[] = []
      for await (const { key } of storage.list()) if (!(await isKept(db, key))) found.push(key)
      return found
    },
    takeLog() {
      const said = log
      log = ''
      return said
    },
    async stop() {
      await Promise.all([...taken, spare].map((one) => end(one.child, 'SIGKILL')))
      await Promise.all([end(web, 'SIGKILL'), end(platforms, 'SIGKILL')])
      await db.destroy()
      await database.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Resolves when the process reports that it is ready. */
async function startChild(
  program: string,
  hear: (text: string) => void,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ChildProcess> {
  const child = fork(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', () => reject(new Error(`${program} could not start`)))
  })
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  // Stopped processes die only after they continue.
  child.kill('SIGCONT')
  await ended
}

/** A call of the test itself, which must not fail because the database was just disconnected or restarted. */
export async function steady<T>(question: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 120_000
  for (;;) {
    try {
      return await question()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(50)
    }
  }
}
