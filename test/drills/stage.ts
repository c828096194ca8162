import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Post } from '#contract/posts.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { migrate } from '#server/db/migrate.ts'
import { type Practice, startPractice } from '#simulators/practice.ts'
import { startDatabaseServer } from '../support/database/test-database.ts'
import { createMachine, type Machine } from '../journeys/machines/machine.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { freePort } from '../support/ports/free-port.ts'
import { uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import { control, linkAccount, livePosts, signUp, until, type Person } from '../support/test-server.ts'

const POSTS = 10
/** Between two posts, so that a drill's trouble comes while some are on their way. */
const BETWEEN_POSTS_MS = 2_000
const PATIENCE_MS = 900_000

export type Outcome = {
  readonly deliveries: number
  readonly live: number
  readonly doubled: number
  /** Neither live nor shown as something that needs its user. */
  readonly lost: number
  /** "Published" and not live, or live and shown as failed. */
  readonly untrue: number
  readonly states: Readonly<Record<string, number>>
  /** Calls of the person that got no answer, or 5xx. They are made again. */
  readonly refused: readonly string[]
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A database, the practice platforms and one person with an account of each platform; processes are started by the drill. */
export async function openStage() {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-drill-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const databaseDir = path.join(dir, 'database')
  await mkdir(databaseDir, { mode: 0o711 })
  let database = await startDatabaseServer(databaseDir)
  await migrate(database.url)
  const publicPort = await freePort()
  const publicUrl = `http://127.0.0.1:${publicPort}`
  const practiceDir = path.join(dir, 'practice')
  let practice: Practice = await startPractice({ port: 0, dir: practiceDir, appUrl: publicUrl })
  const practiceUrl = practice.url
  await control(practiceUrl, 'POST', '/_control/settings', {
    tiktok_rate_limits: false,
    tiktok_processing_ms: 1_000,
    tiktok_moderation_ms: 500,
    instagram_processing_ms: 1_500,
  })
  const env = {
    PUBLIC_URL: publicUrl,
    PRACTICE: 'shared',
    PRACTICE_PORT: String(practice.port),
    PRACTICE_LIMITS: 'off',
    DATABASE_URL: database.url,
    STORAGE_URL: `file://${path.join(dir, 'media')}`,
    SECRET_KEY: randomBytes(32).toString('hex'),
    XDG_STATE_HOME: path.join(dir, 'state'),
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '3',
  }
  const machines: Machine[] = []
  const undo: (() => unknown)[] = []
  const refused: string[] = []
  const posts: number[] = []
  let someone: Person | null = null
  let targets: { account_id: number; options: Readonly<Record<string, unknown>> }[] = []

  function machine(name: string, more: Readonly<Record<string, string>> = {}): Machine {
    const made = createMachine({ ...env, DATA_DIR: path.join(dir, name), ...more })
    machines.push(made)
    return made
  }

  /** Makes a call until it is answered, as a page does. */
  async function persistently<T>(call: () => Promise<T>): Promise<T> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        return await call()
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
        const said = `${String(error)}${cause}`
        if (Date.now() > end || / 4\d\d:/.test(said)) throw error
        refused.push(said.slice(0, 160))
        await sleep(1_000)
      }
    }
  }

  const person = (): Person => {
    if (someone === null) throw new Error('Nobody has signed up.')
    return someone
  }

  async function post(number: number): Promise<void> {
    const { file } = sampleVideo()
    const { video_id } = await persistently(() => uploadVideo(person(), file))
    const key = randomUUID()
    await persistently(async () => {
      const answer = await person().request('/posts', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ video_id, text: `Drill ${number}`, targets }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`createPost answered ${answer.status}: ${text}`)
      posts.push(Post.parse(JSON.parse(text)).post_id)
    })
  }

  const deliveries = async () => {
    const found = await Promise.all(
      posts.map((postId) => persistently(() => person().call('getPost', { params: { postId } }))),
    )
    return found.flatMap((one) => one.deliveries.map((delivery) => ({ text: one.text, ...delivery })))
  }
  const live = async () => livePosts({ practiceUrl })

  return {
    dir,
    env,
    publicPort,
    publicUrl,
    practiceUrl,
    machine,
    undo,
    live,
    deliveries,
    person,
    /** Signs up and links an account of each platform. */
    async begin(): Promise<void> {
      someone = await signUp({ url: publicUrl })
      const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
      targets = []
      for (const platform of PLATFORM_IDS) {
        const { account_id } = await linkAccount(someone, { platform, brandId })
        targets.push({ account_id, options: REQUIRED_OPTIONS[platform] })
      }
    },
    /** Ten posts to three accounts, two seconds apart. */
    async postAll(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
      const trouble = sleep(2 * BETWEEN_POSTS_MS).then(meanwhile)
      for (let number = 0; number < POSTS; number += 1) {
        await Promise.all([post(number), sleep(BETWEEN_POSTS_MS)])
      }
      await trouble
    },
    /** @returns the address of an empty database */
    async otherDatabase(): Promise<string> {
      const place = path.join(dir, 'other database')
      await mkdir(place, { mode: 0o711 })
      const other = await startDatabaseServer(place)
      undo.push(() => other.stop())
      return other.url
    },
    async databaseGone(ms: number): Promise<void> {
      await database.stop()
      await sleep(ms)
      database = await startDatabaseServer(databaseDir)
    },
    async platformsGone(ms: number): Promise<void> {
      const { port } = practice
      await practice.close()
      await sleep(ms)
      practice = await startPractice({ port, dir: practiceDir, appUrl: publicUrl })
    },
    fault: (fault: object) => control(practiceUrl, 'POST', '/_control/faults', fault),
    /** A command of `npm run`. @returns what it prints */
    async command(name: string, more: Readonly<Record<string, string>>, ...args: readonly string[]) {
      const program = fileURLToPath(new URL(`../../src/server/${name}-cli.ts`, import.meta.url))
      const { PATH = '' } = process.env
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
        env: { PATH, ...env, DATA_DIR: path.join(dir, 'commands'), ...more },
      })
      return stdout
    },
    /** Waits until each delivery is published or needs its user, and compares with what the platforms have. */
    async outcome(): Promise<Outcome> {
      const over = ['published', 'failed', 'unconfirmed', 'cancelled']
      await until(
        'all deliveries to end',
        async () => (await deliveries()).every(({ status }) => over.includes(status)),
        PATIENCE_MS,
      )
      await control(practiceUrl, 'POST', '/_control/settle')
      const [mine, theirs] = [await deliveries(), await live()]
      const timesLive = ({ text, platform }: (typeof mine)[number]) =>
        theirs.filter((one) => one.platform === platform && one.text === text).length
      const count = (is: (one: (typeof mine)[number]) => boolean) => mine.filter(is).length
      const states: Record<string, number> = {}
      for (const { status } of mine) states[status] = (states[status] ?? 0) + 1
      return {
        deliveries: mine.length,
        live: count((one) => timesLive(one) > 0),
        doubled: theirs.length - new Set(theirs.map(({ platform, text }) => `${platform} ${text}`)).size,
        lost: count((one) => timesLive(one) === 0 && one.status === 'published') + POSTS * 3 - mine.length,
        untrue: count(
          (one) => (one.status === 'published') !== timesLive(one) > 0 && one.status !== 'unconfirmed',
        ),
        states,
        refused,
      }
    },
    async close(): Promise<void> {
      await Promise.all(machines.map((one) => one.kill()))
      for (const each of undo.toReversed()) await each()
      await practice.close()
      await database.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
