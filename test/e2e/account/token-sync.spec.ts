import type { BrowserContext, Page } from '@playwright/test'
import { z } from 'zod'
import { readConfig } from '#server/runtime/config.ts'
import { signUp } from '../../support/test-server.ts'
import {
  expect,
  fillLogin,
  go,
  delayResponse,
  logInByForm,
  PASSWORD,
  test as base,
} from '../support/fixtures.ts'
import { startIsolatedServer, type IsolatedServer } from '../support/isolated-server.ts'
import { startOnce } from '../support/start-once.ts'

type Sync = { readonly method: string; readonly bearer: string | undefined; readonly page: Page }

async function startPlace(): Promise<IsolatedServer> {
  const place = await startIsolatedServer()
  const { tokenSyncUrl } = readConfig({ TOKEN_SYNC_URL: '/session' })
  await place.serve({ ...place.server.deps, config: { ...place.server.config, tokenSyncUrl } })
  return place
}

const test = base.extend<{ place: IsolatedServer; syncs: Sync[] }>({
  place: startOnce(startPlace),
  baseURL: async ({ place }, provide) => provide(place.url),
  person: async ({ place }, provide) => provide(await signUp(place)),
  syncs: async ({ context }, provide) => provide(await listen(context)),
})
test.describe.configure({ mode: 'default' })

/** What the operator's own address at this origin hears. */
async function listen(context: BrowserContext): Promise<Sync[]> {
  const syncs: Sync[] = []
  await context.route('**/session', async (route) => {
    const request = route.request()
    const authorization = request.headers()['authorization']
    syncs.push({ method: request.method(), bearer: authorization, page: request.frame().page() })
    await route.fulfill({ status: 204 })
  })
  return syncs
}

const methods = (syncs: readonly Sync[]) => syncs.map(({ method }) => method)

/** The token with which this page asked last. */
function speaking(page: Page): () => string | undefined {
  let last: string | undefined
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) last = request.headers()['authorization'] ?? last
  })
  return () => last
}

/** Epoch ms. */
function issuedAt(bearer: string | undefined): number {
  const claims: unknown = JSON.parse(Buffer.from(bearer?.split('.')[1] ?? '', 'base64url').toString())
  return z.object({ iat: z.number() }).parse(claims).iat * 1000
}

const logOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
}

test('token sync sends DELETE without a user, the token at login and renewal, DELETE at logout', async ({
  page,
  person,
  syncs,
}) => {
  const said = speaking(page)
  await page.goto('/')
  await expect.poll(() => syncs).toMatchObject([{ method: 'DELETE', bearer: undefined }])
  await fillLogin(page, person.email, PASSWORD)
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await expect.poll(said).toMatch(/^Bearer ey/)
  const first = said()
  expect(syncs.slice(1)).toMatchObject([{ method: 'POST', bearer: first }])

  // Tokens are dated to the second: one that is renewed within it is the same.
  await expect.poll(() => Date.now() - issuedAt(first)).toBeGreaterThan(1000)
  // A token that the server takes no more is renewed.
  await page.route(
    '**/api/v1/brands',
    (route) => route.fulfill({ status: 401, json: { message: 'Log in again.', code: 'unauthorized' } }),
    { times: 1 },
  )
  await go(page, 'Brands')
  await expect.poll(() => methods(syncs)).toEqual(['DELETE', 'POST', 'POST'])
  expect(syncs.at(-1)?.bearer).not.toBe(first)
  await expect.poll(said).toBe(syncs.at(-1)?.bearer)

  await logOut(page)
  await expect.poll(() => methods(syncs)).toEqual(['DELETE', 'POST', 'POST', 'DELETE'])
})

test('token sync repeats a stored login only while its token is under 300 seconds old', async ({
  page,
  person,
  syncs,
}) => {
  await logInByForm(page, person.email)
  expect(methods(syncs)).toEqual(['DELETE', 'POST'])
  await page.reload()
  await expect.poll(() => methods(syncs)).toEqual(['DELETE', 'POST', 'POST'])
  expect(new Set(syncs.slice(1).map(({ bearer }) => bearer)).size).toBe(1)

  await page.clock.setSystemTime(Date.now() + 400_000)
  await page.reload()
  await go(page, 'Settings')
  await expect(page.getByText('Welcome Ada')).toBeVisible()
  expect(methods(syncs)).toEqual(['DELETE', 'POST', 'POST'])
  await logOut(page)
  await expect.poll(() => methods(syncs)).toEqual(['DELETE', 'POST', 'POST', 'DELETE'])
})

test('each of two tabs syncs the current user once', async ({ page, context, person, syncs }) => {
  await logInByForm(page, person.email)
  const other = await context.newPage()
  await other.goto('/dashboard/brands')
  await expect(other.getByRole('heading', { level: 1, name: 'Brands' })).toBeVisible()
  const of = (tab: Page) => methods(syncs.filter((sync) => sync.page === tab))
  await expect.poll(() => of(other)).toEqual(['POST'])
  await logOut(page)
  await expect.poll(() => of(other)).toEqual(['POST', 'DELETE'])
  await fillLogin(page, person.email, PASSWORD)
  await expect.poll(() => of(other)).toEqual(['POST', 'DELETE', 'POST'])
  await expect.poll(() => of(page)).toEqual(['DELETE', 'POST', 'DELETE', 'POST'])
})

test('a token sync address that fails or hangs blocks neither login nor logout', async ({ page, person }) => {
  const address = '**/session'
  await page.route(address, (route) => route.abort('connectionrefused'))
  await logInByForm(page, person.email)
  await logOut(page)
  await page.unroute(address)
  await page.route(address, (route) => route.fulfill({ status: 500 }))
  await fillLogin(page, person.email, PASSWORD)
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await page.unroute(address)
  const release = await delayResponse(page, address)
  await logOut(page)
  release()
})

test('a token sync address of another origin is never called', async ({ page, person }) => {
  const heard: string[] = []
  page.on('request', (request) => heard.push(new URL(request.url()).host))
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) heard.push(message.text())
  })
  await page.route('**/api/v1/settings', async (route) => {
    const answer = await route.fetch()
    const settings = (await answer.json()) as object
    await route.fulfill({ json: { ...settings, token_sync_url: 'https://elsewhere.example.com/session' } })
  })
  await logInByForm(page, person.email)
  await logOut(page)
  expect([...new Set(heard)]).toEqual([new URL(page.url()).host])
})
