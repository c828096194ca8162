import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HttpReply } from '../../kit/http.ts'
import { CreatorInfo, InitAnswer, StatusAnswer, TokenAnswer, readEnvelope, readOAuth } from './wire.ts'

const answered = (text: string, status = 200, headers: Record<string, string> = {}): HttpReply => ({
  kind: 'answered',
  status,
  headers: new Headers(headers),
  text,
})

test('a token answer is flat', () => {
  const text =
    '{"access_token":"act.1","expires_in":86400,"open_id":"-000AbC","refresh_expires_in":31536000,"refresh_token":"rft.1","scope":"user.info.basic,video.publish","token_type":"Bearer"}'
  expect(readOAuth(answered(text), TokenAnswer)).toMatchObject({
    ok: true,
    value: { open_id: '-000AbC', refresh_expires_in: 31_536_000 },
  })
})

test('an error of the token endpoint is one with HTTP 200 too', () => {
  const text =
    '{"error":"invalid_grant","error_description":"Authorization code is expired.","log_id":"2026112000"}'
  expect(readOAuth(answered(text), TokenAnswer)).toMatchObject({
    ok: false,
    failure: {
      kind: 'account',
      expired: false,
      reason: { code: 'invalid_grant', detail: 'Authorization code is expired. (log_id 2026112000)' },
    },
  })
})

test('a token answer without a token is no token', () => {
  expect(readOAuth(answered('{}'), TokenAnswer)).toMatchObject({ ok: false, failure: { kind: 'unexpected' } })
  expect(readOAuth(answered('null'), TokenAnswer).ok).toBe(false)
  expect(readOAuth(answered('<html>', 502), TokenAnswer)).toMatchObject({ failure: { kind: 'unreachable' } })
})

test('"ok" decides, not the status: a banned creator comes with HTTP 200', () => {
  const text = '{"data":{},"error":{"code":"spam_risk_user_banned_from_posting","message":"m","log_id":"1"}}'
  expect(readEnvelope(answered(text), CreatorInfo)).toMatchObject({
    ok: false,
    failure: { kind: 'rejected', reason: { code: 'spam_risk_user_banned_from_posting' } },
  })
})

test('an error without data, and with "logid", is read', () => {
  const text = '{"error":{"code":"scope_not_authorized","message":"no scope","logid":"77"}}'
  expect(readEnvelope(answered(text, 401), InitAnswer)).toMatchObject({
    ok: false,
    failure: { kind: 'account', expired: false, reason: { detail: 'no scope (log_id 77)' } },
  })
})

test('the public post id keeps its 19 digits', () => {
  const text =
    '{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7678907398077074696]},"error":{"code":"ok","message":"","log_id":"x"}}'
  expect(readEnvelope(answered(text), StatusAnswer)).toEqual({
    ok: true,
    value: { status: 'PUBLISH_COMPLETE', post_ids: ['7678907398077074696'] },
  })
})

test.each([
  ['{"data":{"status":"PROCESSING_UPLOAD","uploaded_bytes":20000000},"error":{"code":"ok"}}'],
  [
    '{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[],"uploaded_bytes":1},"error":{"code":"ok"}}',
  ],
  [
    '{"data":{"status":"FAILED","fail_reason":"internal","publicaly_available_post_id":null},"error":{"code":"ok"}}',
  ],
])('%s is read', (text) => {
  expect(readEnvelope(answered(text), StatusAnswer).ok).toBe(true)
})

test.each([
  ['7', 7],
  ['0', 5],
  ['999999', 3600],
  ['Sat, 21 Nov 2026 12:00:00 GMT', 65],
])('throttling with Retry-After "%s" waits %i seconds', (header, waitS) => {
  const text = '{"error":{"code":"rate_limit_exceeded","message":"","log_id":"1"}}'
  expect(readEnvelope(answered(text, 429, { 'retry-after': header }), InitAnswer)).toMatchObject({
    failure: { kind: 'throttled', retryAfterS: waitS, limit: false },
  })
})

test('throttling without a word waits a little over a minute, in whatever form it comes', () => {
  for (const text of ['{"error":{"code":"rate_limit_exceeded"}}', '<html>slow down</html>', '']) {
    expect(readEnvelope(answered(text, 429), InitAnswer)).toMatchObject({
      failure: { kind: 'throttled', retryAfterS: 65 },
    })
  }
})

test('a gateway page or a 5xx without code is unreachable, an unknown code unexpected', () => {
  expect(readEnvelope(answered('<html>502</html>', 502), InitAnswer)).toMatchObject({
    failure: { kind: 'unreachable', reason: { code: 'http_502' } },
  })
  expect(
    readEnvelope(answered('{"error":{"code":"new_thing","message":"?"}}', 400), InitAnswer),
  ).toMatchObject({
    failure: { kind: 'unexpected', status: 400, reason: { code: 'new_thing', detail: '?' } },
  })
  expect(readEnvelope(answered('{"error":{"code":"","message":""}}', 500), InitAnswer)).toMatchObject({
    failure: { kind: 'unreachable', reason: { code: 'http_500' } },
  })
  expect(readEnvelope(answered('<html>hello</html>', 200), InitAnswer)).toMatchObject({
    failure: { kind: 'unexpected' },
  })
  expect(readEnvelope(answered('{"data":{},"error":{"code":"ok"}}'), InitAnswer)).toMatchObject({
    failure: { kind: 'unexpected' },
  })
})

test('unreachable says nothing about the account', () => {
  const reply: HttpReply = { kind: 'unreachable', cause: 'ECONNRESET', maybeExecuted: true }
  expect(readEnvelope(reply, z.unknown())).toMatchObject({
    failure: { kind: 'unreachable', reason: { code: 'ECONNRESET' } },
  })
})
