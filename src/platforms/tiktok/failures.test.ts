import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { HttpReply } from '../kit/http.ts'
import { nextActionAfter, type NextAction } from '../kit/next-action.ts'
import { toFailure } from '../kit/failure-rule.ts'
import { scriptedServer } from '../kit/scripted-server.ts'
import type { ScriptedServer } from '../kit/scripted-server.ts'
import { createTikTok } from './index.ts'
import { API_RULES, FAIL_REASONS, OAUTH_RULES, putRule } from './api/failures.ts'
import { readEnvelope, readOAuth } from './api/wire.ts'

// TikTok's lists, copied from its pages (docs/platforms/tiktok.md), so that a missing line in the tables fails a test: the code, its HTTP
// status, the next action.

type Row = readonly [code: string, status: number, action: NextAction, seconds?: readonly number[]]

const ENVELOPE: readonly Row[] = [
  ['access_token_invalid', 401, 'refresh or relink'],
  ['scope_not_authorized', 401, 'relink'],
  ['scope_permission_missed', 400, 'relink'],
  ['invalid_params', 400, 'user'],
  ['invalid_param', 400, 'user'],
  ['invalid_file_upload', 400, 'user'],
  ['privacy_level_option_mismatch', 403, 'user'],
  ['unaudited_client_can_only_post_to_private_accounts', 403, 'user'],
  ['reached_active_user_cap', 403, 'wait for quota', [3600]],
  ['reached_active_user_cap', 200, 'wait for quota', [3600]],
  ['spam_risk_too_many_posts', 403, 'wait for quota', [86_400]],
  ['spam_risk_too_many_posts', 200, 'wait for quota', [86_400]],
  ['spam_risk_too_many_pending_share', 403, 'wait for quota', [3600]],
  ['spam_risk_user_banned_from_posting', 403, 'user'],
  ['spam_risk_user_banned_from_posting', 200, 'user'],
  ['spam_risk', 403, 'user'],
  ['url_ownership_unverified', 403, 'operator'],
  ['app_version_check_failed', 400, 'user'],
  ['invalid_publish_id', 400, 'retry', [15]],
  ['token_not_authorized_for_specified_publish_id', 400, 'user'],
  ['publish_not_cancellable', 400, 'user'],
  ['rate_limit_exceeded', 429, 'retry', [65]],
  ['internal_error', 500, 'retry'],
  ['internal_error', 504, 'retry'],
  ['', 503, 'retry'],
]

const OAUTH: readonly Row[] = [
  ['access_denied', 200, 'user'],
  ['invalid_client', 200, 'operator'],
  ['invalid_grant', 200, 'relink'],
  ['invalid_grant', 400, 'relink'],
  ['invalid_request', 200, 'user'],
  ['invalid_scope', 200, 'operator'],
  ['unauthorized_client', 200, 'operator'],
  ['unsupported_grant_type', 200, 'operator'],
  ['unsupported_response_type', 200, 'operator'],
  ['server_error', 200, 'retry'],
  ['server_error', 500, 'retry'],
  ['temporarily_unavailable', 200, 'retry'],
]

const FAIL_REASON: readonly Row[] = [
  ['file_format_check_failed', 200, 'user'],
  ['duration_check_failed', 200, 'user'],
  ['frame_rate_check_failed', 200, 'user'],
  ['picture_size_check_failed', 200, 'user'],
  ['internal', 200, 'retry', [300, 1800]],
  ['video_pull_failed', 200, 'retry', [60]],
  ['photo_pull_failed', 200, 'operator'],
  ['publish_cancelled', 200, 'user'],
  ['auth_removed', 200, 'relink'],
  ['spam_risk_too_many_posts', 200, 'wait for quota', [86_400]],
  ['spam_risk_user_banned_from_posting', 200, 'user'],
  ['spam_risk_text', 200, 'user'],
  ['spam_risk', 200, 'user'],
]

const PUT: readonly Row[] = [
  ['http_400', 400, 'retry', [15, 60]],
  ['http_403', 403, 'retry', [5, 60, 600]],
  ['http_404', 404, 'retry', [5, 60, 600]],
  ['http_416', 416, 'retry', [15, 60]],
  ['http_429', 429, 'retry'],
  ['http_500', 500, 'retry'],
  ['http_502', 502, 'retry'],
  ['http_507', 507, 'retry'],
]

const reply = (status: number, body: unknown): HttpReply => ({
  kind: 'answered',
  status,
  headers: new Headers(),
  text: typeof body === 'string' ? body : JSON.stringify(body),
})
const failed = (result: Result<unknown>): Failure => {
  if (result.ok) throw new Error('it worked')
  return result.failure
}

let server: ScriptedServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})

const none = () => Promise.reject(new Error('not asked for'))

async function failedFor(reason: string | undefined): Promise<Failure> {
  const text = JSON.stringify({ data: { status: 'FAILED', fail_reason: reason }, error: { code: 'ok' } })
  server = await scriptedServer({ '/v2/post/publish/status/fetch/': [{ body: text }] })
  const tiktok = createTikTok(
    {
      mode: 'practice',
      clientKey: 'key',
      clientSecret: 'secret',
      authorizeUrl: server.url,
      apiUrl: server.url,
      uploadHosts: [],
      postUrl: server.url,
      appAudited: true,
    },
    () => 0,
  )
  const outcome = await tiktok.check(
    {
      account: { accessToken: 'act.1', externalId: '-000', username: 'ann' },
      text: '',
      options: {},
      video: { size: 30, mime: 'video/mp4', durationS: 1, read: none, address: none },
      pictureAddress: () => Promise.resolve(null),
      siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
      signal: new AbortController().signal,
    },
    {
      publishId: 'v_pub_file~v2-1.7',
      username: 'ann',
      uploadUrl: 'https://u',
      expiresAt: 1,
      size: 30,
      chunkSize: 30,
      count: 1,
      next: 0,
      contested: false,
      taken: true,
    },
  )
  if (outcome.kind !== 'rejected') throw new Error(outcome.kind)
  return outcome.failure
}

function expectRow(failure: Failure, [code, status, action, seconds = []]: Row): void {
  expect(failure.reason.code).toBe(code === '' ? `http_${status}` : code)
  expect(nextActionAfter(failure)).toEqual({ action, seconds })
  expect(failure.reason.message).toMatch(/^[A-Z].*\.$/)
  expect(failure.reason.remedy).toMatch(/^[A-Z].*\.$/)
}

const named = ([code, status, action]: Row): string => `"${code}" with ${status} leads to: ${action}`

for (const row of ENVELOPE) {
  test(`API error ${named(row)}`, () => {
    const [code, status] = row
    const error = { code, message: 'words of TikTok', log_id: '2026112101' }
    for (const body of [{ data: {}, error }, { error }]) {
      const failure = failed(readEnvelope(reply(status, body), z.unknown()))
      expectRow(failure, row)
      expect(failure.reason.detail).toBe('words of TikTok (log_id 2026112101)')
    }
  })
}

for (const row of OAUTH) {
  test(`the token endpoint says ${named(row)}`, () => {
    const body = { error: row[0], error_description: 'words of TikTok', log_id: '7' }
    expectRow(failed(readOAuth(reply(row[1], body), z.unknown())), row)
  })
}

for (const row of FAIL_REASON) {
  test(`a post failed for ${named(row)}`, async () => expectRow(await failedFor(row[0]), row))
}

for (const row of PUT) {
  test(`a chunk gets ${named(row)}`, () => {
    const rule = putRule(row[1])
    if (rule === null) throw new Error('no rule')
    expectRow(toFailure(row[0], rule, null), row)
  })
}

test.each([
  ['the API', API_RULES, ENVELOPE],
  ['the token endpoint', OAUTH_RULES, OAUTH],
  ['failed posts', FAIL_REASONS, FAIL_REASON],
] as const)('every rule for errors of %s has a row above', (_of, rules, rows) => {
  const codes = rows.map(([code]) => code)
  expect(Object.keys(rules).filter((code) => !codes.includes(code))).toEqual([])
})

test('an undocumented error is shown with code and log_id, and not retried for ever', async () => {
  const body = { error: { code: 'brand_new', message: 'words', log_id: '2026112101' } }
  expect(readEnvelope(reply(418, body), z.unknown())).toMatchObject({
    failure: { kind: 'unexpected', reason: { code: 'brand_new', detail: 'words (log_id 2026112101)' } },
  })
  const flat = { error: 'brand_new', error_description: 'words', logid: '7' }
  expect(readOAuth(reply(200, flat), z.unknown())).toMatchObject({
    failure: { kind: 'unexpected', reason: { code: 'brand_new', detail: 'words (log_id 7)' } },
  })
  for (const reason of ['brand_new', undefined]) {
    const failure = await failedFor(reason)
    expect(nextActionAfter(failure)).toEqual({ action: 'user', seconds: [] })
    expect(failure.reason).toMatchObject({ code: reason ?? 'failed', detail: reason ?? null })
    await server?.close()
  }
  expect(putRule(302)).toBeNull()
})

test.each([
  ['', 200],
  ['<html>login</html>', 200],
  ['null', 200],
  ['[]', 400],
  ['{"data":{"publish_id":"v"}}', 200],
  ['{"error":{"code":7}}', 200],
  ['{"error":{"code":"ok"}}', 200],
])('%s with %i is no success', (text, status) => {
  const Data = z.object({ publish_id: z.string() })
  expect(failed(readEnvelope(reply(status, text), Data)).kind).toBe('unexpected')
  expect(failed(readOAuth(reply(status, text), Data)).kind).toBe('unexpected')
})
