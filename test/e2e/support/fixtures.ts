import { randomBytes } from 'node:crypto'
import {
  test as base,
  expect,
  type BrowserContext,
  type Locator,
  type Page,
  type Route,
} from '@playwright/test'
import type { AccountId, BrandId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { control, linkAccount, PASSWORD, signUp, until, type Person } from '../../support/test-server.ts'

export { expect, PASSWORD }
export type { Page, Person }

export type Reelay = { readonly url: string; readonly practiceUrl: string }

type Fixtures = {
  person: Person
}
export const test = base.extend<Fixtures, { reelay: Reelay }>({
  reelay: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from this pattern that it needs no other fixture
    async ({}, provide) =>
      provide({ url: fromEnvironment('REELAY_URL'), practiceUrl: fromEnvironment('REELAY_PRACTICE_URL') }),
    { scope: 'worker' },
  ],
  baseURL: async ({ reelay }, provide) => provide(reelay.url),
  context: async ({ context }, provide) => {
    await provide(context)
    await endRoutes(context)
  },
  person: async ({ reelay }, provide) => provide(await signUp(reelay)),
})

/** A request in progress at the end of its test is no failure. */
async function endRoutes(context: BrowserContext): Promise<void> {
  for (const routed of [context, ...context.pages()]) await routed.unrouteAll({ behavior: 'ignoreErrors' })
}

export function fromEnvironment(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: start-reelay.ts has not run`)
  return value
}

export const newEmail = (): string => `ada-${randomBytes(6).toString('hex')}@example.com`

/** Opens a page of the dashboard as this user, with a session stored like the SDK's. */
export async function logIn(page: Page, email: string, path = '/dashboard/overview'): Promise<void> {
  const answer = await page.request.post('/identity/v1/accounts:signInWithPassword?key=reelay', {
    data: { email, password: PASSWORD, returnSecureToken: true },
  })
  const session = (await answer.json()) as Session // the identity protocol's answer
  // Before the app starts in this document: loading a page only to store the session would cost as much again.
  const stored = await page.addInitScript(storeSession, session)
  await page.goto(path)
  await stored.dispose()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Runs in the page. The SDK moves it to its database, and requests the rest from the provider. */
function storeSession({ localId, idToken, refreshToken, expiresIn, email }: Session): void {
  const user = {
    uid: localId,
    email,
    emailVerified: false,
    isAnonymous: false,
    providerData: [],
    stsTokenManager: {
      accessToken: idToken,
      refreshToken,
      expirationTime: Date.now() + Number(expiresIn) * 1000,
    },
    apiKey: 'reelay',
    appName: '[DEFAULT]',
  }
  localStorage.setItem('firebase:authUser:reelay:[DEFAULT]', JSON.stringify(user))
  // An earlier log-out may have left it.
  localStorage.removeItem('browserUser')
}

type Session = {
  readonly localId: string
  readonly email: string
  readonly idToken: string
  readonly refreshToken: string
  readonly expiresIn: string
}

export async function fillLogin(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
}

export async function go(page: Page, label: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: label }).click()
  await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible()
}

/** Opens a page like a link inside the app, without a load. */
export const goInApp = (page: Page, path: string): Promise<void> =>
  page.evaluate((address) => {
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)

/** The product's message in the corner, or below the part with trouble. */
export const alert = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('alert').filter({ hasText: text })

/** A practice creator for one test, with its own faults and limits. */
export async function newCreator(reelay: Reelay, platform: PlatformId): Promise<string> {
  const username = `c${randomBytes(5).toString('hex')}`
  await control(reelay.practiceUrl, 'POST', '/_control/accounts', { platform, username })
  return username
}

/** A brand with one linked account of a new creator. */
export async function linkedBrand(
  reelay: Reelay,
  person: Person,
  it: { title: string; platform: PlatformId },
): Promise<{ brandId: BrandId; accountId: AccountId; creator: string }> {
  const creator = await newCreator(reelay, it.platform)
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: it.title } })
  const account = await linkAccount(person, { platform: it.platform, brandId, creator })
  return { brandId, accountId: account.account_id, creator }
}

/** TikTok refuses everything that this creator posts, until it is lifted. */
export const ban = (reelay: Reelay, username: string, banned = true) =>
  control(reelay.practiceUrl, 'POST', '/_control/accounts', { platform: 'tiktok', username, banned })

type Mail = { readonly to: string; readonly text: string }

/** The link of the newest matching mail to this address, once it has arrived. */
export const mailedLink = (reelay: Reelay, to: string, mode: string): Promise<string> =>
  until(`a mail to ${to}`, async () => {
    const mails = (await control(reelay.practiceUrl, 'GET', '/_control/mails')) as Mail[] // as their README describes it
    const links = mails
      .filter((mail) => mail.to === to)
      .flatMap(({ text }) => /https?:\/\/\S+/.exec(text)?.[0] ?? [])
    return links.find((link) => new URL(link).searchParams.get('mode') === mode) ?? null
  })

type Fault = {
  platform: PlatformId
  account: string
  call: string
  fault: string
  times?: number
  ms?: number
  code?: number
  subcode?: number
}

/** A practice platform answers this creator's calls wrongly, as often as the fault says. */
export const misbehave = (reelay: Reelay, fault: Fault) =>
  control(reelay.practiceUrl, 'POST', '/_control/faults', fault)

/** Delays the answer to this creator's next such call. @returns a function that releases it */
export async function holdAnswer(
  reelay: Reelay,
  it: Pick<Fault, 'platform' | 'account' | 'call'>,
): Promise<() => Promise<void>> {
  await misbehave(reelay, { ...it, fault: 'hold', ms: 600_000 })
  type Held = { readonly id: string; readonly account: string | null }
  return () =>
    until(`the ${it.call} of ${it.account}`, async () => {
      const held = (await control(reelay.practiceUrl, 'GET', '/_control/holds')) as Held[] // as their README describes it
      const ours = held.find(({ account }) => account === it.account)
      if (ours) await control(reelay.practiceUrl, 'DELETE', `/_control/holds/${ours.id}`)
      return ours !== undefined
    }).then(() => undefined)
}

/** For tests about today and tomorrow: waits until a day that is about to end in the users' zone has ended. */
export async function awaitLongDay(): Promise<void> {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Lisbon', timeStyle: 'medium' })
  await until('the next day', async () => time.format(Date.now()) < '23:57', 200_000)
}

/** Delays requests to these addresses until the returned function continues or answers them. */
export async function delayResponse(
  page: Page,
  address: string,
  answer: (route: Route) => Promise<void> = goOn,
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    await promise
    await answer(route)
  })
  return resolve
}

const goOn = (route: Route) => route.continue().catch(() => undefined) // the page gave it up meanwhile

/** A file as the browser's chooser accepts it. */
export const chosen = async (file: File) => ({
  name: file.name,
  mimeType: file.type,
  buffer: Buffer.from(await file.arrayBuffer()),
})
