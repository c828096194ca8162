import type { Page } from '@playwright/test'
import { failureAnchor } from '#contract/help.ts'
import { METRICS } from '#contract/platforms/index.ts'
import { MARK_AGES_H, type MissingReason } from '#contract/results.ts'
import { TEXTS } from '#contract/texts.ts'
import { webhook, webhookMessage } from '#web/testing/data.ts'
import { report, reportNumbers, reportPost } from '#web/testing/reports.ts'
import { fixture } from '../../support/sample.ts'
import { expect, fillLogin, goInApp } from './fixtures.ts'

/** The names used in test titles. */
export const VIEWERS = {
  visitor: 'a visitor',
  newUser: 'a new user',
  seededUser: 'a user with posts',
} as const
export type Viewer = keyof typeof VIEWERS

export type Screen = {
  readonly name: string
  readonly viewer: Viewer
  /** Opens it and waits until it is complete. */
  readonly open: (page: Page) => Promise<void>
  /** It shows a refusal, which the browser logs. */
  readonly refused?: true
  /** Exists only in a narrow window. */
  readonly phoneOnly?: true
  /**
   * For screens whose stubbed answers outlive them, or that leave the app: a separate page, or one shared by screens with
   * the same answers.
   */
  readonly page?: 'own' | 'full library' | 'unsaved drafts'
}

/** One screen can open in the page that showed the other. */
export const sharePage = (one: Screen, other: Screen): boolean =>
  one.page === other.page && one.page !== 'own'

/** The last part of an address between two screens: it belongs to no page, so that the previous one is unmounted completely. */
const BETWEEN = '/between-screens'
/** Users whose screens follow without a load start here. */
export const BETWEEN_SCREENS = `/dashboard${BETWEEN}`

/** Leaves a screen inside the app and checks that nothing of it remains. The next one opens there without a load. */
export async function leaveScreen(page: Page): Promise<void> {
  await goInApp(page, new URL(page.url()).pathname.startsWith('/dashboard/') ? BETWEEN_SCREENS : BETWEEN)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(['Page not found'])
  const left = '[role=dialog], [role=menu], [role=listbox], [role=alert], form, [aria-invalid=true]'
  await expect(page.locator(left).filter({ visible: true })).toHaveCount(0)
}

/** Loads it, unless the page is between two screens. */
const goTo = (page: Page, path: string): Promise<unknown> =>
  page.url().endsWith(BETWEEN) ? goInApp(page, path) : page.goto(path)

/** Switches the page to light or dark like the system, and waits until it is painted. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme'] ?? 'none'))
    // Sign-up is always dark; the practice platforms follow by themselves.
    .toMatch(new URL(page.url()).pathname === '/signup' ? 'dark' : new RegExp(`${colorScheme}|none`))
  await page.evaluate(
    () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
  )
}

const at = (path: string, heading: string, shows?: string | RegExp) => async (page: Page) => {
  await goTo(page, path)
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  if (shows !== undefined) await expect(page.getByText(shows).first()).toBeVisible()
}

const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()

const ADA = 'ada@example.com'

/** Posts of the same minute overlap, and a phone's month shows numbers: which one is visible does not matter. */
const openCalendar = (view: string) => async (page: Page) => {
  await at(`/dashboard/calendar?view=${view}`, 'Calendar')(page)
  await expect(page.locator('button[data-stop]').first()).toBeAttached()
}

/** The newest video of the seeded user waits for its post; the stored ones use some of a quota. */
async function openLibrary(page: Page): Promise<void> {
  await page.route('**/api/v1/library', async (route) => {
    const response = await route.fetch()
    const library = (await response.json()) as { storage: { used_bytes: number } } // the contract's answer
    const storage = { ...library.storage, quota_bytes: Math.ceil(library.storage.used_bytes * 1.05) }
    await route.fulfill({ response, json: { ...library, storage } })
  })
  await at('/dashboard/library', 'Library', 'Storage almost full')(page)
  await expect(page.getByRole('gridcell').first()).toBeVisible()
}

/** Opens the menu of the first video and chooses an item. */
async function chooseFromMenu(page: Page, item: string): Promise<void> {
  const card = page.getByRole('gridcell').first()
  await card.hover()
  await card.getByRole('button', { name: /^More about / }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** A mailed link that the provider accepts, with a code that no other screen uses: the result is cached. */
const atLink = (link: string, found: object, shows: string) => async (page: Page) => {
  await page.route('**/accounts:resetPassword?*', (route) => route.fulfill({ json: found }), { times: 1 })
  await goTo(page, `/__/auth/action?apiKey=reelay&${link}`)
  await expect(page.getByRole('button', { name: shows })).toBeVisible()
}

const draft = (id: number, its: object) => ({
  draft_id: `11111111-1111-4111-8111-11111111111${id}`,
  version: 1,
  text: 'Behind the counter',
  video: null,
  accounts: 4,
  account_ids: [1, 2, 3, 4],
  brand_ids: [],
  planned: false,
  planned_for: null,
  place: null,
  author: 'Ada',
  updated_at: '2026-11-20T14:06:00.000Z',
  deleted_at: null,
  ...its,
})

/** Drafts are answered as saved without saving: viewers are shared. */
const saveNoDraft = (page: Page) =>
  page.route('**/api/v1/drafts/*', (route) => {
    const { content, version } = route.request().postDataJSON() as { content: object; version: number }
    const now = new Date().toISOString()
    return route.fulfill({
      json: {
        draft_id: route.request().url().slice(-36),
        version: version + 1,
        content,
        author: 'Ada',
        created_at: now,
        updated_at: now,
        deleted_at: null,
      },
    })
  })

const measured = (value: number | null, missing: MissingReason | null = null) => ({ value, missing })

/** Results of one post on three accounts: above and below usual, and missing. */
const RESULTS_ACCOUNTS = (['tiktok', 'instagram', 'youtube'] as const).map((platform, nth) => ({
  account_id: nth + 1,
  platform,
  username: ['northwind.bakery', 'emma.bakes', 'northwind'][nth] ?? null,
  display_name: 'Northwind',
  avatar_url: null,
  linked: nth !== 2,
  allowed: nth !== 1,
}))

function stubResults(page: Page) {
  const cell = { live_at: '2026-11-20T18:00:00.000Z' }
  const cells = [
    { ...cell, views: measured(12_345), usual: 6000, band: 'above' },
    { ...cell, views: measured(240), usual: 600, band: 'below' },
    { ...cell, views: measured(null, 'not_allowed'), usual: null, band: null },
  ].map((one, nth) => ({ ...one, delivery_id: nth + 1, account_id: nth + 1 }))
  const row = {
    post_id: 1,
    brand_id: 1,
    brand_title: 'Northwind',
    text: 'Three ways to plate a tart',
    video: { video_id: 1, poster_url: null },
    live_at: cell.live_at,
    cells,
  }
  return page.route('**/api/v1/results?*', (route) =>
    route.fulfill({ json: { rows: [row], accounts: RESULTS_ACCOUNTS, next_cursor: 'more' } }),
  )
}

/** A month with all that a report can have: fewer numbers than posts, a best and a weakest post, words. */
function stubReport(page: Page, address: string, more: object = {}) {
  const json = report({
    note: 'The tart did it.\nMore of them in November.',
    last_month: reportNumbers({ videos: 4, live: 0, views: [] }),
    weakest: reportPost({
      text: 'Opening hours',
      views: { value: 800, missing: null },
      band: 'below',
    }),
  })
  return page.route(address, (route) => route.fulfill({ json: { ...json, ...more } }))
}

/** A program asks to be let in. */
function stubAuthorizationRequest(page: Page, its: object) {
  const json = {
    client_name: 'Reelay command line',
    client_host: null,
    device_name: null,
    redirect_host: null,
    scopes: ['read'],
    ...its,
  }
  return page.route('**/api/v1/authorization-requests/show', (route) => route.fulfill({ json }), { times: 1 })
}

const valuesOf = (views: number | null) =>
  Object.fromEntries(
    METRICS.map((metric) => [
      metric,
      metric === 'reach' ? measured(null, 'not_offered') : measured(views, views === null ? 'missed' : null),
    ]),
  )

/** The curve of each account has three ages and a gap; one is gone, one not allowed, one unlinked. */
const stubPostResults = (page: Page) =>
  page.route('**/api/v1/posts/*/results', (route) => {
    const liveAt = Date.now() - 1000 * 3_600_000
    const timeAt = (hours: number) => new Date(liveAt + hours * 3_600_000).toISOString()
    const deliveries = RESULTS_ACCOUNTS.map((account, nth) => ({
      ...account,
      delivery_id: nth + 1,
      live_at: timeAt(0),
      url: null,
      gone_since: nth === 0 ? timeAt(900) : null,
      marks: MARK_AGES_H.map((hours) => {
        const views = hours > 1000 || hours === 168 ? null : hours * 10 * (nth + 1)
        return { age_hours: hours, read_at: views === null ? null : timeAt(hours), values: valuesOf(views) }
      }),
      latest: { read_at: timeAt(990), values: valuesOf(9900 * (nth + 1)) },
      next_reading_at: nth === 2 ? null : timeAt(1010),
    }))
    return route.fulfill({ json: { post_id: 1, deliveries } })
  })

/** Every screen in every state that looks different. No screen changes stored data: viewers are shared. */
export const SCREENS: readonly Screen[] = [
  { name: 'login', viewer: 'visitor', open: at('/', 'Login') },
  {
    name: 'login-refused',
    viewer: 'visitor',
    refused: true,
    open: async (page) => {
      await at('/', 'Login')(page)
      await fillLogin(page, 'nobody@example.com', 'not the password')
      await expect(page.getByText(TEXTS.loginFailed)).toBeVisible()
    },
  },
  { name: 'sign-up', viewer: 'visitor', open: at('/signup', 'Sign up') },
  {
    name: 'sign-up-refused',
    viewer: 'visitor',
    open: async (page) => {
      await at('/signup', 'Sign up')(page)
      await click(page, 'Sign up')
      await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true')
    },
  },
  {
    name: 'sign-up-zones',
    viewer: 'visitor',
    open: async (page) => {
      await at('/signup', 'Sign up')(page)
      await page.getByRole('combobox', { name: /^Time zone/ }).click()
      await page.keyboard.type('portugal')
      await expect(page.getByRole('option', { name: '(GMT-1:00) Azores' })).toBeVisible()
    },
  },
  {
    name: 'sign-up-closed',
    viewer: 'visitor',
    page: 'own',
    open: async (page) => {
      await page.route(
        '**/api/v1/settings',
        async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ json: { ...((await answer.json()) as object), signup: 'closed' } })
        },
        { times: 1 },
      )
      await at('/signup', 'Sign up', TEXTS.signupClosed)(page)
    },
  },
  { name: 'forgot-password', viewer: 'visitor', open: at('/forgotPassword', 'Forgot Password') },
  {
    name: 'forgot-password-sent',
    viewer: 'visitor',
    open: async (page) => {
      await at('/forgotPassword', 'Forgot Password')(page)
      await page.getByLabel('Email').fill('nobody@example.com')
      await click(page, 'Submit')
      await expect(page.getByText(TEXTS.resetSent)).toBeVisible()
    },
  },
  {
    name: 'new-password',
    viewer: 'visitor',
    open: async (page) => {
      const link = { requestType: 'PASSWORD_RESET', email: 'ada@example.com' }
      await page.route('**/accounts:resetPassword?*', (route) => route.fulfill({ json: link }), { times: 1 })
      await at('/__/auth/action?mode=resetPassword&oobCode=good', 'New password', 'For ada@example.com')(page)
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill('short')
      await click(page, 'Set new password')
      await expect(page.getByText("The passwords don't match.")).toBeVisible()
    },
  },
  {
    name: 'new-password-dead-link',
    viewer: 'visitor',
    refused: true,
    open: at(
      '/__/auth/action?mode=resetPassword&oobCode=used',
      'New password',
      "This link doesn't work any more.",
    ),
  },
  {
    name: 'link-confirm',
    viewer: 'visitor',
    open: atLink(
      'mode=verifyEmail&oobCode=confirm',
      { requestType: 'VERIFY_EMAIL', email: ADA },
      'Confirm this email',
    ),
  },
  {
    name: 'link-confirm-done',
    viewer: 'visitor',
    open: async (page) => {
      await atLink(
        'mode=verifyEmail&oobCode=confirm-done&continueUrl=%2F',
        { requestType: 'VERIFY_EMAIL', email: ADA },
        'Confirm this email',
      )(page)
      await page.route('**/accounts:update?*', (route) => route.fulfill({ json: { email: ADA } }), {
        times: 1,
      })
      await click(page, 'Confirm this email')
      await expect(page.getByText(`${ADA} is confirmed.`)).toBeVisible()
    },
  },
  {
    name: 'link-confirm-dead',
    viewer: 'visitor',
    refused: true,
    open: at(
      '/__/auth/action?mode=verifyEmail&oobCode=used',
      'Confirm your email',
      "This link doesn't work any more.",
    ),
  },
  {
    name: 'link-unreachable',
    viewer: 'visitor',
    refused: true,
    open: async (page) => {
      await page.route('**/accounts:resetPassword?*', (route) => route.abort('connectionrefused'), {
        times: 1,
      })
      await at(
        '/__/auth/action?mode=verifyEmail&oobCode=unreachable',
        'Confirm your email',
        "Can't reach the server.",
      )(page)
    },
  },
  {
    name: 'link-change',
    viewer: 'visitor',
    open: atLink(
      'mode=verifyAndChangeEmail&oobCode=change',
      { requestType: 'VERIFY_AND_CHANGE_EMAIL', email: ADA, newEmail: 'ada@new.example.com' },
      'Confirm this email',
    ),
  },
  {
    name: 'link-recover',
    viewer: 'visitor',
    open: atLink(
      'mode=recoverEmail&oobCode=recover',
      { requestType: 'RECOVER_EMAIL', email: ADA, newEmail: 'mallory@example.com' },
      'Restore this email',
    ),
  },
  {
    name: 'link-recover-done',
    viewer: 'visitor',
    open: async (page) => {
      await atLink(
        'mode=recoverEmail&oobCode=recover-done',
        { requestType: 'RECOVER_EMAIL', email: ADA, newEmail: 'mallory@example.com' },
        'Restore this email',
      )(page)
      await page.route('**/accounts:update?*', (route) => route.fulfill({ json: { email: ADA } }), {
        times: 1,
      })
      await click(page, 'Restore this email')
      await expect(page.getByText(`You log in with ${ADA} again.`)).toBeVisible()
    },
  },
  {
    name: 'link-log-in',
    viewer: 'visitor',
    open: async (page) => {
      await atLink('mode=signIn&oobCode=log-in', { requestType: 'EMAIL_SIGNIN' }, 'Log in')(page)
      await click(page, 'Log in')
      await expect(page.getByText('Enter your email.')).toBeVisible()
    },
  },
  {
    name: 'link-unknown',
    viewer: 'visitor',
    open: at('/__/auth/action?mode=dance', 'Unknown link'),
  },
  // The server serves the app only at its pages, and its document as a file.
  { name: 'not-found', viewer: 'visitor', open: at('/index.html', 'Page not found') },

  { name: 'overview-new', viewer: 'newUser', open: at('/dashboard/overview', 'Overview', 'First steps') },
  { name: 'brands-empty', viewer: 'newUser', open: at('/dashboard/brands', 'Brands', TEXTS.brandsEmpty) },
  {
    name: 'brands-new',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/brands', 'Brands', TEXTS.brandsEmpty)(page)
      await click(page, 'New Brand')
      await page.getByLabel('Brand Name').fill('Smith & Sons')
      await click(page, 'Create')
      await expect(page.getByText(TEXTS.brandCharacters)).toBeVisible()
    },
  },
  {
    name: 'accounts-without-brand',
    viewer: 'newUser',
    open: at('/dashboard/accounts', 'Accounts', 'Create a brand first'),
  },
  {
    name: 'upload-without-account',
    viewer: 'newUser',
    open: at('/dashboard/upload', 'Upload', 'No Instagram account is linked yet.'),
  },
  {
    name: 'queue-empty',
    viewer: 'newUser',
    open: at('/dashboard/queue', 'Queue', 'No posts yet.'),
  },
  {
    name: 'queue-nothing-failed',
    viewer: 'newUser',
    open: at('/dashboard/queue?status=failed', 'Queue', 'No failed posts.'),
  },
  {
    name: 'library-empty',
    viewer: 'newUser',
    open: at('/dashboard/library', 'Library', 'Videos that you upload stay here'),
  },
  { name: 'settings', viewer: 'newUser', open: at('/dashboard/settings', 'Settings', 'You log in with') },
  {
    name: 'settings-email',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'Change email')
      await click(page, 'Send link to new email')
      await expect(page.getByText('Enter the new email.')).toBeVisible()
    },
  },
  {
    name: 'settings-password',
    viewer: 'newUser',
    refused: true,
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'Change password')
      const form = page.getByRole('form', { name: 'Change password' })
      await form.getByRole('textbox', { name: 'Current password' }).fill('not the password')
      for (const name of ['New password', 'Confirm new password'])
        await form.getByRole('textbox', { name, exact: true }).fill('another password')
      await form.getByRole('button', { name: 'Change password' }).click()
      await expect(page.getByText("That's not your password.")).toBeVisible()
    },
  },
  {
    name: 'settings-everywhere',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'Log out everywhere')
      await expect(page.getByRole('button', { name: 'Stay logged in' })).toBeVisible()
    },
  },
  {
    name: 'settings-new-api-key',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'New key')
      await page.getByRole('radio', { name: 'Only some brands or accounts' }).click()
      await click(page, 'Make key')
      await expect(page.getByText('Choose at least one brand or account.')).toBeVisible()
    },
  },
  {
    name: 'connect-code',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/connect', 'Connect a program')(page)
      await click(page, 'Continue')
      await expect(page.getByText('Type the code.')).toBeVisible()
    },
  },
  {
    name: 'connect-device',
    viewer: 'newUser',
    open: async (page) => {
      await stubAuthorizationRequest(page, {
        device_name: 'studio-mac',
        scopes: ['read', 'write', 'publish'],
      })
      await at('/dashboard/connect?code=BCDF-GHJK', 'Connect a program', 'studio-mac')(page)
    },
  },
  {
    name: 'connect-assistant',
    viewer: 'newUser',
    open: async (page) => {
      const hosts = { client_host: 'assistant.example.com', redirect_host: 'localhost' }
      await stubAuthorizationRequest(page, {
        ...hosts,
        client_name: 'The assistant of Northwind, Bakers since 1887',
      })
      const link = '?response_type=code&client_id=https%3A%2F%2Fassistant.example.com%2Fclient'
      await at(`/dashboard/connect${link}`, 'Connect a program', 'a program on this computer')(page)
    },
  },
  {
    name: 'settings-new-webhook',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'New webhook')
      await click(page, 'Make webhook')
      await expect(page.getByText('Enter an address that begins with https://.')).toBeVisible()
    },
  },
  {
    name: 'settings-webhook-log',
    viewer: 'newUser',
    page: 'own',
    open: async (page) => {
      await page.route('**/api/v1/webhooks', (route) =>
        route.fulfill({ json: [webhook({ status: 'switched_off', failed_at: '2026-11-20T14:06:00.000Z' })] }),
      )
      const failed = webhookMessage({
        status: 'failed',
        answer_status: 500,
        failure: 'refused',
        answer: 'No.',
      })
      await page.route('**/api/v1/webhooks/1/messages', (route) =>
        route.fulfill({ json: { items: [failed, webhookMessage({ message_id: 2 })], next_cursor: null } }),
      )
      await page.route('**/api/v1/webhooks/1/messages/1', (route) => route.fulfill({ json: failed }))
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, /^Log of/)
      await click(page, 'Send all since…')
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click()
      await expect(page.getByText('No.')).toBeVisible()
    },
  },
  {
    name: 'settings-delete',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/settings', 'Settings', 'You log in with')(page)
      await click(page, 'Delete my account')
      await expect(page.getByText('Published posts stay on the platforms.')).toBeVisible()
    },
  },
  {
    name: 'help',
    viewer: 'newUser',
    open: at(
      `/dashboard/help#${failureAnchor({ message: 'TikTok refused the caption of this post.' })}`,
      'Help',
      'spam_risk_text',
    ),
  },
  {
    name: 'help-nothing-found',
    viewer: 'newUser',
    open: async (page) => {
      await at('/dashboard/help', 'Help', 'You decide')(page)
      await page.getByRole('searchbox').fill('no such thing')
      await expect(page.getByText('No failure matches these words.')).toBeVisible()
    },
  },
  {
    name: 'server',
    viewer: 'newUser',
    page: 'own',
    open: async (page) => {
      await page.route('**/api/v1/user', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ json: { ...((await answer.json()) as object), operator: true } })
      })
      const moment = '2026-11-20T08:00:00.000Z'
      const check = {
        id: 'a',
        owner: 'operator',
        remedy: 'Set BACKUP_DIR.',
        link: 'docs/operating.md#backups',
      }
      const items = ['error', 'warning', 'note', 'ok'].map((severity) => ({
        ...check,
        severity,
        title: severity,
        sentence: `What was found is of the kind ${severity}.`,
      }))
      const act = { operator: null, act: 'reset_link_made', subject: ADA, before: null, after: null }
      const setting = { required: true, source: null, value: null }
      const settings = [
        { ...setting, variable: 'TIKTOK_CLIENT_KEY', title: 'Client key', kind: 'text' },
        { ...setting, variable: 'TIKTOK_CLIENT_SECRET', title: 'Client secret', kind: 'secret' },
        { ...setting, variable: 'TIKTOK_APP_AUDITED', title: 'Audited', kind: 'switch', required: false },
      ]
      const answers = {
        '/platforms': [{ platform: 'tiktok', mode: 'practice', fixed: false, accounts: 2, settings }],
        '/checks': { checked_at: moment, items },
        '/acts*': { items: [{ ...act, act_id: 1, at: moment }], more: false },
        '': {
          version: '1.0.0',
          queue: { waiting: 2, oldest_at: moment, running: 1 },
          processes: [],
          database: { version: '18.4', bytes: 1e7 },
          videos: { count: 3, bytes: 1e9, bytes_in_30_days: 1e8, room_bytes: 1e10 },
          mails: { server: true, waiting: 1, failing: 1, oldest_failing_at: moment },
          backups: { on: true, last_at: moment },
          held_after_restore: 3,
          users: 2,
        },
      }
      for (const [path, json] of Object.entries(answers))
        await page.route(`**/api/v1/server${path}`, (route) => route.fulfill({ json }))
      await goTo(page, '/dashboard/server')
      await expect(page.getByText('2 posts due and not taken')).toBeVisible()
      await click(page, 'Show 1 note and 1 that are well')
      await click(page, 'Enter the keys of TikTok')
      await expect(page.getByRole('form', { name: 'Keys of TikTok' })).toBeVisible()
    },
  },
  {
    name: 'server-users',
    viewer: 'newUser',
    page: 'own',
    open: async (page) => {
      const moment = '2026-11-20T08:00:00.000Z'
      const invitation = {
        invitation_id: 1,
        email: ADA,
        created_at: moment,
        expires_at: moment,
        used_by: null,
      }
      const someone = {
        user_id: 1,
        email: ADA,
        nickname: 'Ada',
        operator: true,
        created_at: moment,
        seen_at: moment,
        disabled_at: null,
        held: 0,
        used_bytes: 1e9,
        quota_bytes: null,
        accounts: 2,
        posts: 40,
      }
      const disabled = { ...someone, user_id: 2, operator: false, disabled_at: moment, held: 3 }
      const answers = {
        'users*': { items: [someone, disabled], next_cursor: null, default_quota_bytes: 5e9 },
        'sign-up': { mode: 'invited', fixed: false, invitations: [invitation] },
      }
      for (const [path, json] of Object.entries(answers))
        await page.route(`**/api/v1/server/${path}`, (route) => route.fulfill({ json }))
      await goTo(page, '/dashboard/server/users')
      await page
        .getByRole('button', { name: `Acts on ${ADA}` })
        .first()
        .click()
      await page.getByRole('menuitem', { name: 'Disable…' }).click()
      await expect(page.getByText(`Disable ${ADA}?`)).toBeVisible()
    },
  },
  { name: 'not-found-inside', viewer: 'newUser', open: at('/dashboard/nowhere', 'Page not found') },

  {
    name: 'menu',
    viewer: 'seededUser',
    phoneOnly: true,
    page: 'own',
    open: async (page) => {
      await at('/dashboard/overview', 'Overview', 'Recently published')(page)
      await click(page, 'Open the menu')
      await expect(page.getByRole('dialog').getByRole('link', { name: 'Queue' })).toBeVisible()
    },
  },
  {
    name: 'overview',
    viewer: 'seededUser',
    open: at('/dashboard/overview', 'Overview', 'Recently published'),
  },
  { name: 'brands', viewer: 'seededUser', open: at('/dashboard/brands', 'Brands', 'Northwind Bakery') },
  {
    name: 'brands-edited-and-deleted',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/brands', 'Brands', 'Northwind Bakery')(page)
      await click(page, 'Edit Harbour Coffee')
      await click(page, 'Delete Northwind Bakery')
      await expect(page.getByRole('button', { name: 'Keep' })).toBeVisible()
    },
  },
  { name: 'accounts', viewer: 'seededUser', open: at('/dashboard/accounts', 'Accounts', 'Emma.bakes') },
  {
    name: 'accounts-unknown-and-unlinked',
    viewer: 'seededUser',
    refused: true,
    page: 'own',
    open: async (page) => {
      const message = 'TikTok cannot be reached. Try again in a moment.'
      await page.route(
        '**/api/v1/accounts/*/options',
        (route) => route.fulfill({ status: 502, json: { code: 'platform_failed', message } }),
        { times: 2 },
      )
      await at('/dashboard/accounts', 'Accounts', message)(page)
      await click(page, 'More about Emma.bakes on TikTok')
      await page.getByRole('menuitem', { name: 'Unlink…' }).click()
      await expect(page.getByRole('button', { name: 'Keep' })).toBeFocused()
    },
  },
  {
    name: 'accounts-add',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/accounts', 'Accounts', 'Emma.bakes')(page)
      await click(page, 'Add Account')
      await expect(page.getByRole('button', { name: 'Continue with Instagram' })).toBeVisible()
    },
  },
  {
    name: 'consent',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      await at('/dashboard/accounts', 'Accounts', 'Emma.bakes')(page)
      await click(page, 'Add Account')
      await click(page, 'Continue with TikTok')
      await expect(page.getByRole('heading', { name: 'Let Reelay use your account?' })).toBeVisible()
    },
  },
  {
    name: 'upload',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/upload', 'Upload', 'Share to feed')(page)
      const tiktok = page.getByRole('region', { name: 'TikTok video' })
      await tiktok.getByRole('combobox', { name: 'Account' }).click()
      await page.getByRole('option', { name: '@northwind.bakery' }).click()
      await tiktok.getByLabel('Video file').setInputFiles(fixture('good.mp4'))
      await tiktok.getByLabel('Title').fill('Three ways to plate a tart')
      await expect(tiktok.getByLabel('Allow stitch')).toBeVisible()
      const instagram = page.getByRole('region', { name: 'Instagram video' })
      await instagram.getByLabel('Video file').setInputFiles(fixture('short.mp4'))
      await expect(instagram.getByText('Choose a longer video.')).toBeVisible()
      const file = page.getByRole('region', { name: 'Video file' })
      await click(page, 'Upload video')
      await expect(file.getByText(TEXTS.chooseVideoFirst)).toBeVisible()
    },
  },
  {
    name: 'compose-empty',
    viewer: 'seededUser',
    open: at('/dashboard/compose', 'New post', 'Choose from library'),
  },
  {
    name: 'compose',
    viewer: 'seededUser',
    page: 'unsaved drafts',
    // TikTok tells nothing about an account that it has banned.
    refused: true,
    open: async (page) => {
      await saveNoDraft(page)
      await at('/dashboard/compose', 'New post', 'Choose from library')(page)
      await click(page, 'Choose from library')
      await page.getByRole('dialog').getByRole('gridcell').first().click()
      await page
        .getByRole('textbox', { name: 'Caption', exact: true })
        .fill('Three ways to plate a lemon tart. Which one would you choose? #baking #lemontart')
      await page.getByRole('button', { name: 'All', exact: true }).click()
      await page.getByRole('button', { name: 'Caption and options for @northwind.bakery' }).first().click()
      await page.getByRole('switch', { name: 'Custom caption for @northwind.bakery' }).click()
      await page
        .getByRole('textbox', { name: 'Caption for @northwind.bakery' })
        .fill('Lemon tart, plated three ways.')
      await page.getByRole('switch', { name: 'Disclose promotional content' }).click()
      await page.getByRole('checkbox', { name: 'Your brand' }).check()
      await expect(page.getByText(/ ready$/)).toBeVisible()
      // An unsaved document would appear again when the screen is opened next.
      await expect(page.getByText(/Draft saved at/)).toBeVisible()
    },
  },
  {
    name: 'compose-instagram',
    viewer: 'seededUser',
    page: 'unsaved drafts',
    open: async (page) => {
      await saveNoDraft(page)
      await at('/dashboard/compose', 'New post', 'Choose from library')(page)
      await page
        .getByRole('checkbox', { name: /^Instagram/ })
        .first()
        .check()
      await page
        .getByRole('button', { name: /^Caption and options for/ })
        .first()
        .click()
      const people = page.getByRole('textbox', { name: 'Collaborators' })
      await people.fill('maria.bakes')
      await people.press('Enter')
      await page.getByText('More options').click()
      await page.getByRole('textbox', { name: 'Tag people' }).fill('ana.lopes, rui!')
      await page.getByRole('switch', { name: 'Trial reel' }).click()
      await expect(page.getByRole('radio', { name: 'When I decide' })).toBeChecked()
      await expect(page.getByText('Enter a username without @').first()).toBeVisible()
    },
  },
  {
    name: 'compose-fix',
    viewer: 'seededUser',
    page: 'unsaved drafts',
    open: async (page) => {
      await saveNoDraft(page)
      await at('/dashboard/compose', 'New post', 'Choose from library')(page)
      await page.getByLabel('Video file').setInputFiles(fixture('wide.mkv'))
      await expect(page.getByRole('button', { name: 'Fix and upload' })).toBeVisible()
    },
  },
  {
    name: 'compose-time',
    viewer: 'seededUser',
    page: 'unsaved drafts',
    open: async (page) => {
      await saveNoDraft(page)
      await at('/dashboard/compose', 'New post', 'Choose from library')(page)
      const sheet = page.getByRole('button', { name: /^When/ })
      if (await sheet.isVisible()) await sheet.click()
      await page.getByRole('radio', { name: 'Pick a time' }).check()
      await expect(page.getByRole('button', { name: /^Date/ })).toBeVisible()
    },
  },
  {
    name: 'drafts',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      const planned = { planned: true, planned_for: '2036-11-25T18:00:00.000Z' }
      const kept = [draft(1, planned), draft(2, { text: '', accounts: 1, place: 'next' })]
      const deleted = [draft(3, { text: 'Old news', deleted_at: '2026-11-21T09:00:00.000Z' })]
      await page.route('**/api/v1/drafts?*', (route) =>
        route.fulfill({
          json: { items: route.request().url().includes('deleted=true') ? deleted : kept },
        }),
      )
      await at('/dashboard/drafts', 'Drafts', 'Behind the counter')(page)
      await page.getByRole('checkbox', { name: 'Select Behind the counter' }).check()
      await expect(page.getByRole('region', { name: 'Selected drafts' })).toContainText('1 selected')
    },
  },
  { name: 'queue', viewer: 'seededUser', open: at('/dashboard/queue', 'Queue', 'TikTok is processing') },
  {
    name: 'import',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/import', 'Import and export')(page)
      const buffer = Buffer.from('caption,video,accounts,time\nHello,gone.mp4,@nobody,never')
      await page.getByLabel('CSV file').setInputFiles({ name: 'posts.csv', mimeType: 'text/csv', buffer })
      await expect(page.getByText('posts.csv has 3 errors.')).toBeVisible()
    },
  },
  {
    name: 'queue-timeline',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/queue?status=published', 'Queue', 'Three ways to plate a tart')(page)
      await click(page, 'More about Three ways to plate a tart')
      await page.getByRole('menuitem', { name: 'Show the timeline' }).click()
      await expect(page.getByText('Waiting for its time.')).toBeVisible()
    },
  },
  {
    name: 'queue-menu',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/queue', 'Queue', 'TikTok is processing')(page)
      await click(page, 'More about Advent calendar, door one')
      await expect(page.getByRole('menuitem', { name: 'Show the timeline' })).toBeVisible()
    },
  },
  {
    name: 'queue-cancel',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/queue?status=scheduled', 'Queue', 'Advent calendar, door one')(page)
      await click(page, 'More about Advent calendar, door one')
      await page.getByRole('menuitem', { name: /^Cancel post for .* on TikTok$/ }).click()
      await expect(page.getByRole('button', { name: 'Keep it' })).toBeVisible()
    },
  },
  { name: 'calendar', viewer: 'seededUser', open: openCalendar('week') },
  { name: 'calendar-month', viewer: 'seededUser', open: openCalendar('month') },
  {
    name: 'calendar-filter',
    viewer: 'seededUser',
    open: async (page) => {
      await openCalendar('list')(page)
      await click(page, 'Filter')
      await expect(page.getByRole('dialog', { name: 'Filter' })).toBeVisible()
    },
  },
  {
    name: 'calendar-move',
    viewer: 'seededUser',
    open: async (page) => {
      await openCalendar('list')(page)
      await click(page, /Advent calendar, door one/)
      await click(page, 'Move to…')
      await click(page, /^Date/)
      await expect(page.getByRole('button', { name: 'Next month' })).toBeVisible()
    },
  },
  {
    name: 'post',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/queue?status=published', 'Queue', 'Three ways to plate a tart')(page)
      await page.getByRole('link', { name: 'Three ways to plate a tart' }).click()
      await page.getByText('Timeline').first().click()
    },
  },
  {
    name: 'post-results',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      await stubPostResults(page)
      await at('/dashboard/queue?status=published', 'Queue', 'Three ways to plate a tart')(page)
      await page.getByRole('link', { name: 'Three ways to plate a tart' }).click()
      await page.getByText('Show the curve as a table').click()
      await expect(page.getByRole('table', { name: 'Views by the age of the post' })).toBeVisible()
    },
  },
  {
    name: 'results-empty',
    viewer: 'newUser',
    open: at('/dashboard/results', 'Results', 'Once a post is live'),
  },
  {
    name: 'results',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      await stubResults(page)
      await at('/dashboard/results?sort=views', 'Results', '2.1× usual')(page)
      await page.getByText('What these numbers mean').click()
    },
  },
  {
    name: 'report',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      await stubReport(page, '**/api/v1/brands/*/reports/*', { link_expires_at: null })
      await at('/dashboard/results/report?month=2026-10', 'Report', 'Best post')(page)
    },
  },
  {
    name: 'shared-report',
    viewer: 'visitor',
    page: 'own',
    open: async (page) => {
      await stubReport(page, '**/api/v1/reports/*')
      await at(`/report#${'x'.repeat(43)}`, 'Northwind', 'Best post')(page)
    },
  },
  {
    name: 'shared-report-ended',
    viewer: 'visitor',
    page: 'own',
    open: at('/report', 'No report here'),
  },
  {
    name: 'library',
    viewer: 'seededUser',
    page: 'full library',
    open: async (page) => {
      await openLibrary(page)
      for (const place of [0, 1])
        await page
          .getByRole('checkbox', { name: /^Select / })
          .nth(place)
          .check()
      await expect(page.getByRole('region', { name: 'Selected videos' })).toContainText('2 selected')
    },
  },
  {
    name: 'library-tags',
    viewer: 'seededUser',
    page: 'full library',
    open: async (page) => {
      await openLibrary(page)
      await chooseFromMenu(page, 'Tags')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'New tag' }).fill('summer')
      await dialog.getByRole('button', { name: 'Add' }).click()
      await expect(dialog.getByRole('checkbox', { name: 'summer' })).toBeChecked()
    },
  },
  {
    name: 'library-play',
    viewer: 'seededUser',
    page: 'full library',
    open: async (page) => {
      await openLibrary(page)
      await chooseFromMenu(page, 'Play')
      await expect(
        page.getByRole('dialog').getByRole('link', { name: 'Advent calendar, door one' }),
      ).toBeVisible()
    },
  },
  {
    name: 'library-delete',
    viewer: 'seededUser',
    page: 'full library',
    open: async (page) => {
      await openLibrary(page)
      await chooseFromMenu(page, 'Delete')
      await expect(page.getByRole('dialog').getByRole('list', { name: "Won't be posted" })).toBeVisible()
    },
  },
  {
    name: 'compose-picker',
    viewer: 'seededUser',
    open: async (page) => {
      await at('/dashboard/compose', 'New post', 'Choose from library')(page)
      await click(page, 'Choose from library')
      await expect(page.getByRole('dialog').getByRole('gridcell').first()).toBeVisible()
    },
  },
  {
    name: 'practice-feed',
    viewer: 'seededUser',
    page: 'own',
    open: async (page) => {
      await at('/dashboard/overview', 'Overview', 'Recently published')(page)
      const feed = await page.getByRole('link', { name: 'See the practice feed' }).getAttribute('href')
      await at(feed ?? '', 'Practice feed', 'Three ways to plate a tart')(page)
    },
  },
]
