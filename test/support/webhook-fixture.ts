import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { z } from 'zod'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import {
  control,
  linkAccount,
  platformCalls,
  signUp,
  startTestServer,
  until,
  type TestServer,
  type Person,
} from './test-server.ts'
import { delivered, postTikTok } from './publish.ts'
import { sampleVideo } from './sample.ts'
import { decryptTokens } from '#server/accounts/tokens.ts'
import { fromColumns } from '#server/deliveries/record.ts'

export type Answer = { readonly status: number; readonly body: unknown }

export const OK = { status: 200, body: {} }
export const FORBIDDEN = {
  status: 403,
  body: expect.objectContaining({
    code: 'forbidden',
    message: "This call's signature is missing or wrong.",
  }) as unknown,
}

type Linked = { readonly someone: Person; readonly brandId: number; readonly accountId: number }

export function signedRequest(payload: object, secret = 'practice-instagram-secret'): string {
  const encoded = Buffer.from(JSON.stringify({ algorithm: 'HMAC-SHA256', ...payload })).toString('base64url')
  return `${createHmac('sha256', secret).update(encoded).digest('base64url')}.${encoded}`
}

export const readHealth = async ({ someone }: Linked) =>
  (await someone.call('listAccounts'))[0]?.health.status

/**
 * A test server for one test file, with webhooks. Its clock stands still and the practice platforms send nothing, so that
 * only the test's own webhooks cause calls.
 */
export function startWebhookFixture() {
  let at = Date.now()
  let testServer: TestServer
  beforeAll(async () => {
    testServer = await startTestServer({ worker: true, now: () => at })
  })
  afterAll(() => testServer.stop())
  beforeEach(() => setting({ tiktok_processing_ms: 3_600_000, hooks: 'off' }))

  const setting = (settings: object) =>
    control(testServer.practiceUrl, 'POST', '/_control/settings', settings)
  const seconds = () => Math.floor(at / 1000)

  async function send(path: string, init: RequestInit): Promise<Answer> {
    const answer = await fetch(`${testServer.url}${path}`, { method: 'POST', ...init })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
  }

  const tiktokSignature = (text: string, t = seconds(), secret = 'practice-tiktok-secret'): string =>
    `t=${t},s=${createHmac('sha256', secret).update(`${t}.${text}`).digest('hex')}`

  const sendTikTok = (text: string, header = tiktokSignature(text), from = '127.0.0.1'): Promise<Answer> =>
    send('/hooks/tiktok/events', {
      body: text,
      headers: { 'content-type': 'application/json', 'tiktok-signature': header, 'x-forwarded-for': from },
    })

  const createEvent = (webhook: {
    openId: string
    event: string
    content: object
    created?: number
  }): string =>
    JSON.stringify({
      client_key: 'practice-tiktok-key',
      event: webhook.event,
      create_time: webhook.created ?? seconds(),
      user_openid: webhook.openId,
      content: JSON.stringify(webhook.content),
    })

  const removed = (openId: string, created = seconds()): string =>
    createEvent({ openId, event: 'authorization.removed', content: { reason: 1 }, created })

  const sendMeta = (name: string, signed: string): Promise<Answer> =>
    send(`/hooks/instagram/${name}`, { body: new URLSearchParams({ signed_request: signed }) })

  async function link(platform: PlatformId, creator: string): Promise<Linked> {
    const someone = await signUp(testServer)
    const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
    const { account_id: accountId } = await linkAccount(someone, { platform, brandId, creator })
    return { someone, brandId, accountId }
  }

  /** Each test has its own creator, so that none receives another's webhooks. */
  async function newCreator(platform: PlatformId): Promise<string> {
    const username = `c${randomUUID().slice(0, 8)}`
    await control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform, username })
    return username
  }

  const readRow = (accountId: number) =>
    testServer.deps.db
      .selectFrom('accounts')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
  const countCalls = async (call: string, account: string) =>
    (await platformCalls(testServer)).filter((each) => each.call === call && each.account === account).length

  async function revokedAtTikTok(accountId: number): Promise<void> {
    const { tokens } = await readRow(accountId)
    await testServer.deps.platforms.tiktok?.revoke(
      decryptTokens(testServer.deps.encrypter, tokens ?? Buffer.alloc(0)),
    )
  }

  async function processing() {
    const creator = await newCreator('tiktok')
    const linked = await link('tiktok', creator)
    const post = await postTikTok(linked.someone, linked.accountId, sampleVideo())
    await delivered(linked.someone, post, ['processing'])
    const { publishId } = await until('the worker to let go', () => readResting(post))
    const { external_id: openId } = await readRow(linked.accountId)
    const about = (event: string, created = seconds()) =>
      createEvent({
        openId,
        event,
        content: { publish_id: publishId, publish_type: 'DIRECT_PUBLISH' },
        created,
      })
    return { ...linked, creator, post, openId, publishId, about }
  }

  /** The delivery once no worker has it and it waits for its time; else null. */
  async function readResting(post: Post) {
    const row = await testServer.deps.db
      .selectFrom('deliveries')
      .selectAll()
      .where('post_id', '=', post.post_id)
      .executeTakeFirstOrThrow()
    const waits = row.wake_at === null || row.wake_at.getTime() > at
    if (row.leased_until !== null || !waits) return null
    const state = fromColumns(row, testServer.deps.encrypter)
    const session = 'session' in state ? state.session : null
    return {
      state: state.kind,
      version: row.version,
      publishId: z.string().optional().parse(session?.['publishId']),
    }
  }

  return {
    testServer: () => testServer,
    now: () => at,
    seconds,
    setting,
    /** Advances the clock. */
    pass: (ms: number) => {
      at += ms
    },
    tiktokSignature,
    sendTikTok,
    createEvent,
    removed,
    sendMeta,
    link,
    newCreator,
    readRow,
    countCalls,
    revokedAtTikTok,
    processing,
    readResting,
  }
}
