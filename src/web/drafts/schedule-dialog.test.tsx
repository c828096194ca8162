import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { PATHS } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import { content, creator, draft, sent, summary } from '#web/testing/composer.ts'
import { account, brand, post, schedule, video } from '#web/testing/data.ts'
import { button, renderSignedIn } from '#web/testing/render-app.tsx'

const IDS = [1, 2, 3].map((id) => `11111111-1111-4111-8111-11111111111${id}`)
const TITLES = ['Lemon tart', 'Rye', 'Oat']
/** Of each draft: what it holds. */
let contents: ReturnType<typeof content>[]

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-23T10:00:00.000Z'), toFake: ['Date'] })
  contents = TITLES.map((text) => content({ text }))
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [account({ account_id: 1, username: 'northwind' })])
  api.reply('listSchedules', [schedule()])
  api.reply('getVideo', video())
  api.reply('getAccountOptions', creator)
  api.reply('listDrafts', ({ query }) => ({
    items:
      query['deleted'] === 'true'
        ? []
        : TITLES.map((text, at) => summary({ draft_id: IDS[at], text, account_ids: [1], accounts: 1 })),
  }))
  api.reply('getDraft', ({ params: { draftId = '' } }) =>
    draft({ draft_id: draftId, content: contents[IDS.indexOf(draftId)] ?? content() }),
  )
  let made = 0
  api.reply('createPost', () => {
    made += 1
    return post({ post_id: made, publish_at: `2026-11-2${3 + made}T18:00:00.000Z`, schedule_id: 1 })
  })
})

/** Opens a dialog for all drafts. */
async function openDialog(action = 'Schedule', name = 'Schedule 3 drafts') {
  const events = await renderSignedIn(PATHS.drafts, 'Drafts')
  await events.click(await screen.findByRole('checkbox', { name: 'Select all drafts' }))
  await events.click(button(action))
  return { events, dialog: await screen.findByRole('dialog', { name }) }
}
const part = (name: string) => screen.findByRole('region', { name })

test('complete drafts take free slots in the order of the list, and others say what they lack', async () => {
  contents[1] = content({ text: 'Rye', video_id: null, targets: [] })
  const { events, dialog } = await openDialog()
  expect(await part('1 will stay in the drafts')).toHaveTextContent(
    'RyeChoose a video. Choose at least one account.',
  )
  expect(
    within(await part('2 can be scheduled'))
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(['Lemon tart', 'Oat'])
  await events.dblClick(button('Schedule 2 drafts', dialog))
  expect(await part('2 scheduled')).toHaveTextContent(/Lemon tart.*Tomorrow, 18:00.*Oat.*25 November, 18:00/)
  expect(await part('1 stays in the drafts')).toHaveTextContent('Rye')
  expect(sent().map(({ text, schedule: place, draft: from }) => [text, place, from])).toEqual([
    ['Lemon tart', { schedule_id: 1, place: 'next' }, { draft_id: IDS[0], version: 3 }],
    ['Oat', { schedule_id: 1, place: 'next' }, { draft_id: IDS[2], version: 3 }],
  ])
  await events.click(button('Done', dialog))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('after a lost answer the same is asked again, and those behind it wait', async () => {
  const { events, dialog } = await openDialog()
  await part('3 can be scheduled')
  api.disconnect('createPost')
  await events.click(button('Schedule 3 drafts', dialog))
  await within(dialog).findByRole('alert')
  expect(within(await part('3 not scheduled yet')).getAllByRole('link')).toHaveLength(3)
  const lost = sent().length
  api.reply('createPost', post({ post_id: 7, publish_at: '2026-11-24T18:00:00.000Z' }))
  await events.click(button('Try again', dialog))
  await part('3 scheduled')
  expect(sent()[lost]).toEqual(sent()[0])
  expect(
    sent()
      .slice(lost)
      .map(({ text }) => text),
  ).toEqual(TITLES)
})

test('a draft that the server refuses, or for which no schedule has room, stays with the reason', async () => {
  api.reply('listSchedules', [schedule(), schedule({ schedule_id: 2, name: 'Mornings' })])
  const { events, dialog } = await openDialog()
  await part('3 can be scheduled')
  const full = 'This schedule has no free slot for this post within 365 days.'
  api.refuse('createPost', 'invalid', 'Invalid', { 'schedule.schedule_id': [full] })
  await events.click(button('Schedule 3 drafts', dialog))
  expect(await part('3 stay in the drafts')).toHaveTextContent(full)
  expect(sent().map(({ schedule: place }) => place?.schedule_id)).toEqual([1, 2, 1, 2, 1, 2])
})

test('drafts are published now, each once, without a posting schedule', async () => {
  api.reply('listSchedules', [])
  api.reply('findSimilarPosts', { items: [] })
  contents = TITLES.map((text, at) => content({ text, video_id: at + 1 }))
  contents[1] = content({
    text: 'Rye',
    video_id: 2,
    publish_at: { local: '2026-11-24T18:00', timezone: 'Europe/Lisbon' },
  })
  const { events, dialog } = await openDialog('Publish now', 'Publish 3 drafts now')
  await part('3 can be published')
  api.disconnect('createPost')
  await events.click(button('Publish 3 drafts now', dialog))
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('may be on its way already')
  const lost = sent().length
  api.reply('createPost', post({ publish_at: null }))
  await events.dblClick(button('Try again', dialog))
  await part('3 on the way')
  expect(sent()[lost]).toEqual(sent()[0])
  expect(
    sent()
      .slice(lost)
      .map(({ draft: from, publish_at: at, schedule: place }) => [from?.draft_id, at, place]),
  ).toEqual(IDS.map((id) => [id, undefined, undefined]))
})

test('what would bring a video to an account twice is not published with the others', async () => {
  contents[2] = content({ text: 'Oat', video_id: 3 })
  const goes_out_at = '2026-11-23T09:00:00.000Z'
  api.reply('findSimilarPosts', ({ body }) => ({
    items:
      (body as { video_id: number }).video_id === 3
        ? [{ account_id: 1, post_id: 9, same: 'video', goes_out_at }]
        : [],
  }))
  await openDialog('Publish now', 'Publish 3 drafts now')
  expect(await part('1 can be published')).toHaveTextContent('Lemon tart')
  const stay = await part('2 will stay in the drafts')
  expect(stay).toHaveTextContent('RyeAnother of these drafts sends the same video to the same account.')
  expect(stay).toHaveTextContent('OatAn account has its video already')
})

test('several drafts get the accounts of a brand, and keep what was chosen for an account', async () => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour' })])
  api.reply('listAccounts', [
    account({ account_id: 1 }),
    account({ account_id: 2, brand_id: 2 }),
    account({ account_id: 3, brand_id: 2, health: { status: 'relink', reason: 'Access has ended.' } }),
  ])
  const own = { account_id: 2, text: 'Oat, by Harbour', options: null }
  contents[2] = content({ targets: [own], schedule: { schedule_id: 1, place: 'next' } })
  api.reply('saveDraft', draft())
  const { events, dialog } = await openDialog('Set brand', 'Set the brand of 3 drafts')
  await events.selectOptions(within(dialog).getByRole('combobox', { name: 'Brand' }), 'Harbour')
  await events.dblClick(button('Set brand', dialog))
  await screen.findByText('3 drafts set to Harbour.')
  const targets = [{ account_id: 2, text: null, options: null }]
  expect(api.calls('saveDraft').map(({ body }) => body)).toEqual([
    { version: 3, content: { ...contents[0], targets } },
    { version: 3, content: { ...contents[1], targets } },
    { version: 3, content: content({ targets: [own] }) },
  ])
})
