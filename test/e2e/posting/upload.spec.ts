import { TEXTS } from '#contract/texts.ts'
import { livePosts } from '../../support/test-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import { chosen, expect, linkedBrand, logIn, test } from '../support/fixtures.ts'

const TITLE = 'Three ways to plate a tart'

test('a TikTok post is made by keyboard alone, on a phone too', async ({ page, person, reelay }) => {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await page.setViewportSize({ width: 390, height: 844 })
  await logIn(page, person.email, '/dashboard/upload')
  const tiktok = page.getByRole('region', { name: 'TikTok video' })
  const video = tiktok.getByLabel('Video file')
  const publish = tiktok.getByRole('button', { name: /^Publish to @/ })
  const privacy = tiktok.getByLabel('Who can see this video')
  await expect(privacy).toHaveValue('Public')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  const press = (...keys: readonly string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())
  await tiktok.getByRole('combobox', { name: 'Account' }).focus()
  await press('Tab')
  await expect(video).toBeFocused()
  await video.setInputFiles(await chosen(sampleVideo().file))
  await expect(tiktok.getByText('0:04').or(tiktok.getByText('fps'))).toBeVisible()
  await press('Tab')
  await expect(tiktok.getByRole('button', { name: /^Remove/ })).toBeFocused()
  await press('Tab')
  await page.keyboard.type(TITLE)
  await press('Tab')
  await expect(privacy).toBeFocused()
  await press('ArrowDown')
  const level = page.getByRole('option', { name: 'Private' })
  await expect(level).toBeVisible()
  await expect(async () => {
    await press('ArrowDown')
    await expect(level).toHaveAttribute('data-combobox-selected', 'true', { timeout: 500 })
  }).toPass()
  await press('Enter')
  await expect(privacy).toHaveValue('Private')
  await press('Tab', 'Space')
  await expect(tiktok.getByLabel('Allow comments')).not.toBeChecked()
  await press('Tab', 'Tab', 'Tab')
  await expect(tiktok.getByLabel('Cover timestamp')).toBeFocused()
  await press('Tab', 'Tab')
  await expect(publish).toBeFocused()
  await press('Enter')
  await expect(tiktok.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
  await expect
    .poll(async () => (await livePosts(reelay)).filter(({ account }) => account === creator))
    .toMatchObject([{ text: TITLE, options: { privacy_level: 'SELF_ONLY', disable_comment: true } }])
})
