import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call, http, openEvents, setCredentials } from './api.ts'

// The client of the browser against a server of this machine. Node has no XMLHttpRequest; over fetch axios says the same.
http.defaults.adapter = 'fetch'

let answer: RequestListener
let asked: IncomingMessage[]
const server = createServer((request, response) => {
  asked.push(request)
  answer(request, response)
})

beforeEach(async () => {
  asked = []
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo // it listens on a port
  http.defaults.baseURL = `http://127.0.0.1:${port}/api/v1`
  setCredentials({ token: () => Promise.resolve('a-token'), refused: () => undefined })
})
afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const answering = (status: number, body?: object, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
}
const never: RequestListener = () => undefined

const problem = async (made: Promise<unknown>): Promise<ApiProblem> => {
  const failure: unknown = await made.then(
    () => 'no problem',
    (error: unknown) => error,
  )
  if (failure instanceof ApiProblem) return failure
  throw new Error(`not an ApiProblem: ${String(failure)}`, { cause: failure })
}

test('a server that is down gives a Network Error', async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  const failure = await problem(call('listBrands'))
  expect(failure).toMatchObject({ kind: 'unreachable', message: 'Network Error', code: null })
  server.listen(0)
})

const BUSY = { code: 'too_many_requests', message: 'You have too many requests running at once.' }

test('a call that the server is too busy for is made again when it says', async () => {
  const busy = answering(429, BUSY, { 'retry-after': '0.01' })
  answer = (...exchange) => (asked.length < 3 ? busy : answering(200, []))(...exchange)
  expect(await call('listBrands')).toEqual([])
  expect(asked).toHaveLength(3)
})

test('a call that stays refused, or for long, is given up', async () => {
  answer = answering(429, BUSY, { 'retry-after': '0.01' })
  expect(await problem(call('listBrands'))).toMatchObject({ code: 'too_many_requests' })
  expect(asked).toHaveLength(5)
  answer = answering(429, BUSY, { 'retry-after': '60' })
  expect(await problem(call('listBrands'))).toMatchObject({ retryAfterS: 60 })
  expect(asked).toHaveLength(6)
})

test('a broken connection gives a Network Error', async () => {
  answer = (request) => request.socket.destroy()
  expect(await problem(call('listBrands'))).toMatchObject({ kind: 'unreachable', message: 'Network Error' })
  expect(
    await problem(openEvents({ lastEventId: null, signal: new AbortController().signal })),
  ).toMatchObject({ kind: 'unreachable', message: 'Network Error' })
})

test('a call that exceeds its time limit says which limit', async () => {
  answer = never
  expect(await problem(call('getSettings', { timeoutMs: 50 }))).toMatchObject({
    kind: 'unreachable',
    message: 'timeout of 50ms exceeded',
  })
})

test('the client has no default time limit', async () => {
  expect(http.defaults.timeout).toBe(0)
  answer = (_, response) => setTimeout(() => answering(200, [])(_, response), 300)
  expect(await call('listBrands')).toEqual([])
})

test('an aborted call gives Request aborted', async () => {
  answer = never
  const controller = new AbortController()
  const made = problem(call('listBrands', { signal: controller.signal }))
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  controller.abort()
  expect(await made).toMatchObject({ kind: 'aborted', message: 'Request aborted' })
})

test('a problem reply keeps its message, code, fields and request id', async () => {
  const body = {
    message: 'That cannot be.',
    code: 'invalid',
    errors: { title: ['Too long.', 'Too odd.'] },
    request_id: 'r-1',
  }
  answer = answering(422, body)
  expect(await problem(call('createBrand', { body: { title: 'x' } }))).toMatchObject({
    kind: 'refused',
    message: 'That cannot be.',
    code: 'invalid',
    errors: { title: ['Too long.', 'Too odd.'] },
    requestId: 'r-1',
    retryAfterS: null,
  })
})

test('a temporary refusal says how long to wait', async () => {
  const body = { message: 'Too many.', code: 'too_many_requests' }
  answer = answering(429, body, { 'retry-after': '7' })
  expect(await problem(call('listBrands'))).toMatchObject({ kind: 'refused', retryAfterS: 7 })
})

test.each([400, 403, 404, 409, 500, 502, 503])(
  'a %i without a body of ours is a Request failed with its status code',
  async (status) => {
    for (const body of [undefined, { error: 'of a proxy between us' }]) {
      answer = answering(status, body)
      expect(await problem(call('listBrands'))).toMatchObject({
        kind: 'unreadable',
        message: `Request failed with status code ${status}`,
      })
    }
  },
)

test('a 5xx problem reply keeps its message and request id', async () => {
  answer = answering(500, { message: 'Something broke.', code: 'internal', request_id: 'r-2' })
  expect(await problem(call('listBrands'))).toMatchObject({
    kind: 'refused',
    message: 'Something broke.',
    code: 'internal',
    requestId: 'r-2',
  })
})

test.each([200, 201, 203, 204, 226, 299])('a %i is success', async (status) => {
  answer = status === 204 ? (_, response) => response.writeHead(204).end() : answering(status, [])
  if (status === 204) expect(await call('deleteBrand', { params: { brandId: 1 } })).toBeUndefined()
  else expect(await call('listBrands')).toEqual([])
})

test.each([300, 304, 400])('a %i is not', async (status) => {
  answer = answering(status)
  expect(await problem(call('listBrands'))).toMatchObject({
    message: `Request failed with status code ${status}`,
  })
})

test('a success that breaks the contract is unreadable', async () => {
  answer = answering(200, [{ brand_id: 'one' }])
  expect(await problem(call('listBrands'))).toMatchObject({ kind: 'unreadable', code: null })
})

test("a call without a token is skipped and logs 'No user token available'", async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  setCredentials({ token: () => Promise.resolve(null), refused: () => undefined })
  answer = answering(200, [])
  expect(await problem(call('listBrands'))).toMatchObject({
    kind: 'no_token',
    message: TEXTS.sessionEnded,
  })
  expect(logged.mock.calls).toEqual([['No user token available']])
  expect(asked).toEqual([])
})

test("a failed token renewal skips the call and logs 'No user token available'", async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  for (const code of ['auth/network-request-failed', 'auth/user-token-expired']) {
    setCredentials({ token: () => Promise.reject(new Error(code)), refused: () => undefined })
    expect(await problem(call('listBrands'))).toMatchObject({ kind: 'unreachable' })
  }
  expect(logged.mock.calls).toEqual([['No user token available'], ['No user token available']])
  expect(asked).toEqual([])
})

test("a retry without a new token is skipped and logs 'No user token available'", async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  setCredentials({
    token: (renewed) => (renewed ? Promise.reject(new Error('refused')) : Promise.resolve('old')),
    refused: () => undefined,
  })
  answer = answering(401, { message: 'Log in.', code: 'unauthorized' })
  await problem(call('listBrands'))
  expect(logged.mock.calls).toEqual([['No user token available']])
  expect(asked).toHaveLength(1)
})

test('every call of a signed-in user carries the bearer token', async () => {
  answer = answering(200, [])
  await call('listBrands')
  expect(asked[0]?.headers.authorization).toBe('Bearer a-token')
})

test('a refused token is renewed once; refused again, it ends the session', async () => {
  const tokens: boolean[] = []
  const refused = vi.fn()
  setCredentials({ token: async (renewed) => (tokens.push(renewed), 'a-token'), refused })
  answer = answering(401, { message: 'Log in.', code: 'unauthorized' })
  expect(await problem(call('listBrands'))).toMatchObject({ kind: 'refused', code: 'unauthorized' })
  expect(tokens).toEqual([false, true])
  expect(refused).toHaveBeenCalledOnce()
})

test('a 401 of something in between ends no session, neither of a call nor of the event stream', async () => {
  const refused = vi.fn()
  setCredentials({ token: () => Promise.resolve('a-token'), refused })
  answer = (_, response) => {
    response.writeHead(401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="site"' })
    response.end('<h1>401 Authorization Required</h1>')
  }
  const asks = [call('listBrands'), openEvents({ lastEventId: null, signal: new AbortController().signal })]
  for (const ask of asks)
    expect(await problem(ask)).toMatchObject({
      kind: 'unreadable',
      message: 'Request failed with status code 401',
    })
  expect(asked).toHaveLength(2)
  expect(refused).not.toHaveBeenCalled()
})

test('the event stream ends a session in the server’s own words', async () => {
  const refused = vi.fn()
  setCredentials({ token: () => Promise.resolve('a-token'), refused })
  answer = answering(401, { message: 'Log in.', code: 'unauthorized' })
  const stream = openEvents({ lastEventId: null, signal: new AbortController().signal })
  expect(await problem(stream)).toMatchObject({ kind: 'refused', code: 'unauthorized' })
  expect(refused).toHaveBeenCalledOnce()
})

test('a refused call is not repeated as another user who logged in meanwhile', async () => {
  const other = vi.fn(() => Promise.resolve('the token of Bob'))
  const refused = vi.fn()
  answer = (request, response) => {
    setCredentials({ token: other, refused })
    answering(401, { message: 'Log in.', code: 'unauthorized' })(request, response)
  }
  expect(await problem(call('listBrands'))).toMatchObject({ code: 'unauthorized' })
  expect(other).not.toHaveBeenCalled()
  expect(refused).not.toHaveBeenCalled()
})
