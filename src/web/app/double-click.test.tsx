import { screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, delivery, post, posts, user } from '#web/testing/data.ts'
import { button, field, fill, findAlert, goTo, renderSignedIn } from '#web/testing/render-app.tsx'

const CHANGES = [
  'setNickname',
  'createBrand',
  'renameBrand',
  'deleteBrand',
  'retryDelivery',
  'startLink',
] as const

/** No answer comes before the second press, as on any line to a server that is not this machine. */
async function doubleClick(
  events: UserEvent,
  name: (typeof CHANGES)[number],
  pressed: HTMLElement,
): Promise<void> {
  const release = api.hold(name)
  await events.dblClick(pressed)
  release()
}

const titleIn = (body: unknown) => (body as { title: string }).title

test('a double click on a button that changes something sends one request', async () => {
  let brands = [brand()]
  const save = (title: string) => {
    const saved = brand({ brand_id: 2, title })
    brands = [brand(), saved]
    return saved
  }
  api.reply('listBrands', () => brands)
  api.reply('createBrand', ({ body }) => save(titleIn(body)))
  api.reply('renameBrand', ({ body }) => save(titleIn(body)))
  api.reply('deleteBrand', () => void (brands = [brand()]))
  api.reply('getBrandWaiting', { posts: 0, first_at: null, last_at: null })
  api.reply('setNickname', user({ nickname: 'Grace' }))
  api.reply('startLink', { url: '#consent', state: 'abc' })
  api.reply('listAccounts', [account()])
  const reason = { code: 'banned', message: 'TikTok has banned this account.', remedy: '', detail: null }
  const failed = delivery({ status: 'failed', published_at: null, actions: ['retry'], reason })
  api.reply('listPosts', ({ query }) =>
    posts(query['status'] === 'past' ? [post({ text: 'Too hot', deliveries: [failed] })] : []),
  )
  api.reply('retryDelivery', delivery({ status: 'preparing', published_at: null }))

  const events = await renderSignedIn('/dashboard/settings', 'Settings')
  await waitFor(() => expect(field('Nickname')).toHaveValue('Ada'))
  await fill(events, field('Nickname'), 'Grace')
  await doubleClick(events, 'setNickname', button('Update'))
  await findAlert('Nickname updated.')

  await goTo(events, 'Brands')
  await events.click(button('New Brand'))
  await fill(events, field('Brand Name'), 'Harbour Coffee')
  await doubleClick(events, 'createBrand', button('Create'))
  await events.click(await screen.findByRole('button', { name: 'Edit Harbour Coffee' }))
  await fill(events, screen.getByRole('textbox', { name: 'Brand Name' }), 'Harbour')
  await doubleClick(events, 'renameBrand', button('Save Harbour Coffee'))
  await events.click(await screen.findByRole('button', { name: 'Delete Harbour' }))
  await waitFor(() => expect(button('Delete brand')).toBeEnabled())
  await doubleClick(events, 'deleteBrand', button('Delete brand'))
  await findAlert('Harbour is deleted.')

  await goTo(events, 'Queue')
  await doubleClick(
    events,
    'retryDelivery',
    await screen.findByRole('button', { name: /^Retry: @northwind/ }),
  )

  await goTo(events, 'Accounts')
  await events.click(button('Add Account'))
  await doubleClick(events, 'startLink', await screen.findByRole('button', { name: 'Continue with TikTok' }))
  await waitFor(() => expect(location.hash).toBe('#consent'))

  for (const name of CHANGES) expect(api.calls(name), name).toHaveLength(1)
})
