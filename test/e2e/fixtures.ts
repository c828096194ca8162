import { randomBytes } from 'node:crypto'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import type { PlatformId } from '#contract/platforms/index.ts'
import { control, linkAccount, PASSWORD, signUp, type Person } from '../harness.ts'

export { expect, PASSWORD }
export type { Page, Person }

export type Reelay = { readonly url: string; readonly practiceUrl: string }

type Fixtures = {
  /** Somebody with an account here; nobody else's tests see what they do. */
  person: Person
}
export const test = base.extend<Fixtures, { reelay: Reelay }>({
  reelay: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads from this pattern that it needs no other fixture
    async ({}, provide) => provide({ url: told('REELAY_URL'), practiceUrl: told('REELAY_PRACTICE_URL') }),
    { scope: 'worker' },
  ],
  baseURL: async ({ reelay }, provide) => provide(reelay.url),
  person: async ({ reelay }, provide) => provide(await signUp(reelay)),
})

function told(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: start-reelay.ts has not run`)
  return value
}

export const newEmail = (): string => `ada-${randomBytes(6).toString('hex')}@example.com`

/** Logs in through the form, and waits for the dashboard. */
export async function logIn(page: Page, email: string, password: string = PASSWORD): Promise<void> {
  await page.goto('/')
  await fillLogin(page, email, password)
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
}

export async function fillLogin(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Login' }).click()
}

/** Goes to a page of the dashboard by its link in the sidebar. */
export async function go(page: Page, label: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: label }).click()
  await expect(page.getByRole('heading', { level: 1, name: label })).toBeVisible()
}

/** What the product says in the corner or under the thing that has trouble. */
export const alert = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('alert').filter({ hasText: text })

/** A practice creator of their own for a test: its faults and limits are then nobody else's. */
export async function newCreator(reelay: Reelay, platform: PlatformId): Promise<string> {
  const username = `c${randomBytes(5).toString('hex')}`
  await control(reelay.practiceUrl, 'POST', '/_control/accounts', { platform, username })
  return username
}

/** A brand with one linked account of a creator of its own. */
export async function linkedBrand(
  reelay: Reelay,
  person: Person,
  it: { title: string; platform: PlatformId },
): Promise<{ brandId: number; accountId: number; creator: string }> {
  const creator = await newCreator(reelay, it.platform)
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: it.title } })
  const account = await linkAccount(person, { platform: it.platform, brandId, creator })
  return { brandId, accountId: account.account_id, creator }
}

/** A file as the browser's chooser takes it. */
export const chosen = async (file: File) => ({
  name: file.name,
  mimeType: file.type,
  buffer: Buffer.from(await file.arrayBuffer()),
})
