import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { type Practice, startPractice } from '#simulators/practice.ts'
import { copyCluster } from '../../support/database/cluster.ts'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { delivered, schedulePost, uploadVideo } from '../../support/publish.ts'
import {
  control,
  linkAccount,
  livePosts,
  type Person,
  personWith,
  signUp,
  until,
} from '../../support/test-server.ts'
import { createMachine, type Machine } from './machine.ts'

const run = promisify(execFile)

let dir: string
let practice: Practice
let practiceUrl: string
let env: Record<string, string>
const machines: Machine[] = []

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-restored-'))
  await chmod(dir, 0o711) // for the database's own account, where we are root
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  practice = await startPractice({ port: 0, dir: path.join(dir, 'practice'), appUrl: publicUrl })
  practiceUrl = `http://127.0.0.1:${practice.port}`
  await control(practiceUrl, 'POST', '/_control/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
    // One creator gets more posts in a minute than TikTok takes.
    tiktok_rate_limits: false,
  })
  env = {
    PUBLIC_URL: publicUrl,
    PORT: String(port),
    PRACTICE: 'shared',
    PRACTICE_PORT: String(practice.port),
    PRACTICE_LIMITS: 'off',
    SECRET_KEY: randomBytes(32).toString('hex'),
    XDG_STATE_HOME: path.join(dir, 'state'),
    LOG_LEVEL: 'warn',
  }
})
afterEach(async () => {
  await Promise.all(machines.map((one) => one.stop()))
})
afterAll(async () => {
  await practice.close()
  await rm(dir, { recursive: true, force: true })
})

function machine(name: string, more: Record<string, string> = {}): Machine {
  const made = createMachine({ ...env, DATA_DIR: path.join(dir, name), ...more })
  machines.push(made)
  return made
}

type User = { person: Person; account: AccountId; video: VideoId }

async function makeUser(server: Machine): Promise<User> {
  const person = await signUp({ url: `http://127.0.0.1:${server.port}` })
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id: account } = await linkAccount(person, { platform: 'tiktok', brandId })
  const { video_id: video } = await uploadVideo(person)
  return { person, account, video }
}

/** The same person, calling another server with the same users. */
const at = (server: Machine, { person }: User): Person =>
  personWith({ url: `http://127.0.0.1:${server.port}` }, person.email, person.token)

const TIKTOK = { privacy_level: 'PUBLIC_TO_EVERYONE' }

/** A post that is due at once. */
const makePost = ({ person, account, video }: User, text: string): Promise<Post> =>
  person.call('createPost', {
    body: { video_id: video, text, targets: [{ account_id: account, options: TIKTOK }] },
  })

const planPost = ({ person, account, video }: User, text: string): Promise<Post> =>
  schedulePost(person, { videoId: video, text, accountIds: [account], inDays: 5 })

const timesLive = async (text: string): Promise<number> =>
  (await livePosts({ practiceUrl })).filter((post) => post.text === text).length

const HELD = { cause: 'restored', reason: { message: REASONS.restored.message } }

/** Each post is held with the right reason, and earlier ones are live once. */
async function expectHeld(person: Person, posts: readonly Post[], live: number): Promise<void> {
  for (const post of posts) {
    const delivery = await delivered(person, post, ['blocked'])
    expect(delivery).toMatchObject(HELD)
    expect(delivery.actions).toEqual(['resolve_live', 'retry', 'cancel'])
    expect(await timesLive(post.text)).toBe(live)
  }
}

const sayThatLive = async (person: Person, posts: readonly Post[]): Promise<void> => {
  for (const { deliveries } of posts)
    for (const { delivery_id: deliveryId } of deliveries)
      await person.call('resolveDelivery', { params: { deliveryId }, body: { outcome: 'live' } })
}

const folder = (name: string) => path.join(dir, name)
const copy = (from: string, to: string) => run('cp', ['-a', folder(from), folder(to)])

describe('the embedded database', () => {
  let server: Machine
  let ada: User

  beforeAll(async () => {
    await mkdir(folder('data'), { mode: 0o711 })
    await copyCluster(path.join(folder('data'), 'postgres'))
    server = machine('data')
    await server.start()
    ada = await makeUser(server)
    await server.stop()
  })

  it('posts nothing twice after a snapshot was put back, and nothing while it is started with --hold', async () => {
    expect(await server.start('--hold')).toContain('Started with --hold: nothing is posted')
    const url = `http://127.0.0.1:${server.port}`
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ok', posting: 'held' })
    const { notice } = await ada.person.call('getSettings', {})
    expect(notice).toContain('This server was started without posting')
    const posts = [await makePost(ada, 'One'), await makePost(ada, 'Two'), await makePost(ada, 'Three')]
    const planned = await planPost(ada, 'In five days')
    await server.stop()
    await copy('data', 'snapshot')
    expect(await server.start()).toBe('')
    for (const post of posts) await delivered(ada.person, post, ['published'])
    await server.stop()

    await rm(folder('data'), { recursive: true })
    await copy('snapshot', 'data')
    const said = await server.start()
    expect(said).toContain(
      'These data were restored or copied (older than what was here last, other files): 4 posts are held',
    )
    expect(said).toContain('npm start -- --moved')
    await expectHeld(ada.person, posts, 1)
    expect(await delivered(ada.person, planned, ['blocked'])).toMatchObject({
      cause: 'restored',
      reason: { message: REASONS.restoredPlanned.message },
      due_at: planned.deliveries[0]?.due_at,
      actions: ['resume_planned', 'retry', 'cancel'],
    })

    await sayThatLive(ada.person, posts)
    expect(await ada.person.call('decideRestored', { body: { decision: 'resume_planned' } })).toMatchObject({
      decided: 1,
      missed: 0,
    })
    expect(await delivered(ada.person, planned, ['scheduled'])).toMatchObject({
      due_at: planned.deliveries[0]?.due_at,
    })
    // The restored data belong to this server now: new posts go out.
    await delivered(ada.person, await makePost(ada, 'After the restore'), ['published'])
    await server.stop()
    expect(await server.start()).toBe('')
  })

  it('notices a snapshot that was written over the files, by the mark outside it', async () => {
    await server.start('--hold')
    const post = await makePost(ada, 'Written over')
    await server.stop()
    await copy('data', 'written')
    await server.start()
    await delivered(ada.person, post, ['published'])
    await server.stop()

    await run('cp', ['-a', `${folder('written')}/.`, folder('data')])
    expect(await server.start()).toContain('(older than what was here last)')
    await expectHeld(ada.person, [post], 1)
    await sayThatLive(ada.person, [post])
    await server.stop()
  })

  it('a copy beside the running server posts nothing, and the server posts once', async () => {
    await server.start('--hold')
    const post = await makePost(ada, 'Beside')
    await server.stop()
    await copy('data', 'beside')
    const copied = machine('beside', { PORT: String(await freePort()) })
    expect(await copied.start()).toContain('restored or copied (other files)')
    await expectHeld(at(copied, ada), [post], 0)
    expect(await server.start()).toBe('')
    await delivered(ada.person, post, ['published'])
    await copied.stop()
    await server.stop()
    expect(await timesLive('Beside')).toBe(1)
  })

  it('data that were only moved go on with --moved, and those of --restored are held', async () => {
    await server.start('--hold')
    const post = await makePost(ada, 'Moved')
    await server.stop()
    await copy('data', 'moved')
    const moved = machine('moved')
    await moved.start()
    await expectHeld(ada.person, [post], 0)
    await moved.stop()
    expect(await moved.start('--moved')).toContain('Taken as moved.')
    await delivered(ada.person, post, ['published'])
    expect(await timesLive('Moved')).toBe(1)
    const planned = await planPost(ada, 'Rolled back')
    await moved.stop()
    // Where nothing shows it, only the operator can say so.
    expect(await moved.start('--restored')).toContain('(as --restored says)')
    expect(await delivered(ada.person, planned, ['blocked'])).toMatchObject({ cause: 'restored' })
  })
})

const databaseName = (url: string): string => new URL(url).pathname.slice(1)

const withDatabase = (url: string, name: string): string => {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

const query = async (url: string, ...statements: readonly string[]): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const admin = (...statements: readonly string[]) =>
  query(process.env['TEST_DATABASE_URL'] ?? '', ...statements)

describe('a database of its own', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  let server: Machine
  let ada: User
  beforeAll(async () => {
    database = await createTestDatabase()
    server = machine('external', { DATABASE_URL: database.url })
    await server.start()
    ada = await makeUser(server)
    await server.stop()
  })
  afterAll(async () => {
    await admin(`drop database if exists ${databaseName(database.url)}_copy with (force)`)
    await database.drop()
  })

  it('posts nothing twice after its database was made anew from a copy', async () => {
    const name = databaseName(database.url)
    await server.start('--hold')
    const posts = [await makePost(ada, 'First'), await makePost(ada, 'Second')]
    await server.stop()
    await admin(`create database ${name}_copy template ${name}`)
    await server.start()
    for (const post of posts) await delivered(ada.person, post, ['published'])
    await server.stop()

    await admin(`drop database ${name} with (force)`, `create database ${name} template ${name}_copy`)
    expect(await server.start()).toContain(
      '(older than what was here last, another database of the cluster): 2 posts are held',
    )
    await expectHeld(ada.person, posts, 1)
    await sayThatLive(ada.person, posts)
    await server.stop()
    expect(await server.start()).toBe('')
  })

  it('a copy in another database beside the running server posts nothing', async () => {
    const name = databaseName(database.url)
    await server.start('--hold')
    const post = await makePost(ada, 'Copied')
    await server.stop()
    await admin(
      `drop database if exists ${name}_copy with (force)`,
      `create database ${name}_copy template ${name}`,
    )
    const copied = machine('external copy', {
      DATABASE_URL: withDatabase(database.url, `${name}_copy`),
      PORT: String(await freePort()),
    })
    expect(await copied.start()).toContain('(another database of the cluster)')
    await expectHeld(at(copied, ada), [post], 0)
    await server.start()
    await delivered(ada.person, post, ['published'])
    await copied.stop()
    await server.stop()
    expect(await timesLive('Copied')).toBe(1)
  })

  it('notices while it runs that its tables were filled from a copy', async () => {
    const asOwner = withDatabase(process.env['TEST_DATABASE_URL'] ?? '', databaseName(database.url))
    await server.start('--hold')
    const post = await makePost(ada, 'Filled again')
    await query(asOwner, SAVE_TABLES)
    await server.stop()
    await server.start()
    await delivered(ada.person, post, ['published'])
    await query(asOwner, FILL_TABLES)
    await until('a word in the log', async () =>
      server.log.some(({ msg }) => msg.includes('restored or copied')),
    )
    await expectHeld(ada.person, [post], 1)
    await server.stop()
    expect(await timesLive('Filled again')).toBe(1)
  })
})

/** Like a dump of the data alone. */
const SAVE_TABLES = `create schema saved; do $$ declare one text; begin
  for one in select tablename from pg_tables where schemaname = 'public' loop
    execute format('create table saved.%I as table public.%I', one, one);
  end loop; end $$`
const FILL_TABLES = `begin; set local session_replication_role = replica; do $$ declare one text; columns text; begin
  for one, columns in select table_name, string_agg(quote_ident(column_name), ',') from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' group by table_name order by table_name loop
    execute format('delete from public.%I', one);
    execute format('insert into public.%I (%s) overriding system value select %s from saved.%I', one, columns, columns, one);
  end loop; end $$; commit`
