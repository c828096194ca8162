import { schedulePost, uploadVideo } from '../support/publish.ts'
import { alert, expect, go, linkedBrand, logIn, test } from './fixtures.ts'

test('Update appears after the nickname is edited, and the new nickname greets at once and after a reload', async ({
  page,
  person,
}) => {
  await logIn(page, person.email)
  await go(page, 'Settings')
  const nickname = page.getByLabel('Nickname')
  const update = page.getByRole('button', { name: 'Update', exact: true })
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('userData') ?? '{}') as unknown)
  await expect(nickname).toHaveValue('Ada')
  expect(await kept(), 'the profile is cached as userData').toMatchObject({
    nickname: 'Ada',
    email: person.email,
  })
  await expect(update).toBeHidden()

  const wrong = [
    { typed: ' ', says: 'Enter a nickname.' },
    { typed: 'x'.repeat(51), says: 'Use at most 50 characters.' },
    { typed: 'Ada\u0007', says: 'Use letters, digits and signs only.' },
  ]
  for (const { typed, says } of wrong) {
    await nickname.fill(typed)
    await update.click()
    await expect(nickname).toHaveAccessibleDescription(says)
    await expect(nickname).toBeFocused()
  }
  await nickname.fill('Ada')
  await expect(update, 'nothing is left to update').toBeHidden()

  await page.route('**/api/v1/users/nickname', (route) => route.fulfill({ status: 500, body: '' }))
  await nickname.fill('Grace')
  await update.click()
  await expect(nickname).toHaveAccessibleDescription('Request failed with status code 500')
  await expect(nickname, 'what was typed stays').toHaveValue('Grace')
  await page.unroute('**/api/v1/users/nickname')

  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await nickname.press('Enter')
  expect([(await sent).url(), (await sent).postDataJSON()]).toEqual([
    expect.stringMatching(/\/api\/v1\/users\/nickname$/),
    { nickname: 'Grace' },
  ])
  await expect(page.getByText('Welcome Grace')).toBeVisible()
  await expect(alert(page, 'Nickname updated.')).toBeVisible()
  await expect(update).toBeHidden()
  await expect(nickname).toBeFocused()
  expect(await kept()).toMatchObject({ nickname: 'Grace' })
  await page.reload()
  await expect(page.getByText('Welcome Grace')).toBeVisible()
})

test('a time zone is updated like the nickname, and a profile that does not come can be asked for again', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  const { video_id: videoId } = await uploadVideo(person)
  await schedulePost(person, { videoId, text: 'Rye starter', accountIds: [accountId], inDays: 30 })
  await logIn(page, person.email)
  await page.route('**/api/v1/user', (route) => route.fulfill({ status: 500, body: '' }))
  await page.goto('/dashboard/settings')
  await expect(alert(page, 'Request failed with status code 500')).toBeVisible()
  await page.unroute('**/api/v1/user')
  await page.getByRole('button', { name: 'Try again' }).click()
  const zone = page.getByRole('combobox', { name: 'Time zone: Europe/Lisbon' })
  await zone.fill('Kathmandu')
  await page.getByRole('option', { name: /Kathmandu/ }).click()
  await page.getByRole('button', { name: 'Update time zone' }).click()
  await expect(alert(page, 'Time zone updated.')).toBeVisible()
  expect((await person.call('getUser')).timezone).toBe('Asia/Kathmandu')

  await test.step('every screen shows times in that zone, and names it as it is not the browser’s', async () => {
    const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kathmandu', timeStyle: 'short' })
    const { items } = await person.call('listPosts', { query: { status: 'upcoming' } })
    const time = local.format(new Date(items[0]?.publish_at ?? ''))
    for (const name of ['Queue', 'Overview']) {
      await go(page, name)
      await expect(page.getByText('Times in Asia/Kathmandu')).toBeVisible()
      await expect(page.getByRole('listitem', { name: 'Rye starter' })).toContainText(time)
    }
  })
})

test('dark mode is kept in this browser as darkMode, by keyboard and on a phone, and holds after a reload', async ({
  page,
  person,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'light' })
  await logIn(page, person.email)
  await page.goto('/dashboard/settings')
  const dark = page.getByRole('switch', { name: 'Dark mode' })
  const kept = () => page.evaluate(() => localStorage.getItem('darkMode'))
  await expect(dark).not.toBeChecked()
  expect(await kept()).toBeNull()
  await dark.focus()
  await page.keyboard.press('Space')
  await expect(dark).toBeChecked()
  expect(await kept()).toBe('true')
  await page.reload()
  await expect(dark).toBeChecked()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await dark.uncheck()
  expect(await kept()).toBe('false')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
})
