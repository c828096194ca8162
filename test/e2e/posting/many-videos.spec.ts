import type { Locator } from '@playwright/test'
import type { PlatformId } from '#contract/platforms/index.ts'
import { linkAccount } from '../../support/test-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import { expect, logIn, newCreator, test } from '../support/fixtures.ts'

const VIDEOS = 12
const PLATFORMS: readonly PlatformId[] = ['tiktok', 'tiktok', 'instagram', 'youtube']
/** From the calendar to the scheduled posts, with the reload and the two presses in the system's file dialog. */
const CLICKS_MAX = 20

test('twelve videos are planned for four accounts over twelve days in few clicks, also across a reload', async ({
  page,
  reelay,
  person,
}) => {
  test.slow()
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  for (const platform of PLATFORMS)
    await linkAccount(person, { platform, brandId, creator: await newCreator(reelay, platform) })
  const names = Array.from({ length: VIDEOS }, (_, i) => `clip ${i + 1}`)
  const files = await Promise.all(
    names.flatMap(async (name) => ({
      name: `${name}.mp4`,
      mimeType: 'video/mp4',
      buffer: Buffer.from(await sampleVideo().file.arrayBuffer()),
    })),
  )
  const captions = names.map((name) => ({
    name: `${name}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`Caption of ${name}`),
  }))
  let clicks = 0
  const click = async (locator: Locator) => {
    clicks += 1
    await locator.click()
  }
  await logIn(page, person.email, '/dashboard/calendar')

  await click(page.getByRole('button', { name: 'Unplanned' }))
  const chooser = page.waitForEvent('filechooser')
  await click(page.getByRole('button', { name: 'Plan new videos' }))
  // All of a folder is selected, and opened.
  clicks += 2
  await (await chooser).setFiles([...captions, ...files.toReversed()])
  await expect(page.getByRole('heading', { level: 1, name: 'Plan posts' })).toBeVisible()
  const posts = page.getByRole('list', { name: 'Posts', exact: true }).locator('> li')
  await expect(posts).toHaveCount(VIDEOS)
  await expect(page.getByRole('status').filter({ hasText: `0 of ${VIDEOS} posts ready` })).toBeVisible()

  await click(page.getByRole('button', { name: 'Select all: Northwind Bakery' }))
  await click(page.getByRole('radio', { name: 'Every day' }))
  const schedule = page.getByRole('button', { name: `Schedule ${VIDEOS} posts` })
  await click(page.getByRole('combobox', { name: 'Who can see this video' }))
  await click(page.getByRole('option', { name: /^Public/ }))
  // A reload in the middle of saving would keep the older version of some.
  const saved = new Set<string>()
  page.on('response', (answer) => {
    const asked = answer.request()
    if (asked.method() === 'PUT' && answer.ok() && asked.postData()?.includes('"madeForKids":false'))
      saved.add(answer.url())
  })
  const forKids = page.getByRole('radiogroup', { name: 'Is this video made for kids?' })
  await click(forKids.getByRole('radio', { name: 'No' }))
  await expect.poll(() => saved.size).toBe(VIDEOS)
  await expect(page.getByText(`${VIDEOS} posts ready`, { exact: true })).toBeVisible()

  clicks += 1
  await page.reload()
  await expect(page.getByText(`${VIDEOS} posts ready`, { exact: true })).toBeVisible()
  await expect(page.getByLabel('Caption of clip 10.mp4')).toHaveValue('Caption of clip 10')
  await expect(page.getByRole('radio', { name: 'Every day' })).toBeChecked()
  await click(schedule)
  await expect(page).toHaveURL(/\/dashboard\/calendar\?date=/)
  await expect(page.getByText(`${VIDEOS} posts scheduled.`)).toBeVisible()
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX)

  const { items, counts } = await person.call('listPosts', { query: { limit: 100 } })
  expect([counts.all, counts.scheduled]).toEqual([VIDEOS, VIDEOS])
  const inOrder = items.toSorted((one, other) => one.goes_out_at.localeCompare(other.goes_out_at))
  expect(inOrder.map(({ text }) => text)).toEqual(names.map((name) => `Caption of ${name}`))
  expect(inOrder.map(({ deliveries }) => deliveries.length)).toEqual(names.map(() => PLATFORMS.length))
  expect(new Set(inOrder.map(({ publish_at }) => publish_at?.slice(0, 10))).size).toBe(VIDEOS)
  expect((await person.call('listDrafts', { query: {} })).items).toEqual([])
})
