import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { api } from '#web/testing/api-stub.ts'
import { brand, settings } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const NOT_SET_UP = 'TikTok is not set up on this server.'

/** Comes back from a platform with an answer to a link that was started with this state. */
async function comeBack(platform: 'tiktok' | 'instagram', started: string, answer: string) {
  api.reply('listBrands', [brand()])
  localStorage.setItem(`${platform}_oauth_state`, started)
  localStorage.setItem('brand_id', '1')
  await renderSignedIn(`/dashboard/oauth/${platform}/callback${answer}`)
}

for (const platform of ['tiktok', 'instagram'] as const)
  test(`an answer of ${platform} with another state is not taken`, async () => {
    await comeBack(platform, 'abc', '?code=xyz&state=another')
    await findAlert(`${PLATFORM_NAMES[platform]} answered a request that wasn't started in this browser.`)
    await findHeading('Accounts')
    expect(location.pathname).toBe('/dashboard/accounts')
    expect(api.calls('finishLink')).toEqual([])
    expect(localStorage.getItem('brand_id'), 'the link that was started can still be finished').toBe('1')
  })

test('a callback without an answer says that there was none', async () => {
  await comeBack('tiktok', 'abc', '')
  await findAlert("TikTok didn't answer. Add the account again.")
  expect(location.pathname).toBe('/dashboard/accounts')
})

test('a platform that is not set up is named where it would be linked', async () => {
  api.reply('listBrands', [brand()])
  const platforms = settings().platforms.map((platform) => ({ ...platform, mode: 'off' as const }))
  api.reply('getSettings', settings({ platforms }))
  const events = await renderSignedIn('/dashboard/accounts', 'Accounts')
  await screen.findByText('No accounts are linked to Northwind yet.')
  await events.click(button('Add Account'))
  expect(await screen.findByRole('button', { name: 'Continue with TikTok' })).toBeDisabled()
  expect(screen.getByText(NOT_SET_UP)).toBeVisible()
})

test('a link that the server refuses is explained', async () => {
  api.refuse('finishLink', 'platform_off', NOT_SET_UP)
  await comeBack('tiktok', 'abc', '?code=xyz&state=abc')
  await findAlert(NOT_SET_UP)
})

test('a link whose answer is lost says that the account may be linked or not', async () => {
  api.disconnect('finishLink')
  await comeBack('tiktok', 'abc', '?code=xyz&state=abc')
  await findAlert("The server didn't answer (Network Error).")
})
