import type { Locator, Page } from '@playwright/test'
import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { alert, ban, expect, go, linkedBrand, logIn, test } from '../support/fixtures.ts'

type Line = {
  /** What the page has sent to the API to be done, in order. */
  readonly sent: readonly string[]
  /** No answer comes before the second press, as on any line to a server that is not this machine. */
  readonly doubleClick: (button: Locator) => Promise<void>
}

async function slowLine(page: Page): Promise<Line> {
  const sent: string[] = []
  let isOpen = Promise.resolve()
  // One route for the whole test: a request whose route is removed at that moment may never be reported.
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request()
    if (request.method() !== 'GET') {
      const { pathname } = new URL(request.url())
      sent.push(`${request.method()} ${pathname.replace('/api/v1', '').replaceAll(/\d+/g, ':id')}`)
      await isOpen
    }
    await route.continue()
  })
  return {
    sent,
    doubleClick: async (button) => {
      const pressed = Promise.withResolvers<void>()
      isOpen = pressed.promise
      await button.dblclick()
      pressed.resolve()
    },
  }
}

test('a double click on a button that changes something sends one request', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/settings')
  const { sent, doubleClick } = await slowLine(page)

  await page.getByLabel('Nickname').fill('Grace')
  await doubleClick(page.getByRole('button', { name: 'Update' }))
  await expect(alert(page, 'Nickname updated.')).toBeVisible()

  await go(page, 'Brands')
  await page.getByRole('button', { name: 'New Brand' }).click()
  await page.getByLabel('Brand Name').fill('Harbour Coffee')
  await doubleClick(page.getByRole('button', { name: 'Create' }))
  await page.getByRole('button', { name: 'Edit Harbour Coffee' }).click()
  await page.getByRole('textbox', { name: 'Brand Name' }).fill('Harbour')
  await doubleClick(page.getByRole('button', { name: 'Save Harbour Coffee' }))
  await page.getByRole('button', { name: 'Delete Harbour' }).click()
  await doubleClick(page.getByRole('button', { name: 'Delete brand' }))
  await expect(alert(page, 'Harbour is deleted.')).toBeVisible()

  await ban(reelay, creator)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Too hot'), ['failed'])
  await go(page, 'Queue')
  await doubleClick(page.getByRole('button', { name: `Retry: @${creator}` }))
  await expect.poll(() => sent).toContain('POST /deliveries/:id/retry')

  await go(page, 'Accounts')
  await page.getByRole('button', { name: 'Add Account' }).click()
  await doubleClick(page.getByRole('button', { name: 'Continue with TikTok' }))
  await expect(page.getByRole('heading', { name: 'Let Reelay use your account?' })).toBeVisible()

  expect(sent).toEqual([
    'PUT /users/nickname',
    'POST /brands',
    'PUT /brands',
    'DELETE /brands/:id',
    'POST /deliveries/:id/retry',
    'POST /platforms/tiktok/authorize',
  ])
})
