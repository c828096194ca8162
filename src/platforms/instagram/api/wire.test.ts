import { expect, test } from 'vitest'
import type { HttpReply } from '../../kit/http.ts'
import { linkRule } from './link-rules.ts'
import { Created, Me, MediaList, ShortToken, readGraph, readLink } from './wire.ts'

const answered = (text: string, status = 200, headers: Record<string, string> = {}): HttpReply => ({
  kind: 'answered',
  status,
  headers: new Headers(headers),
  text,
})
const error = (fields: Record<string, unknown>, status = 400, headers: Record<string, string> = {}) =>
  readGraph(
    answered(JSON.stringify({ error: { type: 'OAuthException', ...fields } }), status, headers),
    Created,
  )

test.each([
  ['{"data":[{"access_token":"t","user_id":"1020","permissions":"a,b"}]}'],
  ['{"access_token":"t","user_id":17841400000000001,"permissions":["a","b"]}'],
  ['{"data":[{"access_token":"t","user_id":17841400000000001,"permissions":["a","b"]}]}'],
])('the short-lived token comes in any shape: %s', (text) => {
  expect(readLink(answered(text), ShortToken)).toEqual({
    ok: true,
    value: { access_token: 't', permissions: ['a', 'b'] },
  })
})

test('the token endpoint has its own error shape', () => {
  const text =
    '{"error_type":"OAuthException","code":400,"error_message":"Matching code was not found or was already used"}'
  expect(readLink(answered(text, 400), ShortToken)).toMatchObject({
    failure: { kind: 'rejected', reason: { code: 'code_used' } },
  })
  expect(readLink(answered('<html>', 502), ShortToken)).toMatchObject({ failure: { kind: 'unreachable' } })
})

test.each([
  ['Invalid redirect_uri', 'invalid_redirect_uri'],
  ['Insufficient developer role', 'insufficient_developer_role'],
  ['Invalid platform app', 'invalid_platform_app'],
  ['This authorization code has been used', 'code_used'],
  ['This authorization code has expired', 'code_used'],
  ['something new', 'link_refused'],
])('"%s" is %s', (message, code) => {
  expect(linkRule(message).code).toBe(code)
})

test.each([
  ['{"id":"26160","user_id":"17841400000000001","username":"ann","account_type":"MEDIA_CREATOR"}'],
  ['{"data":[{"id":26160,"user_id":17841400000000001,"username":"ann","account_type":"Business"}]}'],
])('a profile comes flat or wrapped, with every digit of its ids: %s', (text) => {
  expect(readGraph(answered(text), Me)).toMatchObject({
    ok: true,
    value: { id: '26160', user_id: '17841400000000001', username: 'ann' },
  })
})

test('an id that is not a number is never put into a URL', () => {
  expect(readGraph(answered('{"id":"../me"}'), Created)).toMatchObject({ failure: { kind: 'unexpected' } })
})

test('lists of posts may lack fields', () => {
  const text = '{"data":[{"id":"1","media_type":"VIDEO","timestamp":"2026-11-20T10:00:00+0000"},{"id":2}]}'
  expect(readGraph(answered(text), MediaList)).toMatchObject({
    ok: true,
    value: { data: [{ id: '1' }, { id: '2' }] },
  })
})

test.each([
  [{ code: 190, error_subcode: 463, message: 'expired' }, 'account', '190/463'],
  [{ code: 190, message: 'x' }, 'account', '190'],
  [{ code: 10, message: 'x' }, 'account', '10'],
  [{ code: 230, message: 'x' }, 'account', '230'],
  [{ code: 200, message: '(#200) missing ads_management' }, 'rejected', '200'],
  [{ code: 4, message: 'limit' }, 'throttled', '4'],
  [{ code: 4, error_subcode: 2207051, message: 'limit' }, 'rejected', '4/2207051'],
  [{ code: 9, error_subcode: 2207042, message: 'x' }, 'throttled', '9/2207042'],
  [{ code: 80002, error_subcode: 2446079, message: 'x' }, 'throttled', '80002/2446079'],
  [{ code: 2, message: 'x' }, 'unreachable', '2'],
  [{ code: 999, message: 'x', is_transient: true }, 'unreachable', '999'],
  [{ code: 999, message: 'x' }, 'unexpected', '999'],
  [{ code: 9004, error_subcode: 2207052, message: 'x', is_transient: false }, 'rejected', '9004/2207052'],
  [{ code: 352, error_subcode: 2207999, message: 'x' }, 'rejected', '352/2207999'],
  [{ code: 100, message: 'API calls require an appsecret_proof argument' }, 'rejected', '100'],
  [{ code: 1, message: 'the session has been invalidated' }, 'account', '1'],
] as const)('%o is %s', (fields, kind, code) => {
  expect(error(fields)).toMatchObject({ ok: false, failure: { kind, reason: { code } } })
})

test("Meta's user message and trace are kept as detail", () => {
  const answer = error({ code: 100, message: 'Invalid parameter', error_user_msg: 'Nope', fbtrace_id: 'Abc' })
  expect(answer).toMatchObject({ failure: { reason: { detail: 'Invalid parameter Nope (fbtrace_id Abc)' } } })
})

test("a throttle's minutes are read", () => {
  const usage = '{"1784":[{"type":"instagram","estimated_time_to_regain_access":12}]}'
  expect(error({ code: 80002, message: 'x' }, 400, { 'x-business-use-case-usage': usage })).toMatchObject({
    failure: { kind: 'throttled', retryAfterS: 720 },
  })
  expect(error({ code: 80002, message: 'x' })).toMatchObject({ failure: { retryAfterS: 3600 } })
  // Instagram's own wait applies at every repetition, without a longer one.
  expect(error({ code: 4, message: 'x' }, 400, { 'x-business-use-case-usage': usage })).toMatchObject({
    failure: { retryAfterS: 720, laterS: [] },
  })
})
