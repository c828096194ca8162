import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProblemBody } from '#contract/http/problem.ts'
import {
  control,
  type TestServer,
  linkAccount,
  livePosts,
  PASSWORD,
  type Person,
  platformCalls,
  signIn,
  signUp,
  startTestServer,
  until,
} from '#test/support/test-server.ts'
import { pngFile } from '#test/support/png.ts'
import { postTikTok, schedulePost, uploadVideo } from '#test/support/publish.ts'
import { sampleVideo } from '#test/support/sample.ts'
import { clearStorage } from '../housekeeping.ts'
import { eraseUser } from './erase-user.ts'
import { authenticate } from './store.ts'

const DAY_MS = 24 * 3_600_000

let testServer: TestServer
let clock = 0
beforeAll(async () => {
  testServer = await startTestServer({ worker: true, now: () => Date.now() + clock })
})
afterAll(() => testServer.stop())

/** A user with everything but posts: an account, a brand with a logo, a video with a picture, a mailed code. */
async function settled(nickname: string, creator: string, sample = sampleVideo()) {
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'tiktok',
    username: creator,
  })
  const someone = await signUp(testServer, nickname)
  const { brand_id } = await someone.call('createBrand', { body: { title: `${nickname}'s` } })
  const { account_id } = await linkAccount(someone, { platform: 'tiktok', brandId: brand_id, creator })
  const video = await uploadVideo(someone, sample.file)
  const poster = new FormData()
  poster.append('poster', new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0])], 'poster.jpg'))
  await someone.request(`/videos/${video.video_id}/poster`, { method: 'PUT', body: poster })
  const logo = new FormData()
  logo.append('logo', new File([pngFile()], 'logo.png'))
  await someone.request(`/brands/${brand_id}/logo`, { method: 'PUT', body: logo })
  await identity('sendOobCode', { requestType: 'PASSWORD_RESET', email: someone.email })
  const { user_id, uid } = await someone.call('getUser')
  return { ...someone, userId: user_id, uid, accountId: account_id }
}
type Settled = Awaited<ReturnType<typeof settled>>

const send = (who: Person, method: string, address: string, body: object): Promise<Response> =>
  who.request(address, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const waitingForLocks = async (): Promise<number> => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(testServer.deps.db)
  return rows.length
}

/** Waits for the post's address: the delivery's row does not change afterwards. */
async function publish(someone: Settled): Promise<void> {
  const { post_id } = await postTikTok(someone, someone.accountId, sampleVideo())
  await until('the post to be live, and its address known', async () => {
    const { deliveries } = await someone.call('getPost', { params: { postId: post_id } })
    return deliveries[0]?.url ?? null
  })
}

async function identity(call: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${testServer.url}/identity/v1/accounts:${call}?key=reelay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await answer.json()) as Record<string, unknown> // the identity protocol's answer
}

/** A person's rows by table: all rows that refer to them, directly or not. */
async function rowsOf({ userId, uid, email }: Pick<Settled, 'userId' | 'uid' | 'email'>) {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and column_name in ('user_id', 'uid', 'email')`.execute(testServer.deps.db)
  const values: Record<string, number | string> = { user_id: userId, uid, email }
  const counted = columns.map(async ({ table, column }): Promise<[string, number]> => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)} where ${sql.ref(column)} = ${values[column]}`.execute(
      testServer.deps.db,
    )
    return [`${table}.${column}`, rows[0]?.n ?? 0]
  })
  return Object.fromEntries((await Promise.all(counted)).filter(([, n]) => n > 0))
}

async function filesKept(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of testServer.deps.storage.list()) keys.push(key)
  return keys
}

const readOnly = () => Promise.reject(new Error('read-only file system'))
const leave = (someone: Person) => someone.request('/user', { method: 'DELETE' })
const problemOf = async (answer: Response) => ({
  status: answer.status,
  code: ProblemBody.parse(await answer.json()).code,
})
const revocations = async (creator: string) =>
  (await platformCalls(testServer)).filter(({ call, account }) => call === 'revoke' && account === creator)
    .length

describe('deleting one’s account', () => {
  it('deletes all their data, revokes their access and affects no other user', async () => {
    // Equal videos have separate files per user.
    const sample = sampleVideo()
    const eve = await settled('Eve', 'eve_creator', sample)
    const ada = await settled('Ada', 'ada_creator', sample)
    await Promise.all([publish(eve), publish(ada)])
    const before = await rowsOf(eve)
    expect(Object.keys(await rowsOf(ada))).toEqual(
      expect.arrayContaining([
        'users.uid',
        'identity_users.uid',
        'identity_sessions.uid',
        'brands.user_id',
        'accounts.user_id',
        'videos.user_id',
        'posts.user_id',
        'deliveries.user_id',
        'delivery_events.user_id',
        'link_attempts.user_id',
      ]),
    )

    expect(await filesKept()).toHaveLength(8)

    expect((await leave(ada)).status).toBe(204)

    expect(await rowsOf(ada)).toEqual({})
    expect(await rowsOf(eve)).toEqual(before)
    const files = await sql<{ key: string }>`
      select storage_key as key from videos union select storage_key from posters
      union select logo_key from brands where logo_key is not null`.execute(testServer.deps.db)
    expect(files.rows).toHaveLength(4)
    expect((await filesKept()).toSorted()).toEqual(files.rows.map(({ key }) => key).toSorted())
    const orphans = await sql<{ n: number }>`
      select (select count(*) from posters where video_id not in (select video_id from videos))
           + (select count(*) from platform_call_slots where external_id not in (select external_id from accounts)) as n
    `.execute(testServer.deps.db)
    expect(Number(orphans.rows[0]?.n)).toBe(0)
    await until('the access to be taken back', async () => (await revocations('ada_creator')) === 1)
    expect(await revocations('eve_creator')).toBe(0)
    expect((await ada.request('/user')).status).toBe(401)
    expect(await identity('signInWithPassword', { email: ada.email, password: PASSWORD })).toMatchObject({
      error: { message: 'INVALID_LOGIN_CREDENTIALS' },
    })
    expect((await eve.call('listPosts')).items).toHaveLength(1)
  })

  it('needs a login within the last five minutes', async () => {
    const someone = await signUp(testServer)
    clock += 301_000
    expect(await problemOf(await leave(someone))).toEqual({ status: 403, code: 'login_again' })
    const again = await signIn(testServer, someone.email)
    expect((await leave(again)).status).toBe(204)
  })

  it("by the identity provider's own call deletes everything too", async () => {
    const someone = await settled('Bo', 'bo_creator')
    const { kind } = await identity('delete', { idToken: someone.token })
    expect(kind).toBe('identitytoolkit#DeleteAccountResponse')
    expect(await rowsOf(someone)).toEqual({})
    expect((await someone.request('/user')).status).toBe(401)
  })

  it('keeps the access to an account that another user has linked too', async () => {
    const one = await settled('One', 'shared_creator')
    const other = await settled('Other', 'shared_creator')
    await leave(one)
    expect((await other.request(`/accounts/${other.accountId}/options`)).status).toBe(200)
    expect(await revocations('shared_creator')).toBe(0)
  })

  it('stops running uploads, and the worker continues', async () => {
    const someone = await settled('Mid', 'mid_creator')
    const account = 'mid_creator'
    await control(testServer.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'init',
      fault: 'hold',
      account,
    })
    const before = (await livePosts(testServer)).length
    await postTikTok(someone, someone.accountId, sampleVideo())
    const held = await until('the post to be opened', async () => {
      const holds = await control(testServer.practiceUrl, 'GET', '/_control/holds')
      return (holds as { id: number }[])[0] ?? null // as its README describes it
    })
    expect((await leave(someone)).status).toBe(204)
    await control(testServer.practiceUrl, 'DELETE', `/_control/holds/${held.id}`)
    const other = await settled('After', 'after_creator')
    await publish(other)
    expect(await rowsOf(someone)).toEqual({})
    const calls = (await platformCalls(testServer)).filter((made) => made.account === account)
    expect(calls.map(({ call }) => call)).not.toContain('final_chunk')
    expect(await livePosts(testServer)).toHaveLength(before + 1)
  })

  it('at a hosted provider only a login after it creates the user again', async () => {
    const as = (authTime: number) => {
      const claims = { uid: 'hosted', email: 'h@example.test', emailVerified: true, name: null, authTime }
      const publicSettings = { mode: 'firebase', apiKey: 'k', projectId: 'p', authDomain: 'd' } as const
      const hosted = { verify: () => Promise.resolve(claims), publicSettings }
      return authenticate(
        { ...testServer.deps, identity: hosted, config: { signup: 'open', operatorEmail: null } },
        'token',
      )
    }
    const now = Math.floor(testServer.deps.now() / 1000)
    expect(await as(now - 60)).toMatchObject({ uid: 'hosted' })
    await eraseUser(testServer.deps, 'hosted')
    expect(await as(now - 60)).toBeNull()
    expect(await as(now + 60)).toMatchObject({ uid: 'hosted' })
  })

  it('succeeds beside another request of the user that holds a lock it needs', async () => {
    const someone = await settled('Busy', 'busy_creator')
    const { video_id } = await uploadVideo(someone)
    await schedulePost(someone, {
      videoId: video_id,
      text: 'Later',
      accountIds: [someone.accountId],
      inDays: 3,
    })
    const post_id = (await someone.call('listPosts')).items[0]?.post_id ?? 0
    const { db } = testServer.deps
    const holding = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const kept = db.transaction().execute(async (trx) => {
      await sql`select 1 from users where user_id = ${someone.userId} for key share`.execute(trx)
      holding.resolve()
      await release.promise
    })
    await holding.promise
    const others = db.transaction().execute(async (trx) => {
      // Detects deadlocks later than the deletion, so that PostgreSQL ends the deletion.
      await sql`set local deadlock_timeout = '10min'`.execute(trx)
      await sql`select 1 from posts where post_id = ${post_id} for update`.execute(trx)
      const erasing = eraseUser(testServer.deps, someone.uid)
      await until('the deletion to wait for the user', async () => (await waitingForLocks()) >= 1)
      const deliveries = sql`select 1 from deliveries where post_id = ${post_id} for update`.execute(trx)
      await until('the other to wait for the deletion', async () => (await waitingForLocks()) >= 2)
      release.resolve()
      await deliveries
      return { erasing }
    })
    await kept
    await (
      await others
    ).erasing
    expect(await rowsOf(someone)).toEqual({})
  })

  it('answers 401 to concurrent saves of the user', async () => {
    const someone = await signUp(testServer)
    const content = { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null }
    const saves = await testServer.deps.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('users').where('email', '=', someone.email).execute()
      const saved = [
        send(someone, 'PUT', `/drafts/${randomUUID()}`, { version: 0, content }),
        send(someone, 'POST', '/brands', { title: 'Late' }),
      ]
      await until('both to wait for the deletion', async () => (await waitingForLocks()) >= 2)
      return { saved }
    })
    for (const answer of await Promise.all(saves.saved))
      expect(await problemOf(answer)).toEqual({ status: 401, code: 'unauthorized' })
  })

  it('succeeds when a file cannot be deleted, and the file is swept after a day', async () => {
    const someone = await settled('Stray', 'stray_creator')
    const before = await filesKept()
    await eraseUser(
      { ...testServer.deps, storage: { ...testServer.deps.storage, delete: readOnly } },
      someone.uid,
    )
    expect(await rowsOf(someone)).toEqual({})
    expect((await filesKept()).toSorted()).toEqual(before.toSorted())
    await clearStorage({ ...testServer.deps, now: () => Date.now() + 2 * DAY_MS })
    const rows = await sql<{ key: string }>`
      select storage_key as key from videos where deleted_at is null union select storage_key from posters
      union select logo_key from brands where logo_key is not null`.execute(testServer.deps.db)
    expect((await filesKept()).toSorted()).toEqual(rows.rows.map(({ key }) => key).toSorted())
  })

  it('is refused, and shown as such in the settings, where only operators may delete', async () => {
    const strict = await startTestServer({ env: { IDENTITY_SELF_DELETION: 'off' } })
    const someone = await signUp(strict)
    expect(await problemOf(await leave(someone))).toEqual({ status: 403, code: 'forbidden' })
    expect((await someone.call('getSettings')).account).toEqual({ delete: false, sign_out_everywhere: true })
    await strict.stop()
  })
})

describe('signing out everywhere', () => {
  it('ends every session and every token, this one, too, and the streams; logging in goes on', async () => {
    const someone = await signUp(testServer)
    const other = await signIn(testServer, someone.email)
    const stranger = await signUp(testServer)
    const { refreshToken } = await identity('signInWithPassword', {
      email: someone.email,
      password: PASSWORD,
    })
    const stream = await other.request('/events')
    const ended = (async () => {
      for await (const _ of stream.body ?? []) continue
    })().catch(() => {})
    await someone.call('signOutEverywhere')
    await ended
    for (const who of [someone, other]) expect((await who.request('/user')).status).toBe(401)
    const renewed = await fetch(`${testServer.url}/identity/v1/token?key=reelay`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(refreshToken) }),
    })
    expect(await renewed.json()).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } })
    expect((await stranger.request('/user')).status).toBe(200)
    expect((await (await signIn(testServer, someone.email)).request('/user')).status).toBe(200)
  })
})
