import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const openAccounts = () => renderSignedIn('/dashboard/accounts', 'Accounts')

test('without brands no account can be added, and the screen leads to the brands', async () => {
  await openAccounts()
  await screen.findByRole('link', { name: 'Go to brands' })
  const select = screen.getByRole('combobox', { name: 'Brand' })
  expect(select).toBeDisabled()
  expect(select).toHaveAttribute('placeholder', 'No brands found')
  expect(button('Add Account')).toBeDisabled()
})

test('brands and accounts that cannot be fetched can be asked for again', async () => {
  api.fail('listBrands', 500)
  const release = api.hold('listBrands')
  const events = await openAccounts()
  await within(screen.getByRole('main')).findByText('Loading')
  release()
  await findAlert('Error fetching brands')
  api.reply('listBrands', [brand()])
  api.fail('listAccounts', 500)
  await events.click(button('Try again'))
  await findAlert('Request failed with status code 500')
  api.reply('listAccounts', [])
  await events.click(button('Try again'))
  await screen.findByText('No accounts are linked to Northwind yet.')
})

test('an account that the platform no longer accepts says why it must be linked again', async () => {
  api.reply('listBrands', [brand()])
  const reason = 'The owner has withdrawn the access.'
  api.reply('listAccounts', [account({ health: { status: 'relink', reason } })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(list).toHaveTextContent(reason)
  expect(button('Link again: @northwind on TikTok', list)).toBeVisible()
})

test('an account without the permission for comments is linked again with it', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [
    account({ platform: 'instagram', permissions: [{ name: 'comments', granted: false }] }),
    account({
      account_id: 2,
      username: 'westwind',
      platform: 'instagram',
      permissions: [{ name: 'comments', granted: true }],
    }),
  ])
  const asked: unknown[] = []
  api.reply('startLink', ({ body }) => {
    asked.push(body)
    return { url: '#consent', state: 's' }
  })
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  const [allow, ...others] = within(list).getAllByRole('button', { name: /^Allow comments/ })
  expect(others).toEqual([])
  await events.click(allow ?? expect.unreachable())
  await waitFor(() => expect(asked).toEqual([{ brand_id: 1, account_id: 1, permissions: ['comments'] }]))
})

test('an account whose access ends soon says when', async () => {
  api.reply('listBrands', [brand()])
  const ends = new Date(Date.now() + 12 * 86_400_000 + 60_000).toISOString()
  api.reply('listAccounts', [account({ access_ends_at: ends })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  expect(list).toHaveTextContent('Expires in 12 d')
  expect(list).toHaveTextContent('Link the account again before then.')
})

test('two accounts of one name have actions that name their platform', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account(), account({ account_id: 2, platform: 'instagram' })])
  await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  for (const action of ['Pause', 'Link again:', 'Unlink'])
    for (const platform of ['TikTok', 'Instagram'])
      expect(button(`${action} @northwind on ${platform}`, list)).toBeVisible()
})

test('an account is unlinked by keyboard after a question, which Escape takes back', async () => {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  api.reply('getAccountWaiting', { posts: 0, first_at: null, last_at: null })
  const events = await openAccounts()
  const list = await screen.findByRole('list', { name: 'Accounts of Northwind' })
  const unlink = button('Unlink @northwind on TikTok', list)
  unlink.focus()
  await events.keyboard('{Enter}')
  await waitFor(() => expect(button('Keep', list)).toHaveFocus())
  expect(within(list).getByRole('group', { name: /^Unlink @northwind\?/ })).toBeVisible()
  await events.keyboard('{Escape}')
  expect(unlink).toHaveFocus()

  api.refuse('unlinkAccount', 'in_flight', 'A post to it is on its way.')
  await events.keyboard('{Enter}')
  const confirm = button('Unlink account', list)
  confirm.focus()
  await events.keyboard('{Enter}')
  await findAlert('A post to it is on its way.', list)
  api.reply('unlinkAccount', undefined)
  api.reply('listAccounts', [])
  await waitFor(() => expect(button('Unlink account', list)).toBeEnabled())
  await events.click(button('Unlink account', list))
  await findAlert('@northwind is unlinked.')
  await screen.findByText('No accounts are linked to Northwind yet.')
})
