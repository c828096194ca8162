import type { AccountId } from '#contract/ids.ts'
import type { Person } from '../../support/test-server.ts'
import { delivered, postTikTok, schedulePost, uploadVideo } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  awaitLongDay,
  expect,
  delayResponse,
  linkedBrand,
  logIn,
  test,
  type Page,
  type Reelay,
} from '../support/fixtures.ts'

/** The queue of somebody with one TikTok account. */
async function atQueue(page: Page, reelay: Reelay, person: Person) {
  const linked = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/queue')
  return linked
}

async function schedule(person: Person, accountId: AccountId, text: string): Promise<void> {
  const { video_id: videoId } = await uploadVideo(person)
  await schedulePost(person, { videoId, text, accountIds: [accountId], inDays: 1 })
}

test('a post appears, moves and is announced in the open queue, and links to where it is live', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await atQueue(page, reelay, person)
  await postTikTok(person, accountId, sampleVideo(), 'Rye starter, day one to seven')
  const post = page.getByRole('listitem', { name: 'Rye starter, day one to seven' })
  await expect(post.getByText('Published')).toBeVisible()
  await expect(post.getByRole('link', { name: 'Open on TikTok' })).toBeVisible()
  await expect(page.getByRole('status', { name: 'Updates' })).toHaveText(`TikTok @${creator}: Published.`)
})

test('the queue shows each post under its day: video, brand, time, accounts and outcomes', async ({
  page,
  person,
  reelay,
}) => {
  await awaitLongDay()
  const { accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind Bakery',
    platform: 'tiktok',
  })
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['published'])
  await schedule(person, accountId, 'Advent calendar')

  await test.step('while the posts are on their way it shows their shape, and says so', async () => {
    const release = await delayResponse(page, '**/api/v1/posts?**')
    await logIn(page, person.email, '/dashboard/queue')
    await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toBeAttached()
    await expect(page.getByRole('button', { name: 'Needs attention' })).toBeVisible()
    release()
  })

  await test.step('what is to come first, then what was, each under its days', async () => {
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Upcoming', 'Done'])
    await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Tomorrow', 'Today'])
    const today = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
    await expect(today.filter({ hasText: 'Opening day' })).toContainText(/0:04.*Northwind Bakery · \d\d:\d\d/)
    await expect(today.filter({ hasText: 'Opening day' })).toContainText(`@${creator}Published`)
    const tomorrow = page.getByRole('region', { name: 'Tomorrow' }).getByRole('listitem')
    await expect(tomorrow.filter({ hasText: 'Advent calendar' })).toContainText(
      /Northwind Bakery · 08:00.*Scheduled ?in 1?\d? ?d?/,
    )
  })

  await test.step('its filters count what is not over, are kept in the address, and lead back from nothing', async () => {
    const filters = page.getByRole('group', { name: 'Show' }).getByRole('button')
    const words = ['All', 'Needs attention', 'Scheduled 1', 'Publishing', 'Published', 'Failed']
    await expect(filters).toHaveText(words)
    await filters.filter({ hasText: 'Scheduled' }).click()
    await expect(page).toHaveURL('/dashboard/queue?status=scheduled')
    await expect(page.getByRole('listitem', { name: 'Opening day' })).toBeHidden()
    await expect(page.getByRole('listitem', { name: 'Advent calendar' })).toBeVisible()
    await filters.filter({ hasText: 'Failed' }).click()
    await expect(page.getByText('No failed posts.')).toBeVisible()
    await page.getByRole('button', { name: 'Show all posts' }).click()
    await expect(page).toHaveURL('/dashboard/queue')
  })

  await test.step('on a phone posts are cards, and the primary action stays at the bottom', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('heading', { name: 'Tomorrow' }).scrollIntoViewIfNeeded()
    const primary = async () => {
      const box = await page.getByRole('link', { name: 'New post' }).boundingBox()
      return [box?.width, (box?.y ?? 0) > 760]
    }
    await expect.poll(primary).toEqual([358, true])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByRole('button', { name: 'More about Advent calendar' }).click()
    await expect(page.getByRole('menuitem', { name: 'Cancel this post' })).toBeVisible()
  })
})
