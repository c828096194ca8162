import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { signUp } from '../../support/test-server.ts'
import { alert, delayResponse, expect, fillLogin, go, logIn, PASSWORD, test } from '../support/fixtures.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

const keptIdentity = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<Record<string, unknown> | null>((resolve, reject) => {
        const opened = indexedDB.open('firebaseLocalStorageDb')
        opened.addEventListener('error', () => reject(new Error('no database')))
        opened.addEventListener('success', () => {
          const all = opened.result
            .transaction('firebaseLocalStorage')
            .objectStore('firebaseLocalStorage')
            .getAll()
          all.addEventListener('success', () => {
            const [record] = all.result as { value: Record<string, unknown> }[] // as the SDK stores it
            resolve(record?.value ?? null)
          })
        })
      }),
  )
const keptProfile = (page: Page) =>
  page.evaluate(
    () => JSON.parse(localStorage.getItem('userData') ?? 'null') as Record<string, unknown> | null,
  )

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await expect(heading(page, 'Login')).toBeVisible()
  await expect.poll(() => keptIdentity(page)).toBeNull()
}

/** Opens the settings in a tab that waits for the identity provider's answer about the stored user. */
async function openWithHeldLookup(tab: Page): Promise<() => void> {
  const release = await delayResponse(tab, '**/accounts:lookup?*')
  const requested = tab.waitForRequest('**/accounts:lookup?*')
  await tab.goto('/dashboard/settings')
  await requested
  return release
}

const readSubject = (token: string): string => {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}')
  return typeof claims === 'object' && claims !== null && 'sub' in claims ? String(claims.sub) : ''
}

test('log-in and log-out reach every tab, whether it is open, opening or in the background', async ({
  page,
  context,
  person,
  reelay,
}) => {
  await person.call('createBrand', { body: { title: 'Harbour Coffee' } })
  const next = await signUp(reelay, 'Grace')
  await logIn(page, person.email)
  const other = await context.newPage()
  /** Advances the tabs' time until this holds. */
  const soon = (check: () => Promise<void>) =>
    expect(async () => {
      await context.clock.runFor(1000)
      await check()
    }).toPass()
  const shows = (text: string) => () => expect(other.getByText(text)).toBeVisible({ timeout: 500 })

  await test.step('log-out removes the stored identity and profile, and reaches an open tab', async () => {
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    await expect
      .poll(() => keptIdentity(page))
      .toMatchObject({
        uid: expect.any(String),
        email: person.email,
        emailVerified: false,
        isAnonymous: false,
        providerData: [expect.objectContaining({ providerId: 'password' })],
        createdAt: expect.any(String),
        lastLoginAt: expect.any(String),
      })
    const user = await person.call('getUser')
    await expect.poll(() => keptProfile(page)).toEqual(user)

    await context.clock.install()
    await other.goto('/dashboard/brands')
    await soon(shows('Harbour Coffee'))
    await logOut(page)
    await expect.poll(() => keptProfile(page)).toBeNull()
    await soon(() => expect(heading(other, 'Login')).toBeVisible({ timeout: 500 }))
  })

  await test.step('an open tab goes on where it was when its user logs in again', async () => {
    await fillLogin(page, person.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    await soon(shows('Harbour Coffee'))
  })

  await test.step('a background tab shows nothing of the previous user after another logs in', async () => {
    await context.clock.pauseAt(Date.now() + 600_000)
    await logOut(page)
    await fillLogin(page, next.email, PASSWORD)
    await go(page, 'Settings')
    await expect(page.getByText('Welcome Grace')).toBeVisible()
    // No new data arrive: the tab shows what it has.
    const speakers = new Set<string>()
    await other.route('**/api/v1/**', (route) => {
      speakers.add(readSubject(route.request().headers()['authorization'] ?? ''))
    })
    await soon(async () => expect(speakers).toContain(readSubject(next.token)))
    await expect(other.getByText('Harbour Coffee')).toBeHidden()
    await expect(other.getByText('Welcome Ada')).toBeHidden()
    await other.close()
    await context.clock.resume()
  })

  await test.step('a tab that was opening undoes neither a log-out nor the log-in after it', async () => {
    const opening = await context.newPage()
    // The SDK checks for other tabs' changes at an interval: here the log-out happens in between.
    await opening.addInitScript(() => Object.assign(window, { setInterval: () => 0 }))
    let releaseLookup = await openWithHeldLookup(opening)
    await logOut(page)
    releaseLookup()
    await expect(heading(opening, 'Login')).toBeVisible()
    await expect.poll(() => keptIdentity(page)).toBeNull()

    await fillLogin(page, next.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    releaseLookup = await openWithHeldLookup(opening)
    await logOut(page)
    await fillLogin(page, next.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    releaseLookup()
    await expect(opening.getByText('Welcome Grace')).toBeVisible()
    await go(page, 'Settings')
    await expect(page.getByText('Welcome Grace')).toBeVisible()
  })
})

test('a page that opens while the identity service or the server fails keeps its user', async ({
  page,
  person,
}) => {
  const noBrands = page.getByText(TEXTS.brandsEmpty)
  const identity = '**/identity/**'

  await test.step('the identity service answers 503: the token at hand is still good', async () => {
    await page.route(identity, (route) => route.fulfill({ status: 503, body: 'Try again later.' }))
    await logIn(page, person.email, '/dashboard/brands')
    await expect(noBrands).toBeVisible()
    await page.unroute(identity)
  })

  await test.step('no server: the page says so, and goes on by itself once there is one', async () => {
    await page.route(identity, (route) => route.abort('connectionreset'))
    await page.route('**/api/v1/**', (route) => route.abort('connectionrefused'))
    await page.reload()
    await expect(alert(page, "Can't reach the server.")).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    // The identity service stays unreachable.
    await page.unroute('**/api/v1/**')
    await expect(noBrands, 'nobody had to press').toBeVisible()
    await expect(page).toHaveURL('/dashboard/brands')
  })
})
