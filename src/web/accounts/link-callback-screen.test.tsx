import type { UserEvent } from '@testing-library/user-event'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { oauthStateKey, STORAGE_KEYS } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, settings } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderApp, renderSignedIn } from '#web/testing/render-app.tsx'

const NOT_SET_UP = 'TikTok is not set up on this server.'

/** Comes back from a platform with an answer to a link that was started with this state. */
async function comeBack(platform: PlatformId, started: string, answer: string) {
  api.reply('listBrands', [brand()])
  localStorage.setItem(`${platform}_oauth_state`, started)
  localStorage.setItem('brand_id', '1')
  return renderSignedIn(`/dashboard/oauth/${platform}/callback${answer}`)
}

/** Starts a link with what is shown of the accounts screen, which ends at the consent page. */
async function start(events: UserEvent, platform: PlatformId, state: string) {
  api.reply('startLink', { url: `#consent-${state}`, state })
  await events.click(button('Add Account'))
  await events.click(await screen.findByRole('button', { name: `Continue with ${PLATFORM_NAMES[platform]}` }))
  await waitFor(() => expect(location.hash).toBe(`#consent-${state}`))
}

/** The platform sends the browser back: the app is loaded anew. */
function returnFrom(platform: PlatformId, answer: string) {
  cleanup()
  renderApp(`/dashboard/oauth/${platform}/callback?${answer}`)
}

const kept = (platform: PlatformId) =>
  [oauthStateKey(platform), STORAGE_KEYS.brandId].map((key) => localStorage.getItem(key))

for (const [platform, processing] of [
  ['tiktok', 'Processing TikTok Login...'],
  ['instagram', 'Processing Instagram authentication...'],
  ['youtube', 'Processing YouTube sign-in...'],
] as const)
  test(`a link with ${platform} can be declined, and is finished once`, async () => {
    const name = PLATFORM_NAMES[platform]
    api.reply('listBrands', [brand()])
    await start(await renderSignedIn('/dashboard/accounts', 'Accounts'), platform, 'abc')
    expect(api.calls('startLink')).toMatchObject([{ params: { platform }, body: { brand_id: 1 } }])
    expect(kept(platform)).toEqual(['abc', '1'])

    returnFrom(platform, 'error=access_denied&state=abc')
    await findAlert(`No account linked: you declined on ${name}.`)
    await screen.findByText('No accounts are linked to Northwind yet.')
    expect([location.pathname, api.calls('finishLink')]).toEqual(['/dashboard/accounts', []])

    api.reply('finishLink', account({ platform }))
    const release = api.hold('finishLink')
    returnFrom(platform, 'code=xyz&state=abc')
    await screen.findByText(processing)
    api.reply('listAccounts', [account({ platform })])
    release()
    await findAlert(`@northwind on ${name} is linked.`)
    const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
    expect(within(list).getAllByRole('listitem')[0]).toHaveTextContent('@northwind')
    expect(location.pathname).toBe('/dashboard/accounts')
    expect(kept(platform)).toEqual([null, null])

    returnFrom(platform, 'code=xyz&state=abc')
    await findAlert(`${name} answered a request that wasn't started in this browser. Add the account again.`)
    const sent = { params: { platform }, body: { code: 'xyz', state: 'abc', brand_id: 1 } }
    expect(api.calls('finishLink')).toMatchObject([sent])
  })

test('an account that was linked without posting says so, and can be linked again', async () => {
  const mute = account({ username: null, display_name: 'Nova', can_publish: false })
  api.reply('finishLink', mute)
  api.reply('listAccounts', [mute])
  api.reply('startLink', { url: '#consent-again', state: 'again' })
  const events = await comeBack('tiktok', 'abc', '?code=xyz&state=abc')
  await findAlert(
    "Nova on TikTok is linked but can't post, because posting wasn't allowed. Link it again and allow posting.",
  )
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(within(list).getByText("Can't post")).toBeVisible()
  expect(within(list).getByText('Handle unknown')).toBeVisible()
  await events.click(button('Link again: Nova on TikTok', list))
  await waitFor(() => expect(location.hash).toBe('#consent-again'))
  expect(api.calls('startLink')).toMatchObject([{ body: { brand_id: 1, account_id: 1 } }])
  expect(kept('tiktok')).toEqual(['again', '1'])
})

const finished = () => api.calls('finishLink').map(({ body }) => body)

const ORDERS = [
  ['first', 'second'],
  ['second', 'first'],
] as const
const BRANDS = { first: 1, second: 2 }

test.each(ORDERS)('of two links for two brands the %s is finished, then the %s', async (...order) => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply('finishLink', ({ body }) => account({ brand_id: (body as { brand_id: number }).brand_id }))
  await start(await renderSignedIn('/dashboard/accounts', 'Accounts'), 'tiktok', 'first')
  cleanup()
  const events = renderApp('/dashboard/accounts?brand=2')
  await screen.findByText('No accounts are linked to Harbour yet.')
  await start(events, 'tiktok', 'second')

  for (const [at, state] of order.entries()) {
    returnFrom('tiktok', `code=xyz&state=${state}`)
    await waitFor(() => expect(finished()[at]).toEqual({ code: 'xyz', state, brand_id: BRANDS[state] }))
    await waitFor(() => expect(location.pathname).toBe('/dashboard/accounts'))
    // The browser keeps the link that was started last.
    const isKept = !order.slice(0, at + 1).includes('second')
    expect(kept('tiktok')).toEqual(isKept ? ['second', '2'] : [null, null])
  }
  expect(finished()).toHaveLength(2)
})

for (const platform of PLATFORM_IDS)
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
  await waitFor(() => expect(location.pathname).toBe('/dashboard/accounts'))
  await screen.findByText('No accounts are linked to Northwind yet.')
})

test('a link whose answer is lost says that the account may be linked or not', async () => {
  api.disconnect('finishLink')
  await comeBack('tiktok', 'abc', '?code=xyz&state=abc')
  await findAlert("The server didn't answer (Network Error).")
})
