import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deleteApp, initializeApp, type FirebaseApp } from '@firebase/app'
import {
  initializeAuth,
  inMemoryPersistence,
  signInWithEmailAndPassword,
  validatePassword,
  type Auth,
} from '@firebase/auth'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// The product relies on what the SDK does by itself at log-in, and an update of the SDK could change it.

type Asked = { readonly path: string; readonly body: Record<string, unknown> }

let asked: Asked[]
let answers: Record<string, (body: Record<string, unknown>) => { status?: number; body: object }>
const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  request.on('end', () => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) // the SDK sends objects
    asked.push({ path, body })
    const answer = answers[path]?.(body) ?? refusal('UNKNOWN_CALL')
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
})

let app: FirebaseApp
let auth: Auth
beforeEach(async () => {
  asked = []
  answers = { '/identity/v2/passwordPolicy': () => ({ body: POLICY }) }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  app = initializeApp({ apiKey: 'reelay', projectId: 'reelay' })
  auth = initializeAuth(app, { persistence: inMemoryPersistence })
  const { port } = server.address() as AddressInfo // it listens on a port
  auth.config.apiScheme = 'http'
  auth.config.apiHost = `127.0.0.1:${port}/identity`
})
afterEach(async () => {
  vi.restoreAllMocks()
  await deleteApp(app)
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const refusal = (message: string) => ({ status: 400, body: { error: { code: 400, message } } })
const POLICY = {
  customStrengthOptions: { minPasswordLength: 8 },
  allowedNonAlphanumericCharacters: ['!'],
  enforcementState: 'ENFORCE',
  schemaVersion: 1,
}
const asksFor = (path: string) => asked.filter((one) => one.path === path)
const SIGN_IN = '/identity/v1/accounts:signInWithPassword'

test('a login that needs a captcha is retried with a captcha token', async () => {
  // The part of Google's script is played by the SDK's own stand-in: there is no browser here.
  auth.settings.appVerificationDisabledForTesting = true
  vi.spyOn(console, 'log').mockImplementation(() => undefined) // it says so
  answers[SIGN_IN] = ({ captchaResponse }) =>
    refusal(captchaResponse === undefined ? 'MISSING_RECAPTCHA_TOKEN' : 'INVALID_LOGIN_CREDENTIALS')
  await expect(signInWithEmailAndPassword(auth, 'ada@example.com', 'a password')).rejects.toMatchObject({
    code: 'auth/invalid-credential',
  })
  expect(asksFor(SIGN_IN).map(({ body }) => body)).toEqual([
    {
      returnSecureToken: true,
      email: 'ada@example.com',
      password: 'a password',
      clientType: 'CLIENT_TYPE_WEB',
    },
    expect.objectContaining({
      email: 'ada@example.com',
      captchaResponse: expect.any(String) as string,
      recaptchaVersion: 'RECAPTCHA_ENTERPRISE',
    }),
  ])
})

test('a login refused by the password policy reloads a known policy', async () => {
  answers[SIGN_IN] = () => refusal('PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: []')
  await validatePassword(auth, 'a password')
  expect(asksFor('/identity/v2/passwordPolicy')).toHaveLength(1)
  await expect(signInWithEmailAndPassword(auth, 'ada@example.com', 'a password')).rejects.toMatchObject({
    code: 'auth/password-does-not-meet-requirements',
  })
  await vi.waitFor(() => expect(asksFor('/identity/v2/passwordPolicy')).toHaveLength(2))
  expect(asksFor(SIGN_IN)).toHaveLength(1)
})

test('a login refused by the password policy loads no unknown policy', async () => {
  answers[SIGN_IN] = () => refusal('PASSWORD_DOES_NOT_MEET_REQUIREMENTS')
  await expect(signInWithEmailAndPassword(auth, 'ada@example.com', 'a password')).rejects.toThrow()
  await validatePassword(auth, 'a password')
  expect(asksFor('/identity/v2/passwordPolicy')).toHaveLength(1)
})
