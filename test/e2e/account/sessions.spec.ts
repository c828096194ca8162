import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { startTestDatabases } from '../../support/database/test-database.ts'
import { signUp, startTestServer, type TestServer } from '../../support/test-server.ts'
import { alert, expect, fillLogin, logIn, newEmail, PASSWORD, test as base } from '../support/fixtures.ts'
import { startOnce } from '../support/start-once.ts'

// A Reelay of their own, whose clock and database they can reach.
let ahead = 0

async function startServer(): Promise<TestServer> {
  const stopDatabases = await startTestDatabases()
  const server = await startTestServer({ now: () => Date.now() + ahead })
  const stop = async () => {
    await server.stop()
    await stopDatabases()
  }
  return { ...server, stop }
}

const test = base.extend<{ server: TestServer }>({
  server: startOnce(startServer),
  baseURL: async ({ server }, provide) => provide(server.url),
  person: async ({ server }, provide) => provide(await signUp(server)),
})
// One after the other, since they move its clock.
test.describe.configure({ mode: 'default' })
test.beforeEach(() => {
  ahead = 0
})

const HOUR_MS = 3_600_000
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const noBrands = (page: Page) => page.getByText(TEXTS.brandsEmpty)

/** The renewals of a token that these tabs ask for from here on, by what became of them. */
function renewals(...tabs: readonly Page[]): number[] {
  const answers: number[] = []
  for (const tab of tabs)
    tab.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('/v1/token')) answers.push(response.status())
    })
  return answers
}

/** Lets this long pass for the server and for these tabs; an ID token is good for an hour. */
async function pass(ms: number, ...tabs: readonly Page[]): Promise<void> {
  ahead = ms
  for (const tab of tabs) await tab.clock.setFixedTime(Date.now() + ms)
}

test('a new user stays signed in over reloads and hours with a renewed token', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Email').fill(newEmail())
  await page.getByLabel('Nickname').fill('Ada')
  for (const name of ['Password', 'Confirm Password'])
    await page.getByRole('textbox', { name, exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await expect(heading(page, 'Overview')).toBeVisible()
  await page.reload()
  await expect(heading(page, 'Overview')).toBeVisible()

  const renewed = renewals(page)
  await page.goto('/dashboard/brands')
  await expect(noBrands(page)).toBeVisible()
  expect(renewed, 'the token is still good').toEqual([])
  await pass(2 * HOUR_MS, page)
  await page.reload()
  await expect(noBrands(page)).toBeVisible()
  expect(renewed.length).toBeGreaterThan(0)
  expect(new Set(renewed)).toEqual(new Set([200]))
})

test('two tabs that renew their token at the same time both stay signed in', async ({
  page,
  context,
  person,
}) => {
  await logIn(page, person.email)
  const other = await context.newPage()
  await other.goto('/dashboard/brands')
  await expect(noBrands(other)).toBeVisible()
  const [here, there] = [renewals(page), renewals(other)]
  await pass(2 * HOUR_MS, page, other)
  await Promise.all([page.reload(), other.reload()])
  await expect(heading(page, 'Overview')).toBeVisible()
  await expect(noBrands(other)).toBeVisible()
  expect([...here, ...there].length).toBeGreaterThan(0)
  expect(new Set([...here, ...there])).toEqual(new Set([200]))
  await pass(4 * HOUR_MS, page, other)
  for (const tab of [page, other]) {
    await tab.goto('/dashboard/brands')
    await expect(noBrands(tab)).toBeVisible()
  }
})

test('a browser with a slow clock renews the token once the server rejects it', async ({ page, person }) => {
  await logIn(page, person.email)
  const renewed = renewals(page)
  // For the server alone.
  await pass(2 * HOUR_MS)
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Brands' }).click()
  await expect(noBrands(page)).toBeVisible()
  expect(new Set(renewed)).toEqual(new Set([200]))
})

test('a page without a server keeps its user and recovers by itself', async ({ page, person }) => {
  await logIn(page, person.email)
  for (const address of ['**/api/v1/**', '**/identity/**'])
    await page.route(address, (route) => route.abort('connectionrefused'))
  await page.goto('/dashboard/brands')
  await expect(alert(page, "Can't reach the server.")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.unrouteAll()
  await expect(noBrands(page), 'nobody had to press').toBeVisible()
  await expect(page).toHaveURL('/dashboard/brands')
})

test('an identity service that fails at the start of a page signs nobody out', async ({ page, person }) => {
  await logIn(page, person.email)
  const answers = [
    (asked: string) => page.route(asked, (route) => route.abort('connectionreset')),
    (asked: string) => page.route(asked, (route) => route.fulfill({ status: 503, body: 'Try again later.' })),
  ]
  for (const fail of answers) {
    await fail('**/identity/**')
    await page.goto('/dashboard/brands')
    // The token at hand is still good.
    await expect(noBrands(page)).toBeVisible()
    await page.unrouteAll()
    await page.reload()
    await expect(noBrands(page)).toBeVisible()
  }
})

test('a disabled user is logged out in every tab and browser and cannot log in', async ({
  page,
  context,
  browser,
  person,
  server,
}) => {
  const elsewhere = await browser.newPage({ baseURL: server.url })
  await logIn(elsewhere, person.email)
  await logIn(page, person.email)
  const other = await context.newPage()
  await other.goto('/dashboard/brands')
  await expect(noBrands(other)).toBeVisible()
  await server.deps.db
    .updateTable('identity_users')
    .set({ disabled: true })
    .where('email', '=', person.email)
    .execute()

  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Brands' }).click()
  for (const tab of [page, other]) await expect(heading(tab, 'Login')).toBeVisible()
  await elsewhere.reload()
  await expect(heading(elsewhere, 'Login')).toBeVisible()
  await fillLogin(page, person.email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  await elsewhere.close()
})
