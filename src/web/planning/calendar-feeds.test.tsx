import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { brand } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const SINCE = '2026-11-20T14:06:00.000Z'
const address = (nth: number) => `https://reelay.example.com/feeds/${nth}.ics`

async function openFeeds() {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(await screen.findByRole('button', { name: 'Calendar feeds' }))
  return { events, dialog: await screen.findByRole('dialog', { name: 'Calendar feeds' }) }
}

/** Feeds of brands for as long as the test runs. */
function keepFeeds(): void {
  const since = new Map<string, string>()
  let made = 0
  api.reply('getFeed', ({ params }) => ({ created_at: since.get(params['brandId'] ?? '') ?? null }))
  api.reply('createFeed', ({ params }) => {
    since.set(params['brandId'] ?? '', SINCE)
    made += 1
    return { url: address(made), created_at: SINCE }
  })
  api.reply('deleteFeed', ({ params }) => void since.delete(params['brandId'] ?? ''))
}

test('the address of a feed is shown once, replaced, and ended', async () => {
  keepFeeds()
  const { events, dialog } = await openFeeds()
  const feed = await within(dialog).findByRole('region', { name: 'Calendar feed of Northwind' })
  expect(within(feed).queryByRole('button', { name: 'Turn off the feed' })).not.toBeInTheDocument()
  await events.click(button('Create an address', feed))
  const shown = await within(feed).findByRole('textbox', { name: 'Address of the feed' })
  expect(shown).toHaveValue(address(1))
  await events.click(await within(feed).findByRole('button', { name: 'Replace the address' }))
  await waitFor(() => expect(shown).toHaveValue(address(2)))

  await events.selectOptions(within(dialog).getByRole('combobox', { name: 'Brand' }), 'Harbour')
  await within(dialog).findByRole('button', { name: 'Create an address' })
  await events.selectOptions(within(dialog).getByRole('combobox', { name: 'Brand' }), 'Northwind')
  const again = await within(dialog).findByRole('region', { name: 'Calendar feed of Northwind' })
  expect(again).toHaveTextContent('an address created on 20 Nov 2026')
  expect(within(again).queryByRole('textbox')).not.toBeInTheDocument()
  await events.click(button('Turn off the feed', again))
  await within(again).findByRole('button', { name: 'Create an address' })
  expect(api.calls('deleteFeed').map(({ params }) => params)).toEqual([{ brandId: '1' }])
})

test('a feed that cannot be made says why', async () => {
  api.reply('getFeed', { created_at: null })
  const { events, dialog } = await openFeeds()
  api.refuse('createFeed', 'not_found', "This brand doesn't exist.")
  await events.click(await within(dialog).findByRole('button', { name: 'Create an address' }))
  await findAlert("This brand doesn't exist.", dialog)
})
