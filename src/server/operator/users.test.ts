import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { explainScans, sumRows } from '#test/support/database/explain.ts'
import { waiting, whileLocked } from '#test/support/lock-waits.ts'
import { delivered, uploadVideo } from '#test/support/publish.ts'
import { QUICK } from '#test/support/quick-worker.ts'
import {
  control,
  linkAccount,
  livePosts,
  PASSWORD,
  type Person,
  platformCalls,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import type { Worker } from '../deliveries/worker/worker.ts'
import { startWorkers } from '../start-workers.ts'
import { workerDeps } from '../worker-deps.ts'
import { usersQuery } from './users.ts'

let testServer: TestServer
let operator: Person
let eve: Person
let eveId: number
let account: Account
let aheadMs = 0
let worker: Pick<Worker, 'stop'> | null = null

beforeAll(async () => {
  testServer = await startTestServer({
    env: { OVERDUE_GRACE_MINUTES: '5', PRACTICE_LIMITS: 'off', STORAGE_QUOTA: '1GB' },
    now: () => Date.now() + aheadMs,
  })
  await control(testServer.practiceUrl, 'POST', '/_control/settings', { instagram_processing_ms: 0 })
  operator = await signUp(testServer, 'Operator')
  eve = await signUp(testServer, 'Eve')
  eveId = (await eve.call('getUser')).user_id
  const { brand_id } = await eve.call('createBrand', { body: { title: 'Northwind' } })
  account = await linkAccount(eve, { platform: 'instagram', brandId: brand_id, permissions: ['comments'] })
})
afterEach(async () => {
  await worker?.stop()
  worker = null
  aheadMs += 61_000
})
afterAll(() => testServer.stop())

const work = (crashPoint?: (name: string) => Promise<void>) => {
  worker = startWorkers(workerDeps(testServer.deps, crashPoint), QUICK)
}

/** Workers that stop at a point of their code until they are released. */
function workUpTo(point: string): { reached: Promise<void>; letGo: () => void } {
  const reached = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  work(async (name) => {
    if (name !== point) return
    reached.resolve()
    await gone.promise
  })
  return { reached: reached.promise, letGo: gone.resolve }
}

const disable = (who = eveId, disabled = true) =>
  operator.call('disableUser', { params: { userId: who }, body: { disabled } })
async function enable(): Promise<void> {
  await disable(eveId, false)
  // Her sessions ended. A log-in counts from the next second on.
  aheadMs += 2000
  eve = await signIn(testServer, eve.email)
}

async function makePost(text: string, first_comment = ''): Promise<Post> {
  const { video_id } = await uploadVideo(eve)
  const targets = [{ account_id: account.account_id, options: first_comment ? { first_comment } : {} }]
  return eve.call('createPost', { body: { video_id, text, targets } })
}

const rowOf = ({ post_id }: Post) =>
  testServer.deps.db
    .selectFrom('deliveries')
    .select(['state', 'cause', 'reason_code'])
    .where('post_id', '=', post_id)
    .executeTakeFirstOrThrow()
const held = (post: Post) =>
  until(`post ${post.post_id} to be held`, async () => {
    const row = await rowOf(post)
    return row.state === 'blocked' && row
  })
const liveAs = async (text: string) => (await livePosts(testServer)).filter((post) => post.text === text)
const callsOf = async (name: string) =>
  (await platformCalls(testServer)).filter(({ call }) => call === name).length

describe('of a disabled user', () => {
  it('what comes due is held with a reason of its own, and goes out once after enabling', async () => {
    const post = await makePost('held for Eve')
    await disable()
    work()
    expect(await held(post)).toEqual({ state: 'blocked', cause: 'paused', reason_code: 'user_disabled' })
    const { items } = await operator.call('listServerUsers', { query: { search: eve.email } })
    expect(items).toMatchObject([{ user_id: eveId, disabled_at: expect.any(String) as string, held: 1 }])
    await enable()
    await delivered(eve, post, ['published'])
    expect(await liveAs('held for Eve')).toHaveLength(1)
  })

  it('what is later than the grace when they are enabled is missed', async () => {
    const post = await makePost('too late for Eve')
    await disable()
    work()
    await held(post)
    aheadMs += 6 * 60_000
    await enable()
    const [delivery] = (await eve.call('getPost', { params: { postId: post.post_id } })).deliveries
    expect(delivery).toMatchObject({ status: 'blocked', cause: 'missed' })
    expect(await liveAs('too late for Eve')).toEqual([])
  })

  it('no post begins to be published once the disabling is answered', async () => {
    const post = await makePost('decided and not begun')
    const before = await callsOf('publish')
    const stop = workUpTo('before commit')
    await stop.reached
    await disable()
    stop.letGo()
    expect(await held(post)).toMatchObject({ reason_code: 'user_disabled' })
    expect(await callsOf('publish')).toBe(before)
    await enable()
    await delivered(eve, post, ['published'])
    expect(await callsOf('publish')).toBe(before + 1)
  })

  it('the first comment waits, also one that was about to be added, and is added once', async () => {
    const before = await callsOf('comment')
    const stop = workUpTo('before comment')
    const post = await makePost('commented', 'First!')
    await stop.reached
    await disable()
    stop.letGo()
    const comment = testServer.deps.db.selectFrom('follow_ups').where('kind', '=', 'first_comment')
    await until('the comment to wait', async () => {
      const row = await comment.select(['state', 'wake_at']).where('user_id', '=', eveId).executeTakeFirst()
      return row?.state === 'waiting' && (row.wake_at?.getTime() ?? 0) > testServer.deps.now() + 60_000
    })
    expect(await callsOf('comment')).toBe(before)
    await enable()
    await until('the comment', async () => (await liveAs('commented'))[0]?.comments?.length === 1)
    expect(await callsOf('comment')).toBe(before + 1)
    await delivered(eve, post, ['published'])
  })

  it('disabling waits for a call that begins', async () => {
    const { db } = testServer.deps
    let disabled: Promise<unknown> = Promise.resolve()
    await whileLocked(db, sql`select from users where user_id = ${eveId} for key share`, async () => {
      disabled = disable()
      await waiting(db)
    })
    expect(await disabled).toMatchObject({ disabled_at: expect.any(String) as string })
    await enable()
  })

  it('calls, log-ins and streams are refused in words, and feeds and playback end for good', async () => {
    const { video_id } = await uploadVideo(eve)
    const { url: video } = await eve.call('createPlayback', { params: { videoId: video_id } })
    const { url: feed } = await eve.call('createFeed', { params: { brandId: account.brand_id } })
    const statuses = () =>
      Promise.all([`${testServer.url}${video}`, feed].map(async (at) => (await fetch(at)).status))
    expect(await statuses()).toEqual([200, 200])
    const stream = await eve.request('/events')
    const ended = (async () => {
      for await (const _ of stream.body ?? []) continue
    })().catch(() => {})

    await disable()
    await ended
    const refused = await eve.request('/user')
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'user_disabled', message: TEXTS.userDisabled },
    ])
    expect(await statuses()).toEqual([404, 404])
    const logIn = await fetch(`${testServer.url}/identity/v1/accounts:signInWithPassword?key=reelay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: eve.email, password: PASSWORD }),
    })
    expect(await logIn.json()).toMatchObject({ error: { message: 'USER_DISABLED' } })
    const before = eve
    await enable()
    expect((await before.request('/user')).status).toBe(401)
    expect((await eve.request('/user')).status).toBe(200)
    expect(await statuses()).toEqual([404, 404])
  })
})

describe('the list of users', () => {
  it('is in the order of addresses, page by page, and finds their beginning in any case', async () => {
    const { db } = testServer.deps
    await sql`insert into users (uid, email, nickname, timezone)
      select 'many-' || n, 'Many-' || lpad(n::text, 3, '0') || '@example.com', 'Many', 'UTC' from generate_series(1, 30) n
      union all select 'others-' || n, 'zz' || n || '@example.com', 'Other', 'UTC' from generate_series(1, 3000) n`.execute(
      db,
    )
    await sql`analyze users`.execute(db)
    const first = await operator.call('listServerUsers', { query: { search: ' many-' } })
    expect(first.items).toHaveLength(25)
    const rest = await operator.call('listServerUsers', {
      query: { search: 'MANY-', cursor: first.next_cursor ?? '' },
    })
    const addresses = [...first.items, ...rest.items].map(({ email }) => email)
    expect(addresses).toHaveLength(30)
    expect(addresses).toEqual(addresses.toSorted())
    expect(rest.next_cursor).toBeNull()
    expect((await operator.call('listServerUsers', { query: { search: 'man%' } })).items).toEqual([])
    expect((await operator.request('/server/users?cursor=nonsense')).status).toBe(400)
    const scans = await explainScans(db, usersQuery(db, 'zz', { address: 'zz2', userId: 1 }).compile())
    expect(sumRows(scans.filter(({ table }) => table === 'users'))).toBeLessThan(100)
    await sql`delete from users where uid ~ '^(many|others)-'`.execute(db)
  })

  it('tells what a user has, and when they were last seen', async () => {
    const { items, default_quota_bytes } = await operator.call('listServerUsers', {
      query: { search: 'eve-' },
    })
    expect(default_quota_bytes).toBe(1e9)
    expect(items).toEqual([
      {
        user_id: eveId,
        email: eve.email,
        nickname: 'Eve',
        operator: false,
        created_at: expect.any(String) as string,
        seen_at: expect.any(String) as string,
        disabled_at: null,
        held: 0,
        used_bytes: expect.any(Number) as number,
        quota_bytes: null,
        accounts: 1,
        posts: expect.any(Number) as number,
      },
    ])
    expect(items[0]?.used_bytes).toBeGreaterThan(0)
    expect(items[0]?.posts).toBeGreaterThan(0)
  })
})

const act = async (person: Person, what: string, method = 'POST') =>
  operator.request(`/server/users/${(await person.call('getUser')).user_id}${what}`, { method })
const problemOf = async (answer: Response) => ({
  status: answer.status,
  ...((await answer.json()) as { code: string; message: string }),
})

it("a user's own quota stands in the place of the setting, until it is taken back", async () => {
  const params = { userId: eveId }
  await operator.call('setUserQuota', { params, body: { quota_bytes: 1 } })
  expect((await eve.call('getLibrary')).storage.quota_bytes).toBe(1)
  await expect(uploadVideo(eve)).rejects.toThrow(/507|storage is full/)
  await operator.call('setUserQuota', { params, body: { quota_bytes: null } })
  expect((await eve.call('getLibrary')).storage.quota_bytes).toBe(1e9)
  await uploadVideo(eve)
})

it('an operator logs a user out everywhere, and gets a link where no mail can be sent', async () => {
  const bo = await signUp(testServer, 'Bo')
  const link = (await (await act(bo, '/reset-link')).json()) as { link: string }
  expect(new URL(link.link).searchParams.get('mode')).toBe('resetPassword')
  expect((await act(bo, '/end-sessions')).status).toBe(204)
  expect((await bo.request('/user')).status).toBe(401)
  const { items } = await operator.call('listOperatorActs')
  expect(items.slice(0, 2).map(({ act: kind, subject }) => [kind, subject])).toEqual([
    ['user_logged_out', bo.email],
    ['reset_link_made', bo.email],
  ])
  expect(JSON.stringify(items)).not.toContain(new URL(link.link).searchParams.get('oobCode'))
})

it('a user is deleted with all that is theirs, and the log keeps the act', async () => {
  const cy = await signUp(testServer, 'Cy')
  expect((await act(cy, '', 'DELETE')).status).toBe(204)
  expect((await cy.request('/user')).status).toBe(401)
  expect((await operator.call('listServerUsers', { query: { search: cy.email } })).items).toEqual([])
  const [last] = (await operator.call('listOperatorActs')).items
  expect(last).toMatchObject({
    operator: operator.email,
    act: 'user_deleted',
    subject: cy.email,
    before: { disabled: false },
    after: null,
  })
})

it('the last operator is neither disabled nor deleted, also where two do it to each other', async () => {
  const only = 'This is the only operator of this server. Make somebody else one first.'
  const me = (await operator.call('getUser')).user_id
  const disableMe = () =>
    operator.request(`/server/users/${me}/disabled`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ disabled: true }),
    })
  expect(await problemOf(await disableMe())).toMatchObject({ status: 409, code: 'conflict', message: only })
  expect(await problemOf(await act(operator, '', 'DELETE'))).toMatchObject({ status: 409, message: only })

  const second = await signUp(testServer, 'Second')
  const secondId = (await second.call('getUser')).user_id
  const { db } = testServer.deps
  await db.updateTable('users').set({ operator_by: 'granted' }).where('user_id', '=', secondId).execute()
  const both = await Promise.all([
    operator.request(`/server/users/${secondId}`, { method: 'DELETE' }),
    second.request(`/server/users/${me}`, { method: 'DELETE' }),
  ])
  const statuses = both.map(({ status }) => status)
  expect(statuses.filter((status) => status === 204)).toHaveLength(1)
  const left = await db.selectFrom('users').select('user_id').where('operator_by', 'is not', null).execute()
  expect(left).toHaveLength(1)
})
