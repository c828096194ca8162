import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { awaitLongDay, ban, expect, linkedBrand, logIn, test, type Page } from '../support/fixtures.ts'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1320, height: 840 }

const region = (page: Page, name: string) => page.getByRole('region', { name })

test('a failed post leads from the overview to its help, and is published from there by a retry', async ({
  page,
  person,
  reelay,
}) => {
  await awaitLongDay()
  const { accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind Bakery',
    platform: 'tiktok',
  })
  await ban(reelay, creator)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Latte art'), ['failed'])
  await ban(reelay, creator, false)
  await page.setViewportSize(PHONE)
  await logIn(page, person.email)
  const trouble = region(page, 'Needs attention')
  const post = trouble.getByRole('listitem', { name: 'Latte art' })
  await expect(post.getByText('Failed')).toBeVisible()
  await expect(post).toContainText(`@${creator}`)

  await test.step('the help shows what the failure means, on a phone too', async () => {
    const message = 'TikTok has banned this account from posting.'
    await post.getByRole('link', { name: `What this means: ${message}` }).click()
    const entry = page.getByRole('listitem', { name: message })
    await expect(entry).toBeInViewport()
    await expect(entry).toBeFocused()
    await page.reload()
    await expect(entry).toBeInViewport()
    await expect(entry.getByText('spam_risk_user_banned_from_posting')).toBeVisible()
    // Each row of the table is a card that names its platforms.
    const cell = page.getByRole('cell').or(page.locator('td')).filter({ hasText: 'up to 300 MB' })
    expect(await cell.evaluate((td) => getComputedStyle(td, '::before').content)).toBe('"Instagram"')
    await page.goBack()
    await page.setViewportSize(DESKTOP)
  })

  await test.step('tried again, the page is up to date without being loaded anew', async () => {
    await post.getByRole('button', { name: `Retry: @${creator}` }).click()
    await expect(trouble).toBeHidden()
    await expect(region(page, 'Recently published')).toContainText('Latte art')
    await expect(region(page, 'Last two weeks').getByRole('button', { name: /: 1 published$/ })).toBeVisible()
    await expect(page.getByRole('status', { name: 'Updates' })).toContainText(
      `TikTok @${creator}: Published.`,
    )
  })

  await test.step('a post made elsewhere appears while the page is open', async () => {
    await postTikTok(person, accountId, sampleVideo(), 'Rye starter')
    const line = region(page, 'Recently published').getByRole('listitem', { name: 'Rye starter' })
    const live = line.getByRole('link', { name: `Open on TikTok: @${creator}` })
    await expect(live).toBeVisible()
    expect((await live.boundingBox())?.height).toBeGreaterThanOrEqual(32)
    await expect(region(page, 'Last two weeks').getByRole('button', { name: /: 2 published$/ })).toBeVisible()
  })
})
