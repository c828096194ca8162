import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HttpReply } from '../http.ts'
import { API_VERDICTS, FAIL_REASONS, OAUTH_VERDICTS } from './failures.ts'
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
    value: { status: 'PUBLISH_COMPLETE', publicaly_available_post_id: ['7678907398077074696'] },
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

test('throttling waits as long as it is told, else a little over a minute', () => {
  const text = '{"error":{"code":"rate_limit_exceeded","message":"","log_id":"1"}}'
  expect(readEnvelope(answered(text, 429, { 'retry-after': '7' }), InitAnswer)).toMatchObject({
    failure: { kind: 'throttled', retryAfterS: 7, limit: false },
  })
  expect(readEnvelope(answered(text, 429), InitAnswer)).toMatchObject({
    failure: { kind: 'throttled', retryAfterS: 65 },
  })
})

test("a gateway's page is unreachable, an unknown code unexpected, an empty code of a 5xx unreachable", () => {
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

test('every documented code has a verdict', () => {
  const api =
    'access_token_invalid scope_not_authorized scope_permission_missed invalid_params invalid_param invalid_file_upload privacy_level_option_mismatch unaudited_client_can_only_post_to_private_accounts reached_active_user_cap spam_risk_too_many_posts spam_risk_too_many_pending_share spam_risk_user_banned_from_posting url_ownership_unverified app_version_check_failed invalid_publish_id token_not_authorized_for_specified_publish_id publish_not_cancellable rate_limit_exceeded internal_error'
  const oauth =
    'access_denied invalid_client invalid_grant invalid_request invalid_scope unauthorized_client unsupported_grant_type unsupported_response_type server_error temporarily_unavailable'
  const reasons =
    'file_format_check_failed duration_check_failed frame_rate_check_failed picture_size_check_failed internal video_pull_failed photo_pull_failed publish_cancelled auth_removed spam_risk_too_many_posts spam_risk_user_banned_from_posting spam_risk_text spam_risk'
  const tables = [
    [api, API_VERDICTS],
    [oauth, OAUTH_VERDICTS],
    [reasons, FAIL_REASONS],
  ] as const
  for (const [codes, table] of tables) {
    for (const code of codes.split(' ')) expect(table[code], code).toBeDefined()
    for (const verdict of Object.values(table)) {
      expect(verdict.message).toMatch(/^[A-Z].*\.$/)
      expect(verdict.remedy).toMatch(/^[A-Z].*\.$/)
    }
  }
})

test('unreachable says nothing about the account', () => {
  const reply: HttpReply = { kind: 'unreachable', cause: 'ECONNRESET', maybeExecuted: true }
  expect(readEnvelope(reply, z.unknown())).toMatchObject({
    failure: { kind: 'unreachable', reason: { code: 'ECONNRESET' } },
  })
})
