import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PlatformId } from '#contract/platforms/index.ts'
import { type Failure, fail, ok } from '#domain/delivery/failure.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { REQUIRED_OPTIONS } from '#test/support/options.ts'
import { delivered, uploadVideo } from '#test/support/publish.ts'
import {
  type Person,
  signIn,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '#test/support/test-server.ts'
import { encryptTokens } from '../../accounts/tokens.ts'

const DAY_MS = 86_400_000

let testServer: TestServer
let aheadMs = 0
/** The platform's refusal of new uploads; null: it takes them. */
let refusal: Failure | null = null

beforeAll(async () => {
  testServer = await startTestServer({ worker: true, now: () => Date.now() + aheadMs })
  const real = testServer.deps.platforms.youtube
  if (real === null) throw new Error('YouTube is on in tests.')
  const platforms: Record<PlatformId, Platform | null> = testServer.deps.platforms
  platforms.youtube = {
    ...real,
    open: () => Promise.resolve(refusal === null ? ok({}) : fail(refusal)),
    send: (_job, session) => Promise.resolve({ kind: 'ready', session }),
    commit: ({ text }) => Promise.resolve({ kind: 'live', postId: text, url: `https://example.com/${text}` }),
    inspect: () => Promise.resolve(ok({ kind: 'as_asked' })),
  }
})
afterAll(() => testServer.stop())

async function channelOf(person: Person, externalId: string): Promise<number> {
  const { db, encrypter, now } = testServer.deps
  const { brand_id } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const { user_id } = await person.call('getUser')
  const tokens = encryptTokens(encrypter, {
    accessToken: externalId,
    accessExpiresAt: now() + 100 * DAY_MS,
    refreshToken: '1//r',
    refreshExpiresAt: now() + 180 * DAY_MS,
    issuedAt: now(),
  })
  const values = { user_id, brand_id, platform: 'youtube', external_id: externalId, display_name: externalId }
  const row = await db
    .insertInto('accounts')
    .values({ ...values, scopes: [], can_publish: true, tokens, linked_at: new Date(now()) })
    .returning('account_id')
    .executeTakeFirstOrThrow()
  return row.account_id
}

async function post(person: Person, accountId: number, text: string) {
  const { video_id } = await uploadVideo(person)
  const targets = [{ account_id: accountId, options: { ...REQUIRED_OPTIONS.youtube } }]
  return person.call('createPost', { body: { video_id, text, targets } })
}

it('a used-up limit of the app holds the posts of all users, says so, and lets them go by itself', async () => {
  const known = PLATFORM_FACTS.youtube.failures.find(
    ({ failure }) =>
      failure.kind === 'throttled' && failure.stops === 'app' && failure.reason.code === 'quotaExceeded',
  )
  if (known?.failure.kind !== 'throttled') throw new Error('YouTube has a limit that all users share.')
  refusal = { ...known.failure, retryAfterS: 6 * 3600 }
  const [ada, eve] = [await signUp(testServer), await signUp(testServer, 'Eve')]
  const first = await post(ada, await channelOf(ada, 'UC1'), 'ada')
  expect(await delivered(ada, first, ['blocked'])).toMatchObject({
    cause: 'limit',
    reason: { message: expect.stringContaining('All users of this server share them') as unknown },
  })
  const hers = await channelOf(eve, 'UC2')
  const second = await post(eve, hers, 'eve')
  const waiting = await eve.call('getPost', { params: { postId: second.post_id } })
  expect(waiting.deliveries[0]?.status).toBe('scheduled')
  const [today] = await eve.call('listPostsToday')
  expect(today?.today.stopped?.message).toContain('All users of this server share them')

  refusal = null
  aheadMs = 6 * 3_600_000 + 1000
  await until('all of it to go out', async () => {
    // Where the worker of the post that tries it first loses its lease, the others wait ten minutes more.
    aheadMs += 10_000
    const { rows } = await sql`select from deliveries where state <> 'published'`.execute(testServer.deps.db)
    return rows.length === 0
  })
  for (const [{ email }, made] of [
    [ada, first],
    [eve, second],
  ] as const) {
    // The log-in has ended meanwhile.
    const again = await signIn(testServer, email)
    expect((await delivered(again, made, ['published'])).status).toBe('published')
  }
})
