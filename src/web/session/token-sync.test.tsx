import { initializeApp } from '@firebase/app'
import { initializeAuth, inMemoryPersistence, signInWithEmailAndPassword, signOut } from '@firebase/auth'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import { idTokenOf, PASSWORD, session } from '#web/testing/render-app.tsx'
import { syncToken } from './token-sync.ts'

const ADDRESS = '/session'

/** Each request of the page: method, address and bearer. */
let heard: string[]
let answer: () => Promise<Response>
let apps = 0

beforeEach(() => {
  heard = []
  answer = () => Promise.resolve(new Response(null, { status: 204 }))
  vi.stubGlobal('isSecureContext', true)
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const { href } = new URL(input instanceof Request ? input.url : input)
    const bearer = new Headers(init?.headers).get('authorization')
    heard.push([init?.method, href.replace(location.origin, ''), bearer].filter(Boolean).join(' '))
    return answer()
  })
})
afterEach(() => void vi.unstubAllGlobals())

const openSdk = () =>
  initializeAuth(initializeApp({ apiKey: 'reelay', projectId: 'reelay' }, `token sync ${++apps}`), {
    persistence: inMemoryPersistence,
  })
type Sdk = ReturnType<typeof openSdk>

const logIn = (sdk: Sdk) => signInWithEmailAndPassword(sdk, user().email, PASSWORD)
const post = (token: string) => `POST ${ADDRESS} Bearer ${token}`
const gone = `DELETE ${ADDRESS}`
/** The SDK reports its user in a later task. */
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('token sync sends DELETE without a user, the token at login and renewal, DELETE at logout', async () => {
  const sdk = openSdk()
  syncToken(sdk, ADDRESS)
  await vi.waitFor(() => expect(heard).toEqual([gone]))
  const [first, second] = [idTokenOf(user().uid), idTokenOf(user().uid, Date.now() - 2000)]
  identityProvider.reply('accounts:signInWithPassword', { ...session(), idToken: first })
  identityProvider.reply('token', { access_token: second, refresh_token: 'next', expires_in: '3600' })
  const { user: ada } = await logIn(sdk)
  expect(heard.slice(1), 'before the login is known on the page').toEqual([post(first)])
  await settled()
  expect(heard.slice(1), 'once').toEqual([post(first)])
  await ada.getIdToken(true)
  await vi.waitFor(() => expect(heard.slice(2)).toEqual([post(second)]))
  await signOut(sdk)
  await vi.waitFor(() => expect(heard.slice(3)).toEqual([gone]))
})

test.each([
  ['sent again', 299, 1],
  ['not sent', 301, 0],
])('the token of a stored login is %s when it is %i seconds old', async (_, age, times) => {
  const now = Date.parse('2026-11-01T12:00:00.000Z')
  vi.useFakeTimers({ toFake: ['Date'], now })
  const idToken = idTokenOf(user().uid, now - age * 1000)
  identityProvider.reply('accounts:signInWithPassword', { ...session(), idToken })
  const sdk = openSdk()
  await logIn(sdk)
  // As a page finds its user that opens now.
  syncToken(sdk, ADDRESS)
  await settled()
  await settled()
  expect(heard).toEqual(Array.from({ length: times }, () => post(idToken)))
  await signOut(sdk)
  await vi.waitFor(() => expect(heard.at(-1)).toBe(gone))
})

test.each([
  ['cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['fails', () => Promise.resolve(new Response(null, { status: 500 }))],
])('an address that %s blocks neither login nor logout', async (_, fails) => {
  answer = fails
  const sdk = openSdk()
  syncToken(sdk, ADDRESS)
  await vi.waitFor(() => expect(heard).toEqual([gone]))
  await logIn(sdk)
  expect(sdk.currentUser?.uid).toBe(user().uid)
  expect(heard.at(-1)).toMatch(/POST/)
  await signOut(sdk)
  expect(sdk.currentUser).toBeNull()
  await vi.waitFor(() => expect(heard.at(-1)).toBe(gone))
})

test('an address that hangs delays no logout, and a login for five seconds at most', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  const { promise: hanging, reject } = Promise.withResolvers<Response>()
  const sdk = openSdk()
  await logIn(sdk)
  syncToken(sdk, ADDRESS)
  await vi.waitFor(() => expect(heard).toHaveLength(1))
  answer = () => hanging
  await signOut(sdk)
  expect(sdk.currentUser).toBeNull()
  await vi.waitFor(() => expect(heard.at(-1)).toBe(gone))

  const login = logIn(sdk)
  await vi.waitFor(() => expect(heard.at(-1)).toMatch(/POST/))
  expect(sdk.currentUser).toBeNull()
  expect(timeout).toHaveBeenLastCalledWith(5_000)
  reject(new DOMException('too late', 'TimeoutError'))
  await login
  expect(sdk.currentUser?.uid).toBe(user().uid)
  await signOut(sdk)
})

test.each([
  ['of another origin', 'https://elsewhere.example.com/session', true],
  ['of a page without https', ADDRESS, false],
])('an address %s is never called', async (_, address, secure) => {
  vi.stubGlobal('isSecureContext', secure)
  const sdk = openSdk()
  syncToken(sdk, address)
  await logIn(sdk)
  await signOut(sdk)
  await settled()
  expect(heard).toEqual([])
})
