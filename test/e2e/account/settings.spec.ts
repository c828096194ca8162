import { expect, logIn, test } from '../support/fixtures.ts'

test('dark mode is stored as darkMode, works by keyboard on a phone, and survives a reload', async ({
  page,
  person,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'light' })
  await logIn(page, person.email, '/dashboard/settings')
  const dark = page.getByRole('switch', { name: 'Dark mode' })
  const kept = () => page.evaluate(() => localStorage.getItem('darkMode'))
  await expect(dark).not.toBeChecked()
  expect(await kept()).toBeNull()
  await dark.focus()
  await page.keyboard.press('Space')
  await expect(dark).toBeChecked()
  await expect.poll(kept).toBe('true')
  await page.reload()
  await expect(dark).toBeChecked()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await dark.uncheck()
  await expect.poll(kept).toBe('false')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light')
})
