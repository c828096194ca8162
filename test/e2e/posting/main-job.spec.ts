import { TEXTS } from '#contract/texts.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  alert,
  chosen,
  expect,
  go,
  holdAnswer,
  newCreator,
  newEmail,
  PASSWORD,
  test,
  type Page,
  type Reelay,
} from '../support/fixtures.ts'

const MEGABYTE = 1_000_000

const FORMS = {
  TikTok: { id: 'tiktok', call: 'init', text: 'Title', said: TEXTS.uploadInitialized },
  Instagram: { id: 'instagram', call: 'create', text: 'Caption', said: TEXTS.uploadInitiated },
} as const

/** In light all of it; in dark the way once more, as short as it can be. Each has a creator of its own: they run side by side. */
const JOBS = [
  {
    colorScheme: 'light',
    creator: () => Promise.resolve('nova'),
    links: ['TikTok', 'Instagram'],
    posts: [
      // Small enough to go in one request, and one that a platform takes in its own way.
      { platform: 'TikTok', bytes: undefined, title: 'Three ways to plate a tart' },
      { platform: 'TikTok', bytes: 12 * MEGABYTE, title: 'Opening day' },
      { platform: 'Instagram', bytes: undefined, title: 'Fresh from the oven #bakery' },
    ],
  },
  {
    colorScheme: 'dark',
    creator: (reelay: Reelay) => newCreator(reelay, 'instagram'),
    links: ['Instagram'],
    posts: [{ platform: 'Instagram', bytes: undefined, title: 'Fresh from the oven #bakery' }],
  },
] as const

for (const { colorScheme, creator: named, links, posts } of JOBS)
  test(`a new user signs up, links ${links.join(' and ')}, posts and sees it live, in ${colorScheme}`, async ({
    page,
    reelay,
  }) => {
    test.slow()
    await page.emulateMedia({ colorScheme })
    const painted = (scheme: 'light' | 'dark') =>
      expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
    const creator = await named(reelay)

    await test.step('sign up', async () => {
      await page.goto('/')
      await painted(colorScheme)
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
      await painted(colorScheme)
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
    for (const platform of links)
      await test.step(`link ${platform}`, async () => {
        await page.getByRole('button', { name: 'Add Account' }).click()
        await page.getByRole('button', { name: `Continue with ${platform}` }).click()
        await expect(page.getByText(`Practice ${platform}`)).toBeVisible()
        await page.getByRole('radio', { name: creator }).check()
        await page.getByRole('button', { name: 'Allow' }).click()
        await expect(page).toHaveURL('/dashboard/accounts')
        await expect(alert(page, `@${creator} on ${platform} is linked.`)).toBeVisible()
        const linked = page.getByRole('list', { name: 'Accounts of Northwind Bakery' }).getByRole('listitem')
        await expect(linked.filter({ hasText: platform })).toContainText(`@${creator}`)
      })

    for (const { platform, bytes, title } of posts)
      await test.step(`post ${bytes ?? 'few'} bytes to ${platform}`, async () => {
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
      await expect(published.getByRole('listitem')).toHaveCount(posts.length)
      await expect(page.getByRole('region', { name: 'First steps' })).toBeHidden()
    })

    await test.step('log out', async () => {
      await page.getByRole('button', { name: 'Log out' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
      await painted(colorScheme)
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
