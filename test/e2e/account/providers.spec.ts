import { LABELS } from '#contract/texts.ts'
import { buildApp } from '#server/app.ts'
import { startTestDatabases } from '../../support/database/test-database.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { startPracticeProvider } from '../../support/practice-provider.ts'
import { signUp, startTestServer } from '../../support/test-server.ts'
import { expect, test } from '../support/fixtures.ts'

// A whole journey through three origins, redirects and cookies: no other level has a browser's rules for them.
test('a person logs in through a provider, operates by a claim, and logs out here only', async ({
  browser,
}) => {
  const stopDatabases = await startTestDatabases()
  const url = `http://localhost:${await freePort()}`
  const provider = await startPracticeProvider(url)
  const server = await startTestServer({ env: { PUBLIC_URL: url, OIDC_PROVIDERS: provider.variable } })
  await signUp(server)
  const app = await buildApp(server.deps)
  await app.listen({ port: Number(new URL(url).port), host: '127.0.0.1' })
  const page = await browser.newPage({ baseURL: url })
  const continueThere = page.getByRole('button', { name: 'Continue with Practice ID' })
  const queue = page.getByRole('heading', { level: 1, name: LABELS.queue })
  try {
    await page.goto('/dashboard/queue')
    await continueThere.click()
    await page.getByPlaceholder('Enter any login').fill('ana+admin')
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button').click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(queue).toBeVisible()
    await expect(page.getByRole('link', { name: 'Server' }), 'the claim makes an operator').toBeVisible()

    await page.getByRole('button', { name: LABELS.logOut }).click()
    await continueThere.click()
    await expect(page.getByRole('heading', { level: 1, name: LABELS.overview })).toBeVisible()
    await page.reload()
    await expect(page.getByText('Welcome Ana Lima')).toBeVisible()
  } finally {
    await page.close()
    await app.close()
    await server.stop()
    provider.close()
    await stopDatabases()
  }
})
