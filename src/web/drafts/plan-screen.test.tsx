import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { DraftContent } from '#contract/drafts.ts'
import { clearDrafts } from '#web/lib/form-drafts.ts'
import { PATHS, planPath } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import { AT, content, creator, draft } from '#web/testing/composer.ts'
import { account, brand, schedule, video, videosPage } from '#web/testing/data.ts'
import { button, renderSignedIn } from '#web/testing/render-app.tsx'
import { fixtureFile } from '#web/testing/sample-files.ts'
import { tus } from '#web/testing/tus-stub.ts'

const IDS = [1, 2].map((id) => `11111111-1111-4111-8111-11111111111${id}`)
const IN_A_MONTH = {
  local: `${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T10:00`,
  timezone: 'Europe/Lisbon',
}
type Stored = { version: number; content: DraftContent }
/** The drafts that the server has. */
const stored = new Map<string, Stored>()

beforeEach(() => {
  stored.clear()
  clearDrafts(null)
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [
    account({ account_id: 1, username: 'northwind' }),
    account({ account_id: 2, username: 'northwind.kitchen' }),
  ])
  api.reply('listSchedules', [schedule()])
  api.reply('getAccountOptions', creator)
  api.reply('listPostsToday', [])
  api.reply('listUploads', { items: [] })
  api.reply('listDrafts', { items: [] })
  api.reply('getDraft', ({ params: { draftId = '' } }) => {
    const one = stored.get(draftId)
    if (!one) throw new Error(`no draft ${draftId}`)
    return draft({ draft_id: draftId, version: one.version, content: one.content })
  })
  api.reply('saveDraft', ({ params: { draftId = '' }, body }) => {
    const { version, content: saved } = body as Stored
    stored.set(draftId, { version: version + 1, content: saved })
    return draft({ draft_id: draftId, version: version + 1, content: saved, updated_at: AT })
  })
  api.reply('getVideo', ({ params }) =>
    video({ video_id: Number(params['videoId']), filename: `clip ${params['videoId']}.mp4` }),
  )
  api.reply('setVideoPoster', video())
  api.reply('getCalendar', {
    timezone: 'Europe/Lisbon',
    posts: [],
    drafts: [],
    slots: [],
    more: false,
    more_slots: false,
  })
  api.reply('createPosts', {
    posts: IDS.map((_, i) => ({ post_id: i + 1, publish_at: '2027-01-01T10:00:00.000Z' })),
  })
})

/** A plan of two drafts that have their videos. */
const openPlan = (its: Partial<ReturnType<typeof content>>[] = [{}, {}]) => {
  for (const [i, one] of its.entries())
    stored.set(IDS[i] ?? '', {
      version: 3,
      content: content({ video_id: i + 1, text: `Caption ${i + 1}`, ...one }) as never,
    })
  return renderSignedIn(planPath(IDS), 'Plan posts')
}
const row = (name: string) => screen.findByRole('listitem', { name })
const sentPosts = () =>
  api
    .calls('createPosts')
    .map(({ body }) => (body as { posts: { text: string; publish_at?: { local: string } }[] }).posts)

test('accounts and times of all posts are chosen at once, and all are scheduled in one call', async () => {
  const events = await openPlan([{ targets: [] }, { targets: [] }])
  expect(await screen.findByRole('list', { name: 'What all posts lack' })).toHaveTextContent(
    'Choose at least one account.Choose when it goes out.',
  )
  await events.click(button('Schedule 2 posts'))
  expect(sentPosts()).toEqual([])
  await events.click(button('Select all: Northwind'))
  await events.click(screen.getByRole('radio', { name: 'Every day' }))
  await events.clear(screen.getByRole('textbox', { name: 'Days apart' }))
  await events.type(screen.getByRole('textbox', { name: 'Days apart' }), '3')
  // One of them differs.
  await events.click(button('2 accounts: clip 2.mp4'))
  const own = await screen.findByRole('dialog', { name: /clip 2/ })
  await events.click(within(own).getByRole('checkbox', { name: 'TikTok @northwind.kitchen' }))
  await events.keyboard('{Escape}')
  const ofAll = screen.getByRole('region', { name: 'For all 2 posts' })
  expect(within(ofAll).getByRole('checkbox', { name: 'TikTok @northwind.kitchen' })).toBePartiallyChecked()
  await screen.findByText('2 posts ready')
  await events.click(button('Schedule 2 posts'))
  await waitFor(() => expect(location.pathname).toBe(PATHS.calendar))
  const [posts = []] = sentPosts()
  expect(posts).toMatchObject([
    {
      video_id: 1,
      text: 'Caption 1',
      targets: [{ account_id: 1 }, { account_id: 2 }],
      draft: { draft_id: IDS[0] },
    },
    { video_id: 2, text: 'Caption 2', targets: [{ account_id: 1 }], draft: { draft_id: IDS[1] } },
  ])
  const days = posts.map(({ publish_at }) => Date.parse(`${publish_at?.local ?? ''}Z`) / 86_400_000)
  expect((days[1] ?? 0) - (days[0] ?? 0)).toBe(3)
  // The drafts that were sent are those that are stored.
  expect(posts).toMatchObject(IDS.map((id) => ({ draft: { version: stored.get(id)?.version } })))
})

test('one refused post keeps all, is named, and the same call can be sent again', async () => {
  const publish_at = IN_A_MONTH
  api.refuse('createPosts', 'invalid', 'Use fewer hashtags.', { 'posts.1.text': ['Use fewer hashtags.'] })
  const events = await openPlan([{ publish_at }, { publish_at }])
  await screen.findByText('2 posts ready')
  await events.click(button('Schedule 2 posts'))
  expect(await screen.findByText('2 posts are not scheduled.')).toBeVisible()
  expect(await row('clip 2.mp4')).toHaveTextContent('Use fewer hashtags.')
  expect(await row('clip 1.mp4')).not.toHaveTextContent('Use fewer hashtags.')
  api.disconnect('createPosts')
  await events.click(button('Schedule 2 posts'))
  expect(await screen.findByText(/no post is made twice/)).toBeVisible()
  const [, lost] = sentPosts()
  api.reply('createPosts', { posts: [] })
  await events.click(button('Schedule 2 posts'))
  await waitFor(() => expect(sentPosts()).toHaveLength(3))
  expect(sentPosts()[2]).toEqual(lost)
})

test('a post says what is wrong with it alone, and can be taken out of the plan', async () => {
  const publish_at = IN_A_MONTH
  const events = await openPlan([{ publish_at }, { publish_at, text: 'x'.repeat(2300) }])
  expect(await screen.findByText('1 of 2 posts ready')).toBeVisible()
  expect(await row('clip 2.mp4')).toHaveTextContent('Use at most 2200 characters.')
  await events.click(button('Schedule 2 posts'))
  expect(screen.getByRole('textbox', { name: 'Caption of clip 2.mp4' })).toHaveFocus()
  await events.click(button('Take clip 2.mp4 out of the plan'))
  expect(location.search).toBe(`?ids=${IDS[0]}`)
  expect(await screen.findByText('1 post ready')).toBeVisible()
  expect(stored.has(IDS[1] ?? '')).toBe(true)
})

test('files dropped on the library are uploaded for posts with the captions of their text files', async () => {
  const names: string[] = []
  tus.becomes(({ filename, size }) => video({ video_id: names.push(filename), filename, size }) as never)
  // A video that is stored before the page is shown is read with its draft.
  api.reply('getVideo', ({ params }) => {
    const id = Number(params['videoId'])
    return video({ video_id: id, filename: names[id - 1] ?? '' })
  })
  api.reply('listVideos', videosPage())
  api.reply('getLibrary', { videos: 0, unused: 0, storage: { used_bytes: 0, quota_bytes: null }, tags: [] })
  await renderSignedIn(PATHS.library, 'Library')
  const files = [
    fixtureFile('short.mp4', 'b.mp4'),
    fixtureFile('short.mp4', 'a.mp4'),
    new File(['Rye bread'], 'a.txt', { type: 'text/plain' }),
    new File(['Flour'], 'list.txt', { type: 'text/plain' }),
  ]
  fireEvent.drop(await screen.findByText(/^Videos that you upload stay here/), {
    dataTransfer: { types: ['Files'], files },
  })
  expect(await screen.findByRole('list', { name: 'Posts' })).toBeVisible()
  expect(await screen.findByText('list.txt has no video of the same name.')).toBeVisible()
  expect(await screen.findByRole('textbox', { name: 'Caption of a.mp4' })).toHaveValue('Rye bread')
  await waitFor(() =>
    expect([...stored.values()].map(({ content: { text, video_id } }) => [text, video_id !== null])).toEqual([
      ['Rye bread', true],
      ['', true],
    ]),
  )
})

test('after a reload a post without its video names the file to choose again', async () => {
  const file = fixtureFile('short.mp4', 'tart.mp4')
  tus.becomes(({ filename, size }) => video({ video_id: 9, filename, size }) as never)
  localStorage.setItem(
    `draft uid-ada file ${IDS[0]}`,
    JSON.stringify({ filename: file.name, size: file.size }),
  )
  const events = await openPlan([{ video_id: null }, {}])
  expect(await row('tart.mp4')).toHaveTextContent('Choose tart.mp4 again to continue.')
  await events.upload(screen.getByLabelText('Video files'), file)
  await waitFor(() => expect(stored.get(IDS[0] ?? '')?.content.video_id).toBe(9))
  expect(stored.size).toBe(2)
})
