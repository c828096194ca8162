import { TEXTS } from '#contract/texts.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  alert,
  chosen,
  expect,
  go,
  holdAnswer,
  newEmail,
  PASSWORD,
  test,
  type Page,
} from '../support/fixtures.ts'

const MEGABYTE = 1_000_000

const FORMS = {
  TikTok: { id: 'tiktok', call: 'init', text: 'Title', said: TEXTS.uploadInitialized },
  Instagram: { id: 'instagram', call: 'create', text: 'Caption', said: TEXTS.uploadInitiated },
} as const

const POSTS = [
  // Small enough to go in one request, and one that a platform takes in its own way.
  { platform: 'TikTok', bytes: undefined, title: 'Three ways to plate a tart', colorScheme: 'dark' },
  { platform: 'TikTok', bytes: 12 * MEGABYTE, title: 'Opening day', colorScheme: 'light' },
  { platform: 'Instagram', bytes: undefined, title: 'Fresh from the oven #bakery', colorScheme: 'dark' },
] as const

test('a new user signs up, links TikTok and Instagram, and sees posts live, in light and dark', async ({
  page,
  reelay,
}) => {
  test.slow()
  const painted = (scheme: 'light' | 'dark') =>
    expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
  const creator = 'nova'
  await page.emulateMedia({ colorScheme: 'light' })

  await test.step('sign up', async () => {
    await page.goto('/')
    await painted('light')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sign up' })).toBeVisible()
    await painted('dark')
    await page.getByLabel('Email').fill(newEmail())
    await page.getByLabel('Nickname').fill('Ada')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD)
    await page.getByRole('textbox', { name: 'Confirm Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(page).toHaveURL('/dashboard/overview')
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
    await painted('light')
  })

  await test.step('create a brand', async () => {
    await go(page, 'Brands')
    await page.getByRole('button', { name: 'New Brand' }).click()
    await page.getByRole('dialog').getByLabel('Brand Name').fill('Northwind Bakery')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await expect(page.getByRole('rowheader', { name: 'Northwind Bakery' })).toBeVisible()
    await go(page, 'Overview')
    const first = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
    await expect(first.filter({ hasText: 'Create a brand' })).toContainText('done')
  })

  await go(page, 'Accounts')
  for (const [platform, colorScheme] of [
    ['TikTok', 'light'],
    ['Instagram', 'dark'],
  ] as const)
    await test.step(`link ${platform}`, async () => {
      await page.emulateMedia({ colorScheme })
      await painted(colorScheme)
      await page.getByRole('button', { name: 'Add Account' }).click()
      await page.getByRole('button', { name: `Continue with ${platform}` }).click()
      await expect(page.getByText(`Practice ${platform}`)).toBeVisible()
      await page.getByRole('radio', { name: creator }).check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await expect(page).toHaveURL('/dashboard/accounts')
      await expect(alert(page, `@${creator} on ${platform} is linked.`)).toBeVisible()
      const linked = page.getByRole('list', { name: 'Accounts of Northwind Bakery' }).getByRole('listitem')
      await expect(linked.filter({ hasText: platform })).toContainText(`@${creator}`)
      await painted(colorScheme)
    })

  for (const { platform, bytes, title, colorScheme } of POSTS)
    await test.step(`post ${bytes ?? 'few'} bytes to ${platform}`, async () => {
      await page.emulateMedia({ colorScheme })
      const { id, call, text, said } = FORMS[platform]
      // Until the queue was seen, which then moves.
      const letGo = await holdAnswer(reelay, { platform: id, call, account: creator })
      await go(page, 'Upload')
      const form = page.getByRole('region', { name: `${platform} video` })
      await form.getByLabel('Video file').setInputFiles(await chosen(sampleVideo(bytes).file))
      await form.getByLabel(text).fill(title)
      await form.getByRole('button', { name: `Publish to @${creator}` }).click()
      await expect(form.getByRole('alert')).toHaveText(said)
      await becomesLive(page, { title, platform, creator, letGo })
      await painted(colorScheme)
    })

  await test.step('the first steps are done', async () => {
    await go(page, 'Overview')
    const published = page.getByRole('region', { name: 'Recently published' })
    await expect(published.getByRole('listitem')).toHaveCount(POSTS.length)
    await expect(page.getByRole('region', { name: 'First steps' })).toBeHidden()
  })

  await test.step('log out', async () => {
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    await painted('dark')
    await page.goto('/dashboard/queue')
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
  })
})

/** The queue shows the post on its way, then published, without being loaded again; the platform plays it. */
async function becomesLive(
  page: Page,
  it: { title: string; platform: string; creator: string; letGo: () => Promise<void> },
): Promise<void> {
  await go(page, 'Queue')
  const post = page.getByRole('listitem', { name: it.title })
  await expect(post.getByText('Uploading').or(post.getByText('Scheduled'))).toBeVisible()
  await it.letGo()
  // Published, it moves there: a click on it before would hit a row that goes away.
  const done = page
    .getByRole('region', { name: 'Done', exact: true })
    .getByRole('listitem', { name: it.title })
  await expect(done.getByText('Published')).toBeVisible()
  const opened = page.waitForEvent('popup')
  await done.getByRole('link', { name: `Open on ${it.platform}` }).click()
  const live = await opened
  await expect(
    live.getByRole('article', { name: `Practice ${it.platform} post by ${it.creator}` }),
  ).toContainText(it.title)
  const video = live.getByLabel(`Video by ${it.creator}`)
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true // or the browser wants a click first
    return element.play()
  })
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0)
  await live.close()
}
