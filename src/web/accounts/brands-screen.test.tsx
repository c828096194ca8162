import { screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand } from '#web/testing/data.ts'
import { button, fill, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const openBrands = () => renderSignedIn('/dashboard/brands', 'Brands')
const field = () => screen.getByRole('textbox', { name: 'Brand Name' })
const findRow = (name: string | RegExp) => screen.findByRole('row', { name })
const dialog = () => screen.getByRole('dialog', { name: 'New Brand' })

/** Brands that are created, renamed and deleted for as long as the test runs. */
function keepBrands(...titles: readonly string[]): void {
  const brands = new Map(titles.map((title, index) => [index + 1, brand({ brand_id: index + 1, title })]))
  const put = (id: number, title: string) => {
    const saved = brand({ brand_id: id, title })
    brands.set(id, saved)
    return saved
  }
  api.reply('listBrands', () => [...brands.values()])
  api.reply('createBrand', ({ body }) => put(brands.size + 1, (body as { title: string }).title))
  api.reply('renameBrand', ({ body }) => {
    const { brand_id: id, title } = body as { brand_id: number; title: string }
    return put(id, title)
  })
  api.reply('deleteBrand', ({ params }) => void brands.delete(Number(params['brandId'])))
  api.reply('getBrandWaiting', { posts: 0, first_at: null, last_at: null })
}

test('the table shows names and account counts, and an empty list says so', async () => {
  keepBrands()
  const release = api.hold('listBrands')
  const events = await openBrands()
  expect(within(screen.getByRole('main')).getByText('Loading')).toBeInTheDocument()
  release()
  await screen.findByText('No brands available.')
  keepBrands()

  await events.click(button('New Brand'))
  await waitFor(() => expect(field()).toHaveFocus())
  const wrong = [
    { typed: '#'.repeat(51), says: `${TEXTS.brandLength} ${TEXTS.brandCharacters}` },
    { typed: 'Smith & Sons', says: TEXTS.brandCharacters },
    { typed: ' ', says: TEXTS.brandLength },
  ]
  for (const { typed, says } of wrong) {
    await events.clear(field())
    await events.type(field(), typed)
    await events.click(button('Create', dialog()))
    expect(field()).toHaveAccessibleDescription(says)
    expect(field()).toHaveFocus()
  }
  await events.clear(field())
  await events.type(field(), 'Nord (Hamburg){Enter}')
  expect(within(dialog()).getByText('Not allowed: ( )')).toBeVisible()
  await events.click(button('Use “Nord Hamburg”', dialog()))
  expect(field()).toHaveValue('Nord Hamburg')
  expect(api.calls('createBrand')).toEqual([])

  const listed = api.calls('listBrands').length
  await events.clear(field())
  await events.type(field(), 'Northwind’s Bakery{Enter}')
  const row = await findRow(/Northwind's Bakery/)
  const [name, count] = screen.getAllByRole('columnheader')
  expect(name).toHaveTextContent('Brand Name')
  expect(count).toHaveTextContent('Number of Accounts')
  expect(within(row).getAllByRole('cell')[0]).toHaveTextContent('0')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await waitFor(() => expect(button('New Brand')).toHaveFocus())
  expect(api.calls('createBrand').map(({ body }) => body)).toEqual([{ title: "Northwind's Bakery" }])
  expect(api.calls('listBrands'), 'the list is fetched again after a create').toHaveLength(listed + 1)
})

test('a refused brand shows the server’s title error first, then its message', async () => {
  keepBrands('Northwind')
  const events = await openBrands()
  await findRow(/Northwind/)
  const tries = [
    { errors: { title: ['That name is taken.', 'It is long.'] }, says: 'That name is taken.' },
    { errors: undefined, says: 'Not this one.' },
  ]
  for (const { errors, says } of tries) {
    for (const name of ['createBrand', 'renameBrand'] as const)
      api.refuse(name, 'invalid', 'Not this one.', errors)
    await events.click(button('New Brand'))
    await events.type(field(), 'Harbour')
    await events.click(button('Create', dialog()))
    expect(await within(dialog()).findByRole('alert')).toHaveTextContent(`Error creating brand ${says}`)
    await events.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

    await events.click(button('Edit Northwind'))
    await events.clear(field())
    await events.type(field(), 'Harbour{Enter}')
    expect(await within(screen.getByRole('table')).findByRole('alert')).toHaveTextContent(says)
    expect(field()).toHaveFocus()
    await events.keyboard('{Escape}')
  }
})

test('brands that cannot be fetched or deleted say so, and can be asked for again', async () => {
  api.fail('listBrands', 500)
  const events = await openBrands()
  await findAlert('Failed to fetch brands, please try again later or contact support if the problem persists')
  keepBrands('Northwind')
  api.reply('listPresets', [
    {
      preset_id: 1,
      kind: 'text',
      name: 'Tags',
      brand_id: 1,
      content: { text: '#bread' },
      version: 1,
      created_at: '2026-11-01T12:00:00.000Z',
      updated_at: '2026-11-01T12:00:00.000Z',
    },
  ])
  api.reply('getBrandWaiting', {
    posts: 2,
    first_at: '2026-11-03T12:00:00.000Z',
    last_at: '2026-11-04T12:00:00.000Z',
  })
  await events.click(button('Try again'))
  await findRow(/Northwind/)

  api.fail('deleteBrand', 500)
  await events.click(button('Delete Northwind'))
  await screen.findByText(/2 posts due from 3 \w+ 2026 to 4 \w+ 2026 will not be posted\./)
  await screen.findByText(/1 saved text of it will be deleted\./)
  await events.click(button('Delete brand'))
  await findAlert('Error deleting brand, please try again later or contact support if the problem persists')
  expect(api.calls('deleteBrand').map(({ query }) => query)).toEqual([{ cancel_posts: 2 }])
})

const edit = () => button('Edit Northwind')

test('a brand is edited and deleted by keyboard, and the focus returns', async () => {
  keepBrands('Northwind')
  const events = await openBrands()
  await findRow(/Northwind/)
  edit().focus()
  await events.keyboard('{Enter}')
  expect(field()).toHaveFocus()
  await events.clear(field())
  await events.keyboard('Never mind{Escape}')
  expect(await findRow(/^Northwind/)).toBeVisible()
  expect(edit()).toHaveFocus()

  await events.keyboard('{Enter}')
  button('Cancel editing Northwind').focus()
  await events.keyboard('{Enter}')
  expect(edit()).toHaveFocus()
  await events.keyboard('{Enter}')
  await events.clear(field())
  await events.keyboard('Smith & Sons')
  await events.click(button('Save Northwind'))
  expect(field()).toHaveAccessibleDescription(TEXTS.brandCharacters)
  await events.clear(field())
  const listed = api.calls('listBrands').length
  const save = api.hold('renameBrand')
  await events.keyboard("Smith's Bakery{Enter}")
  await screen.findByText('Saving...')
  save()
  await waitFor(() => expect(button("Edit Smith's Bakery")).toHaveFocus())
  expect(api.calls('listBrands'), 'the list is fetched again after a save').toHaveLength(listed + 1)

  const remove = button("Delete Smith's Bakery")
  remove.focus()
  await events.keyboard('{Enter}')
  expect(button('Keep')).toHaveFocus()
  await events.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Keep' })).not.toBeInTheDocument()
  expect(remove).toHaveFocus()

  await events.keyboard('{Enter}')
  await waitFor(() => expect(button('Delete brand')).toBeEnabled())
  button('Delete brand').focus()
  await events.keyboard('{Enter}')
  await screen.findByText('No brands available.')
  expect(api.calls('listBrands'), 'and after a delete').toHaveLength(listed + 2)
})

test('a brand that is to go can give its accounts, with their posts, to the one that is chosen', async () => {
  const brands = [brand({ linkedAccounts: 1 }), brand({ brand_id: 2, title: 'Harbour', linkedAccounts: 0 })]
  api.reply('listBrands', () => brands)
  api.reply('listAccounts', [account()])
  const due = '2026-11-03T12:00:00.000Z'
  api.reply('getBrandWaiting', { posts: 2, first_at: due, last_at: due })
  api.reply('moveAccount', account({ brand_id: 2 }))
  const events = await openBrands()
  await findRow(/Northwind/)
  await events.click(button('Delete Northwind'))
  await screen.findByText(/2 posts due on 3 Nov 2026 will not be posted\./)
  const select = await screen.findByRole('combobox', { name: 'Keep its accounts and their posts in' })
  expect(select).toHaveValue('')
  expect(button('Move accounts')).toBeDisabled()
  await events.selectOptions(select, 'Harbour')
  api.reply('getBrandWaiting', { posts: 0, first_at: null, last_at: null })
  await events.click(button('Move accounts'))
  await waitFor(() => expect(button('Delete brand')).toBeEnabled())
  await waitFor(() => expect(screen.queryByText(/will not be posted/)).not.toBeInTheDocument())
  expect(api.calls('moveAccount').map(({ params, body }) => [params, body])).toEqual([
    [{ accountId: '1' }, { brand_id: 2 }],
  ])
})

test('a brand that is created without a connection fails at once, and is not created later', async () => {
  keepBrands()
  const events = await openBrands()
  await screen.findByText('No brands available.')
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const connect = () => {
    onLine.mockReturnValue(true)
    dispatchEvent(new Event('online'))
  }
  onTestFinished(connect)
  dispatchEvent(new Event('offline'))
  api.disconnect('createBrand')
  await events.click(button('New Brand'))
  await fill(events, field(), 'Northwind')
  await events.click(button('Create', dialog()))
  expect(await within(dialog()).findByRole('alert')).toHaveTextContent('Network Error')
  keepBrands()
  connect()
  await events.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(api.calls('createBrand')).toHaveLength(1)
})

/** A browser that reads pictures of this size, and draws them. */
function decodePictures(width: number, height: number) {
  const drawn: unknown[][] = []
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width, height, close: () => undefined }))
  const context = { drawImage: (_: unknown, ...place: unknown[]) => void drawn.push(place) }
  const canvas = HTMLCanvasElement.prototype
  vi.spyOn(canvas, 'getContext').mockReturnValue(context as unknown as CanvasRenderingContext2D)
  vi.spyOn(canvas, 'toBlob').mockImplementation((done, type) =>
    done(new Blob(['logo'], { type: type ?? '' })),
  )
  vi.spyOn(canvas, 'toDataURL').mockReturnValue('data:image/png;base64,AAAA')
  return drawn
}

const logoField = () => screen.getByLabelText('Logo: file', { selector: 'input' })
const picture = (name: string) => new File(['a picture'], name, { type: 'image/jpeg' })

test('a colour and a logo are chosen with the name, and the logo is removed again', async () => {
  let shown = brand()
  const logo_url = '/logos/one'
  api.reply('listBrands', () => [shown])
  api.reply('renameBrand', ({ body }) => (shown = { ...shown, ...(body as Pick<typeof shown, 'title'>) }))
  api.reply('setBrandLogo', () => (shown = { ...shown, logo_url }))
  api.reply('deleteBrandLogo', () => void (shown = { ...shown, logo_url: null }))
  const drawn = decodePictures(400, 200)
  const events = await openBrands()
  await findRow(/Northwind/)
  await events.click(edit())
  expect(screen.getByRole('radio', { name: 'Automatic' })).toBeChecked()
  await events.click(screen.getByRole('radio', { name: 'Teal' }))
  await events.upload(logoField(), picture('logo.jpg'))
  expect(await screen.findByRole('button', { name: 'Replace logo' })).toBeVisible()
  expect(drawn).toEqual([[0, 32, 128, 64]])
  await events.click(button('Save Northwind'))
  await waitFor(() => expect(edit()).toHaveFocus())
  expect(api.calls('renameBrand').map(({ body }) => body)).toEqual([
    { brand_id: 1, title: 'Northwind', color: 'teal' },
  ])
  expect(api.calls('setBrandLogo').map(({ params, form }) => [params, form])).toEqual([
    [{ brandId: '1' }, [['logo', 'logo.png']]],
  ])
  expect((await findRow(/Northwind/)).querySelector('img')).toHaveAttribute('src', logo_url)

  await events.click(edit())
  await events.click(button('Remove logo'))
  await events.click(button('Save Northwind'))
  await waitFor(() => expect(api.calls('deleteBrandLogo')).toHaveLength(1))
  expect(api.calls('renameBrand').at(-1)?.body).toEqual({ brand_id: 1, title: 'Northwind' })
})

test('a logo that the browser cannot read says so, and changes nothing', async () => {
  keepBrands('Northwind')
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new DOMException('no picture')))
  const events = await openBrands()
  await findRow(/Northwind/)
  await events.click(edit())
  await events.upload(logoField(), picture('notes.jpg'))
  await findAlert("This browser can't read this picture. Choose a JPEG, PNG or WebP file.")
  await events.click(button('Save Northwind'))
  await waitFor(() => expect(edit()).toHaveFocus())
  expect(api.calls('setBrandLogo')).toEqual([])
})
