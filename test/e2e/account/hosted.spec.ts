import type { BrowserContext, Page } from '@playwright/test'
import { createFirebaseIdentity } from '#identity/hosted.ts'
import { TEXTS } from '#contract/texts.ts'
import { signUp } from '../../support/test-server.ts'
import { startHostedIdentity, type HostedService } from '../../support/hosted-identity.ts'
import {
  alert,
  expect,
  fillLogin,
  go,
  logInByForm,
  newEmail,
  PASSWORD,
  test as base,
} from '../support/fixtures.ts'
import { startIsolatedServer, type IsolatedServer } from '../support/isolated-server.ts'
import { startOnce } from '../support/start-once.ts'

// The browser believes that it speaks to Google: what it sends there is answered by the stand-in, after the page's own
// policy has let it out.

type Place = IsolatedServer & {
  readonly google: HostedService
  serveAs(mode: 'embedded' | 'hosted'): Promise<void>
}

async function startPlace(): Promise<Place> {
  const [own, google] = [await startIsolatedServer(), await startHostedIdentity()]
  const { apiKey, projectId, authDomain, url, keysUrl } = google
  const { deps } = own.server
  const serveAs = (mode: 'embedded' | 'hosted') => {
    if (mode === 'embedded') return own.serve(deps)
    // New each time, as after a start: it has no keys yet.
    const identity = createFirebaseIdentity({
      apiKey,
      projectId,
      authDomain,
      signup: 'open',
      publicUrl: own.url,
      now: deps.now,
      identityToolkitUrl: url,
      jwksUrl: keysUrl,
    })
    return own.serve({ ...deps, identity })
  }
  const stop = async () => {
    await google.close()
    await own.stop()
  }
  return { ...own, google, serveAs, stop }
}

const test = base.extend<{ place: Place }>({
  place: startOnce(startPlace),
  baseURL: async ({ place }, provide) => provide(place.url),
  context: async ({ context, place }, provide) => {
    await reachGoogle(context, place.google)
    await provide(context)
  },
})
// All tests share one isolated server and reconfigure it in turn.
test.describe.configure({ mode: 'default' })
test.beforeEach(async ({ place }) => {
  place.google.up()
  await place.serveAs('hosted')
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

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** The hosts that this page asked, and what its policy kept it from. */
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

async function register(page: Page, email: string) {
  await page.goto('/signup')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Nickname').fill('Ada')
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD)
  await page.getByRole('textbox', { name: 'Confirm Password' }).fill(PASSWORD)
  await button(page, 'Sign up').click()
  await expect(heading(page, 'Overview')).toBeVisible()
}

/** Whether the policy of this page lets a request out to there. */
const canReach = (page: Page, url: string) =>
  page.evaluate(
    (address) =>
      fetch(address, { mode: 'no-cors' }).then(
        () => true,
        () => false,
      ),
    url,
  )

test('sign-up, sessions and password reset work with a hosted provider', async ({ page, place }) => {
  const { google } = place
  const { hosts, violations } = watch(page)
  google.settings.actionUrl = `${place.url}/__/auth/action`
  const email = newEmail()
  await register(page, email)
  await go(page, 'Settings')
  await expect(page.getByText('Welcome Ada')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Welcome Ada')).toBeVisible()
  expect(google.calls.filter(({ call }) => call === 'accounts:signUp')).toHaveLength(1)

  await button(page, 'Log out').click()
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expect(heading(page, 'Forgot Password')).toBeVisible()
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await button(page, 'Submit').click()
  await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
  const mail = google.mails.find(({ to }) => to === email)
  await page.goto(mail?.link ?? '')
  await expect(page.getByText(`For ${email}`)).toBeVisible()
  const changed = 'a better horse battery'
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(changed)
  await page.getByRole('textbox', { name: 'Confirm new password' }).fill(changed)
  await button(page, 'Set new password').click()
  await expect(page.getByText('Password changed. Log in with the new one.')).toBeVisible()

  await page.getByRole('link', { name: 'Log in' }).click()
  await fillLogin(page, email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()
  await fillLogin(page, email, changed)
  await expect(heading(page, 'Overview')).toBeVisible()

  expect(hosts).toEqual(new Set([new URL(place.url).host, 'identitytoolkit.googleapis.com']))
  expect(violations).toEqual([])
})

test('a provider that is down signs nobody out', async ({ page, place }) => {
  await register(page, newEmail())
  await go(page, 'Brands')
  // A server that has just started, and could not fetch the provider's keys.
  place.google.down()
  await place.serveAs('hosted')
  const answers: number[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/v1/brands')) answers.push(response.status())
  })
  await page.reload()
  await expect.poll(() => answers).toContain(503)
  await expect(heading(page, 'Brands')).toBeVisible()
  place.google.up()
  await page.reload()
  await expect(page.getByRole('button', { name: /brand/i }).first()).toBeVisible()
  await go(page, 'Settings')
  await expect(page.getByText('Welcome Ada')).toBeVisible()
})

test('a log-in that needs a captcha loads Google’s script and sends its answer', async ({ page, place }) => {
  const { google } = place
  const { violations } = watch(page)
  const email = newEmail()
  google.createUser({ email, password: PASSWORD })
  const scripts: string[] = []
  await page.route('https://www.google.com/recaptcha/**', (route) => {
    scripts.push(route.request().url())
    return route.fulfill({
      contentType: 'text/javascript',
      body: `window.grecaptcha = { enterprise: { ready: (then) => then(), execute: async () => 'a-captcha-token' } }
        window[new URL(document.currentScript.src).searchParams.get('onload')]()`,
    })
  })
  google.refuseNext('accounts:signInWithPassword', 'MISSING_RECAPTCHA_TOKEN')
  await logInByForm(page, email)
  expect(scripts).toEqual([
    expect.stringMatching(/^https:\/\/www\.google\.com\/recaptcha\/enterprise\.js\?render=6Lhosted&/),
  ])
  expect(google.calls.findLast(({ call }) => call === 'accounts:signInWithPassword')).toMatchObject({
    status: 200,
    body: { email, captchaResponse: 'a-captcha-token', recaptchaVersion: 'RECAPTCHA_ENTERPRISE' },
  })
  expect(violations).toEqual([])
})

test('the security policy allows the provider’s hosts only where the provider is hosted', async ({
  page,
  place,
}) => {
  const everywhere = /^https:\/\/.*/
  await page.route(everywhere, (route) => route.fulfill({ body: '' }))
  const reach = (urls: string[]) => Promise.all(urls.map((url) => canReach(page, url)))
  const provider = [
    'https://identitytoolkit.googleapis.com/v2/x',
    'https://securetoken.googleapis.com/v1/token',
  ]
  const others = ['https://storage.googleapis.com/x', 'https://www.google.com/x', 'https://example.com/']
  await page.goto('/')
  expect(await reach([...provider, ...others])).toEqual([true, true, false, false, false])
  await place.serveAs('embedded')
  await page.goto('/')
  expect(await reach([...provider, ...others, '/healthz'])).toEqual([false, false, false, false, false, true])
})

test('a session of one identity mode is ignored in the other, and valid again in its own', async ({
  page,
  place,
}) => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (/accounts:lookup|\/v1\/token/.test(request.url())) asked.push(request.url())
  })
  await place.serveAs('embedded')
  const embedded = await signUp(place, 'Eve')
  await logInByForm(page, embedded.email)
  // The page of before may ask once more.
  await page.goto('about:blank')
  await place.serveAs('hosted')
  asked.length = 0
  await page.goto('/')
  await expect(heading(page, 'Login')).toBeVisible()
  expect(asked).toEqual([])
  await fillLogin(page, embedded.email, PASSWORD)
  await expect(alert(page, TEXTS.loginFailed)).toBeVisible()

  const email = newEmail()
  await register(page, email)
  await place.serveAs('embedded')
  await page.goto('/dashboard/settings')
  await expect(page.getByText('Welcome Eve')).toBeVisible()
  await place.serveAs('hosted')
  await page.reload()
  await expect(page.getByText('Welcome Ada')).toBeVisible()
})
