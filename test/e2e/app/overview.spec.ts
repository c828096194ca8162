import type { Person } from '../../support/test-server.ts'
import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  awaitLongDay,
  ban,
  expect,
  linkedBrand,
  logIn,
  misbehave,
  test,
  type Page,
  type Reelay,
} from '../support/fixtures.ts'

const OVERVIEW = '**/api/v1/overview'

/** Somebody with one TikTok account. */
const ownerOf = (reelay: Reelay, person: Person) =>
  linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })

const region = (page: Page, name: string) => page.getByRole('region', { name })

const sticksOut = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

test('a failed post heads the overview with its remedy until a retry publishes it', async ({
  page,
  person,
  reelay,
}) => {
  await awaitLongDay()
  const { accountId, creator } = await ownerOf(reelay, person)
  await ban(reelay, creator)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Latte art'), ['failed'])
  await ban(reelay, creator, false)
  await logIn(page, person.email)
  const trouble = region(page, 'Needs attention')
  const post = trouble.getByRole('listitem', { name: 'Latte art' })
  await expect(post.getByText('Failed')).toBeVisible()
  await expect(post).toContainText(`@${creator}`)
  await expect(region(page, 'First steps')).toBeHidden()
  await expect(region(page, 'Up next')).toContainText('Nothing scheduled.')
  await expect(region(page, 'Recently published')).toContainText('Nothing published yet.')
  const days = region(page, 'Last two weeks')
  await expect(days).toContainText('1 failed in 14 days.')

  await test.step('the days are read one by one with the arrow keys', async () => {
    const today = days.getByRole('button', { name: /: 1 failed$/ })
    await expect(days.getByRole('button')).toHaveCount(14)
    await today.focus()
    await page.keyboard.press('ArrowLeft')
    await expect(days.getByRole('button', { name: /: nothing$/ }).last()).toBeFocused()
    await expect(days.getByText('Yesterday: nothing')).toBeVisible()
    await page.keyboard.press('Home')
    await expect(days.getByRole('button').first()).toBeFocused()
    await page.keyboard.press('End')
    await expect(today).toBeFocused()
    await expect(today).toHaveAttribute('aria-pressed', 'true')
  })

  await test.step('tried again by keyboard, the page is up to date without being loaded anew', async () => {
    await post.getByRole('button', { name: `Retry: @${creator}` }).press('Enter')
    await expect(trouble).toBeHidden()
    await expect(page.getByRole('main')).toBeFocused()
    await expect(region(page, 'Recently published')).toContainText('Latte art')
    await expect(days.getByRole('button', { name: /: 1 published$/ })).toBeVisible()
    await expect(page.getByRole('status', { name: 'Updates' })).toContainText(
      `TikTok @${creator}: Published.`,
    )
  })

  await test.step('a post made elsewhere appears while the page is open, in a burst asked about once', async () => {
    let asked = 0
    const since = Date.now()
    await page.route(OVERVIEW, async (route) => {
      asked += 1
      await route.continue()
    })
    await postTikTok(person, accountId, sampleVideo(), 'Rye starter')
    const line = region(page, 'Recently published').getByRole('listitem', { name: 'Rye starter' })
    const live = line.getByRole('link', { name: `Open on TikTok: @${creator}` })
    await expect(live).toBeVisible()
    expect((await live.boundingBox())?.height).toBeGreaterThanOrEqual(32)
    await expect(days.getByRole('button', { name: /: 2 published$/ })).toBeVisible()
    // Every change of a delivery is news, and there are more than a dozen: those within 400 ms are one question.
    expect(asked).toBeLessThan(Math.max(10, 3 + (Date.now() - since) / 400))
  })

  await test.step('it fits the narrowest phone and the widest screen', async () => {
    for (const width of [360, 390, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await sticksOut(page), `at ${width} px`).toBe(false)
    }
  })
})

test('an account that must be linked again heads the overview and leads to the platform', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await ownerOf(reelay, person)
  const expired = { platform: 'tiktok', account: creator, fault: 'token_expired', times: 100 } as const
  await misbehave(reelay, { ...expired, call: 'init' })
  await misbehave(reelay, { ...expired, call: 'creator_info' })
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['blocked'])
  await logIn(page, person.email)
  const trouble = region(page, 'Needs attention')
  await expect(trouble.getByRole('listitem', { name: 'Opening day' })).toContainText('Held: link again')
  const account = trouble.getByRole('listitem', { name: `@${creator}` })
  await expect(account).toContainText('Its posts are on hold until you link it again.')
  await account.getByRole('button', { name: `Link again: @${creator}` }).click()
  await expect(page.getByText('Practice TikTok')).toBeVisible()
})
