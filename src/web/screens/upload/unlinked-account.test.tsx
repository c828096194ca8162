import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, fill, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'
import { professional } from '#web/testing/composer.ts'
import { fixtureFile } from '#web/testing/sample-files.ts'

test('an account that was unlinked in another tab leaves the form, and what was typed stays', async () => {
  const accounts = ['northwind.bakes', 'harbour.coffee'].map((username, at) =>
    account({ account_id: at + 1, username, platform: 'instagram' }),
  )
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', accounts)
  api.reply('listPostsToday', [])
  api.reply('getAccountOptions', professional)
  const events = await renderSignedIn('/dashboard/upload', 'Upload')
  const form = await screen.findByRole('region', { name: 'Instagram video' })
  const choice = await within(form).findByRole('combobox', { name: 'Account' })
  await events.click(choice)
  await events.click(await screen.findByRole('option', { name: /northwind\.bakes/ }))
  await events.upload(
    within(form).getByLabelText('Video file', { selector: 'input' }),
    fixtureFile('good.mp4'),
  )
  const caption = within(form).getByRole('textbox', { name: 'Caption' })
  await fill(events, caption, 'Three ways to plate a tart')
  api.reply('listAccounts', accounts.slice(1))
  api.refuse('postInstagramMedia', 'not_found', "This account doesn't exist.")
  await waitFor(() => expect(button(/^Publish to @/, form)).toBeEnabled())
  expect(choice).not.toHaveValue('')
  await events.click(button(/^Publish to @/, form))
  const alert = await findAlert("Failed to upload video: This account doesn't exist.", form)
  expect(alert).toHaveTextContent(/^Failed to upload video: This account doesn't exist\.$/)
  await waitFor(() => expect(choice).toHaveValue(''))
  expect(caption).toHaveValue('Three ways to plate a tart')
})
