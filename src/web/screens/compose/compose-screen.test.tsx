import { readFileSync } from 'node:fs'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Account } from '#contract/accounts.ts'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { NewPost } from '#contract/posts.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, brand, delivery, post, settings, video } from '#web/testing/data.ts'
import { button, fill, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

type AccountReply = z.input<typeof Account>
const AT = '2026-11-22T14:06:00.000Z'
const ID = '11111111-1111-4111-8111-111111111111'

const tiktok = account({ account_id: 1, username: 'northwind' })
const instagram = account({ account_id: 2, username: 'northwind.bakes', platform: 'instagram' })
const kitchen = account({ account_id: 3, username: 'northwind.kitchen' })
const harbour = account({ account_id: 4, brand_id: 2, username: 'harbour_coffee', platform: 'instagram' })
const ended = account({
  account_id: 5,
  brand_id: 2,
  username: 'atlasflour',
  health: { status: 'relink', reason: 'TikTok ended the link.' },
})

const today = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
const creator = {
  platform: 'tiktok' as const,
  username: 'northwind',
  nickname: 'Northwind Bakery',
  avatar_url: null,
  privacy_levels: ['PUBLIC_TO_EVERYONE' as const, 'SELF_ONLY' as const],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: true,
  max_duration_s: 600,
  notice: null,
  today,
}
const professional = {
  platform: 'instagram' as const,
  username: 'northwind.bakes',
  avatar_url: null,
  quota_used: null,
  quota_total: null,
  today,
}

const content = (its: Partial<z.input<typeof Draft>['content']> = {}) => ({
  video_id: 1,
  text: 'Lemon tart',
  platform_options: {},
  targets: [{ account_id: 1, text: null, options: null }],
  publish_at: null,
  ...its,
})
const draft = (its: Partial<z.input<typeof Draft>> = {}) => ({
  draft_id: ID,
  version: 3,
  content: content(),
  author: 'Ada',
  created_at: AT,
  updated_at: AT,
  deleted_at: null,
  ...its,
})

/** The server stores what it is sent, one version after the other. */
function answerSaves(): void {
  let stored: z.input<typeof Draft> | null = null
  api.reply('saveDraft', ({ body, params }) => {
    const { content: next } = body as { content: DraftContent }
    stored = draft({
      draft_id: params['draftId'] ?? ID,
      version: (stored?.version ?? 0) + 1,
      content: next,
    })
    return stored
  })
}

// Vitest runs in the project's folder; jsdom's URL is not Node's.
const GOOD = readFileSync('test/fixtures/good.mp4')
const goodVideo = () => new File([new Uint8Array(GOOD)], 'good.mp4', { type: 'video/mp4' })

const link = (...accounts: AccountReply[]) => api.reply('listAccounts', accounts)
const open = (search = '') => renderSignedIn(`/dashboard/compose${search}`, 'New post')
const openDraft = (its: Partial<z.input<typeof Draft>> = {}) => {
  api.reply('getDraft', draft(its))
  return open(`?draft=${ID}`)
}
const box = (name: string) => screen.findByRole('checkbox', { name })
const rowOf = async (name: string) => {
  const row = (await box(name)).closest('li')
  if (!row) throw new Error(`${name} is in no row`)
  return row
}
const primary = (name: string) => screen.findByRole('button', { name })
const sent = () => api.calls('createPost').map(({ body }) => NewPost.parse(body))

const summary = (its: object = {}) => ({
  draft_id: ID,
  version: 1,
  text: 'Lemon tart\nand more',
  video: null,
  accounts: 2,
  author: 'Ada',
  updated_at: AT,
  deleted_at: null,
  ...its,
})

const partlyFailed = () => ({
  ...post({
    post_id: 9,
    text: 'Too hot',
    deliveries: [
      delivery({ delivery_id: 1, account_id: 1, status: 'published' }),
      delivery({
        delivery_id: 2,
        account_id: 2,
        platform: 'instagram',
        status: 'failed',
      }),
    ],
  }),
  events: [],
  targets: [{ delivery_id: 2, text: 'Too hot here', options: { share_to_feed: false } }],
})

beforeEach(() => {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour Coffee' })])
  api.reply('listDrafts', { items: [] })
  api.reply('listVideos', [video()])
  api.reply('findSimilarPosts', { items: [] })
  api.reply('getAccountOptions', ({ params }) =>
    ['2', '4'].includes(params['accountId'] ?? '') ? professional : creator,
  )
  api.reply('createPost', post({ post_id: 7 }))
  link(tiktok, instagram, kitchen, harbour, ended)
  answerSaves()
})

describe('accounts', () => {
  test('are selected by brand and by platform, and those that cannot be posted to are skipped', async () => {
    const events = await open()
    await events.click(await screen.findByRole('button', { name: 'Select all: Harbour Coffee' }))
    expect(await box('Instagram @harbour_coffee')).toBeChecked()
    expect(await box('TikTok @atlasflour')).toBeDisabled()
    expect(within(await rowOf('TikTok @atlasflour')).getByText('TikTok ended the link.')).toBeVisible()
    expect(button('Link again: @atlasflour')).toBeVisible()
    await events.click(button('TikTok'))
    expect(await box('TikTok @northwind')).toBeChecked()
    expect(await box('Northwind')).toBePartiallyChecked()
    expect(await primary('Publish to 3 accounts')).toBeVisible()
    await events.click(await screen.findByRole('button', { name: 'Clear: Harbour Coffee' }))
    expect(await primary('Publish to 2 accounts')).toBeVisible()
  })

  test('are asked what they may post only once they are selected', async () => {
    const events = await open()
    await events.click(await box('TikTok @northwind'))
    await within(await rowOf('TikTok @northwind')).findByText('Ready')
    expect(within(await rowOf('TikTok @northwind')).getByText('Public, comments on')).toBeVisible()
    expect(api.calls('getAccountOptions').map(({ params }) => params['accountId'])).toEqual(['1'])
    expect(screen.getByText(/Music Usage Confirmation/)).toBeVisible()
  })

  test('are searched from twelve on', async () => {
    const many = Array.from({ length: 12 }, (_, at) =>
      account({ account_id: at + 1, username: `shop${at + 1}`, platform: 'instagram' }),
    )
    link(...many)
    const events = await open()
    await events.type(await screen.findByRole('searchbox', { name: 'Find an account' }), 'shop12')
    expect(screen.getByRole('checkbox', { name: 'Instagram @shop12' })).toBeVisible()
    expect(screen.queryByRole('checkbox', { name: 'Instagram @shop1' })).not.toBeInTheDocument()
  })

  test('that are held say so, and their posts wait', async () => {
    const stopped = { message: 'TikTok takes no more posts today.', until: AT }
    api.reply('getAccountOptions', { ...creator, today: { ...today, stopped } })
    const events = await openDraft()
    const row = await rowOf('TikTok @northwind')
    await within(row).findByText('Held')
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()).toHaveLength(1)
  })
})

describe('captions and options', () => {
  test('of one account start as a copy and go out to it alone', async () => {
    const events = await openDraft({
      content: content({
        targets: [
          { account_id: 1, text: null, options: null },
          { account_id: 2, text: null, options: null },
        ],
      }),
    })
    await events.click(await screen.findByRole('button', { name: 'Caption and options for @northwind' }))
    await events.click(await screen.findByRole('switch', { name: 'Custom caption for @northwind' }))
    const own = await screen.findByRole('textbox', { name: 'Caption for @northwind' })
    expect(own).toHaveFocus()
    expect(own).toHaveValue('Lemon tart')
    await events.type(own, ', plated')
    expect(
      within(await rowOf('TikTok @northwind')).getByText('Custom caption · Public, comments on'),
    ).toBeVisible()
    await events.click(await primary('Publish to 2 accounts'))
    await findHeading('Queue')
    expect(sent()).toMatchObject([
      {
        text: 'Lemon tart',
        targets: [
          { account_id: 1, text: 'Lemon tart, plated', options: { privacy_level: 'PUBLIC_TO_EVERYONE' } },
          { account_id: 2, options: { share_to_feed: true } },
        ],
      },
    ])
    expect(sent()[0]?.targets[1]?.text).toBeUndefined()
  })

  test('are set once for a platform, and for one account where it has its own', async () => {
    const targets = [2, 4].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    await events.click(
      await screen.findByRole('button', { name: 'Caption and options for @northwind.bakes' }),
    )
    await events.click(await screen.findByRole('checkbox', { name: 'Share to feed' }))
    expect(within(await rowOf('Instagram @harbour_coffee')).getByText('Reel only')).toBeVisible()
    await events.click(screen.getByRole('switch', { name: 'Own options for @northwind.bakes' }))
    await events.click(screen.getByRole('checkbox', { name: 'Share to feed' }))
    expect(within(await rowOf('Instagram @harbour_coffee')).getByText('Reel only')).toBeVisible()
    expect(
      within(await rowOf('Instagram @northwind.bakes')).getByText('Reel and feed · own options'),
    ).toBeVisible()
  })

  test('that are missing open their row when the button is pressed', async () => {
    const platforms = settings().platforms.map((platform) => ({ ...platform, audit_form: true }))
    api.reply('getSettings', settings({ platforms }))
    const events = await openDraft({
      content: content({
        targets: [
          { account_id: 2, text: null, options: null },
          { account_id: 1, text: null, options: null },
        ],
      }),
    })
    await screen.findByText('1 needs you')
    await events.click(await primary('Publish to 2 accounts'))
    const field = await screen.findByRole('combobox', { name: /^Who can see this video/ })
    await waitFor(() => expect(field).toHaveFocus())
    expect(sent()).toEqual([])
    await events.click(button('Leave out @northwind'))
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()[0]?.targets.map(({ account_id }) => account_id)).toEqual([2])
  })

  test('a shared caption that does not fit is said once, and Show leads to it', async () => {
    const events = await openDraft({
      content: content({ text: '#a '.repeat(31), targets: [{ account_id: 2, text: null, options: null }] }),
    })
    const list = await screen.findByRole('region', { name: 'Checks' })
    await events.click(await within(list).findByRole('button', { name: /^Show: Instagram takes up to 30/ }))
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveFocus()
    expect(screen.getByText('31')).toBeVisible()
  })
})

describe('when', () => {
  test('a time is picked in the user’s zone, and the button names it', async () => {
    const events = await openDraft()
    await events.click(await screen.findByRole('radio', { name: 'Pick a time' }))
    expect(screen.getByText('Europe/Lisbon time.')).toBeVisible()
    expect(await screen.findByRole('button', { name: /^Schedule for \w{3} 18:00$/ })).toBeVisible()
    await fill(events, screen.getByLabelText('Date'), '2020-01-01')
    await events.click(button(/^Schedule for/))
    // At the field, and among the checks.
    expect(await screen.findAllByText('This time has passed. Choose a later one.')).toHaveLength(2)
    expect(sent()).toEqual([])
  })

  test('a draft is saved without being published', async () => {
    const events = await open()
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), 'Later')
    await events.click(screen.getByRole('radio', { name: 'Save draft' }))
    await events.click(button('Save draft'))
    await findHeading('Drafts')
    expect(api.calls('saveDraft').at(-1)?.body).toMatchObject({ content: { text: 'Later' } })
    expect(sent()).toEqual([])
  })
})

describe('one press makes one post', () => {
  test('the draft’s saved version is published, also by two clicks', async () => {
    const events = await openDraft()
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), '!')
    await events.dblClick(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()).toMatchObject([{ text: 'Lemon tart!', draft: { draft_id: ID, version: 1 } }])
    expect(api.calls('createPost')[0]?.headers).not.toHaveProperty('Idempotency-Key')
  })

  test('after a lost answer the same version is sent again', async () => {
    api.disconnect('createPost')
    const events = await openDraft()
    await events.click(await primary('Publish to 1 account'))
    await findAlert("The server didn't answer, so it may have the post.")
    api.reply('createPost', post({ post_id: 7 }))
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent().map((one) => one.draft)).toEqual([
      { draft_id: ID, version: 3 },
      { draft_id: ID, version: 3 },
    ])
  })

  test('Ctrl and Enter press the button', async () => {
    const events = await openDraft()
    await within(await rowOf('TikTok @northwind')).findByText('Ready')
    await events.click(await screen.findByRole('textbox', { name: 'Caption' }))
    await events.keyboard('{Control>}{Enter}{/Control}')
    await findHeading('Queue')
    expect(sent()).toHaveLength(1)
  })

  test('while the video is uploaded the press waits for it', async () => {
    api.reply('uploadVideo', video())
    const release = api.hold('uploadVideo')
    const events = await open()
    await events.click(await box('TikTok @northwind'))
    await events.upload(screen.getByLabelText('Video file', { selector: 'input' }), goodVideo())
    await screen.findByText(/^Uploading/)
    await events.click(await primary('Publish to 1 account'))
    await screen.findByText(/^Waiting for the upload/)
    expect(sent()).toEqual([])
    release()
    await findHeading('Queue')
    expect(sent()).toMatchObject([{ video_id: 1, targets: [{ account_id: 1 }] }])
  })

  test('a refusal names the account, and nothing typed is lost', async () => {
    api.refuse('createPost', 'invalid', 'Check the marked fields.', {
      'targets.0': ['Link @northwind again first.'],
    })
    const events = await openDraft()
    await events.click(await primary('Publish to 1 account'))
    await findAlert('@northwind: Link @northwind again first.')
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveValue('Lemon tart')
  })

  test('the new post has the focus in the queue', async () => {
    const made = post({ post_id: 7, text: 'Lemon tart', deliveries: [delivery({ post_id: 7 })] })
    api.reply('createPost', made)
    api.reply('listPosts', ({ query }) => ({
      items: query['status'] === 'past' ? [made] : [],
      next_cursor: null,
      counts: { all: 1, attention: 0, scheduled: 0, publishing: 0, published: 1, failed: 0 },
    }))
    const events = await openDraft()
    await events.click(await primary('Publish to 1 account'))
    await waitFor(() => expect(screen.getByRole('listitem', { name: 'Lemon tart' })).toHaveFocus())
  })
})

test('a video that went to an account lately is named before it is posted again', async () => {
  const already = {
    account_id: 1,
    post_id: 5,
    same: 'video' as const,
    goes_out_at: '2026-11-01T09:00:00.000Z',
  }
  api.reply('findSimilarPosts', { items: [already] })
  await openDraft({ content: content({ text: 'Tart' }) })
  const check = await screen.findByText(/The same video was posted here/)
  expect(check).toHaveTextContent('@')
  expect(api.calls('findSimilarPosts')[0]?.body).toEqual({
    video_id: 1,
    targets: [{ account_id: 1, text: 'Tart' }],
  })
})

describe('drafts', () => {
  test('are saved while typing, and a reload shows them again', async () => {
    const events = await open()
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), 'Tart')
    await screen.findByText(/^Draft saved at/)
    expect(location.search).toMatch(/^\?draft=[\da-f-]{36}$/)
    expect(api.calls('saveDraft').map(({ body }) => body)).toMatchObject([
      { version: 0, content: { text: 'Tart' } },
    ])
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveFocus()
  })

  test('that cannot be saved are kept in the browser', async () => {
    api.disconnect('saveDraft')
    const events = await open()
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), 'Tart')
    await screen.findByText('Not saved yet: kept in this browser')
    answerSaves()
    await events.click(button('Try again'))
    await screen.findByText(/^Draft saved at/)
  })

  test('changed in another tab show both versions', async () => {
    const theirs = draft({ version: 9, content: content({ text: 'Their tart' }) })
    const events = await openDraft()
    api.refuse('saveDraft', 'conflict', 'Another version is stored.')
    api.reply('getDraft', theirs)
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), ', mine')
    const other = await screen.findByRole('region', { name: 'The other tab' })
    expect(within(other).getByText('Their tart')).toBeVisible()
    expect(
      within(screen.getByRole('region', { name: 'This tab' })).getByText('Lemon tart, mine'),
    ).toBeVisible()
    expect(button('Publish to 1 account')).toBeDisabled()
    await events.click(button('Take the other version'))
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveValue('Their tart'))
  })

  test('that are gone say so', async () => {
    api.refuse('getDraft', 'not_found', 'There is no such draft.')
    await open(`?draft=${ID}`)
    await screen.findByText(/This draft isn't there any more/)
  })

  test('are listed by their caption, deleted and restored', async () => {
    let isDeleted = false
    api.reply('listDrafts', ({ query }) => ({
      items:
        (query['deleted'] === 'true') === isDeleted ? [summary(isDeleted ? { deleted_at: AT } : {})] : [],
    }))
    api.reply('deleteDraft', () => {
      isDeleted = true
      return undefined
    })
    api.reply('restoreDraft', () => {
      isDeleted = false
      return draft()
    })
    const events = await renderSignedIn('/dashboard/compose?drafts', 'Drafts')
    const row = await screen.findByRole('listitem', { name: 'Lemon tart' })
    expect(within(row).getByText(/^No video · 2 accounts · Ada, /)).toBeVisible()
    await events.click(button('Delete Lemon tart'))
    await events.click(await screen.findByRole('button', { name: 'Restore Lemon tart' }))
    await screen.findByRole('link', { name: 'Lemon tart' })
  })
})

describe('a post made again', () => {
  test('keeps everything, and can be for the failed accounts only', async () => {
    api.reply('getPost', partlyFailed())
    await open('?post=9&failed')
    expect(await screen.findByRole('textbox', { name: 'Caption' })).toHaveValue('Too hot')
    expect(await box('Instagram @northwind.bakes')).toBeChecked()
    expect(await box('TikTok @northwind')).not.toBeChecked()
    expect(
      within(await rowOf('Instagram @northwind.bakes')).getByText('Custom caption · Reel only'),
    ).toBeVisible()
  })
})
