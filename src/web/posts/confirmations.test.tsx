import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { delivery, nextSlots, post, posts, schedule } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const at = (day: number) => `2099-12-${day}T18:00:00.000Z`
const [MONDAY, TUESDAY, FRIDAY] = [at(14), at(15), at(18)] as const
const waiting = delivery({ status: 'scheduled', published_at: null, due_at: TUESDAY })
const slotted = (its: Parameters<typeof post>[0] = {}) =>
  post({ text: 'Lemon tart', publish_at: TUESDAY, schedule_id: 1, deliveries: [waiting], ...its })

const PLACES = {
  slots: [],
  top: { at: MONDAY, moves: [{ post_id: 7, from: MONDAY, to: TUESDAY }] },
  bottom: { at: FRIDAY, moves: [] },
}

const openQueue = (its?: Parameters<typeof post>[0]) => {
  api.reply('listPosts', ({ query }) => posts(query['status'] === 'upcoming' ? [slotted(its)] : []))
  api.reply('listSchedules', [schedule()])
  api.reply('listNextSlots', PLACES)
  return renderSignedIn('/dashboard/queue', 'Queue')
}
const more = () => screen.findByRole('button', { name: 'More about Lemon tart' })
const item = (name: string) => screen.findByRole('menuitem', { name })
const question = (name: RegExp) => screen.findByRole('group', { name })

test('a post moves to the top of its schedule by keyboard, once it is said when and what moves', async () => {
  const events = await openQueue()
  api.reply('editPost', slotted({ publish_at: MONDAY, goes_out_at: MONDAY }))
  ;(await more()).focus()
  await events.keyboard('{Enter}')
  await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Show the timeline' })).toHaveFocus())
  await events.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  expect(await item('Move to top')).toHaveFocus()
  await events.keyboard('{Enter}')
  const asked = await question(
    /^Move to the top of Evenings\? New time: .*14.*18:00\. 1 post moves to a later/,
  )
  expect(api.calls('listNextSlots')).toMatchObject([
    { params: { scheduleId: '1' }, query: { postId: 1, platforms: 'tiktok', accounts: '1' } },
  ])
  await waitFor(() => expect(button('Keep', asked)).toHaveFocus())
  await events.tab()
  await events.keyboard('{Enter}')
  await screen.findByText(/^“Lemon tart” moved\. New time: .*14.*18:00\.$/)
  expect(api.calls('editPost')).toMatchObject([
    { params: { postId: '1' }, body: { version: 1, schedule: { schedule_id: 1, place: 'top' } } },
  ])
  await waitFor(() => expect(asked).not.toBeInTheDocument())
  await waitFor(async () => expect(await more()).toHaveFocus())
})

test('a planned post is published now, after a question that names who gets it', async () => {
  const events = await openQueue()
  api.reply('editPost', slotted({ publish_at: null }))
  await events.click(await more())
  await events.click(await item('Publish now'))
  const asked = await question(
    /^Publish this post now\? It goes to @northwind on TikTok\. You can't undo this\./,
  )
  await events.click(button('Publish now', asked))
  await screen.findByText('“Lemon tart” goes out now.')
  expect(api.calls('editPost')).toMatchObject([
    { params: { postId: '1' }, body: { version: 1, publish_at: null } },
  ])
})

test('a post that has begun is not offered to be published now', async () => {
  const begun = delivery({ status: 'preparing', published_at: null, editable: false })
  const events = await openQueue({ deliveries: [begun] })
  await events.click(await more())
  await item('Duplicate')
  expect(screen.queryByRole('menuitem', { name: 'Publish now' })).not.toBeInTheDocument()
})

test('a refused move to the end says why, and leaves the post where it is', async () => {
  const events = await openQueue()
  const message = 'Posting to @northwind has already started or ended, so it can no longer be changed.'
  api.refuse('editPost', 'in_flight', message)
  await events.click(await more())
  await events.click(await item('Move to end'))
  const asked = await question(/^Move to the end of Evenings\? .*18.*18:00\. No other post moves\./)
  await events.click(button('Move to end', asked))
  await findAlert(message, asked)
  await events.click(button('Keep'))
  expect(screen.getByRole('listitem', { name: 'Lemon tart' })).toBeVisible()
})

test.each([
  ['that is there already', { ...PLACES, top: { at: TUESDAY, moves: [] } }, /That is where it is now\./],
  ['for which no slot is free', nextSlots(), /It has no free slot for this post\./],
])('a post %s is not moved', async (_which, places, said) => {
  const events = await openQueue()
  api.reply('listNextSlots', places)
  await events.click(await more())
  await events.click(await item('Move to top'))
  expect(button('Move to top', await question(said))).toBeDisabled()
})

test.each([
  ['is in no schedule', { schedule_id: null }],
  ['has started', { deliveries: [waiting, delivery({ delivery_id: 2, status: 'processing' })] }],
])('a post that %s has no other place in a schedule', async (_which, its) => {
  const events = await openQueue(its)
  await events.click(await more())
  await item('Duplicate')
  const menu = screen.getByRole('menu')
  expect(within(menu).queryByRole('menuitem', { name: /^Move to/ })).toBeNull()
})
