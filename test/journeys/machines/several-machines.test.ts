import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Post } from '#contract/posts.ts'
import { migrate } from '#server/db/migrate.ts'
import { WORKER_SETTINGS } from '#server/deliveries/worker/worker.ts'
import { type Practice, startPractice } from '#simulators/practice.ts'
import { startDatabaseServer } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { startS3, type TestS3 } from '../../support/s3-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  personWith,
  signIn,
  signUp,
  until,
} from '../../support/test-server.ts'
import { createUpload, patchUpload } from '../../support/uploads.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { createMachine, type Machine } from './machine.ts'
import { listen } from './listen.ts'

let dir: string
let database: Awaited<ReturnType<typeof startDatabaseServer>>
let practice: Practice
let s3: TestS3
let balancer: Balancer
let webs: readonly [Machine, Machine]
let workers: readonly [Machine, Machine, Machine]
let ada: Person
const urlOf = ({ port }: { readonly port: number }) => `http://127.0.0.1:${port}`
const practiceUrl = () => urlOf(practice)
/** This journey has its own database, because it restarts it. */
const databaseDir = () => path.join(dir, 'database')

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'machines-'))
  const ports = [await freePort(), await freePort()] as const
  balancer = await startBalancer(ports)
  await chmod(dir, 0o711) // for the database's own account, where we are root
  await mkdir(databaseDir(), { mode: 0o711 })
  database = await startDatabaseServer(databaseDir())
  await migrate(database.url)
  practice = await startPractice({ port: 0, dir: path.join(dir, 'practice'), appUrl: urlOf(balancer) })
  await control(practiceUrl(), 'POST', '/_control/settings', {
    tiktok_processing_ms: 100,
    tiktok_moderation_ms: 100,
    instagram_processing_ms: 100,
  })
  s3 = await startS3()
  const env = {
    ...s3.env,
    PUBLIC_URL: urlOf(balancer),
    PRACTICE: 'shared',
    PRACTICE_PORT: String(practice.port),
    PRACTICE_LIMITS: 'off',
    STORAGE_URL: `s3://${s3.config.bucket}/shared?endpoint=${s3.config.endpoint}`,
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'debug', // or repeats would be counted instead of written
    DRAIN_SECONDS: '3',
  }
  const machine = (name: string, more: Record<string, string>) =>
    createMachine({ ...env, DATA_DIR: path.join(dir, name), ...more })
  const web = (name: string, port: number) => machine(name, { ROLE: 'web', PORT: String(port) })
  const worker = (name: string) => machine(name, { ROLE: 'worker' })
  webs = [web('web 1', ports[0]), web('web 2', ports[1])]
  workers = [worker('worker 1'), worker('worker 2'), worker('worker 3')]
  await Promise.all([...webs, workers[0]].map((one) => one.start()))
  ada = await signUp({ url: urlOf(balancer) })
})
afterAll(async () => {
  await Promise.all([...webs, ...workers].map((one) => one.kill()))
  await balancer.stop()
  await practice.close()
  await s3.stop()
  await database.stop()
  await rm(dir, { recursive: true, force: true })
})

/** The same person, calling this server. */
const at = (server: { readonly port: number }): Person =>
  personWith({ url: urlOf(server) }, ada.email, ada.token)

/** Uploads one half of a video to each web server. @returns the video's id */
async function uploadAtBoth(): Promise<number> {
  const video = new Uint8Array(await sampleVideo().file.arrayBuffer())
  const half = Math.floor(video.length / 2)
  const id = await createUpload(at(webs[0]), video.length)
  expect((await patchUpload(at(webs[0]), id, 0, video.slice(0, half))).status).toBe(204)
  expect((await patchUpload(at(webs[1]), id, half, video.slice(half))).status).toBe(204)
  return until('the uploaded video', async () => {
    const upload = await at(webs[0]).call('getUpload', { params: { uploadId: id } })
    return upload.video?.video_id ?? null
  })
}

type Target = {
  readonly account_id: number
  readonly options: Record<string, unknown>
  readonly creator: string
  readonly name: string
}

/** Practice accounts of both platforms with the required options. */
async function linkAccounts(): Promise<Target[]> {
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const targets: Target[] = []
  for (const platform of ['tiktok', 'instagram'] as const) {
    const options = platform === 'tiktok' ? { privacy_level: 'PUBLIC_TO_EVERYONE' } : {}
    for (const creator of ['nova', 'atlas']) {
      const { account_id } = await linkAccount(ada, { platform, brandId, creator })
      targets.push({ account_id, options, creator, name: `${platform} ${creator}` })
    }
  }
  return targets
}

/** `post`: posts the video; `posts` and `wanted`: all that were made, and those that must be live. */
function makePosts(videoId: number) {
  const posts: Post[] = []
  const wanted: string[] = []
  return {
    posts,
    wanted,
    post: async (text: string, to: readonly Target[]) => {
      const body = { targets: to.map(({ account_id, options }) => ({ account_id, options })) }
      const made = await ada.call('createPost', { body: { video_id: videoId, text, ...body } })
      posts.push(made)
      wanted.push(...to.map(({ name }) => `${name}: ${text}`))
      return made
    },
    allOver: async () => {
      for (const one of posts) await until(`post ${one.post_id} to be over`, () => isOver(one))
    },
  }
}

it('several machines publish everything once, whichever of them ends and whenever', async () => {
  const targets = await linkAccounts()
  const { posts, wanted, post, allOver } = makePosts(await uploadAtBoth())
  const events = listen(at(webs[1]))
  const [ofNova, ofAtlas] = ['nova', 'atlas'].map((name) => targets.filter(({ creator }) => creator === name))

  // The worker dies after both platforms executed its calls, before their answers.
  await holdPublishing(['tiktok', 'instagram'])
  const first = await post('Opening day', ofNova ?? [])
  await heldAnswers(2)
  await workers[0].kill()
  await releaseHolds()
  await Promise.all(workers.map((worker) => worker.start()))

  // The database ends before the platforms' answers can be saved, and the dead worker's leases expire.
  await holdPublishing(['tiktok', 'instagram'])
  const second = await post('Second day', ofAtlas ?? [])
  await heldAnswers(2)
  const backAt = await restartDatabase(async () => {
    await releaseHolds()
    await until('both outcomes to wait for the database', async () => unsaved(second) === 2)
  })
  await until('others to go on', async () => await isOver(second))
  await events.heardOf(second)
  await until('others to take over', async () => await isOver(first))
  await events.heardOf(first)
  expect(failedAgain(backAt)).toEqual([])

  // The web servers and a worker are replaced one by one while people work.
  const streams = listen(at(balancer))
  // Few posts: a slow machine would otherwise reach the daily limits.
  let allowed = 0
  const load = startLoad(async () => {
    const n = posts.length
    if (n >= allowed) return false
    const half = targets.filter((_, i) => i % 2 === n % 2)
    await post(`Post ${n}`, half)
    return true
  })
  const onePost = async (when: string) => {
    allowed = posts.length + 1
    await until(`a post ${when}`, async () => posts.length === allowed)
    return posts.at(-1)
  }
  for (const machine of [...webs, workers[0]]) {
    if (machine === workers[0]) {
      await allOver()
      await occupyFirstWorker(() => post('While its worker ends', ofNova ?? []))
    }
    const [code] = await Promise.all([machine.stop(), releaseHolds(), onePost('while it ends')])
    expect(code).toBe(0)
    const missed = await onePost('while it is away')
    if (machine === webs[1]) await allOver()
    await machine.start()
    // The browser is told of a missed event, or there was none.
    if (machine === webs[1] && missed) await events.heardOf(missed)
    const begun = load.count()
    await until('requests to go on', async () => load.count() > begun + 5)
  }
  expect(await load.stop()).toEqual([])
  const last = await post('Closing time', targets)
  await streams.heardOf(last)

  // The other servers refuse tokens that one revoked.
  await at(webs[1]).call('signOutEverywhere')
  for (const web of webs) {
    const refused = await at(web).request('/user')
    expect(refused.status).toBe(401)
    await refused.text()
  }
  ada = await signIn({ url: urlOf(balancer) }, ada.email)

  await allOver()
  await until('the platforms to have nothing pending', async () => {
    const pending = (await control(practiceUrl(), 'GET', '/_control/pending')) as unknown[] // as their README says
    return pending.length === 0
  })
  const live = (await livePosts({ practiceUrl: practiceUrl() })).map(
    (one) => `${one.platform} ${one.account}: ${one.text}`,
  )
  expect(live.toSorted()).toEqual(wanted.toSorted())
  await Promise.all([events.stop(), streams.stop()])
})

const COMMIT_CALLS = { tiktok: 'final_chunk', instagram: 'publish' } as const

/** Each of these platforms delays the answer to its next publish call until it is released. */
async function holdPublishing(platforms: readonly (keyof typeof COMMIT_CALLS)[]): Promise<void> {
  for (const platform of platforms) {
    const fault = { platform, call: COMMIT_CALLS[platform], fault: 'hold', ms: 600_000 }
    await control(practiceUrl(), 'POST', '/_control/faults', fault)
  }
}
const holds = async () => (await control(practiceUrl(), 'GET', '/_control/holds')) as { id: number }[] // as their README says
const heldAnswers = (count: number) =>
  until(`platforms to hold ${count} answers`, async () => (await holds()).length === count)
async function releaseHolds(): Promise<void> {
  for (const { id } of await holds()) await control(practiceUrl(), 'DELETE', `/_control/holds/${id}`)
}

/** @returns the time (epoch ms) from which it answers again */
async function restartDatabase(meanwhile: () => Promise<void>): Promise<number> {
  await database.stop()
  await meanwhile()
  database = await startDatabaseServer(databaseDir())
  return Date.now()
}

/** The number of its deliveries whose result a worker could not save. */
function unsaved({ deliveries }: Post): number {
  const lines = workers.flatMap(({ log }) => log.filter(({ msg }) => /^outcome not saved|failed/.test(msg)))
  return deliveries.filter((one) => lines.some(({ delivery }) => delivery === one.delivery_id)).length
}

const NO_DATABASE =
  /ECONNREFUSED|ECONNRESET|EPIPE|57P|Connection terminated|Client has encountered a connection error/

/**
 * Automatic work of a process that failed more than once after the database was back. One attempt may have been in
 * progress; later ones must succeed.
 */
function failedAgain(since: number): string[] {
  expect(WORKER_SETTINGS.pollMs).toBeLessThanOrEqual(5_000) // the longest of these pauses
  return [...webs, ...workers].flatMap(({ log }) => {
    const lines = log
      .filter(
        ({ time, reqId, err }) => time > since && !reqId && NO_DATABASE.test(`${err?.code} ${err?.message}`),
      )
      .map(({ msg, delivery }) => `${msg} ${delivery ?? ''}`)
    return lines.filter((line, i) => lines.indexOf(line) !== i)
  })
}

/** Resolves while the first worker waits for the answer to its publish call; the other workers are suspended until then. */
async function occupyFirstWorker(makePost: () => Promise<Post>): Promise<void> {
  const others = workers.slice(1)
  others.forEach((one) => one.freeze())
  await holdPublishing(['instagram'])
  await makePost()
  await heldAnswers(1)
  others.forEach((one) => one.resume())
}

/** True once all its deliveries are published. Another final state fails the test. */
async function isOver({ post_id: postId }: Post): Promise<boolean> {
  const { deliveries } = await ada.call('getPost', { params: { postId } })
  const failed = deliveries.filter(({ status }) =>
    ['failed', 'blocked', 'cancelled', 'in_inbox'].includes(status),
  )
  expect(failed).toEqual([])
  return deliveries.every(({ status }) => status === 'published')
}

/** People who read, and one who posts now and then. */
function startLoad(write: () => Promise<boolean>) {
  const stopping = new AbortController()
  const failures: string[] = []
  let count = 0
  const repeat = async (ask: () => Promise<boolean>) => {
    while (!stopping.signal.aborted) {
      await ask().then(
        (asked) => (count += asked ? 1 : 0),
        (error: unknown) => failures.push(String(error instanceof Error ? (error.cause ?? error) : error)),
      )
      await sleep(250)
    }
  }
  const all = [
    repeat(async () => Boolean(await ada.call('listPosts'))),
    repeat(async () => Boolean(await ada.call('getOverview'))),
    repeat(write),
  ]
  return {
    count: () => count,
    async stop() {
      stopping.abort()
      await Promise.all(all)
      return failures
    },
  }
}
