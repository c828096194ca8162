import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Post } from '#contract/posts.ts'
import { openBackupFolder } from '#server/backup/backup-folder.ts'
import { type Practice, startPractice } from '#simulators/practice.ts'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { startS3, type TestS3 } from '../../support/s3-server.ts'
import { delivered, signUpToPost } from '../../support/publish.ts'
import { control, livePosts, type Person, personWith, type TestServer } from '../../support/test-server.ts'
import { createMachine, type Machine } from './machine.ts'

const run = promisify(execFile)

let dir: string
let practice: Practice
let s3: TestS3
let database: Awaited<ReturnType<typeof createTestDatabase>>
let env: Record<string, string>
const machines: Machine[] = []

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-backup-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  database = await createTestDatabase()
  s3 = await startS3()
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  practice = await startPractice({ port: 0, dir: path.join(dir, 'practice'), appUrl: publicUrl })
  const settings = { tiktok_processing_ms: 0, tiktok_moderation_ms: 0, tiktok_rate_limits: false }
  await control(practiceUrl(), 'POST', '/_control/settings', settings)
  env = {
    PUBLIC_URL: publicUrl,
    PORT: String(port),
    PRACTICE: 'shared',
    PRACTICE_PORT: String(practice.port),
    PRACTICE_LIMITS: 'off',
    XDG_STATE_HOME: path.join(dir, 'state'),
    LOG_LEVEL: 'warn',
  }
})
afterAll(async () => {
  await Promise.all(machines.map((one) => one.stop()))
  await practice.close()
  await s3.stop()
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

const practiceUrl = () => `http://127.0.0.1:${practice.port}`
const SECRET_KEY = randomBytes(32).toString('hex')
const PASSPHRASE = 'correct horse battery'
const external = () => ({ DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: path.join(dir, 'one') })
const embedded = () => ({ DATA_DIR: path.join(dir, 'other') })
const folder = () => path.join(dir, 'backups')
const bucket = () =>
  `s3://${s3.config.bucket}/backups?endpoint=${encodeURIComponent(s3.config.endpoint)}&region=${s3.config.region}`

function machine(more: Record<string, string>): Machine {
  const made = createMachine({ ...env, ...more })
  machines.push(made)
  return made
}

/** What a command prints; its errors reject with what it says. */
async function command(name: 'backup' | 'restore', more: Record<string, string>, ...args: string[]) {
  const program = fileURLToPath(new URL(`../../../src/server/${name}-cli.ts`, import.meta.url))
  const its = { PATH: process.env['PATH'], ...env, ...s3.env, ...more }
  const { stdout } = await run(process.execPath, [program, ...args], { env: its })
  return stdout
}

/** Sends a post as a script does, until the server has room for the call. */
async function sendWithKey(script: Person, body: object): Promise<Response> {
  const answer = await script.request('/posts', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': 'campaign-7' },
  })
  if (answer.status !== 429) return answer
  await sleep(Number(answer.headers.get('retry-after')) * 1000)
  return sendWithKey(script, body)
}

it('a backup of a running server is restored into another database, and nothing goes out twice', async () => {
  const server = machine(external())
  await server.start()
  const url = `http://127.0.0.1:${server.port}`
  const owner = await signUpToPost({ url, practiceUrl: practiceUrl() } as TestServer)
  const { person, tiktok, videoId } = owner
  await server.stop()
  await server.start('--hold')
  const due = await person.call('createPost', {
    body: {
      video_id: videoId,
      text: 'Due',
      targets: [{ account_id: tiktok, options: { privacy_level: 'PUBLIC_TO_EVERYONE' } }],
    },
  })
  const { secret } = await person.call('createApiKey', {
    body: { name: 'Script', scopes: ['publish'], expires_in_days: 90 },
  })
  const inFiveDays = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 16)
  const body = {
    video_id: videoId,
    text: 'Planned',
    targets: [{ account_id: tiktok }],
    publish_at: { local: inFiveDays, timezone: 'UTC' },
  }
  const script = personWith({ url }, person.email, secret)
  const answers = await Promise.all(Array.from({ length: 50 }, () => sendWithKey(script, body)))
  const planned = Post.parse(await answers[0]?.json())
  const ids = answers.slice(1).map(async (answer) => Post.parse(await answer.json()).post_id)
  expect(new Set(await Promise.all(ids))).toEqual(new Set([planned.post_id]))

  const said = await command('backup', { ...external(), BACKUP_PASSPHRASE: PASSPHRASE }, bucket(), '--key')
  expect(said).toMatch(
    /^Backup \S+ in .*: \d+ rows, 1 files, \d+ bytes copied\. Its tables were read back\.\n/,
  )
  await command('backup', external(), folder())
  expect(await command('backup', external(), folder())).toContain('1 files, 0 bytes copied')

  // It goes on, and posts.
  await server.stop()
  await server.start()
  await delivered(person, due, ['published'])
  await server.stop()

  const restore = () => command('restore', { ...embedded(), BACKUP_PASSPHRASE: PASSPHRASE }, bucket())
  await expect(command('restore', embedded(), bucket())).rejects.toThrow(
    'BACKUP_PASSPHRASE is not the one with which it was saved',
  )
  await expect(command('restore', external(), folder())).rejects.toThrow('The database has users already')
  expect(await restore()).toContain('is restored, with 1 files.')
  const other = machine(embedded())
  expect(await other.start()).toContain('2 posts are held')
  const here = personWith({ url }, person.email, person.token)
  for (const post of [due, planned] satisfies Post[])
    expect(await delivered(here, post, ['blocked'])).toMatchObject({ cause: 'restored' })
  const { url: playback } = await here.call('createPlayback', { params: { videoId } })
  expect((await fetch(new URL(playback, url))).status).toBe(200)
  const again = await sendWithKey(script, body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(Post.parse(await again.json()).post_id).toBe(planned.post_id)
  expect((await here.call('listPosts')).items).toHaveLength(2)
  await here.call('createBrand', { body: { title: 'After it' } })
  expect((await livePosts({ practiceUrl: practiceUrl() })).map(({ text }) => text)).toEqual(['Due'])
  await other.stop()
})

it('a damaged backup is refused, and leaves the database empty', async () => {
  const backups = await openBackupFolder({ dir: folder() })
  const [earlier = '', latest = ''] = await backups.list()
  const { tables } = await backups.readManifest(latest)
  const { key = '' } = tables.find(({ name }) => name === 'posts') ?? {}
  await writeFile(path.join(folder(), 'content/files', key), 'no gzip')
  const target = { DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: path.join(dir, 'third') }
  const empty = await createTestDatabase()
  const into = { ...target, DATABASE_URL: empty.url }
  await expect(command('restore', into, folder())).rejects.toThrow('The backup cannot be read: posts')
  expect(await command('restore', into, folder(), earlier)).toContain(`The backup ${earlier} is restored`)
  await empty.drop()
})

it('a database of something else is left as it is', async () => {
  const others = await createTestDatabase()
  const client = new Client({ connectionString: others.url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  await client.query('create table schema_migrations (version text); create table users (id int)')
  await client.query('create table invoices (id int); insert into invoices values (1)')
  await client.end()
  const into = { DATABASE_URL: others.url, SECRET_KEY, DATA_DIR: path.join(dir, 'fourth') }
  await expect(command('restore', into, folder())).rejects.toThrow(
    'The database has tables of something else',
  )
  const again = new Client({ connectionString: others.url })
  await again.connect()
  expect((await again.query('select id from invoices')).rows).toEqual([{ id: 1 }])
  await again.end()
  await others.drop()
})
