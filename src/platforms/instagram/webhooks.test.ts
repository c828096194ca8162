import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deauthorize, deleteData } from './webhooks.ts'

const CONFIG = { appSecret: 'of the Instagram app', metaAppSecret: 'of the Meta app' }
const NOW = 1_770_210_873_500
const PAYLOAD = { algorithm: 'HMAC-SHA256', issued_at: 1_770_210_800, user_id: '26161234567890123' }

const encode = (payload: object | string): string =>
  Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64url')
const sign = (encoded: string, secret = CONFIG.appSecret): string =>
  createHmac('sha256', secret).update(encoded).digest('base64url')
const signed = (payload: object | string = PAYLOAD, secret = CONFIG.appSecret): string =>
  `${sign(encode(payload), secret)}.${encode(payload)}`

const formOf = (signedRequest: string): string =>
  new URLSearchParams({ signed_request: signedRequest }).toString()
const ask = (form: string, { config = CONFIG, hook = deauthorize } = {}) =>
  hook(config)({ header: () => null, body: Buffer.from(form), now: NOW })
const keyOf = (form: string) => {
  const reading = ask(form, { hook: deleteData })
  return 'key' in reading ? reading.key : null
}
const REFUSED = { kind: 'refused', why: 'signature' }

describe('callbacks of Meta', () => {
  it('names the account that removed our access, and when', () => {
    expect(ask(formOf(signed()))).toMatchObject({
      kind: 'access_removed',
      externalId: PAYLOAD.user_id,
      at: PAYLOAD.issued_at * 1000 + 999,
    })
    const { issued_at: _, ...timeless } = PAYLOAD
    expect(ask(formOf(signed(timeless)))).toMatchObject({ kind: 'access_removed', at: NOW })
  })

  it('a deletion request is valid at any age and gets a code and an address', () => {
    const reading = ask(formOf(signed({ ...PAYLOAD, issued_at: 1, expires: 2 })), { hook: deleteData })
    expect(reading).toMatchObject({ kind: 'erase_person', externalId: PAYLOAD.user_id })
    const receipt =
      'receipt' in reading ? reading.receipt({ code: 'abc', url: 'https://x.example/abc' }) : null
    expect(receipt).toEqual({ url: 'https://x.example/abc', confirmation_code: 'abc' })
  })

  it('may be signed with either secret; the second is optional', () => {
    const byMeta = formOf(signed(PAYLOAD, CONFIG.metaAppSecret))
    expect(ask(byMeta)).toMatchObject({ kind: 'access_removed' })
    expect(ask(byMeta, { config: { appSecret: CONFIG.appSecret, metaAppSecret: null as never } })).toEqual(
      REFUSED,
    )
  })

  it('is decoded with and without base64 padding', () => {
    const encoded = Buffer.from(JSON.stringify(PAYLOAD))
      .toString('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_')
    const signature = createHmac('sha256', CONFIG.appSecret).update(encoded).digest('base64')
    const padded = `${signature.replaceAll('+', '-').replaceAll('/', '_')}.${encoded}`
    expect(padded).toContain('=')
    expect(ask(formOf(padded))).toMatchObject({ externalId: PAYLOAD.user_id })
  })

  it('keeps ids beyond 2^53', () => {
    const bare = '{"algorithm":"hmac-sha256","user_id":26161234567890123}'
    expect(ask(formOf(signed(bare)))).toMatchObject({ externalId: '26161234567890123' })
  })

  it('has the same key when repeated, even with another encoding of the signature', () => {
    const again = signed().replace('.', '=.')
    expect(keyOf(formOf(again))).toBe(keyOf(formOf(signed())))
    expect(keyOf(formOf(signed({ ...PAYLOAD, issued_at: 5 })))).not.toBe(keyOf(formOf(signed())))
  })
})

describe('calls without a valid signature of Meta', () => {
  const encoded = encode(PAYLOAD)
  it.each([
    ['nothing', ''],
    ['an empty field', 'signed_request='],
    ['no dot', formOf(encoded)],
    ['nothing behind the dot', formOf(`${sign('')}.`)],
    ['nothing before the dot', formOf(`.${encoded}`)],
    ['three parts', formOf(`${signed()}.x`)],
    ['the secret of another app', formOf(signed(PAYLOAD, 'other'))],
    [
      'a payload put under another signature',
      formOf(`${sign(encoded)}.${encode({ ...PAYLOAD, user_id: '1' })}`),
    ],
    ['a signature cut short', formOf(signed().slice(2))],
    ['characters that are no base64url', formOf(`${sign(encoded)}.${encoded}!`)],
    [
      'a signature over the JSON instead of its base64',
      formOf(`${sign(JSON.stringify(PAYLOAD))}.${encoded}`),
    ],
    ['another algorithm', formOf(signed({ ...PAYLOAD, algorithm: 'none' }))],
    ['no algorithm', formOf(signed({ user_id: '1' }))],
    ['an id that is none', formOf(signed({ ...PAYLOAD, user_id: '../1' }))],
    ['no JSON', formOf(signed('no JSON'))],
    ['JSON instead of a form', JSON.stringify({ signed_request: signed() })],
  ])('is refused: %s', (_what, form) => {
    expect(ask(form)).toEqual(REFUSED)
    expect(ask(form, { hook: deleteData })).toEqual(REFUSED)
  })
})

describe('arbitrary bytes', () => {
  it('never throw, and are refused without a signature', () => {
    const some = fc.oneof(
      fc.string(),
      fc.string().map(formOf),
      fc.json().map((json) => formOf(`a.${encode(json)}`)),
    )
    fc.assert(
      fc.property(some, (form) => {
        expect(ask(form)).toEqual(REFUSED)
      }),
      { numRuns: 500 },
    )
  })

  it('need an id and the algorithm to be a notice', () => {
    const payload = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ user_id: fc.string(), algorithm: fc.constant('HMAC-SHA256') }),
    )
    fc.assert(
      fc.property(payload, (data) => {
        const reading = ask(formOf(signed(data)))
        if (reading.kind === 'access_removed') expect(reading.externalId).toMatch(/^\d{1,32}$/)
        else expect(reading).toEqual(REFUSED)
      }),
      { numRuns: 500 },
    )
  })
})
