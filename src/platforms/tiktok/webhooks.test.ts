import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HookReading } from '../kit/webhooks.ts'
import { events } from './webhooks.ts'

const CONFIG = { clientKey: 'aw1', clientSecret: 'shh' }
const NOW_S = 1_770_210_873

const body = (change: object = {}): string =>
  JSON.stringify({
    client_key: 'aw1',
    event: 'post.publish.publicly_available',
    create_time: NOW_S,
    user_openid: '-000AbC',
    content:
      '{"publish_id":"v_pub_file~v2-1.76","publish_type":"DIRECT_PUBLISH","post_id":"7602997517160123666"}',
    ...change,
  })

const signature = (
  text: string | Buffer,
  { at = String(NOW_S), secret = CONFIG.clientSecret } = {},
): string => `t=${at},s=${createHmac('sha256', secret).update(`${at}.`).update(text).digest('hex')}`

function read(text: string | Buffer, header: string | null = signature(text), nowS = NOW_S): HookReading {
  return events(CONFIG)({
    header: (name) => (name.toLowerCase() === 'tiktok-signature' ? header : null),
    body: Buffer.from(text),
    now: nowS * 1000,
  })
}

const keyOf = (change: object, at?: string) => {
  const text = body(change)
  const reading = read(text, signature(text, at === undefined ? {} : { at }))
  return 'key' in reading ? reading.key : null
}

const REFUSED = { kind: 'refused', why: 'signature' }

describe('events of TikTok', () => {
  it('a post event names its publish_id and the exact open_id', () => {
    const moved = { kind: 'post_moved', externalId: '-000AbC', session: { publishId: 'v_pub_file~v2-1.76' } }
    expect(read(body())).toMatchObject(moved)
    for (const event of [
      'failed',
      'complete',
      'inbox_delivered',
      'no_longer_publicaly_available',
      'new_kind',
    ]) {
      expect(read(body({ event: `post.publish.${event}` }))).toMatchObject(moved)
    }
  })

  it('has the same key when repeated and another for another event', () => {
    const first = keyOf({})
    expect(keyOf({}, String(NOW_S + 60))).toBe(first)
    const others = [
      keyOf({ event: 'post.publish.complete' }),
      keyOf({ user_openid: 'other' }),
      keyOf({ create_time: NOW_S - 1 }),
      keyOf({ content: '{"publish_id":"v_pub_file~v2-1.77"}' }),
      keyOf({ content: '{"publish_id":"v_pub_file~v2-1.76","post_id":7602997517160123667}' }),
      keyOf({ content: '{"publish_id":"v_pub_file~v2-1.76","post_id":7602997517160123668}' }),
    ]
    expect(new Set([first, ...others]).size).toBe(7)
  })

  it('names when access was removed, whatever the reason', () => {
    const removed = { kind: 'access_removed', externalId: '-000AbC', at: NOW_S * 1000 + 999 }
    expect(read(body({ event: 'authorization.removed', content: '{"reason":1}' }))).toMatchObject(removed)
    expect(read(body({ event: 'authorization.removed', content: undefined }))).toMatchObject(removed)
  })

  it('events of another app or of unknown kinds are ignored', () => {
    const senseless = [
      body({ client_key: 'aw2' }),
      body({ event: 'video.upload.failed' }),
      body({ content: 'no JSON' }),
      body({ content: '{}' }),
      body({ content: undefined }),
      body({ user_openid: 7 }),
      body({ create_time: 'yesterday' }),
      'no JSON',
      '[]',
      '',
      '['.repeat(60_000),
    ]
    for (const text of senseless)
      expect([text.slice(0, 80), read(text)]).toEqual([text.slice(0, 80), { kind: 'ignored' }])
  })
})

describe('calls without a valid signature of TikTok', () => {
  const good = body()
  it.each([
    ['without a signature', good, null],
    ['signed with the secret of another app', good, signature(good, { secret: 'other' })],
    ['signed for another body', good, signature(body({ create_time: NOW_S - 1 }))],
    ['of which a byte differs', good.replace('AbC', 'AbD'), signature(good)],
    ['parsed and written anew', JSON.stringify(JSON.parse(good), null, 1), signature(good)],
    ['with another time than was signed', good, signature(good).replace(`t=${NOW_S}`, `t=${NOW_S + 1}`)],
    ['with a signature cut short', good, signature(good).slice(0, -2)],
    ['with a signature too long', good, `${signature(good)}00`],
    ['with no hex', good, `t=${NOW_S},s=${'z'.repeat(64)}`],
    ['with an empty signature', good, `t=${NOW_S},s=`],
    ['without a time', good, signature(good).split(',')[1] ?? ''],
    ['with nonsense', good, ',,=,t,s=='],
  ])('is refused %s', (_what, text, header) => expect(read(text, header)).toEqual(REFUSED))

  it('are refused five minutes late or early', () => {
    expect(read(good, signature(good), NOW_S + 300)).toMatchObject({ kind: 'post_moved' })
    expect(read(good, signature(good), NOW_S + 301)).toEqual({ kind: 'refused', why: 'stale' })
    expect(read(good, signature(good), NOW_S - 301)).toEqual({ kind: 'refused', why: 'stale' })
  })

  it('are verified over the raw bytes', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
    expect(read(bytes, signature(bytes))).toEqual({ kind: 'ignored' })
    expect(read(bytes, signature(bytes.toString('utf8')))).toEqual(REFUSED)
  })
})

describe('arbitrary bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .record({
        client_key: fc.constant('aw1'),
        event: fc.oneof(fc.constantFrom('post.publish.complete', 'authorization.removed'), fc.string()),
        create_time: fc.oneof(fc.maxSafeInteger(), fc.double()),
        user_openid: fc.oneof(fc.string(), fc.integer()),
        content: fc.oneof(fc.json(), fc.string()),
      })
      .map((event) => Buffer.from(JSON.stringify(event))),
  )

  it('never throw; unsigned they are refused', () => {
    fc.assert(
      fc.property(bytes, fc.option(fc.string()), (some, header) => {
        expect(read(some, header)).toEqual(REFUSED)
        expect(read(some, signature(some)).kind).not.toBe('refused')
      }),
      { numRuns: 500 },
    )
  })
})
