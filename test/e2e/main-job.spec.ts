import { TEXTS } from '#contract/texts.ts'
import { control } from '../harness.ts'
import { sampleVideo } from '../sample.ts'
import { alert, chosen, expect, go, newEmail, PASSWORD, test, type Page } from './fixtures.ts'

const MEGABYTE = 1_000_000

test('a new user signs up, links both platforms, posts a video to each and watches it become live', async ({
  page,
  reelay,
}) => {
  test.slow()

  await test.step('sign up', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sign up' })).toBeVisible()
    await page.getByLabel('Email').fill(newEmail())
    await page.getByLabel('Nickname').fill('Ada')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD)
    await page.getByRole('textbox', { name: 'Confirm Password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(page).toHaveURL('/dashboard/overview')
    await expect(page.getByText('Welcome Ada')).toBeVisible()
    await expect(page.getByRole('region', { name: 'First steps' })).toBeVisible()
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
  for (const platform of ['TikTok', 'Instagram'])
    await test.step(`link ${platform}`, async () => {
      await page.getByRole('button', { name: 'Add Account' }).click()
      await page.getByRole('button', { name: `Continue with ${platform}` }).click()
      await expect(page.getByText(`Practice ${platform}`)).toBeVisible()
      await page.getByRole('radio', { name: 'nova' }).check()
      await page.getByRole('button', { name: 'Allow' }).click()
      await expect(page).toHaveURL('/dashboard/accounts')
      await expect(alert(page, `@nova on ${platform} is linked.`)).toBeVisible()
      const linked = page.getByRole('list', { name: 'Accounts of Northwind Bakery' }).getByRole('listitem')
      await expect(linked.filter({ hasText: platform })).toContainText('@nova')
    })

  // Small enough to go in one request, and one that a platform takes in its own way.
  for (const bytes of [undefined, 12 * MEGABYTE])
    await test.step(`post ${bytes ?? 'few'} bytes to TikTok`, async () => {
      const title = bytes === undefined ? 'Three ways to plate a tart' : 'Opening day'
      // Held back, so that the queue is seen moving.
      await holdBack(reelay.practiceUrl, 'tiktok', 'init')
      await go(page, 'Upload')
      const form = page.getByRole('region', { name: 'TikTok video' })
      await form.getByLabel('Video file').setInputFiles(await chosen(sampleVideo(bytes).file))
      await form.getByLabel('Title').fill(title)
      await form.getByRole('button', { name: 'Publish to @nova' }).click()
      await expect(form.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
      await becomesLive(page, { title, platform: 'TikTok' })
    })

  await test.step('post to Instagram', async () => {
    await holdBack(reelay.practiceUrl, 'instagram', 'create')
    await go(page, 'Upload')
    const form = page.getByRole('region', { name: 'Instagram video' })
    await expect(form.getByRole('button', { name: 'Publish to @nova' })).toBeDisabled()
    await form.getByLabel('Video file').setInputFiles(await chosen(sampleVideo().file))
    await form.getByLabel('Caption').fill('Fresh from the oven #bakery')
    await form.getByRole('button', { name: 'Publish to @nova' }).click()
    await expect(form.getByRole('alert')).toHaveText(TEXTS.uploadInitiated)
    await becomesLive(page, { title: 'Fresh from the oven #bakery', platform: 'Instagram' })
  })

  await test.step('the first steps are done', async () => {
    await go(page, 'Overview')
    const published = page.getByRole('region', { name: 'Recently published' })
    await expect(published.getByRole('listitem')).toHaveCount(3)
    await expect(page.getByRole('region', { name: 'First steps' })).toBeHidden()
  })

  await test.step('log out', async () => {
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    await page.goto('/dashboard/queue')
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
  })
})

/** The queue shows the post on its way, then published, without being loaded again; the platform plays it. */
async function becomesLive(page: Page, it: { title: string; platform: string }): Promise<void> {
  await go(page, 'Queue')
  const post = page.getByRole('listitem', { name: it.title })
  await expect(post.getByText('Uploading').or(post.getByText('Scheduled'))).toBeVisible()
  await expect(post.getByText('Published')).toBeVisible()
  const opened = page.waitForEvent('popup')
  await post.getByRole('link', { name: `Open on ${it.platform}` }).click()
  const live = await opened
  await expect(live.getByRole('article', { name: `Practice ${it.platform} post by nova` })).toContainText(
    it.title,
  )
  const video = live.getByLabel('Video by nova')
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true // or the browser wants a click first
    return element.play()
  })
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0)
  await live.close()
}

const holdBack = (practiceUrl: string, platform: string, call: string) =>
  control(practiceUrl, 'POST', '/_control/faults', {
    platform,
    call,
    fault: 'slow',
    ms: 3000,
    account: 'nova',
  })
