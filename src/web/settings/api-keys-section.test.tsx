import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { NewApiKey } from '#contract/api-keys.ts'
import { queryClient } from '#web/api/queries.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, apiKey, brand } from '#web/testing/data.ts'
import { button, fill, findAlert, renderPart } from '#web/testing/render-app.tsx'
import ApiKeys from './api-keys-section.tsx'

const SECRET = 'reelay_a1b2cdefghijklmnopqrstuvwxyz'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

async function openDialog() {
  const events = await renderPart(<ApiKeys />)
  await events.click(await screen.findByRole('button', { name: 'New key' }))
  return { events, dialog: await screen.findByRole('dialog', { name: 'New API key' }) }
}

const findRowText = async (name: string): Promise<string> =>
  (await screen.findByRole('heading', { name })).parentElement?.textContent ?? ''

/** The server makes what was asked. */
function answerMaking(): void {
  api.reply('createApiKey', ({ body }) => {
    const { name, scopes } = body as NewApiKey
    return { key: apiKey({ name, scopes }), secret: SECRET }
  })
}

test('each key says what it may do, when it was used last, and when it ends', async () => {
  api.reply('listApiKeys', [
    apiKey({ key_id: 4, name: 'Cron', scopes: ['publish', 'read', 'write'], expires_at: inDays(12) }),
    apiKey({ key_id: 3, name: 'n8n', last_used_at: new Date().toISOString(), expires_at: inDays(60) }),
    apiKey({ key_id: 2, name: 'Old', status: 'expired', expires_at: '2026-10-03T12:00:00.000Z' }),
    apiKey({ key_id: 1, name: 'Lost', status: 'ended', last_used_at: '2026-10-03T12:00:00.000Z' }),
  ])
  await renderPart(<ApiKeys />)
  expect(await findRowText('Cron')).toMatch(
    /reelay_a1b2c… · Can see, change and publish.*Never usedExpires in 12 days$/,
  )
  expect(await findRowText('n8n')).toMatch(/Can see(?!,).*Last used today, \d\d:\d\dExpires on \d/)
  expect(await findRowText('Old')).toContain('Expired on 3 Oct 2026')
  expect(await findRowText('Lost')).toMatch(/Last used on 3 Oct 2026EndedYour password was changed/)
})

test('a limited key names its brands and accounts, folds a long list, and counts those that are gone', async () => {
  const ids = Array.from({ length: 9 }, (_, at) => at + 1)
  api.reply('listBrands', [brand({ title: 'Northwind' })])
  api.reply(
    'listAccounts',
    ids.map((id) => account({ account_id: id, brand_id: 2, username: `user${id}` })),
  )
  api.reply('listApiKeys', [
    apiKey({ limited_to: { brand_ids: [1], account_ids: [...ids, 77] } }),
    apiKey({ key_id: 2, name: 'Empty', limited_to: { brand_ids: [99], account_ids: [] } }),
  ])
  const events = await renderPart(<ApiKeys />)
  const [list] = await screen.findAllByRole('list', { name: 'Reaches only' })
  if (!list) throw new Error('no list')
  await within(list).findByText('Northwind')
  expect(within(list).getByText('@user3')).toBeVisible()
  expect(within(list).queryByText('@user4')).not.toBeInTheDocument()
  expect(within(list).getByText('and 1 that is gone')).toBeVisible()
  await events.click(button('and 6 more', list))
  expect(within(list).getByText('@user9')).toBeVisible()
  expect(screen.getByText(/^Reaches nothing/)).toBeVisible()
})

test('kinds that the API got later are allowed by one button', async () => {
  api.reply('listApiKeys', [apiKey({ lacks: ['Results', 'Presets'] })])
  const events = await renderPart(<ApiKeys />)
  await screen.findByText('New since it was made, and not allowed yet: Results, Presets')
  api.fail('extendApiKey', 500)
  await events.click(button('Allow Upload script: Results, Presets'))
  await findAlert('Request failed with status code 500')
  api.reply('extendApiKey', apiKey())
  await events.click(button('Allow Upload script: Results, Presets'))
  await waitFor(() => expect(screen.queryByText(/^New since/)).not.toBeInTheDocument())
  expect(api.calls('extendApiKey').at(-1)?.params).toEqual({ keyId: '1' })
  expect(button('Delete Upload script')).toHaveFocus()
})

test('a key is deleted after a question that says what stops', async () => {
  api.reply('listApiKeys', [apiKey()])
  const events = await renderPart(<ApiKeys />)
  await events.click(await screen.findByRole('button', { name: 'Delete Upload script' }))
  screen.getByText('Delete Upload script? Scripts that use it stop working at once.')
  await events.keyboard('{Escape}')
  expect(button('Delete Upload script')).toHaveFocus()
  api.fail('deleteApiKey', 500)
  await events.click(button('Delete Upload script'))
  await events.click(button('Delete key'))
  await findAlert('Request failed with status code 500')
  api.reply('deleteApiKey', undefined)
  api.reply('listApiKeys', [])
  await events.click(button('Delete key'))
  await screen.findByText('You have no keys yet.')
})

test('a new key may only see unless more is chosen, and lasts 90 days', async () => {
  answerMaking()
  const { events, dialog } = await openDialog()
  const name = within(dialog).getByLabelText('Name')
  await waitFor(() => expect(name).toHaveFocus())
  await events.click(button('Make key'))
  expect(name).toHaveAccessibleDescription(/Give it a name\./)
  expect(api.calls('createApiKey')).toEqual([])
  await fill(events, name, 'Upload script')
  await events.keyboard('{Enter}')
  await screen.findByRole('dialog', { name: 'Your new key' })
  expect(api.calls('createApiKey').map(({ body }) => body)).toEqual([
    { name: 'Upload script', scopes: ['read'], expires_in_days: 90 },
  ])
})

test('a key without rights is refused beside them, and one may last for ever', async () => {
  answerMaking()
  const { events, dialog } = await openDialog()
  await fill(events, within(dialog).getByLabelText('Name'), 'Cron')
  await events.click(within(dialog).getByRole('checkbox', { name: 'See' }))
  await events.click(button('Make key'))
  expect(within(dialog).getByText('Choose at least one right.')).toBeVisible()
  expect(within(dialog).getByRole('checkbox', { name: 'See' })).toHaveFocus()
  await events.click(within(dialog).getByRole('checkbox', { name: 'Publish' }))
  await events.selectOptions(within(dialog).getByLabelText('Expires after'), 'No expiry')
  await events.click(button('Make key'))
  const shown = await screen.findByRole('dialog', { name: 'Your new key' })
  expect(api.calls('createApiKey').at(-1)?.body).toMatchObject({ scopes: ['publish'], expires_in_days: null })
  expect(within(shown).queryByText(/curl/), 'it could not read the user').not.toBeInTheDocument()
})

test('a key is limited to a whole brand and to single accounts of another', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Cedar' })])
  api.reply('listAccounts', [
    account(),
    account({ account_id: 2, brand_id: 2, username: 'cedar' }),
    account({ account_id: 3, brand_id: 2, username: 'cedar.shop', platform: 'youtube' }),
  ])
  answerMaking()
  const { events, dialog } = await openDialog()
  const box = (name: string) => within(dialog).getByRole('checkbox', { name })
  await fill(events, within(dialog).getByLabelText('Name'), 'Cron')
  await events.click(within(dialog).getByRole('radio', { name: 'Only some brands or accounts' }))
  await within(dialog).findByRole('checkbox', { name: 'Northwind, all its accounts' })
  await events.click(button('Make key'))
  expect(box('Northwind, all its accounts')).toHaveFocus()
  expect(box('Northwind, all its accounts')).toHaveAccessibleDescription(
    'Choose at least one brand or account.',
  )

  await events.click(box('@northwind on TikTok'))
  await events.click(box('Northwind, all its accounts'))
  expect(box('@northwind on TikTok'), 'the brand has it').toBeDisabled()
  await events.click(box('@cedar.shop on YouTube'))
  expect(within(dialog).getByText('1 of 2')).toBeVisible()

  await events.click(box('@cedar on TikTok'))
  api.refuse('createApiKey', 'not_found', 'There is no such account.')
  api.reply('listAccounts', [
    account(),
    account({ account_id: 3, brand_id: 2, username: 'cedar.shop', platform: 'youtube' }),
  ])
  await events.click(button('Make key'))
  await findAlert('One of them is gone. Look through your choice, and try again.')
  await waitFor(() => expect(within(dialog).getByText('1 of 1')).toBeVisible())
  answerMaking()
  await events.click(button('Make key'))
  await screen.findByRole('dialog', { name: 'Your new key' })
  expect(api.calls('createApiKey').at(-1)?.body).toMatchObject({
    limited_to: { brand_ids: [1], account_ids: [3] },
  })
})

test('the secret is shown once, with an example, and is nowhere after closing', async () => {
  answerMaking()
  const { events, dialog } = await openDialog()
  await fill(events, within(dialog).getByLabelText('Name'), 'Cron')
  api.reply('listApiKeys', [apiKey({ name: 'Cron' })])
  await events.click(button('Make key'))
  const shown = await screen.findByRole('dialog', { name: 'Your new key' })
  expect(within(shown).getByLabelText('Secret of Cron')).toHaveValue(SECRET)
  expect(within(shown).getByText(/^curl/)).toHaveTextContent(
    `curl -H "Authorization: Bearer ${SECRET}" ${location.origin}/api/v1/user`,
  )
  await events.click(button(/^Copy.?the secret$/))
  expect(await navigator.clipboard.readText()).toBe(SECRET)
  await events.click(button('Done'))
  await screen.findByRole('heading', { name: 'Cron' })
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  const kept = JSON.stringify([
    queryClient
      .getQueryCache()
      .getAll()
      .map(({ state }) => state),
    queryClient
      .getMutationCache()
      .getAll()
      .map(({ state }) => state),
  ])
  expect(kept).toContain('Cron')
  expect(kept + document.body.innerHTML + JSON.stringify(localStorage)).not.toContain(SECRET)
  expect(button('New key')).toHaveFocus()
})

test('an answer that got lost says that the key may be there, and what was typed stays', async () => {
  api.disconnect('createApiKey')
  const { events, dialog } = await openDialog()
  await fill(events, within(dialog).getByLabelText('Name'), 'Cron')
  await events.click(button('Make key'))
  await findAlert(/The key may have been made all the same/)
  expect(within(dialog).getByLabelText('Name')).toHaveValue('Cron')
  expect(api.calls('listApiKeys').length).toBeGreaterThan(1)
})

test('a list that cannot be read can be asked for again', async () => {
  api.fail('listApiKeys', 500)
  const events = await renderPart(<ApiKeys />)
  await findAlert('Request failed with status code 500')
  api.reply('listApiKeys', [apiKey()])
  await events.click(button('Try again'))
  await screen.findByRole('heading', { name: 'Upload script' })
})
