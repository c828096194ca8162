import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { pino } from 'pino'
import { z } from 'zod'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import {
  control,
  type House,
  linkAccount,
  type Person,
  platformCalls,
  signUp,
  startHouse,
  until,
} from '#test/harness.ts'
import { delivered, postTikTok } from '#test/publish.ts'
import { sampleVideo } from '#test/sample.ts'
import { openTokens } from '../accounts/access.ts'
import { buildApp } from '../app.ts'
import { fromColumns } from '../deliveries/record.ts'
import { askAboutDoubted } from './doubts.ts'

// The server's clock stands still, so that nothing is asked because its time has come: what is asked is what a hook caused.
let at = Date.now()
let house: House
beforeAll(async () => {
  house = await startHouse({ worker: true, now: () => at })
})
afterAll(() => house.stop())
beforeEach(() => setting({ tiktok_processing_ms: 3_600_000 }))

const setting = (settings: object) => control(house.practiceUrl, 'POST', '/_control/settings', settings)
const seconds = () => Math.floor(at / 1000)

type Answer = { readonly status: number; readonly body: unknown }

async function send(path: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(`${house.url}${path}`, { method: 'POST', ...init })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
}

const OK = { status: 200, body: {} }
const FORBIDDEN = {
  status: 403,
  body: { code: 'forbidden', message: 'This call is not signed as it must be.' },
}

// ---- as TikTok sends ----

const tiktokSignature = (text: string, t = seconds(), secret = 'practice-tiktok-secret'): string =>
  `t=${t},s=${createHmac('sha256', secret).update(`${t}.${text}`).digest('hex')}`

const sendTikTok = (text: string, header = tiktokSignature(text), from = '127.0.0.1'): Promise<Answer> =>
  send('/hooks/tiktok/events', {
    body: text,
    headers: { 'content-type': 'application/json', 'tiktok-signature': header, 'x-forwarded-for': from },
  })

const eventOf = (told: { openId: string; event: string; content: object; created?: number }): string =>
  JSON.stringify({
    client_key: 'practice-tiktok-key',
    event: told.event,
    create_time: told.created ?? seconds(),
    user_openid: told.openId,
    content: JSON.stringify(told.content),
  })

const removed = (openId: string, created = seconds()): string =>
  eventOf({ openId, event: 'authorization.removed', content: { reason: 1 }, created })

// ---- as Meta sends ----

function signedRequest(payload: object, secret = 'practice-instagram-secret'): string {
  const encoded = Buffer.from(JSON.stringify({ algorithm: 'HMAC-SHA256', ...payload })).toString('base64url')
  return `${createHmac('sha256', secret).update(encoded).digest('base64url')}.${encoded}`
}
const sendMeta = (name: string, signed: string): Promise<Answer> =>
  send(`/hooks/instagram/${name}`, { body: new URLSearchParams({ signed_request: signed }) })

// ---- who it is about ----

type Linked = { readonly someone: Person; readonly brandId: number; readonly accountId: number }

async function link(platform: PlatformId, creator: string): Promise<Linked> {
  const someone = await signUp(house)
  const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id: accountId } = await linkAccount(someone, { platform, brandId, creator })
  return { someone, brandId, accountId }
}

/** A creator of the test's own, so that no test is told of another's. */
async function newCreator(platform: PlatformId): Promise<string> {
  const username = `c${randomUUID().slice(0, 8)}`
  await control(house.practiceUrl, 'POST', '/_control/accounts', { platform, username })
  return username
}

const rowOf = (accountId: number) =>
  house.deps.db
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
const healthOf = async ({ someone }: Linked) => (await someone.call('listAccounts'))[0]?.health.status
const callsOf = async (call: string, account: string) =>
  (await platformCalls(house)).filter((each) => each.call === call && each.account === account).length

async function revokedAtTikTok(accountId: number): Promise<void> {
  const { tokens } = await rowOf(accountId)
  await house.deps.platforms.tiktok?.revoke(openTokens(house.deps.sealer, tokens ?? Buffer.alloc(0)))
}

/** A post that TikTok is working on, as the server knows it. */
async function processing() {
  const creator = await newCreator('tiktok')
  const linked = await link('tiktok', creator)
  const post = await postTikTok(linked.someone, linked.accountId, sampleVideo())
  await delivered(linked.someone, post, ['processing'])
  const { publishId } = await until('the worker to let go', () => restOf(post))
  const { external_id: openId } = await rowOf(linked.accountId)
  const about = (event: string, created = seconds()) =>
    eventOf({ openId, event, content: { publish_id: publishId, publish_type: 'DIRECT_PUBLISH' }, created })
  return { ...linked, creator, post, openId, publishId, about }
}

/** The delivery while nobody holds it and it waits for its time; else null. */
async function restOf(post: Post) {
  const row = await house.deps.db
    .selectFrom('deliveries')
    .selectAll()
    .where('post_id', '=', post.post_id)
    .executeTakeFirstOrThrow()
  const waits = row.wake_at === null || row.wake_at.getTime() > at
  if (row.leased_until !== null || !waits) return null
  const state = fromColumns(row, house.deps.sealer)
  const session = 'session' in state ? state.session : null
  return {
    state: state.kind,
    version: row.version,
    publishId: z.string().optional().parse(session?.['publishId']),
  }
}

describe('an event about a post', () => {
  it('has the platform asked at once, and what it claims changes nothing by itself', async () => {
    const { creator, post, about } = await processing()
    expect(await callsOf('status', creator)).toBe(0)
    // TikTok is still at work: the claim that it failed is not true.
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    await until('TikTok to be asked', async () => (await callsOf('status', creator)) === 1)
    const { state } = await until('the worker to let go', () => restOf(post))
    expect(state).toBe('processing')
  })

  it('ends the waiting when the platform is done, in whatever order and however often it comes', async () => {
    const { someone, creator, post, about } = await processing()
    await setting({ tiktok_processing_ms: 0 })
    const [last, first] = [about('post.publish.publicly_available'), about('post.publish.complete')]
    for (const text of [last, last, first, last, first]) expect(await sendTikTok(text)).toEqual(OK)
    expect((await delivered(someone, post, ['published', 'failed'])).status).toBe('published')
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    await until('the worker to let go', () => restOf(post))
    expect((await delivered(someone, post, ['published', 'failed'])).status).toBe('published')
    const posts = (await control(house.practiceUrl, 'GET', '/_control/posts')) as { account: string }[]
    expect(posts.filter(({ account }) => account === creator)).toHaveLength(1)
  })

  it('that comes while the platform is giving an older answer has it asked once more', async () => {
    const { someone, creator, post, about } = await processing()
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'status',
      fault: 'slow',
      ms: 1500,
      account: creator,
    })
    expect(await sendTikTok(about('post.publish.failed'))).toEqual(OK)
    // The answer is made before it is held back: it says that TikTok is at work.
    await until('TikTok to be asked', async () => (await callsOf('status', creator)) === 1)
    await setting({ tiktok_processing_ms: 0 })
    expect(await sendTikTok(about('post.publish.complete'))).toEqual(OK)
    expect((await delivered(someone, post, ['published', 'failed'], 15_000)).status).toBe('published')
  })

  it('told again has nobody asked again', async () => {
    const { creator, post, about } = await processing()
    const text = about('post.publish.complete')
    expect(await sendTikTok(text)).toEqual(OK)
    const asked = await until(
      'TikTok to be asked',
      async () => (await callsOf('status', creator)) === 1 && restOf(post),
    )
    // Signed anew, as TikTok does when it sends the same again.
    const again = [
      tiktokSignature(text),
      tiktokSignature(text, seconds() + 60),
      tiktokSignature(text, seconds() - 60),
    ]
    const answers = await Promise.all(again.map((header) => sendTikTok(text, header)))
    expect(answers).toEqual([OK, OK, OK])
    expect(await restOf(post)).toEqual(asked)
  })

  it('that is forged, changed or late has nobody asked', async () => {
    const { post, about } = await processing()
    const before = await restOf(post)
    const text = about('post.publish.complete')
    const refused = await Promise.all([
      sendTikTok(text, ''),
      sendTikTok(text, tiktokSignature(text, seconds(), 'the secret of another app')),
      sendTikTok(text, tiktokSignature(text, seconds() - 301)),
      sendTikTok(text, tiktokSignature(text, seconds() + 302)),
      sendTikTok(text.replace('complete', 'failed'), tiktokSignature(text)),
      sendTikTok(text.slice(0, -1), tiktokSignature(text)),
      sendTikTok(`${text} `, tiktokSignature(text)),
      sendTikTok('', tiktokSignature(text)),
    ])
    expect(refused).toEqual(refused.map(() => FORBIDDEN))
    expect(refused).toHaveLength(8)
    expect(await restOf(post)).toEqual(before)
  })

  it('that is about another post, another account, or of a kind that nobody knows is thanked for and does nothing', async () => {
    const { post, openId, publishId, about } = await processing()
    const before = await restOf(post)
    const content = { publish_id: publishId }
    const strange = [
      eventOf({ openId, event: 'post.publish.complete', content: { publish_id: 'v_pub_file~v2-1.1' } }),
      eventOf({ openId: '-000nobody', event: 'post.publish.complete', content }),
      eventOf({ openId, event: 'video.publish.completed', content }),
      eventOf({ openId, event: 'post.publish.complete', content: { publish_id: ['a'] } }),
      about('post.publish.complete').replace('practice-tiktok-key', 'another-app'),
      'not JSON',
      '[[]]',
    ]
    for (const text of strange) expect([text, await sendTikTok(text)]).toEqual([text, OK])
    expect(await restOf(post)).toEqual(before)
  })

  it('of an account that was unlinked does nothing', async () => {
    const { accountId, post, about } = await processing()
    await house.deps.db
      .updateTable('accounts')
      .set({ tokens: null, unlinked_at: new Date() })
      .where('account_id', '=', accountId)
      .execute()
    const before = await restOf(post)
    expect(await sendTikTok(about('post.publish.complete'))).toEqual(OK)
    expect(await restOf(post)).toEqual(before)
  })

  it('does not shorten a wait that the platform asked for', async () => {
    const creator = await newCreator('tiktok')
    const { someone, accountId } = await link('tiktok', creator)
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'final_chunk',
      fault: 'status_429',
      account: creator,
      times: 3,
    })
    const post = await postTikTok(someone, accountId, sampleVideo())
    await delivered(someone, post, ['preparing'])
    const waiting = await until('the worker to let go', () => restOf(post))
    expect(waiting).toMatchObject({
      state: 'preparing',
      publishId: expect.stringContaining('v_pub_file') as string,
    })
    const { external_id: openId } = await rowOf(accountId)
    const content = { publish_id: waiting.publishId }
    expect(await sendTikTok(eventOf({ openId, event: 'post.publish.complete', content }))).toEqual(OK)
    expect(await restOf(post)).toEqual(waiting)
  })
})

describe('the news that access was removed', () => {
  it('is not believed while the platform lets us in', async () => {
    const creator = await newCreator('tiktok')
    const linked = await link('tiktok', creator)
    const { external_id: openId } = await rowOf(linked.accountId)
    const before = await callsOf('user_info', creator)
    at += 1000
    expect(await sendTikTok(removed(openId))).toEqual(OK)
    await until('TikTok to be asked', async () => (await callsOf('user_info', creator)) === before + 1)
    expect(await healthOf(linked)).toBe('ok')
  })

  it('is checked, and every row of the account says that it must be linked again', async () => {
    const creator = await newCreator('tiktok')
    const [ada, bo] = [await link('tiktok', creator), await link('tiktok', creator)]
    const { external_id: openId } = await rowOf(ada.accountId)
    await revokedAtTikTok(ada.accountId)
    await revokedAtTikTok(bo.accountId)
    at += 1000
    const text = removed(openId)
    expect(await sendTikTok(text)).toEqual(OK)
    for (const each of [ada, bo])
      await until('the account to say so', async () => (await healthOf(each)) === 'relink')

    // The same old news, after the account was linked again.
    at += 1000
    await linkAccount(ada.someone, { platform: 'tiktok', brandId: ada.brandId, creator })
    const asked = await callsOf('user_info', creator)
    expect(await sendTikTok(text)).toEqual(OK)
    // Older than the link, and not heard before.
    expect(await sendTikTok(removed(openId, seconds() - 100))).toEqual(OK)
    expect(await rowOf(ada.accountId)).toMatchObject({ access_doubted_until: null })
    expect([await healthOf(ada), await callsOf('user_info', creator)]).toEqual(['ok', asked])
  })

  it('stays a question while the platform does not answer, and for ten minutes after it denied it', async () => {
    const creator = await newCreator('tiktok')
    const linked = await link('tiktok', creator)
    const { external_id: openId } = await rowOf(linked.accountId)
    at += 1000
    const before = await callsOf('user_info', creator)
    await control(house.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call: 'user_info',
      fault: 'html_502',
      account: creator,
    })
    expect(await sendTikTok(removed(openId))).toEqual(OK)
    await until('TikTok to be asked', async () => (await callsOf('user_info', creator)) === before + 1)
    expect(await healthOf(linked)).toBe('ok')
    const again = async () => {
      await askAboutDoubted(house.deps, { limit: 1000 })
      return (await rowOf(linked.accountId)).access_doubted_until !== null
    }
    expect(await again()).toBe(true)
    at += 600_000
    expect(await again()).toBe(false)
    expect(await healthOf(linked)).toBe('ok')
  })

  it('comes from Meta as a form, with either of its ids for the account', async () => {
    for (const id of ['external_id', 'app_scoped_id'] as const) {
      const creator = await newCreator('instagram')
      const linked = await link('instagram', creator)
      const userId = (await rowOf(linked.accountId))[id]
      expect(userId).toMatch(/^\d+$/)
      at += 1000
      await control(house.practiceUrl, 'POST', '/_control/faults', {
        platform: 'instagram',
        call: 'me',
        fault: 'token_expired',
        account: creator,
      })
      const signed = signedRequest({ user_id: userId, issued_at: seconds() })
      expect(await sendMeta('deauthorize', signed)).toEqual(OK)
      await until('the account to say so', async () => (await healthOf(linked)) === 'relink')
    }
  })

  it('forged, or of an account that nobody has here, does nothing', async () => {
    const creator = await newCreator('instagram')
    const linked = await link('instagram', creator)
    const { external_id: userId } = await rowOf(linked.accountId)
    at += 1000
    const payload = { user_id: userId, issued_at: seconds() }
    expect(await sendMeta('deauthorize', signedRequest(payload, 'guessed'))).toEqual(FORBIDDEN)
    expect(await sendMeta('deauthorize', signedRequest({ ...payload, algorithm: 'none' }))).toEqual(FORBIDDEN)
    expect(await sendMeta('deauthorize', signedRequest({ ...payload, user_id: '1' }))).toEqual(OK)
    expect(await rowOf(linked.accountId)).toMatchObject({ access_doubted_until: null, relink_reason: null })
  })
})

describe('a request to delete a person’s data', () => {
  type Receipt = { url: string; confirmation_code: string }
  const receiptOf = ({ body }: Answer) => body as Receipt

  it('deletes it in every row of the account, cancels what waits, and keeps what was published', async () => {
    const creator = await newCreator('instagram')
    const [ada, bo] = [await link('instagram', creator), await link('instagram', creator)]
    await bo.someone.call('unlinkAccount', { params: { accountId: bo.accountId } })
    const { app_scoped_id: userId, external_id } = await rowOf(ada.accountId)
    const { video_id } = await house.deps.db
      .insertInto('videos')
      .values({
        user_id: (await rowOf(ada.accountId)).user_id,
        storage_key: randomUUID(),
        filename: 'a.mp4',
        mime: 'video/mp4',
        size: 1,
        sha256: '0'.repeat(64),
        facts: '{}',
      })
      .returning('video_id')
      .executeTakeFirstOrThrow()
    const deliveryIn = async (state: 'scheduled' | 'published') => {
      const { db } = house.deps
      const { user_id } = await rowOf(ada.accountId)
      const { post_id } = await db
        .insertInto('posts')
        .values({ user_id, video_id, text: 'Hello' })
        .returning('post_id')
        .executeTakeFirstOrThrow()
      const far = at + 86_400_000
      const { delivery_id } = await db
        .insertInto('deliveries')
        .values({
          post_id,
          user_id,
          account_id: ada.accountId,
          platform: 'instagram',
          options: '{}',
          state,
          data: JSON.stringify(
            state === 'scheduled'
              ? { attempt: 1, dueAt: far, reason: null }
              : { attempt: 1, at, postId: '1', url: 'https://www.instagram.com/reel/x/', locates: 1 },
          ),
          wake_at: state === 'scheduled' ? new Date(far) : null,
        })
        .returning('delivery_id')
        .executeTakeFirstOrThrow()
      return delivery_id
    }
    const [waiting, live] = [await deliveryIn('scheduled'), await deliveryIn('published')]

    const answer = await sendMeta('delete-data', signedRequest({ user_id: userId, issued_at: seconds() }))
    expect(answer.status).toBe(200)
    const { url, confirmation_code: code } = receiptOf(answer)
    expect(code).toMatch(/^[0-9a-z]{26}$/)
    expect(url).toBe(`${house.config.publicUrl}/data-deletion/${code}`)

    for (const { accountId } of [ada, bo]) {
      const row = await rowOf(accountId)
      expect(row).toMatchObject({
        tokens: null,
        username: null,
        avatar_url: null,
        app_scoped_id: null,
        scopes: [],
      })
      expect(row.unlinked_at).not.toBeNull()
      expect(JSON.stringify(row)).not.toContain(creator)
      expect(JSON.stringify(row)).not.toContain(external_id)
    }
    expect(await ada.someone.call('listAccounts')).toEqual([])
    const states = await house.deps.db
      .selectFrom('deliveries')
      .select(['delivery_id', 'state'])
      .where('account_id', '=', ada.accountId)
      .orderBy('delivery_id')
      .execute()
    expect(states).toEqual([
      { delivery_id: waiting, state: 'cancelled' },
      { delivery_id: live, state: 'published' },
    ])

    const page = await fetch(url.replace(house.config.publicUrl, house.url))
    const html = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(html).toContain(code)
    expect(html).toContain('Your data was deleted')
    expect(html).not.toContain('<script')
    expect(html).not.toContain(creator)

    // Linked again it is an account like any other, and the same old request leaves it alone.
    at += 1000
    const fresh = await linkAccount(ada.someone, { platform: 'instagram', brandId: ada.brandId, creator })
    expect(fresh.account_id).not.toBe(ada.accountId)
    const again = signedRequest({ user_id: userId, issued_at: seconds() - 1 })
    expect(receiptOf(await sendMeta('delete-data', again))).toEqual({ url, confirmation_code: code })
    expect(await rowOf(fresh.account_id)).toMatchObject({ username: creator, unlinked_at: null })
  })

  it('sent many times at once is one request', async () => {
    const signed = signedRequest({ user_id: '26160000000000001', issued_at: 5 })
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendMeta('delete-data', signed)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const { url } = receiptOf(answers[0] ?? { status: 0, body: {} })
    const html = await (await fetch(url.replace(house.config.publicUrl, house.url))).text()
    expect(html).toContain('This server held nothing of your account.')
  })

  it('that is forged deletes nothing', async () => {
    const creator = await newCreator('instagram')
    const { accountId } = await link('instagram', creator)
    const { external_id: userId } = await rowOf(accountId)
    expect(await sendMeta('delete-data', signedRequest({ user_id: userId }, 'guessed'))).toEqual(FORBIDDEN)
    expect(await rowOf(accountId)).toMatchObject({ username: creator, unlinked_at: null })
  })

  it('has a page only at a code that was given out', async () => {
    for (const code of ['0'.repeat(26), 'x', '%3Cscript%3E', '%00', '..%2f..', 'A'.repeat(90)]) {
      const page = await fetch(`${house.url}/data-deletion/${code}`)
      const html = await page.text()
      expect([code, page.status]).toEqual([code, 404])
      expect(html).not.toContain('<script')
    }
  })
})

it('a signed call is heard whatever type it gives its body, or none', async () => {
  const text = removed('-000nobody')
  const statusFor = (type: string | null) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        'tiktok-signature': tiktokSignature(text),
        ...(type !== null && { 'content-type': type }),
      }
      const call = request(`${house.url}/hooks/tiktok/events`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      call.on('error', reject)
      call.end(text)
    })
  const types = [
    null,
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/octet-stream',
  ]
  expect(await Promise.all(types.map(statusFor))).toEqual(types.map(() => 200))
})

describe('whoever attacks these addresses', () => {
  it('gets a 4xx for whatever is no call of a platform', async () => {
    const body = 'a=b'
    const type = (value: string) => ({ body, headers: { 'content-type': value } })
    const statuses: Record<string, number> = {}
    const tries: Record<string, [string, RequestInit]> = {
      'an unknown platform': ['/hooks/myspace/events', { body }],
      'a hook that the platform does not have': ['/hooks/tiktok/deauthorize', { body }],
      'a name that every object has': ['/hooks/tiktok/constructor', { body }],
      'another such name': ['/hooks/instagram/__proto__', { body }],
      'no name': ['/hooks/tiktok/', { body }],
      'a platform that is none': ['/hooks/constructor/name', { body }],
      'no body': ['/hooks/tiktok/events', {}],
      'no body for the other': ['/hooks/instagram/delete-data', {}],
      'more than 64 KB': ['/hooks/tiktok/events', { body: 'x'.repeat(65_537) }],
      'a file': ['/hooks/instagram/delete-data', type('multipart/form-data; boundary=x')],
      'a type that is no type': ['/hooks/tiktok/events', type('nonsense;;;')],
      'an unknown type': ['/hooks/tiktok/events', type('application/xml')],
      'another method': ['/hooks/tiktok/events', { method: 'PUT', body }],
      'a question': ['/hooks/tiktok/events', { method: 'GET' }],
    }
    for (const [what, [path, init]] of Object.entries(tries)) {
      const answer = await fetch(`${house.url}${path}`, { method: 'POST', ...init })
      await answer.text()
      statuses[what] = answer.status
    }
    expect(statuses).toEqual({
      'an unknown platform': 404,
      'a hook that the platform does not have': 404,
      'a name that every object has': 404,
      'another such name': 404,
      'no name': 404,
      'a platform that is none': 404,
      'no body': 403,
      'no body for the other': 403,
      'more than 64 KB': 413,
      'a file': 415,
      'a type that is no type': 415,
      'an unknown type': 403,
      'another method': 404,
      'a question': 404,
    })
  })

  it('who breaks off in the middle of a body leaves the server as it was', async () => {
    const { port } = house.config
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /hooks/tiktok/events HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"half"')
        socket.end()
      })
      socket.on('close', () => resolve())
      socket.resume()
    })
    expect(await sendTikTok('{}')).toEqual(OK)
  })

  it('is told to wait after many refusals, while a genuine call from the same address still counts', async () => {
    const from = '203.0.113.9'
    const forged = () => sendTikTok('{}', 't=1,s=2', from)
    const statuses = new Set<number>()
    for (let n = 0; n < 30; n += 1) statuses.add((await forged()).status)
    expect([...statuses]).toEqual([403])
    expect((await forged()).status).toBe(429)
    expect(await sendTikTok('{}', tiktokSignature('{}'), from)).toEqual(OK)
    expect((await sendTikTok('{}', 't=1,s=2', '203.0.113.10')).status).toBe(403)
  })

  it('and whoever calls rightly leaves no secret, signature or name in the log', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const app = await buildApp({ ...house.deps, log })
    const body = removed('-000somebody')
    const good = tiktokSignature(body)
    for (const header of [good, good.replace(/.$/, 'x'), 't=1,s=00']) {
      await app.inject({
        method: 'POST',
        url: '/hooks/tiktok/events',
        payload: body,
        headers: { 'content-type': 'application/json', 'tiktok-signature': header },
      })
    }
    await app.close()
    const said = lines.join('')
    expect(said).toContain('was refused')
    for (const secret of ['practice-tiktok-secret', '-000somebody', good.slice(-64), 'authorization.removed'])
      expect(said).not.toContain(secret)
  })
})
