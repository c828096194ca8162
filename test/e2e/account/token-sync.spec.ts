import type { BrowserContext, Page } from '@playwright/test'
import { z } from 'zod'
import { expect, fillLogin, go, PASSWORD, test } from '../support/fixtures.ts'

type Sync = { readonly method: string; readonly bearer: string | undefined; readonly page: Page }

/** Simulates TOKEN_SYNC_URL. @returns the requests to that address, which is the operator's own at this origin */
async function syncToSession(context: BrowserContext): Promise<Sync[]> {
  await context.route('**/api/v1/settings', async (route) => {
    const answer = await route.fetch()
    const settings = (await answer.json()) as object
    await route.fulfill({ json: { ...settings, token_sync_url: '/session' } })
  })
  const syncs: Sync[] = []
  await context.route('**/session', async (route) => {
    const request = route.request()
    const authorization = request.headers()['authorization']
    syncs.push({ method: request.method(), bearer: authorization, page: request.frame().page() })
    await route.fulfill({ status: 204 })
  })
  return syncs
}

/** The token of this page's last request. */
function speaking(page: Page): () => string | undefined {
  let last: string | undefined
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) last = request.headers()['authorization'] ?? last
  })
  return () => last
}

function issuedAt(bearer: string | undefined): number {
  const claims: unknown = JSON.parse(Buffer.from(bearer?.split('.')[1] ?? '', 'base64url').toString())
  return z.object({ iat: z.number() }).parse(claims).iat * 1000
}

test('token sync tells who is signed in: at login, renewal, in another tab and at logout', async ({
  page,
  context,
  person,
}) => {
  const syncs = await syncToSession(context)
  const of = (tab: Page) => syncs.filter((sync) => sync.page === tab)
  const methods = (tab: Page) => of(tab).map(({ method }) => method)
  const said = speaking(page)
  await page.goto('/')
  await expect.poll(() => syncs).toMatchObject([{ method: 'DELETE', bearer: undefined }])
  await fillLogin(page, person.email, PASSWORD)
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await expect.poll(said).toMatch(/^Bearer ey/)
  const first = said()
  expect(syncs.slice(1)).toMatchObject([{ method: 'POST', bearer: first }])

  // Tokens have whole seconds: one renewed within the same second is equal.
  await expect.poll(() => Date.now() - issuedAt(first)).toBeGreaterThan(1000)
  // A token that the server refuses is renewed.
  await page.route(
    '**/api/v1/brands',
    (route) => route.fulfill({ status: 401, json: { message: 'Log in again.', code: 'unauthorized' } }),
    { times: 1 },
  )
  await go(page, 'Brands')
  await expect.poll(() => methods(page)).toEqual(['DELETE', 'POST', 'POST'])
  const second = syncs.at(-1)?.bearer
  expect(second).not.toBe(first)
  await expect.poll(said).toBe(second)

  // Each tab that opens with the stored log-in reports it once.
  const other = await context.newPage()
  await other.goto('/dashboard/brands')
  await expect(other.getByRole('heading', { level: 1, name: 'Brands' })).toBeVisible()
  await expect.poll(() => of(other)).toMatchObject([{ method: 'POST', bearer: second }])

  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
  await expect.poll(() => methods(other)).toEqual(['POST', 'DELETE'])
  await fillLogin(page, person.email, PASSWORD)
  await expect.poll(() => methods(other)).toEqual(['POST', 'DELETE', 'POST'])
  await expect.poll(() => methods(page)).toEqual(['DELETE', 'POST', 'POST', 'DELETE', 'POST'])
})
