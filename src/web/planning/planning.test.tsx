import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { brand, post, schedule } from '#web/testing/data.ts'
import { button, fill, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

async function openPlanning(...schedules: Parameters<typeof schedule>[0][]) {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply(
    'listSchedules',
    schedules.map((its) => schedule(its)),
  )
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(await screen.findByRole('button', { name: 'Planning of Northwind' }))
  return { events, panel: await screen.findByRole('region', { name: 'Planning of Northwind' }) }
}

test('a brand shows its zone and its schedules, and not those of another brand', async () => {
  const { panel } = await openPlanning({ waiting: 3 }, { schedule_id: 2, brand_id: 2, name: 'Coffee' })
  expect(within(panel).getByText('Europe/Lisbon')).toBeVisible()
  const list = within(panel).getByRole('list', { name: 'Posting schedules of Northwind' })
  expect(within(list).getByText('Tue, Thu 18:00 · 3 posts')).toBeVisible()
  expect(within(list).queryByText('Coffee')).not.toBeInTheDocument()
})

test('a schedule is made with slots on several days, for one platform', async () => {
  const { events, panel } = await openPlanning()
  api.reply('createSchedule', schedule())
  await events.click(within(panel).getByRole('button', { name: 'New posting schedule' }))
  await events.type(screen.getByRole('textbox', { name: 'Name' }), 'Evenings')
  const days = within(screen.getByRole('group', { name: 'Days of new slots' }))
  await events.click(days.getByRole('button', { name: 'Tuesday' }))
  await events.click(days.getByRole('button', { name: 'Sunday' }))
  await events.type(screen.getByLabelText('Hour of new slots'), '1930')
  await events.selectOptions(screen.getByRole('combobox', { name: 'Platforms of new slots' }), 'Only TikTok')
  await events.click(button('Add'))
  await events.click(button('Remove Sunday 19:30'))
  await events.selectOptions(
    screen.getByRole('combobox', { name: 'Random offset' }),
    'Up to 10 minutes after the slot',
  )
  await events.click(button('Save schedule'))
  await waitFor(() => expect(button('New posting schedule')).toHaveFocus())
  expect(api.calls('createSchedule').map(({ body }) => body)).toEqual([
    {
      brand_id: 1,
      name: 'Evenings',
      slots: [{ weekday: 2, time: '19:30', platforms: ['tiktok'] }],
      jitter_minutes: 10,
    },
  ])
})

test('what is wrong with a schedule is shown at its fields', async () => {
  const { events } = await openPlanning()
  api.refuse('createSchedule', 'invalid', 'Check the fields.', {
    name: ['Give the schedule a name.'],
    slots: ['Add at least one slot.'],
  })
  await events.click(button('New posting schedule'))
  await events.click(button('Save schedule'))
  expect(await screen.findByText('Give the schedule a name.')).toBeVisible()
  expect(screen.getByRole('group', { name: 'Weekly slots' })).toHaveAccessibleDescription(
    'Add at least one slot.',
  )
})

test('what a change of slots moves is shown before it is saved', async () => {
  const { events } = await openPlanning({ waiting: 1 })
  const move = { post_id: 7, from: '2026-11-26T18:00:00.000Z', to: '2026-11-24T18:00:00.000Z' }
  api.reply('previewSchedule', { moves: [move] })
  api.reply('changeSchedule', schedule({ version: 2 }))
  api.reply('getPost', { ...post({ post_id: 7, text: 'Lemon tart' }), events: [], targets: [] })
  await events.click(button('Edit Evenings'))
  await events.click(button('Remove Thursday 18:00'))
  await events.click(button('Save schedule'))
  const alert = await findAlert('This moves 1 post.')
  expect(await within(alert).findByText('Lemon tart')).toBeVisible()
  expect(within(alert).getByText('24 Nov, 18:00')).toBeVisible()
  expect(api.calls('changeSchedule')).toEqual([])
  await events.click(button('Save and move 1 post'))
  await waitFor(() => expect(button('Edit Evenings')).toHaveFocus())
  expect(api.calls('changeSchedule').map(({ body }) => body)).toMatchObject([
    { version: 1, moves: 1, slots: [{ weekday: 2 }] },
  ])
})

test('the same number of other posts is shown again, and the row counts anew', async () => {
  const { events } = await openPlanning({ waiting: 1 })
  const move = { post_id: 7, from: '2026-11-26T18:00:00.000Z', to: '2026-11-24T18:00:00.000Z' }
  api.reply('previewSchedule', { moves: [move] })
  api.reply('getPost', { ...post({ post_id: 7, text: 'Lemon tart' }), events: [], targets: [] })
  await events.click(button('Edit Evenings'))
  await events.click(button('Save schedule'))
  await findAlert('Lemon tart')
  api.reply('previewSchedule', { moves: [{ ...move, post_id: 8 }] })
  api.reply('getPost', { ...post({ post_id: 8, text: 'Fig jam' }), events: [], targets: [] })
  api.reply('listSchedules', [schedule({ waiting: 2 })])
  await events.click(button('Save and move 1 post'))
  await findAlert('Fig jam')
  expect(api.calls('changeSchedule')).toEqual([])
  await events.click(button('Cancel'))
  expect(await screen.findByText('Tue, Thu 18:00 · 2 posts')).toBeVisible()
})

test('a zone for which other posts move by now is asked for again, and the rows count anew', async () => {
  const { events } = await openPlanning({ waiting: 1 })
  const move = { post_id: 7, from: '2026-11-24T18:00:00.000Z', to: '2026-11-24T09:00:00.000Z' }
  api.reply('previewBrandZone', { moves: [move] })
  api.reply('getPost', { ...post({ post_id: 7, text: 'Lemon tart' }), events: [], targets: [] })
  await events.click(button('Change the time zone of Northwind'))
  await fill(events, await screen.findByRole('combobox', { name: 'Time zone: Europe/Lisbon' }), 'tokyo')
  await events.keyboard('{ArrowDown}{Enter}')
  await findAlert('Lemon tart')
  api.reply('previewBrandZone', { moves: [{ ...move, post_id: 8 }] })
  api.reply('getPost', { ...post({ post_id: 8, text: 'Fig jam' }), events: [], targets: [] })
  api.reply('listSchedules', [schedule({ waiting: 2 })])
  await events.click(button('Change and move 1 post'))
  await findAlert('Fig jam')
  await findAlert('Which posts move has changed. Check again and confirm.')
  expect(await screen.findByText('Tue, Thu 18:00 · 2 posts')).toBeVisible()
  expect(api.calls('renameBrand')).toEqual([])
})

test('a schedule is deleted after a question, and its posts keep their times', async () => {
  const { events } = await openPlanning({ waiting: 2 })
  api.reply('deleteSchedule', undefined)
  await events.click(button('Delete Evenings'))
  expect(screen.getByText(/Its posts keep their times\./)).toBeVisible()
  api.reply('listSchedules', [])
  await events.click(button('Delete schedule'))
  await waitFor(() => expect(screen.queryByText('Evenings')).not.toBeInTheDocument())
  expect(api.calls('deleteSchedule').map(({ params }) => params['scheduleId'])).toEqual(['1'])
})

test('another time zone is agreed to where posts wait in schedules', async () => {
  const { events, panel } = await openPlanning({ waiting: 2 })
  api.reply('renameBrand', brand({ timezone: 'Asia/Tokyo' }))
  const move = { post_id: 7, from: '2026-11-24T18:00:00.000Z', to: '2026-11-24T09:00:00.000Z' }
  api.reply('previewBrandZone', { moves: [move, { ...move, post_id: 8 }] })
  api.reply('getPost', { ...post({ post_id: 7, text: 'Lemon tart' }), events: [], targets: [] })
  await events.click(button('Change the time zone of Northwind'))
  const zones = await screen.findByRole('combobox', { name: 'Time zone: Europe/Lisbon' })
  await fill(events, zones, 'tokyo')
  await events.keyboard('{ArrowDown}{Enter}')
  const alert = await findAlert('This moves 2 posts.')
  expect(within(alert).getAllByText('24 Nov, 09:00')).toHaveLength(2)
  expect(within(panel).getByText(/Posts in this brand's schedules keep their time of day/)).toBeVisible()
  expect(api.calls('renameBrand')).toEqual([])
  await events.click(button('Change and move 2 posts'))
  await waitFor(() => expect(button('Change the time zone of Northwind')).toHaveFocus())
  expect(api.calls('renameBrand').map(({ body }) => body)).toEqual([
    { brand_id: 1, title: 'Northwind', timezone: 'Asia/Tokyo', moves: 2 },
  ])
})
