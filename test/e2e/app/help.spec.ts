import { failureAnchor } from '#contract/help.ts'
import { TEXTS } from '#contract/texts.ts'
import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { ban, expect, linkedBrand, logIn, test } from '../support/fixtures.ts'

const PHONE = { width: 360, height: 740 }
/** The first of many, of which each test needs one. */
const SPAM = 'TikTok refused the caption of this post.'

test('the help covers first steps, limits, states, failures and going live with real figures', async ({
  page,
  person,
  reelay,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await logIn(page, person.email, '/dashboard/help')
  const contents = page.getByRole('navigation', { name: 'On this page' })
  for (const title of [
    'First steps',
    'Linking an account',
    'What each platform accepts',
    'What each status means',
    'What each failure means',
    'Email and passwords',
    "When the server can't be reached",
    'Practice platforms',
    'Running this server',
  ]) {
    await expect(page.getByRole('region', { name: title, exact: true })).toBeVisible()
    await expect(contents.getByRole('link', { name: title })).toBeVisible()
  }

  const limits = page.getByRole('table', { name: 'What each platform accepts' })
  await expect(limits.getByRole('row', { name: /^File/ })).toContainText('MP4, MOV or WebM')
  await expect(limits.getByRole('row', { name: /^Size/ })).toContainText('up to 300 MB')

  await expect(page.getByRole('link', { name: `${reelay.practiceUrl}/mailbox` })).toBeVisible()
  const outOfReach = page.getByRole('region', { name: "When the server can't be reached" })
  for (const said of [
    'Network Error',
    'Request aborted',
    'timeout exceeded',
    'Request failed with status code',
    TEXTS.noToken,
  ])
    await expect(outOfReach).toContainText(said)

  const tiktok = page.getByRole('region', { name: /^TikTok/ })
  await expect(tiktok).toBeHidden()
  await contents.getByRole('link', { name: 'Running this server' }).press('Enter')
  await expect(page.getByRole('heading', { level: 2, name: 'Running this server' })).toBeFocused()
  await expect(page).toHaveURL(/#going-live$/)
  await expect(tiktok).toContainText('Practice')
  await expect(tiktok).toContainText('user.info.basic, video.upload, video.publish')
  await expect(tiktok).toContainText('TIKTOK_CLIENT_KEY')
  await expect(tiktok).toContainText(`Webhook callback URL:${reelay.url}/hooks/tiktok/events`)
  await tiktok.getByRole('button', { name: 'Copy the return address for TikTok' }).click()
  await expect(tiktok.getByRole('button', { name: 'Copied the return address for TikTok' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${reelay.url}/dashboard/oauth/tiktok/callback`,
  )

  const failures = page.getByRole('region', { name: 'What each failure means' })
  const entry = failures.getByRole('listitem', { name: SPAM })
  await failures.locator('summary', { hasText: 'You decide' }).press('Enter')
  await expect(entry.getByText('spam_risk_text')).toBeHidden()
  await entry.getByText('Details').press('Enter')
  await expect(entry.getByText('spam_risk_text')).toBeVisible()
})

test('an address that names a failure opens it, on a phone too; one that is not known says so', async ({
  page,
  person,
}) => {
  await page.setViewportSize(PHONE)
  await logIn(page, person.email, `/dashboard/help#${failureAnchor({ message: SPAM })}`)
  const entry = page.getByRole('listitem', { name: SPAM })
  await expect(entry).toBeInViewport()
  await expect(entry).toBeFocused()
  await expect(entry).toHaveAttribute('aria-current', 'true')
  await expect(entry.getByText('spam_risk_text')).toBeVisible()

  // Each row of the table is a card there, with the platforms named in it.
  const cell = page.getByRole('cell').or(page.locator('td')).filter({ hasText: 'up to 300 MB' })
  expect(await cell.evaluate((td) => getComputedStyle(td, '::before').content)).toBe('"Instagram"')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)

  await page.goto('/dashboard/help#failure-of-another-time')
  await expect(page.getByText("This entry isn't in the list.")).toBeVisible()
})

test('a failed post in the queue leads to what its failure means', async ({ page, person, reelay }) => {
  const { accountId, creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await ban(reelay, creator)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['failed'])
  await logIn(page, person.email, '/dashboard/queue')
  const message = 'TikTok has banned this account from posting.'
  await page.getByRole('link', { name: `What this means: ${message}` }).click()
  const entry = page.getByRole('listitem', { name: message })
  await expect(entry).toBeFocused()
  await expect(entry).toContainText('spam_risk_user_banned_from_posting')
})
