import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, delivery, post, posts } from '#web/testing/data.ts'
import { button, renderSignedIn } from '#web/testing/render-app.tsx'

const openQueue = () => renderSignedIn('/dashboard/queue', 'Queue')
const findCauses = () => screen.findByRole('region', { name: 'What keeps posts from going out' })
const paused = (waiting: number) =>
  ({ kind: 'paused_brand', brand_id: 1, name: 'Northwind', paused_until: null, posts: waiting }) as const

test('one cause of several posts is said once above the queue, and not in each row', async () => {
  const message = "Reelay's access to this TikTok account has ended."
  const reason = { code: 'token_expired', message, remedy: 'Link the account again.', detail: null }
  const held = delivery({ status: 'blocked', cause: 'account', published_at: null, reason })
  api.reply('listBlockers', [
    { kind: 'link_again', account: account({ health: { status: 'relink', reason: message } }), posts: 1 },
  ])
  api.reply('listPosts', ({ query }) =>
    query['status'] === 'attention' ? posts([post({ text: 'Opening day', deliveries: [held] })]) : posts(),
  )
  await openQueue()
  expect(await findCauses()).toHaveTextContent(`must be linked again · 1 post waits. ${message}`)
  const row = await screen.findByRole('listitem', { name: 'Opening day' })
  expect(row).toHaveTextContent('Held: link again')
  expect(row).not.toHaveTextContent(message)
})

test('a pause explains why its own posts wait, and no others', async () => {
  const reason = { code: 'paused', message: 'Posting is paused.', remedy: 'Resume it.', detail: null }
  const held = { status: 'blocked', cause: 'paused', paused: 'account', published_at: null, reason } as const
  const waiting = (post_id: number, account_id: number, text: string) =>
    post({ post_id, text, deliveries: [delivery({ ...held, delivery_id: post_id, account_id })] })
  api.reply('listBlockers', [{ kind: 'paused_account', account: account({ account_id: 1 }), posts: 1 }])
  api.reply('listPosts', ({ query }) =>
    query['status'] === 'upcoming' ? posts([waiting(1, 1, 'Rye'), waiting(2, 2, 'Oat')]) : posts(),
  )
  await openQueue()
  await findCauses()
  expect(await screen.findByRole('listitem', { name: 'Oat' })).toHaveTextContent(reason.message)
  expect(screen.getByRole('listitem', { name: 'Rye' })).not.toHaveTextContent(reason.message)
})

test('a pause ends from the queue, and posts that missed their time ask what to do', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-28T10:00:30.000Z'))
  api.reply('listBlockers', [paused(3)])
  api.reply('pauseBrand', () => {
    api.reply('listBlockers', [])
    return { paused: false, released: 1, missed: 2, missed_post_ids: [5, 6] }
  })
  api.reply('bulkPosts', { done: [{ post_id: 5 }, { post_id: 6 }], refused: [] })
  const events = await openQueue()
  expect(await findCauses()).toHaveTextContent('Northwind is paused · 3 posts wait')
  await events.click(button('Resume Northwind'))
  const dialog = within(await screen.findByRole('dialog', { name: '2 posts missed their time' }))
  expect(api.calls('pauseBrand').map(({ params, body }) => [params['brandId'], body])).toEqual([
    ['1', { paused: false }],
  ])
  expect(dialog.getByRole('radio', { name: 'Move to the next free slots' })).toBeChecked()
  await events.click(dialog.getByRole('radio', { name: 'Publish now, one after the other' }))
  await events.selectOptions(dialog.getByRole('combobox'), '1 hour')
  await events.click(dialog.getByRole('button', { name: 'Publish' }))
  await screen.findByText('2 posts planned again.')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(api.calls('bulkPosts').map(({ body }) => body)).toEqual([
    {
      action: 'move',
      post_ids: [5, 6],
      publish_at: { local: '2026-11-28T10:01', timezone: 'Europe/Lisbon' },
      apart_minutes: 60,
    },
  ])
})

test('held after a restore: one answer for all, and late posts ask for their time next', async () => {
  api.reply('listBlockers', [{ kind: 'restored', posts: 4 }])
  const events = await openQueue()
  expect(await findCauses()).toHaveTextContent('This server’s data was restored · 4 posts wait')
  await events.click(button('Decide'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Posts held after a restore' }))
  await events.click(dialog.getByRole('radio', { name: /^Nothing is live/ }))
  api.reply('decideRestored', { decided: 4, missed: 1, missed_post_ids: [5] })
  await events.click(dialog.getByRole('button', { name: 'Release' }))
  await screen.findByRole('dialog', { name: '1 post missed its time' })
  expect(api.calls('decideRestored').map(({ body }) => body)).toEqual([{ decision: 'not_live' }])
})

test('an account is paused until a day and time of the user', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-28T10:00:30.000Z'))
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account()])
  api.reply('pauseAccount', { paused: true, released: 0, missed: 0, missed_post_ids: [] })
  const events = await renderSignedIn('/dashboard/accounts', 'Accounts')
  await events.click(await screen.findByRole('button', { name: 'Pause @northwind on TikTok' }))
  await events.click(await screen.findByRole('menuitem', { name: 'Until a day and time…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Pause @northwind on TikTok until' }))
  expect(dialog.getByRole('button', { name: /^Date/ })).toHaveTextContent('Sun 29 Nov 2026')
  expect(dialog.getByLabelText('Time')).toHaveValue('09')
  await events.click(dialog.getByRole('button', { name: 'Pause' }))
  await screen.findByText('@northwind on TikTok is paused. Its posts wait.')
  expect(api.calls('pauseAccount').map(({ body }) => body)).toEqual([
    { paused: true, until: '2026-11-29T09:00:00.000Z' },
  ])
})
