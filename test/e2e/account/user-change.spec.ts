import { signUp } from '../../support/test-server.ts'
import { expect, fillLogin, go, logIn, PASSWORD, test } from '../support/fixtures.ts'

test('a background tab shows nothing of the previous user after another user logs in', async ({
  page,
  context,
  person,
  reelay,
}) => {
  await person.call('createBrand', { body: { title: 'Harbour Coffee' } })
  const next = await signUp(reelay, 'Grace')
  await logIn(page, person.email)
  const asleep = await context.newPage()
  await asleep.clock.install()
  await asleep.goto('/dashboard/brands')
  await expect(async () => {
    await asleep.clock.runFor(1000)
    await expect(asleep.getByText('Harbour Coffee')).toBeVisible({ timeout: 500 })
  }).toPass()
  await asleep.clock.pauseAt(Date.now() + 60_000)

  await page.getByRole('button', { name: 'Log out' }).click()
  await fillLogin(page, next.email, PASSWORD)
  await go(page, 'Settings')
  await expect(page.getByText('Welcome Grace')).toBeVisible()

  // Nothing new arrives: what is shown now is what the tab has.
  const speakers = new Set<string>()
  await asleep.route('**/api/v1/**', (route) => {
    speakers.add(subjectOf(route.request().headers()['authorization'] ?? ''))
  })
  await expect(async () => {
    await asleep.clock.runFor(2000)
    expect(speakers).toContain(subjectOf(next.token))
  }).toPass()
  await expect(asleep.getByText('Harbour Coffee')).toBeHidden()
  await expect(asleep.getByText('Welcome Ada')).toBeHidden()
})

/** Whose token it is. */
const subjectOf = (token: string): string => {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}')
  return typeof claims === 'object' && claims !== null && 'sub' in claims ? String(claims.sub) : ''
}
