import type { Locator } from '@playwright/test'
import { instantOf } from '#domain/schedule/schedule.ts'
import { addDays } from '#domain/schedule/days.ts'
import { schedulePost, uploadVideo } from '../../support/publish.ts'
import { expect, linkedBrand, logIn, test, type Page, type Person, type Reelay } from '../support/fixtures.ts'

const ZONE = 'Europe/Lisbon'
/** Far ahead: its whole week is in the future at any day and hour. */
const IN_DAYS = 20

/** A post for eight in the morning of a future day; `other` is a day of the same week. */
async function scheduled(reelay: Reelay, person: Person, page: Page) {
  const { accountId, brandId } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  const { video_id: videoId } = await uploadVideo(person)
  const post = await schedulePost(person, {
    videoId,
    text: 'Door one',
    accountIds: [accountId],
    inDays: IN_DAYS,
  })
  const day = post.publish_at?.slice(0, 10) ?? ''
  const isSunday = new Date(`${day}T12:00:00Z`).getUTCDay() === 0
  const other = addDays(day, isSunday ? -1 : 1)
  const slot = { weekday: new Date(`${other}T12:00:00Z`).getUTCDay() || 7, time: '14:00', platforms: null }
  await person.call('createSchedule', { body: { brand_id: brandId, name: 'Afternoons', slots: [slot] } })
  const at = async () => {
    const { publish_at } = await person.call('getPost', { params: { postId: post.post_id } })
    return Date.parse(publish_at ?? '')
  }
  await logIn(page, person.email, `/dashboard/calendar?view=week&date=${day}`)
  return { day, other, at }
}

const column = (page: Page, day: string): Locator => page.locator(`[data-day="${day}"]`)
const chip = (within: Locator | Page, time: string): Locator =>
  within.getByRole('button', { name: new RegExp(`^${time}, Door one`) })

test('a post is reached by Tab, dragged to a time and onto a free slot, and undone', async ({
  page,
  person,
  reelay,
}) => {
  const { day, other, at } = await scheduled(reelay, person, page)
  const from = await at()
  await expect(chip(column(page, day), '08:00')).toHaveAttribute('draggable', 'true')
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(chip(column(page, day), '08:00')).toBeFocused({ timeout: 1 })
  }).toPass({ intervals: [0] })
  // The focus follows a post that moves.
  await page.keyboard.press(`Alt+Arrow${other < day ? 'Left' : 'Right'}`)
  await page.keyboard.press('Alt+ArrowDown')
  await expect(chip(column(page, other), '08:15')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(chip(column(page, day), '08:00')).toBeFocused()

  const taken = await chip(column(page, day), '08:00').boundingBox()
  const target = await column(page, other).boundingBox()
  if (taken === null || target === null) throw new Error('The week is not drawn.')
  const [x, y] = [target.x + target.width / 2, taken.y + 10]
  await page.mouse.move(taken.x + 40, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 40, { steps: 5 })
  // Three hours of 48 px further down.
  await page.mouse.move(x, y + 3 * 48, { steps: 5 })
  await expect(column(page, other)).toContainText('11:00')
  await page.mouse.up()
  await expect(chip(column(page, other), '11:00')).toBeVisible()
  await expect.poll(at).toBe(instantOf(`${other}T11:00`, ZONE))

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(chip(column(page, day), '08:00')).toBeVisible()
  await expect.poll(at).toBe(from)

  await chip(column(page, day), '08:00').dragTo(page.getByRole('link', { name: /^\+ 14:00/ }), { steps: 5 })
  await expect(chip(column(page, other), '14:00')).toBeVisible()
  await expect(page.getByText(/^“Door one” moved to .*, 14:00 · Afternoons\.$/)).toBeVisible()
  await expect.poll(at).toBe(instantOf(`${other}T14:00`, ZONE))
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(at).toBe(from)
})
