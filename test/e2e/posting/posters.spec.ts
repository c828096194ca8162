import { TEXTS } from '#contract/texts.ts'
import { fixture } from '../../support/sample.ts'
import { expect, go, linkedBrand, logIn, test } from '../support/fixtures.ts'

test('a frame of the video is shown in its field and in the queue, and a lost one stops no post', async ({
  page,
  person,
  reelay,
}) => {
  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/upload')
  const tiktok = page.getByRole('region', { name: 'TikTok video' })
  const post = async (title: string) => {
    await tiktok.getByLabel('Video file').setInputFiles(fixture('vp9.webm'))
    await expect(tiktok.locator('img')).toHaveJSProperty('naturalHeight', 480)
    await tiktok.getByLabel('Title').fill(title)
    await tiktok.getByRole('button', { name: /^Publish to/ }).click()
    await expect(tiktok.getByText(TEXTS.uploadInitialized)).toBeVisible()
  }
  await page.route('**/videos/*/poster', (route) => route.abort('connectionreset'))
  const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/poster'))
  await post('Picture lost')
  await lost
  await page.unroute('**/videos/*/poster')
  const sent = page.waitForResponse((answer) => answer.url().endsWith('/poster'))
  await post('Rye starter, day one to seven')
  expect((await sent).status()).toBe(200)

  await go(page, 'Queue')
  const picture = page
    .getByRole('listitem', { name: 'Rye starter, day one to seven' })
    .locator('img[src^="/posters/"]')
  await expect(picture).toHaveJSProperty('naturalHeight', 480)
  expect(await picture.getAttribute('alt')).toBe('')
  expect(await picture.getAttribute('src')).toMatch(/^\/posters\/[\w-]{43}$/)
  const without = page.getByRole('listitem', { name: 'Picture lost' })
  await expect(without.getByText('Published')).toBeVisible()
  await expect(without.locator('img[src^="/posters/"]')).toHaveCount(0)
})
