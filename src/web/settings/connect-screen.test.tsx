import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { AuthorizationRequest } from '#contract/oauth.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, fill, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const commandLine = (its: Partial<AuthorizationRequest> = {}): AuthorizationRequest => ({
  client_name: 'Reelay command line',
  client_host: null,
  device_name: 'studio-mac',
  redirect_host: null,
  scopes: ['read', 'write', 'publish'],
  ...its,
})
const assistant = (its: Partial<AuthorizationRequest> = {}): AuthorizationRequest =>
  commandLine({
    client_name: 'An assistant',
    client_host: 'assistant.example.com',
    device_name: null,
    redirect_host: 'assistant.example.com',
    scopes: ['read'],
    ...its,
  })
const LINK = '?response_type=code&client_id=https%3A%2F%2Fassistant.example.com%2Fclient&state=s'
const box = (name: string) => screen.getByRole('checkbox', { name })
const bodies = (name: 'approveAuthorization' | 'declineAuthorization' | 'getAuthorizationRequest') =>
  api.calls(name).map(({ body }) => body)
const heading = (name: string) => screen.findByRole('heading', { level: 2, name })

beforeEach(() => api.reply('listApiKeys', []))

test('a typed code shows who asks, and is allowed with fewer rights', async () => {
  api.reply('getAuthorizationRequest', commandLine())
  api.reply('approveAuthorization', { redirect_to: null })
  const events = await renderSignedIn('/dashboard/connect', 'Connect a program')
  const input = await screen.findByLabelText('Code')
  await events.click(button('Continue'))
  expect(input).toHaveAccessibleDescription(/Type the code\./)
  expect(input).toHaveFocus()
  await fill(events, input, ' bcdfghjk ')
  await events.keyboard('{Enter}')
  await heading('Reelay command line wants to use Reelay in your name')
  screen.getByText('Only if you started this yourself.')
  screen.getByText('BCDF-GHJK')
  screen.getByText('studio-mac')
  await events.click(box('Publish'))
  await events.click(button('Allow'))
  await heading('Reelay command line may use Reelay')
  const request = { user_code: 'bcdfghjk' }
  expect(bodies('getAuthorizationRequest')).toEqual([{ request }])
  expect(bodies('approveAuthorization')).toEqual([{ request, scopes: ['read', 'write'] }])
})

test('the code of a link is looked up at once, and can be declined', async () => {
  api.reply('getAuthorizationRequest', commandLine({ device_name: null }))
  api.fail('declineAuthorization', 500)
  const events = await renderSignedIn('/dashboard/connect?code=BCDF-GHJK', 'Connect a program')
  await heading('Reelay command line wants to use Reelay in your name')
  expect(screen.queryByText('Device')).not.toBeInTheDocument()
  await events.click(button('Decline'))
  await findAlert('Request failed with status code 500')
  api.reply('declineAuthorization', { redirect_to: null })
  await events.click(button('Decline'))
  await heading('Reelay command line may not use Reelay')
  expect(bodies('declineAuthorization').at(-1)).toEqual({ request: { user_code: 'BCDF-GHJK' } })
  expect(api.calls('approveAuthorization')).toEqual([])
})

test('a code that nothing waits with can be typed again', async () => {
  api.refuse('getAuthorizationRequest', 'not_found', 'No program waits with this code.')
  const events = await renderSignedIn('/dashboard/connect?code=XXXX-XXXX', 'Connect a program')
  await findAlert('No program waits with this code.')
  await events.click(button('Type another code'))
  expect(await screen.findByLabelText('Code')).toHaveValue('')
})

test('a look-up without an answer can be tried again', async () => {
  api.fail('getAuthorizationRequest', 500)
  const events = await renderSignedIn('/dashboard/connect?code=BCDF-GHJK', 'Connect a program')
  await findAlert('Request failed with status code 500')
  api.reply('getAuthorizationRequest', commandLine())
  await events.click(button('Try again'))
  await heading('Reelay command line wants to use Reelay in your name')
})

test('what the server refuses is said beside the buttons', async () => {
  api.reply('getAuthorizationRequest', commandLine())
  api.refuse('approveAuthorization', 'conflict', 'You have 50 API keys. Delete one first.')
  const events = await renderSignedIn('/dashboard/connect?code=BCDF-GHJK', 'Connect a program')
  await heading('Reelay command line wants to use Reelay in your name')
  await events.click(button('Allow'))
  await findAlert('You have 50 API keys. Delete one first.')
  api.disconnect('approveAuthorization')
  await events.click(button('Allow'))
  await findAlert(/Your choice may have reached the server/)
  api.refuse('approveAuthorization', 'conflict', 'You have 50 API keys. Delete one first.')
  await events.click(button('Allow'))
  await findAlert('You have 50 API keys. Delete one first.')
  await events.click(box('Publish'))
  expect(screen.queryByText(/^You have 50/)).not.toBeInTheDocument()
})

test('no right at all, and no account, are refused at their fields', async () => {
  api.reply('getAuthorizationRequest', commandLine({ scopes: ['read'] }))
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  api.reply('approveAuthorization', { redirect_to: null })
  const events = await renderSignedIn('/dashboard/connect?code=BCDF-GHJK', 'Connect a program')
  await heading('Reelay command line wants to use Reelay in your name')
  await events.click(box('See'))
  await events.click(button('Allow'))
  screen.getByText('Choose at least one right.')
  expect(box('See')).toHaveFocus()
  await events.click(box('See'))
  await events.click(screen.getByRole('radio', { name: 'Only some brands or accounts' }))
  const whole = await screen.findByRole('checkbox', { name: 'Northwind, all its accounts' })
  await events.click(button('Allow'))
  expect(whole).toHaveAccessibleDescription('Choose at least one brand or account.')
  await events.click(whole)
  await events.click(button('Allow'))
  await heading('Reelay command line may use Reelay')
  expect(bodies('approveAuthorization')).toMatchObject([
    { scopes: ['read'], limited_to: { brand_ids: [1], account_ids: [] } },
  ])
})

test('a link names the hosts of its program, and leads back when it is answered', async () => {
  api.reply('getAuthorizationRequest', assistant())
  const events = await renderSignedIn(`/dashboard/connect${LINK}`, 'Connect a program')
  // The only address to which a page of a test can go.
  api.reply('approveAuthorization', { redirect_to: `${location.href}#code` })
  await heading('An assistant wants to use Reelay in your name')
  const facts = screen.getByText('Its website').closest('dl')
  if (!facts) throw new Error('no list')
  expect(within(facts).getAllByText('assistant.example.com')).toHaveLength(2)
  await events.click(button('Allow'))
  await heading('An assistant may use Reelay')
  await waitFor(() => expect(location.hash).toBe('#code'))
  expect(bodies('approveAuthorization')).toEqual([{ request: { query: LINK }, scopes: ['read'] }])
})

test('a program that nobody vouches for, on this computer, is called so', async () => {
  api.reply('getAuthorizationRequest', assistant({ client_host: null, redirect_host: '127.0.0.1' }))
  await renderSignedIn(`/dashboard/connect${LINK}`, 'Connect a program')
  await screen.findByText('unknown: nobody vouches for its name')
  screen.getByText('a program on this computer')
})

test('a link that asks wrongly is refused in words, and leads nowhere', async () => {
  api.refuse('getAuthorizationRequest', 'invalid', "Reelay doesn't know the program that sent you here.")
  await renderSignedIn(`/dashboard/connect${LINK}`, 'Connect a program')
  await findAlert("Reelay doesn't know the program that sent you here.")
  expect(screen.queryByRole('button', { name: 'Allow' })).not.toBeInTheDocument()
})
