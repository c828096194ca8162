import type { BrowserContext, Page } from '@playwright/test'
import type { FastifyInstance } from 'fastify'
import { createFirebaseIdentity } from '#identity/hosted.ts'
import { TEXTS } from '#contract/texts.ts'
import { buildApp } from '#server/app.ts'
import type { Deps } from '#server/deps.ts'
import { startTestDatabases } from '../../support/database/test-database.ts'
import { startHostedIdentity, type HostedService } from '../../support/hosted-identity.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { signUp, startTestServer } from '../../support/test-server.ts'
import { alert, expect, fillLogin, go, newEmail, PASSWORD, test as base } from '../support/fixtures.ts'

// The browser believes that it calls Google: the stand-in answers its requests after the page's own policy has allowed
// them.

/** A Reelay that can use either identity mode, unlike the one that all other tests share. */
type Installation = {
  /** Stays the same in both modes. */
  readonly url: string
  readonly google: HostedService
  /** Ends the previous server. */
  serveAs(mode: 'embedded' | 'hosted'): Promise<void>
  stop(): Promise<void>
}

async function startPlace(): Promise<Installation> {
  const stopDatabases = await startTestDatabases()
  const [server, google, port] = [await startTestServer(), await startHostedIdentity(), await freePort()]
  const url = `http://localhost:${port}`
  const { apiKey, projectId, authDomain, url: identityToolkitUrl, keysUrl: jwksUrl } = google
  let app: FastifyInstance | null = null
  const serve = async (deps: Deps) => {
    await app?.close()
    app = await buildApp(deps)
    await app.listen({ port, host: '127.0.0.1' })
  }
  return {
    url,
    google,
    serveAs(mode) {
      const { deps } = server
      if (mode === 'embedded') return serve(deps)
      const given = { apiKey, projectId, authDomain, identityToolkitUrl, jwksUrl }
      // New each time, as after a start: it has no keys yet.
      const identity = createFirebaseIdentity({ ...given, publicUrl: url, now: deps.now })
      return serve({ ...deps, identity })
    },
    async stop() {
      await google.close()
      await app?.close()
      await server.stop()
      await stopDatabases()
    },
  }
}

const test = base.extend<{ place: Installation }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads from this pattern that it needs no other fixture
  place: async ({}, provide) => {
    const place = await startPlace()
    await provide(place)
    await place.stop()
  },
  baseURL: async ({ place }, provide) => provide(place.url),
  context: async ({ context, place }, provide) => {
    await reachGoogle(context, place.google)
    await provide(context)
  },
})

async function reachGoogle(context: BrowserContext, google: HostedService) {
  await context.route(/^https:\/\/(identitytoolkit|securetoken)\.googleapis\.com\//, async (route) => {
    const url = route
      .request()
      .url()
      .replace(/^https:\/\/[^/]+/, google.url)
    const answer = await route.fetch({ url }).catch(() => null)
    await (answer ? route.fulfill({ response: answer }) : route.abort('connectionrefused'))
  })
}

const CAPTCHA = 'https://www.google.com/recaptcha/**'
/** Requests that restore a stored session. */
const RENEWALS = /accounts:lookup|\/v1\/token/
const ANOTHER = 'a better horse battery'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** The hosts that this page requested, and those that its policy blocked. */
function watch(page: Page) {
  const hosts = new Set<string>()
  const violations: string[] = []
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (/^https?:$/.test(protocol)) hosts.add(host)
  })
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text())
  })
  return { hosts, violations }
}

/** Matching requests of this page from here on. */
function requestsFor(page: Page, address: RegExp): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    if (address.test(request.url())) asked.push(request.url())
  })
  return asked
}

const PROVIDER = [
  'https://identitytoolkit.googleapis.com/v2/x',
  'https://securetoken.googleapis.com/v1/token',
]
const OTHERS = ['https://storage.googleapis.com/x', 'https://www.google.com/x', 'https://example.com/']

/** The addresses among these that the page's policy allows. */
async function reachable(page: Page): Promise<string[]> {
  const everywhere = /^https:\/\/.*/
  await page.route(everywhere, (route) => route.fulfill({ body: '' }))
  const reached = await page.evaluate(
    (urls) =>
      Promise.all(
        urls.map((url) =>
          fetch(url, { mode: 'no-cors' }).then(
            () => [url],
            () => [],
          ),
        ),
      ),
    [...PROVIDER, ...OTHERS],
  )
  await page.unroute(everywhere)
  return reached.flat()
}

test('sign-up, captcha, outage, reset and a change of mode work with a hosted provider', async ({
  page,
  place,
}) => {
  const { google } = place
  await place.serveAs('embedded')
  const embedded = await signUp(place, 'Eve')
  google.settings.actionUrl = `${place.url}/__/auth/action`
  const email = newEmail()
  const logins = () => google.calls.filter(({ call }) => call === 'accounts:signInWithPassword')

  await test.step('a session of the built-in service is none of the provider', async () => {
    await page.goto('/')
    await fillLogin(page, embedded.email, PASSWORD)
    await expect(heading(page, 'Overview')).toBeVisible()
    await place.serveAs('hosted')
    const asked = requestsFor(page, RENEWALS)
    await page.goto('/')
    await expect(heading(page, 'Login')).toBeVisible()
    expect(asked).toEqual([])
    await fillLogin(page, embedded.email, PASSWORD)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  })

  const { hosts, violations } = watch(page)
  await test.step('sign up', async () => {
    await page.goto('/signup')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByLabel('Nickname').fill('Ada')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD)
    await page.getByRole('textbox', { name: 'Confirm Password' }).fill(PASSWORD)
    await button(page, 'Sign up').click()
    await expect(heading(page, 'Overview')).toBeVisible()
    await go(page, 'Brands')
    expect(google.calls.filter(({ call }) => call === 'accounts:signUp')).toHaveLength(1)
  })

  await test.step('a provider that is down signs nobody out', async () => {
    google.down()
    // A just started server that could not fetch the provider's keys.
    await place.serveAs('hosted')
    const refused = page.waitForResponse(
      (response) => response.url().includes('/api/v1/brands') && response.status() === 503,
    )
    await page.reload()
    await refused
    await expect(heading(page, 'Brands')).toBeVisible()
    google.up()
    await page.reload()
    await expect(page.getByText(TEXTS.brandsEmpty)).toBeVisible()
    await go(page, 'Settings')
    await expect(page.getByText('Welcome Ada')).toBeVisible()
  })

  await test.step('a forgotten password is replaced', async () => {
    await button(page, 'Log out').click()
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(heading(page, 'Forgot Password')).toBeVisible()
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await button(page, 'Submit').click()
    await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
    const mail = google.mails.find(({ to }) => to === email)
    await page.goto(mail?.link ?? '')
    await expect(page.getByText(`For ${email}`)).toBeVisible()
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill(ANOTHER)
    await page.getByRole('textbox', { name: 'Confirm new password' }).fill(ANOTHER)
    await button(page, 'Set new password').click()
    await expect(page.getByText('Password changed. Log in with the new one.')).toBeVisible()
    await page.getByRole('link', { name: 'Log in' }).click()
    await fillLogin(page, email, PASSWORD)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    expect(hosts).toEqual(new Set([new URL(place.url).host, 'identitytoolkit.googleapis.com']))
  })

  await test.step('a log-in that needs a captcha says so if its script cannot be fetched', async () => {
    await page.route(CAPTCHA, (route) => route.abort('blockedbyclient'))
    google.refuseNext('accounts:signInWithPassword', 'MISSING_RECAPTCHA_TOKEN')
    await fillLogin(page, email, ANOTHER)
    await expect(alert(page, "Couldn't check that you're a person.")).toBeVisible()
    await page.unroute(CAPTCHA)
  })

  await test.step('and sends the answer of the script otherwise', async () => {
    const scripts: string[] = []
    await page.route(CAPTCHA, (route) => {
      scripts.push(route.request().url())
      return route.fulfill({
        contentType: 'text/javascript',
        body: `window.grecaptcha = { enterprise: { ready: (then) => then(), execute: async () => 'a-captcha-token' } }
          window[new URL(document.currentScript.src).searchParams.get('onload')]()`,
      })
    })
    google.refuseNext('accounts:signInWithPassword', 'MISSING_RECAPTCHA_TOKEN')
    await fillLogin(page, email, ANOTHER)
    await expect(heading(page, 'Overview')).toBeVisible()
    expect(scripts).toEqual([
      expect.stringMatching(/^https:\/\/www\.google\.com\/recaptcha\/enterprise\.js\?render=6Lhosted&/),
    ])
    expect(logins().at(-1)).toMatchObject({
      status: 200,
      body: { email, captchaResponse: 'a-captcha-token', recaptchaVersion: 'RECAPTCHA_ENTERPRISE' },
    })
  })
  expect(violations).toEqual([])

  await test.step('the built-in service has sessions of its own, and its pages ask no other host', async () => {
    await go(page, 'Settings')
    await place.serveAs('embedded')
    await page.reload()
    await expect(page.getByText('Welcome Eve')).toBeVisible()
    await button(page, 'Log out').click()
    const asked = requestsFor(page, RENEWALS)
    await page.goto('/')
    await expect(heading(page, 'Login')).toBeVisible()
    expect(asked).toEqual([])
    expect(await reachable(page)).toEqual([])
    await fillLogin(page, email, ANOTHER)
    await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
    await fillLogin(page, embedded.email, PASSWORD)
    await go(page, 'Settings')
    await expect(page.getByText('Welcome Eve')).toBeVisible()
  })

  await test.step('in each mode the session of before is valid again', async () => {
    await place.serveAs('hosted')
    await page.reload()
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    expect(await reachable(page)).toEqual(PROVIDER)
    await place.serveAs('embedded')
    await page.reload()
    await expect(page.getByText('Welcome Eve')).toBeVisible()
  })
})
