import { TEXTS } from '#contract/texts.ts'
import { fixture } from '../../support/sample.ts'
import { expect, go, linkedBrand, logIn, test } from '../support/fixtures.ts'

test('a chosen video shows a frame of itself in its field, and in the queue once it is posted', async ({
  page,
  person,
  reelay,
}) => {
  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/upload')
  const tiktok = page.getByRole('region', { name: 'TikTok video' })
  await tiktok.getByLabel('Video file').setInputFiles(fixture('vp9.webm'))
  await expect(tiktok.locator('img')).toHaveJSProperty('naturalHeight', 480)
  await tiktok.getByLabel('Title').fill('Rye starter, day one to seven')
  const sent = page.waitForResponse((answer) => answer.url().endsWith('/poster'))
  await tiktok.getByRole('button', { name: /^Publish to/ }).click()
  await expect(tiktok.getByText(TEXTS.uploadInitialized)).toBeVisible()
  expect((await sent).status()).toBe(200)

  await go(page, 'Queue')
  const picture = page.getByRole('listitem', { name: 'Rye starter, day one to seven' }).locator('img')
  await expect(picture).toHaveJSProperty('naturalHeight', 480)
  expect(await picture.getAttribute('alt')).toBe('')
  expect(await picture.getAttribute('src')).toMatch(/^\/posters\/[\w-]{43}$/)
})

test('a post is accepted even if its poster is refused or cannot be made', async ({
  page,
  person,
  reelay,
}) => {
  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/upload')
  const tiktok = page.getByRole('region', { name: 'TikTok video' })
  const post = async (title: string, file: string) => {
    await tiktok.getByLabel('Video file').setInputFiles(fixture(file))
    await tiktok.getByLabel('Title').fill(title)
    await tiktok.getByRole('button', { name: /^Publish to/ }).click()
    await expect(tiktok.getByText(TEXTS.uploadInitialized)).toBeVisible()
  }
  await page.route('**/videos/*/poster', (route) => route.abort('connectionreset'))
  const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/poster'))
  await post('Picture lost', 'vp9.webm')
  await lost
  await page.unroute('**/videos/*/poster')
  // A video that this browser cannot show: a player that never has a frame.
  await page.evaluate(() => {
    Object.defineProperty(HTMLVideoElement.prototype, 'videoWidth', { get: () => 0 })
  })
  await post('No picture', 'good.mp4')
  await go(page, 'Queue')
  for (const title of ['Picture lost', 'No picture']) {
    const row = page.getByRole('listitem', { name: title })
    await expect(row.getByText('Published')).toBeVisible()
    await expect(row.locator('img')).toHaveCount(0)
  }
})
