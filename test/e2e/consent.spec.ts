import type { Page } from '@playwright/test'
import { expect, alert, go, logIn, newCreator, test, type Person } from './fixtures.ts'

/** A brand, and the browser at the consent page of its first link. */
async function atConsent(page: Page, person: Person, platform: 'TikTok' | 'Instagram') {
  await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  await logIn(page, person.email)
  await go(page, 'Accounts')
  await page.getByRole('button', { name: 'Add Account' }).click()
  await page.getByRole('button', { name: `Continue with ${platform}` }).click()
  await expect(page.getByRole('heading', { name: 'Let Reelay use your account?' })).toBeVisible()
}

const accounts = (page: Page) => page.getByRole('list', { name: 'Accounts of Northwind Bakery' })

async function backAtAccounts(page: Page) {
  await expect(page).toHaveURL('/dashboard/accounts')
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
}

for (const platform of ['TikTok', 'Instagram'] as const) {
  test(`a refusal at ${platform} links nothing, and the accounts screen says so`, async ({
    page,
    person,
  }) => {
    await atConsent(page, person, platform)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await backAtAccounts(page)
    await expect(alert(page, `Nothing was linked: you said no at ${platform}.`)).toBeVisible()
    await expect(page.getByText('No accounts are linked to Northwind Bakery yet.')).toBeVisible()
  })

  test(`an account of ${platform} without the permission to post is linked, and says that it may not`, async ({
    page,
    person,
    reelay,
  }) => {
    const creator = await newCreator(reelay, platform === 'TikTok' ? 'tiktok' : 'instagram')
    await atConsent(page, person, platform)
    await page.getByRole('radio', { name: creator }).check()
    await page.getByRole('checkbox', { name: /publish/ }).uncheck()
    await page.getByRole('button', { name: 'Allow' }).click()
    await backAtAccounts(page)
    await expect(
      alert(
        page,
        `@${creator} on ${platform} is linked, but may not post: the permission was left out. Link it again and allow posting.`,
      ),
    ).toBeVisible()
    const row = accounts(page)
      .getByRole('listitem')
      .filter({ hasText: `@${creator}` })
    await expect(row.getByText('May not post')).toBeVisible()

    await row.getByRole('button', { name: `Link again: @${creator}` }).click()
    await page.getByRole('radio', { name: creator }).check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await backAtAccounts(page)
    await expect(alert(page, `@${creator} on ${platform} is linked.`)).toBeVisible()
    await expect(row.getByText('Ready')).toBeVisible()
  })

  test(`an answer of ${platform} with another state is not taken`, async ({ page, person, reelay }) => {
    await atConsent(page, person, platform)
    // As if the code that the platform gave to somebody else's link were brought here.
    await page.route(`${reelay.practiceUrl}/**`, async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 })
      const back = new URL(answer.headers()['location'] ?? '')
      back.searchParams.set('state', 'another')
      await route.fulfill({ status: 302, headers: { location: back.href } })
    })
    const asked: string[] = []
    page.on('request', (request) => request.url().endsWith('/login') && asked.push(request.url()))
    await page.getByRole('button', { name: 'Allow' }).click()
    await backAtAccounts(page)
    await expect(
      alert(page, `This answer from ${platform} does not belong to a link that was started here.`),
    ).toBeVisible()
    await expect(page.getByText('No accounts are linked to Northwind Bakery yet.')).toBeVisible()
    expect(asked).toEqual([])
  })

  test(`the way back from ${platform} works once`, async ({ page, person, reelay }) => {
    const creator = await newCreator(reelay, platform === 'TikTok' ? 'tiktok' : 'instagram')
    const came = page.waitForRequest((request) => /\/oauth\/\w+\/callback\?/.test(request.url()))
    await atConsent(page, person, platform)
    await page.getByRole('radio', { name: creator }).check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await backAtAccounts(page)
    await expect(alert(page, `@${creator} on ${platform} is linked.`)).toBeVisible()

    await page.goto((await came).url())
    await backAtAccounts(page)
    await expect(alert(page, 'does not belong to a link that was started here')).toBeVisible()
    await expect(accounts(page).getByRole('listitem')).toHaveCount(1)
  })
}

test('a callback without an answer says that there was none', async ({ page, person }) => {
  await logIn(page, person.email)
  await page.goto('/dashboard/oauth/tiktok/callback')
  await backAtAccounts(page)
  await expect(alert(page, 'TikTok sent no answer. Add the account again.')).toBeVisible()
})
