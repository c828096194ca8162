import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { HttpReply } from '../../kit/http.ts'
import { nextActionAfter, type NextAction } from '../../kit/next-action.ts'
import { containerFailure } from './failures.ts'
import { readGraph, readLink } from './wire.ts'

// Meta's lists, copied from its pages and from observed answers (docs/platforms/instagram.md), so that a missing line in the tables fails a
// test: code and subcode, next action, waits before each retry.

type Row = readonly [code: string, action: NextAction, seconds?: readonly number[], more?: object]

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
const THROTTLED = [15 * MINUTE, HOUR, 3 * HOUR]

const GRAPH: readonly Row[] = [
  ['1', 'retry'],
  ['2', 'retry'],
  ['999', 'retry', [], { is_transient: true }],
  ['3', 'operator'],
  ['4', 'retry', THROTTLED],
  ['4', 'retry', THROTTLED, { is_transient: true }],
  ['17', 'retry', THROTTLED],
  ['32', 'retry', THROTTLED],
  ['613', 'retry', THROTTLED],
  ['4/2207051', 'user'],
  ['9/2207042', 'wait for quota', [HOUR]],
  ['10', 'relink'],
  ['24/2207006', 'retry', [60]],
  ['24/2207008', 'retry', [60, 120]],
  ['25/2207050', 'wait for quota', [DAY]],
  ['-1/2207001', 'retry'],
  ['-1/2207032', 'retry', [30, 120]],
  ['-1/2207053', 'retry', [30, 120, 600]],
  ['-2/2207003', 'retry', [60, 300, 900]],
  ['-2/2207020', 'retry', [5, 60]],
  ['1/2207057', 'user'],
  ['100/33', 'user'],
  ['100/2207023', 'operator'],
  ['100/2207089', 'operator'],
  ['100/2207028', 'user'],
  ['100/2207035', 'user'],
  ['100/2207036', 'user'],
  ['100/2207037', 'user'],
  ['100/2207040', 'user'],
  ['100', 'user'],
  ['100', 'operator', [], { message: 'The parameter video_url is required' }],
  ['100', 'operator', [], { message: 'API calls from the server require an appsecret_proof argument' }],
  ['101', 'operator'],
  ['1', 'operator', [], { message: 'Error validating application. Invalid application ID.' }],
  ['1', 'operator', [], { message: 'Error validating client secret.' }],
  ['102', 'relink'],
  ['190', 'refresh or relink'],
  ['190/0', 'refresh or relink'],
  ['190/458', 'relink'],
  ['190/459', 'relink'],
  ['190/460', 'relink'],
  ['190/463', 'refresh or relink'],
  ['190/464', 'relink'],
  ['190/467', 'relink'],
  ['190/492', 'relink'],
  ['190', 'relink', [], { message: 'Invalid OAuth access token - Cannot parse access token' }],
  ['200', 'relink'],
  ['299', 'relink'],
  ['200', 'operator', [], { message: '(#200) Provide valid app ID: missing ads_management' }],
  ['341', 'retry', [HOUR]],
  ['352/2207026', 'user'],
  ['368', 'wait for quota', [DAY]],
  ['506', 'user'],
  ['803', 'operator'],
  ['2500', 'operator'],
  ['2635', 'operator'],
  ['9004/2207052', 'retry', [5, 30, 300]],
  ['9004/2207052', 'retry', [5, 30, 300], { is_transient: false }],
  ['9007/2207027', 'retry', [10]],
  ['9009', 'user'],
  ['36000/2207004', 'user'],
  ['36001/2207005', 'user'],
  ['36003/2207009', 'user'],
  ['36004/2207010', 'user'],
  ['80002', 'retry', [HOUR]],
  ['80002/2446079', 'retry', [HOUR]],
  ['1', 'relink', [], { message: 'The session has been invalidated because the user changed the password' }],
  ['1', 'relink', [], { message: 'REVOKED_ACCESS_TOKEN' }],
  ['1', 'relink', [], { message: 'Session key is malformed' }],
  ['1', 'relink', [], { message: 'You cannot access the app till you log in to www.instagram.com' }],
  ['1', 'relink', [], { message: 'The user is not a confirmed user' }],
  ['1', 'relink', [], { message: 'the user is not an instagram business' }],
]

/** Codes in a container's `status`, most of them undocumented. */
const CONTAINER: readonly Row[] = [
  ['2207067', 'operator'],
  ['2207073', 'operator'],
  ['2207076', 'retry', [30]],
  ['2207077', 'retry', [30, 300]],
  ['2207078', 'wait for quota', [DAY]],
  ['2207081', 'user'],
  ['2207082', 'retry', [60, 600]],
  ['2207085', 'retry', [60]],
  ['2207089', 'operator'],
  ['2207003', 'retry', [60, 300, 900]],
  ['2207020', 'retry', [5, 60]],
  ['2207026', 'user'],
  ['2207032', 'retry', [30, 120]],
  ['2207052', 'retry', [5, 30, 300]],
  ['2207053', 'retry', [30, 120, 600]],
  ['2207057', 'user'],
  // As answers to a call these pass by themselves; a container that ended with them has ended.
  ['2207001', 'retry', [60]],
  ['2207027', 'retry', [60]],
  ['2207999', 'retry', [60]],
]

const LINKING: readonly Row[] = [
  ['Matching code was not found or was already used', 'user'],
  ['This authorization code has been used', 'user'],
  ['This authorization code has expired', 'user'],
  ['Invalid redirect_uri', 'operator'],
  ['Insufficient developer role', 'operator'],
  ['Invalid platform app', 'operator'],
  ['Error validating client secret.', 'operator'],
]

const reply = (status: number, body: unknown): HttpReply => ({
  kind: 'answered',
  status,
  headers: new Headers(),
  text: typeof body === 'string' ? body : JSON.stringify(body),
})
const failed = (result: Result<unknown> | ReturnType<typeof readGraph>): Failure => {
  if (result.ok) throw new Error('it worked')
  return result.failure
}

function expectRow(failure: Failure, [, action, seconds = []]: Row): void {
  expect(nextActionAfter(failure)).toEqual({ action, seconds })
  expect(failure.reason.message).toMatch(/^[A-Z].*\.$/)
  expect(failure.reason.remedy).toMatch(/^[A-Z].*\.$/)
}

const named = ([code, action, , more = {}]: Row): string =>
  `"${code}"${'message' in more ? ` and "${String(more.message)}"` : ''} leads to: ${action}`

for (const row of GRAPH) {
  const [code = '', subcode] = row[0].split('/')
  const error = {
    message: 'words of Instagram',
    type: 'OAuthException',
    code: Number(code),
    error_subcode: subcode === undefined ? undefined : Number(subcode),
    fbtrace_id: 'AbC',
    ...row[3],
  }
  // The same error comes with any status.
  for (const status of [200, 400, 401, 500]) {
    test(`Instagram says ${named(row)}, with status ${status}`, () => {
      const failure = failed(readGraph(reply(status, { error }), z.unknown()))
      expectRow(failure, row)
      expect(failure.reason).toMatchObject({ code: row[0], detail: `${error.message} (fbtrace_id AbC)` })
    })
  }
}

for (const row of CONTAINER) {
  test(`a container ended with ${named(row)}`, () => {
    const status = `Error: Media upload has failed with error code ${row[0]}`
    const failure = containerFailure(status)
    expectRow(failure, row)
    expect(failure.reason).toMatchObject({ code: row[0], detail: status })
  })
}

for (const row of LINKING) {
  test(`while linking Instagram says ${named(row)}`, () => {
    const body = { error_type: 'OAuthException', code: 400, error_message: row[0] }
    const failure = failed(readLink(reply(400, body), z.unknown()))
    expectRow(failure, row)
    expect(failure.reason.detail).toBe(row[0])
  })
}

test('an undocumented error is shown with code and trace, and not retried for ever', () => {
  const error = { message: 'brand new', code: 31_337, error_subcode: 42, fbtrace_id: 'AbC' }
  const failure = failed(readGraph(reply(200, { error }), z.unknown()))
  expect(failure).toMatchObject({
    kind: 'unexpected',
    status: 200,
    reason: { code: '31337/42', detail: 'brand new (fbtrace_id AbC)' },
  })
  // Nobody can do more than wait while its own server fails.
  expect(failed(readGraph(reply(503, { error }), z.unknown())).kind).toBe('unreachable')
  expect(failed(readLink(reply(400, { error_message: 'brand new' }), z.unknown()))).toMatchObject({
    kind: 'rejected',
    reason: { code: 'link_refused', detail: 'brand new' },
  })
  expect(containerFailure('Error: something new')).toMatchObject({
    kind: 'rejected',
    againInS: [60],
    reason: { code: 'container_error', detail: 'Error: something new' },
  })
})

test.each([
  ['<html>Bad Gateway</html>', 502],
  ['<html>Just a moment</html>', 200],
  ['<html>blocked</html>', 403],
  ['', 200],
  ['', 400],
  ['{"id":"1', 200],
])('%j with %i counts as unreachable', (text, status) => {
  expect(failed(readGraph(reply(status, text), z.object({ id: z.string() })))).toMatchObject({
    kind: 'unreachable',
    reason: { code: `http_${status}` },
  })
  expect(failed(readLink(reply(status, text), z.object({ id: z.string() }))).kind).toBe('unreachable')
})

test.each(['null', '[]', '{"data":[]}', '{"success":true}', '{"error":{"message":"no code"}}', '{"id":{}}'])(
  '%s is an unexpected answer',
  (text) => {
    const Answer = z.object({ id: z.string() })
    expect(failed(readGraph(reply(200, text), Answer))).toMatchObject({
      kind: 'unexpected',
      reason: { detail: text },
    })
    expect(failed(readLink(reply(200, text), Answer)).kind).toBe('unexpected')
  },
)

test('a localised text is shown but never matched', () => {
  const error = {
    message: '',
    code: 9007,
    error_subcode: 2207027,
    error_user_title: 'Contenido no disponible',
    error_user_msg: 'ไม่สามารถใช้สื่อได้ client secret',
  }
  expect(failed(readGraph(reply(400, { error }), z.unknown()))).toMatchObject({
    kind: 'throttled',
    reason: { detail: 'Contenido no disponible ไม่สามารถใช้สื่อได้ client secret' },
  })
})
