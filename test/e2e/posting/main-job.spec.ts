import { writeFile } from 'node:fs/promises'
import { TEXTS } from '#contract/texts.ts'
import { sampleVideo } from '../../support/sample.ts'
import { alert, expect, go, holdAnswer, newEmail, PASSWORD, test, type Page } from '../support/fixtures.ts'

const MEGABYTE = 1_000_000

const FORMS = {
  TikTok: { id: 'tiktok', call: 'init', text: 'Title', said: TEXTS.uploadInitialized },
  Instagram: { id: 'instagram', call: 'create', text: 'Caption', said: TEXTS.uploadInitiated },
} as const

const POSTS = [
  // One small enough for one request, and one that a platform receives in chunks.
  { platform: 'TikTok', bytes: undefined, title: 'Three ways to plate a tart', colorScheme: 'dark' },
  { platform: 'TikTok', bytes: 12 * MEGABYTE, title: 'Opening day', colorScheme: 'light' },
  { platform: 'Instagram', bytes: undefined, title: 'Fresh from the oven #bakery', colorScheme: 'dark' },
] as const

test('a new user signs up, links TikTok and Instagram, and sees posts live, in light and dark', async ({
  page,
  reelay,
}, info) => {
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
  const linked = page.getByRole('list', { name: 'Accounts of Northwind Bakery' }).getByRole('listitem')
  await test.step('link TikTok, after declining once', async () => {
    await goToConsent(page, 'TikTok')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await backAtAccounts(page, 'No account linked: you declined on TikTok.')
    await expect(page.getByText('No accounts are linked to Northwind Bakery yet.')).toBeVisible()
    await painted('light')

    await goToConsent(page, 'TikTok')
    await allow(page, creator)
    await backAtAccounts(page, `@${creator} on TikTok is linked.`)
    await expect(linked.filter({ hasText: 'TikTok' })).toContainText(`@${creator}`)
  })

  await test.step('link Instagram, at first without allowing to post', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await painted('dark')
    await goToConsent(page, 'Instagram')
    await page.getByRole('checkbox', { name: /publish/ }).uncheck()
    await allow(page, creator)
    await backAtAccounts(page, `@${creator} on Instagram is linked but can't post`)
    const row = linked.filter({ hasText: 'Instagram' })
    await expect(row.getByText("Can't post")).toBeVisible()

    await row.getByRole('button', { name: `Link again: @${creator}` }).click()
    await allow(page, creator)
    await backAtAccounts(page, `@${creator} on Instagram is linked.`)
    await expect(row.getByText('Linked')).toBeVisible()
    await painted('dark')
  })

  for (const { platform, bytes, title, colorScheme } of POSTS)
    await test.step(`post ${bytes ?? 'few'} bytes to ${platform}`, async () => {
      await page.emulateMedia({ colorScheme })
      const { id, call, text, said } = FORMS[platform]
      // Until the test has seen the queue, which then changes.
      const letGo = await holdAnswer(reelay, { platform: id, call, account: creator })
      await go(page, 'Upload')
      const form = page.getByRole('region', { name: `${platform} video` })
      const { file } = sampleVideo(bytes)
      await writeFile(info.outputPath(file.name), await file.bytes())
      await form.getByLabel('Video file').setInputFiles(info.outputPath(file.name))
      await form.getByLabel(text).fill(title)
      await form.getByRole('button', { name: `Publish to @${creator}` }).click()
      await expect(form.getByRole('alert')).toHaveText(said)
      await becomesLive(page, { title, platform, creator, letGo })
      await painted(colorScheme)
    })

  await test.step('on a phone posts are cards, and the primary action stays at the bottom', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const primary = async () => {
      const box = await page.getByRole('link', { name: 'New post' }).boundingBox()
      return [box?.width, (box?.y ?? 0) > 760]
    }
    await expect.poll(primary).toEqual([358, true])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByRole('button', { name: 'More about Opening day' }).click()
    await expect(page.getByRole('menuitem', { name: 'Delete this post' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1320, height: 840 })
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

/** Goes from the accounts to the platform's consent page. */
async function goToConsent(page: Page, platform: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Account' }).click()
  await page.getByRole('button', { name: `Continue with ${platform}` }).click()
  await expect(page.getByText(`Practice ${platform}`)).toBeVisible()
}

async function allow(page: Page, creator: string): Promise<void> {
  await page.getByRole('radio', { name: creator }).check()
  await page.getByRole('button', { name: 'Allow' }).click()
}

async function backAtAccounts(page: Page, said: string): Promise<void> {
  await expect(page).toHaveURL('/dashboard/accounts')
  await expect(alert(page, said)).toBeVisible()
}

/** The Queue screen shows the post in progress and then published, without a reload; the platform plays it. */
async function becomesLive(
  page: Page,
  published: { title: string; platform: string; creator: string; letGo: () => Promise<void> },
): Promise<void> {
  await go(page, 'Queue')
  const post = page.getByRole('listitem', { name: published.title })
  await expect(post.getByText('Uploading').or(post.getByText('Scheduled'))).toBeVisible()
  await published.letGo()
  // The row moves once it is published, so an earlier click would miss it.
  const done = page
    .getByRole('region', { name: 'Just published', exact: true })
    .getByRole('listitem', { name: published.title })
  await expect(done.getByText('Published')).toBeVisible()
  const updates = page.getByRole('status', { name: 'Updates' })
  await expect(updates).toHaveText(`${published.platform} @${published.creator}: Published.`)
  const opened = page.waitForEvent('popup')
  await done.getByRole('link', { name: `Open on ${published.platform}` }).click()
  const live = await opened
  await expect(
    live.getByRole('article', { name: `Practice ${published.platform} post by ${published.creator}` }),
  ).toContainText(published.title)
  const video = live.getByLabel(`Video by ${published.creator}`)
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true // or the browser wants a click first
    return element.play()
  })
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0)
  await live.close()
}
