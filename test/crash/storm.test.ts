import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { COMPILED, PROGRAM } from '../support/program.ts'
import { copyCluster } from '../support/database/cluster.ts'
import { freePort } from '../support/ports/free-port.ts'
import { control, linkAccount, livePosts, signUp, until, type Person } from '../support/test-server.ts'
import { uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'

// The real program with its own database and leases, killed repeatedly while people use it.

const POSTS = 12
const ACCOUNTS_A_PLATFORM = 4
const KILLS = 3
const BETWEEN_KILLS_MS = 2_500
/** On a busy machine a start takes longer than the time between two kills. */
const PATIENCE_MS = 600_000

let dir: string
let env: Record<string, string>
let server: ChildProcess
let testServer: { url: string; practiceUrl: string }

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-storm-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const [port, practicePort] = [await freePort(), await freePort()]
  env = {
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    PRACTICE_PORT: String(practicePort),
    PRACTICE_LIMITS: 'off',
    DATA_DIR: dir,
    LOG_LEVEL: 'fatal',
    ...COMPILED,
  }
  testServer = { url: `http://127.0.0.1:${port}`, practiceUrl: `http://127.0.0.1:${practicePort}` }
  await copyCluster(path.join(dir, 'postgres'))
  server = await start()
})
afterAll(async () => {
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
  await rm(dir, { recursive: true, force: true })
})

async function start(): Promise<ChildProcess> {
  const child = fork(PROGRAM, { env, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (said: string) => said.includes('Reelay is at') && resolve())
    child.once('exit', () => reject(new Error('Reelay ended before it was ready.')))
  })
  return child
}

it(`${POSTS} posts are live once on each account, unchanged, after ${KILLS} kills of the server`, async () => {
  const someone = await signUp(testServer)
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { tiktok_rate_limits: false })
  const accounts = await linkAll(someone)
  const samples = Array.from({ length: POSTS }, () => sampleVideo())

  const storm = kills()
  for (const [index, { file }] of samples.entries()) {
    const account = accounts[index % accounts.length]
    if (account === undefined) throw new Error('No account was linked.')
    await persistently(async () => {
      const { video_id } = await uploadVideo(someone, file)
      const answer = await someone.request('/posts', {
        method: 'POST',
        // `sent-once.spec.ts` shows that a repeated press after a lost answer sends the same key.
        headers: { 'content-type': 'application/json', 'idempotency-key': `storm-${index}` },
        body: JSON.stringify({
          video_id: videos.get(index) ?? remember(index, video_id),
          text: `Storm ${index}`,
          targets: [{ account_id: account.account_id, options: REQUIRED_OPTIONS[account.platform] }],
        }),
      })
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    })
  }
  await storm
  await until(
    'every post to be published',
    async () => {
      const { counts } = await someone.call('listPosts')
      return counts.published === POSTS
    },
    PATIENCE_MS,
  )
  const live = await livePosts(testServer)
  expect(live.map(({ sha256 }) => sha256).toSorted()).toEqual(samples.map(({ sha256 }) => sha256).toSorted())
  expect(new Set(live.map(({ text }) => text)).size).toBe(POSTS)
}, 1_200_000)

/** The same key must come with the same content: the video of the first try. */
const videos = new Map<number, number>()
function remember(index: number, videoId: number): number {
  videos.set(index, videoId)
  return videoId
}

async function linkAll(someone: Person): Promise<Account[]> {
  const { brand_id } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  const accounts: Account[] = []
  for (let number = 0; number < ACCOUNTS_A_PLATFORM; number++) {
    for (const platform of PLATFORM_IDS) {
      const creator = `storm${number}`
      await control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform, username: creator })
      accounts.push(await linkAccount(someone, { platform, brandId: brand_id, creator }))
    }
  }
  return accounts
}

async function kills(): Promise<void> {
  for (let number = 0; number < KILLS; number++) {
    await pause(BETWEEN_KILLS_MS)
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
    server = await start()
  }
}

/** Retries after errors, like a user. */
async function persistently(attempt: () => Promise<void>): Promise<void> {
  await until(
    'the server to take a post',
    async () => {
      try {
        await attempt()
        return true
      } catch {
        await pause(100)
        return false
      }
    },
    PATIENCE_MS,
  )
}
