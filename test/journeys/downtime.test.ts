import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { AccountId, PostId, ScheduleId, VideoId } from '#contract/ids.ts'
import { openDb, type Db } from '#base/db/open.ts'
import { spreadOver } from '#domain/schedule/schedule.ts'
import { startPractice } from '#simulators/practice.ts'
import { COMPILED } from '../support/program.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { startMailServer, type MailServer } from '../support/mail-server.ts'
import { freePort } from '../support/ports/free-port.ts'
import { uploadVideo } from '../support/publish.ts'
import {
  control,
  linkAccount,
  livePosts,
  platformCalls,
  signIn,
  signUp,
  until,
  type Person,
} from '../support/test-server.ts'

const PROGRAM = fileURLToPath(new URL('../crash/processes/server.ts', import.meta.url))
/** A Monday in Lisbon, the schedule's zone. */
const DAY = '2031-07-07'
const at = (time: string) => Date.parse(`${DAY}T${time}+01:00`)

let db: Db
let mails: MailServer
let practiceUrl: string
let env: Record<string, string>
let server: ChildProcess | null = null
let clockMs = 0
let stop: () => Promise<void>

beforeAll(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-downtime-'))
  const [database, port, mailServer] = await Promise.all([
    createTestDatabase(),
    freePort(),
    startMailServer(),
  ])
  const appUrl = `http://localhost:${port}`
  const practice = await startPractice({ port: 0, dir: path.join(dir, 'practice'), appUrl })
  practiceUrl = `http://127.0.0.1:${practice.port}`
  await control(practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 200 })
  mails = mailServer
  db = openDb(database.url)
  env = {
    PORT: String(port),
    PRACTICE_PORT: String(practice.port),
    DATA_DIR: dir,
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('hex'),
    SMTP_URL: mailServer.url,
    LOG_LEVEL: 'error',
  }
  stop = async () => {
    await kill()
    await db.destroy()
    await practice.close()
    await mailServer.close()
    await database.drop()
    await rm(dir, { recursive: true, force: true })
  }
})
afterEach(() => kill())
afterAll(() => stop())

const startAt = (time: string): Promise<{ url: string }> => startWith(at(time) - Date.now())

/** @param clock how far its clock is ahead, in ms */
async function startWith(clock: number): Promise<{ url: string }> {
  clockMs = clock
  const child = fork(PROGRAM, {
    env: { PATH: process.env['PATH'], ...COMPILED, ...env, CLOCK_MS: String(clockMs) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  server = child
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the server could not start')))
  ended.catch(() => {})
  await Promise.race([once(child, 'message'), ended])
  return { url: `http://127.0.0.1:${env['PORT']}` }
}

async function kill(): Promise<void> {
  if (server === null || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

/** Never moves the clock back. */
function moveTo(time: number): void {
  if (Date.now() + clockMs >= time) return
  clockMs = time - Date.now()
  server?.send({ clockMs })
}

const read = async (someone: Person, postId: PostId) => {
  const [delivery] = (await someone.call('getPost', { params: { postId } })).deliveries
  if (!delivery) throw new Error(`post ${postId} has no delivery`)
  return delivery
}

/** A late post waits a minute for each earlier one of its account. */
const published = (someone: Person, postId: PostId) =>
  until(`post ${postId} to be published`, async () => {
    const { status, due_at } = await read(someone, postId)
    if (status === 'scheduled' && due_at !== null) moveTo(Date.parse(due_at) + 1)
    return status === 'published'
  })

const listNotifications = async (someone: Person) =>
  (await someone.call('listNotifications', { query: {} })).items.map(({ kind, post_id }) => [kind, post_id])

type Target = { scheduleId: ScheduleId; videoId: VideoId; account: AccountId }

const postInNextSlot = async (someone: Person, text: string, { scheduleId, videoId, account }: Target) => {
  const { post_id } = await someone.call('createPost', {
    body: {
      video_id: videoId,
      text,
      targets: [{ account_id: account, options: {} }],
      schedule: { schedule_id: scheduleId, place: 'next' },
    },
  })
  return post_id
}

it('a posting schedule goes on over a kill: each post once, the missed and its mail told once', async () => {
  const first = await startAt('10:00:00')
  const ada = await signUp(first)
  await sql`update identity_users set email_verified = true`.execute(db)
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const link = async (platform: 'instagram' | 'tiktok') =>
    (await linkAccount(ada, { platform, brandId: brand_id })).account_id
  const [instagram, tiktok] = [await link('instagram'), await link('tiktok')]
  const { video_id: videoId } = await uploadVideo(ada)
  const slots = ['11:00', '11:30', '11:45', '12:00', '18:00'].map((time) => ({
    weekday: 1,
    time,
    platforms: null,
  }))
  const { schedule_id: scheduleId } = await ada.call('createSchedule', {
    body: { brand_id, name: 'Mondays', slots },
  })
  const open = { scheduleId, videoId, account: instagram }
  const missed = await postInNextSlot(ada, 'At eleven', open)
  const late = [
    await postInNextSlot(ada, 'At half past', open),
    await postInNextSlot(ada, 'At a quarter to', open),
  ]
  const paused = await postInNextSlot(ada, 'At noon', { ...open, account: tiktok })
  const evening = await postInNextSlot(ada, 'At six', open)
  expect((await read(ada, evening)).due_at).toBe(new Date(at('18:00:00')).toISOString())
  await ada.call('pauseAccount', { params: { accountId: tiktok }, body: { paused: true } })
  // The workers must have run before the kill.
  await until('a heartbeat', async () => {
    const { rows } = await sql<{
      seen: boolean
    }>`select seen_at is not null as seen from worker_heartbeat`.execute(db)
    return rows[0]?.seen ?? false
  })
  await kill()

  const noon = await signIn(await startAt('12:15:00'), ada.email)
  for (const post of late) await published(noon, post)
  const held = async (someone: Person, post: PostId, cause: string) =>
    until(`post ${post} to be held`, async () => (await read(someone, post)).cause === cause)
  await held(noon, missed, 'missed')
  await held(noon, paused, 'paused')
  await until('a notification', async () => (await listNotifications(noon)).length > 0)
  // The mail is due a minute after it. A kill while it is handed over would lose it: mails are sent at most once.
  moveTo(at('12:20:00'))
  const toAda = () => mails.taken.filter(({ to, raw }) => to.includes(ada.email) && raw.includes('At eleven'))
  await until('the mail', async () => toAda().length > 0)
  const outbox = () => sql`select from outbox`.execute(db)
  await until('nothing left to tell', async () => (await outbox()).rows.length === 0)
  await kill()

  const six = await signIn(await startAt('18:00:10'), ada.email)
  await published(six, evening)
  await kill()

  const end = await signIn(await startAt('23:00:00'), ada.email)
  expect(await listNotifications(end)).toEqual([['missed', missed]])
  expect(toAda()).toHaveLength(1)
  expect((await read(end, missed)).cause).toBe('missed')
  expect((await read(end, paused)).cause).toBe('paused')
  const live = (await livePosts({ practiceUrl })).map(({ text }) => text)
  expect(live.toSorted()).toEqual(['At a quarter to', 'At half past', 'At six'])
  const calls = await platformCalls({ practiceUrl })
  expect(calls.filter(({ call, status }) => call === 'publish' && status === 200)).toHaveLength(3)
})

it('a post spread over twenty accounts goes out once each, at its own minute, across a kill', async () => {
  const started = await startAt('23:10:00')
  const eve = await signUp(started, 'Eve')
  const { brand_id: brandId } = await eve.call('createBrand', { body: { title: 'Harbour' } })
  // Twenty links within seconds of the platform's own clock.
  await control(practiceUrl, 'POST', '/_control/settings', { tiktok_rate_limits: false })
  const accounts: AccountId[] = []
  for (let nth = 0; nth < 20; nth += 1) {
    const [platform, creator] = [nth % 2 === 0 ? 'tiktok' : 'instagram', `spread_${nth}`] as const
    await control(practiceUrl, 'POST', '/_control/accounts', { platform, username: creator })
    accounts.push((await linkAccount(eve, { platform, brandId, creator })).account_id)
  }
  const { video_id } = await uploadVideo(eve)
  const minutes = spreadOver(accounts.length, 60)
  expect(new Set(minutes).size).toBe(20)
  const { post_id: postId } = await eve.call('createPost', {
    body: {
      video_id,
      text: 'Twenty in an hour',
      targets: accounts.map((account_id, nth) => ({ account_id, after_minutes: minutes[nth] })),
      publish_at: { local: `${DAY}T23:20`, timezone: 'Europe/Lisbon' },
    },
  })

  let someone = eve
  const statuses = async () =>
    (await someone.call('getPost', { params: { postId } })).deliveries.map(({ status }) => status)
  for (const [nth, after] of minutes.entries()) {
    const due = at('23:20:00') + after * 60_000
    moveTo(due - 1_000)
    expect((await statuses()).filter((status) => status === 'scheduled')).toHaveLength(20 - nth)
    moveTo(due + 1)
    if (nth === 9) {
      await until('the tenth to begin', async () => (await statuses())[9] !== 'scheduled')
      await kill()
      await startWith(clockMs)
      someone = await signIn(started, eve.email)
    }
    await until(`account ${nth} to have it`, async () => (await statuses())[nth] === 'published')
  }
  const live = (await livePosts({ practiceUrl })).filter(({ text }) => text === 'Twenty in an hour')
  expect(new Set(live.map(({ account }) => account)).size).toBe(20)
  expect(live).toHaveLength(20)
})
