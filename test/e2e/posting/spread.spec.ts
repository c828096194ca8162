import { uploadVideo } from '../../support/publish.ts'
import { linkAccount } from '../../support/test-server.ts'
import { expect, logIn, newCreator, test } from '../support/fixtures.ts'

// The fields are in a sheet over the page, which only a browser lays out.
test('one video is planned for twenty accounts within an hour on a phone, each at its own minute', async ({
  page,
  reelay,
  person,
}) => {
  test.slow()
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  for (let nth = 0; nth < 20; nth += 1) {
    const platform = nth % 2 === 0 ? 'tiktok' : 'instagram'
    await linkAccount(person, { platform, brandId, creator: await newCreator(reelay, platform) })
  }
  const { video_id } = await uploadVideo(person)
  await page.setViewportSize({ width: 390, height: 844 })
  await logIn(page, person.email, `/dashboard/compose?video=${video_id}`)
  await page.getByRole('textbox', { name: 'Caption', exact: true }).fill('Twenty in an hour')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(page.getByText('20 ready')).toBeVisible()
  await page.getByRole('button', { name: /^When:/ }).click()
  const when = page.getByRole('dialog', { name: 'When' })
  await when.getByRole('radio', { name: 'Pick a time' }).click()
  await when.getByRole('spinbutton', { name: 'Spread over' }).fill('60')
  await expect(when.getByText('About 3 min apart, in the order of the accounts.')).toBeVisible()
  await when.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /^Schedule for/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  await expect(
    page.getByRole('listitem', { name: 'Twenty in an hour' }).getByText('18:00–19:00'),
  ).toBeVisible()

  const [post] = (await person.call('listPosts', {})).items
  const at = Date.parse(post?.publish_at ?? '')
  const minutes = post?.deliveries.map(({ due_at }) => (Date.parse(due_at ?? '') - at) / 60_000) ?? []
  expect(new Set(minutes).size).toBe(20)
  expect([Math.min(...minutes), Math.max(...minutes)]).toEqual([0, 60])
})
