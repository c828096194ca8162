import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DraftContent } from '#contract/drafts.ts'
import { Video } from '#contract/videos.ts'
import { DeliveryId } from '#contract/ids.ts'
import { PostDetail } from '#contract/posts.ts'
import { copyPath, PATHS } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import {
  AT,
  ID,
  today,
  channel,
  creator,
  content,
  draft,
  answerSaves,
  goodVideo,
  harbour,
  instagram,
  link,
  open,
  openDraft,
  box,
  rowOf,
  primary,
  whenChoice,
  sent,
  partlyFailed,
  answerComposer,
} from '#web/testing/composer.ts'
import { account, brand, delivery, picture, post, posts, settings, video } from '#web/testing/data.ts'
import { tus } from '#web/testing/tus-stub.ts'
import { button, fill, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'
import { copyOfPost } from './copy-of-post.ts'

beforeEach(answerComposer)

describe('accounts', () => {
  test('are selected by brand and by platform, and those that cannot be posted to are skipped', async () => {
    const events = await open()
    await events.click(await screen.findByRole('button', { name: 'Select all: Harbour Coffee' }))
    expect(await box('Instagram @harbour_coffee')).toBeChecked()
    expect(await box('TikTok @atlasflour')).toBeDisabled()
    expect(within(await rowOf('TikTok @atlasflour')).getByText('TikTok ended the link.')).toBeVisible()
    expect(button('Link again: @atlasflour on TikTok')).toBeVisible()
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
    const row = within(await rowOf('TikTok @northwind'))
    expect(await row.findByText('Public, comments on')).toBeVisible()
    // Before there is a video, nobody knows.
    expect(row.queryByText('Ready')).not.toBeInTheDocument()
    expect(api.calls('getAccountOptions').map(({ params }) => params['accountId'])).toEqual(['1'])
    expect(screen.getByText(/Music Usage Confirmation/)).toBeVisible()
  })

  test('can be mentioned, as can who was mentioned lately', async () => {
    api.reply('listPosts', ({ query }) =>
      posts(query['status'] === 'past' ? [post({ text: 'With @north.star.' })] : []),
    )
    const events = await open()
    const caption = await screen.findByRole('textbox', { name: 'Caption' })
    await events.type(caption, 'Bread by @north.')
    const names = await screen.findByRole('listbox', { name: 'Accounts to mention' })
    await within(names).findByRole('option', { name: '@north.star' })
    await events.keyboard('{Enter}')
    await waitFor(() => expect(caption).toHaveValue('Bread by @north.star '))
    await events.type(caption, 'and @northwind')
    expect(caption).toHaveValue('Bread by @north.star and @northwind')
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

  test('of many brands are folded, and their brand says how many are selected', async () => {
    const many = Array.from({ length: 13 }, (_, at) =>
      account({ account_id: at + 1, username: `shop${at + 1}`, brand_id: at < 6 ? 1 : 2 }),
    )
    link(...many)
    const targets = [{ account_id: 1, text: null, options: null }]
    const events = await openDraft({ content: content({ targets }) })
    const northwind = await screen.findByRole('region', { name: 'Northwind' })
    expect(northwind).toHaveTextContent('1 of 6')
    expect(screen.queryByRole('checkbox', { name: 'TikTok @shop1' })).toBeNull()
    await events.click(button('Accounts of Northwind'))
    expect(await box('TikTok @shop1')).toBeChecked()
    expect(screen.queryByRole('checkbox', { name: 'TikTok @shop7' })).toBeNull()
  })

  test('of the brand of a video are selected with it', async () => {
    api.reply('getVideo', video({ brand_id: 1 }))
    await open('?video=1')
    expect(await primary('Publish to 3 accounts')).toBeVisible()
    expect(await box('Northwind')).toBeChecked()
  })

  test('that are missing are asked for beside the button and where they are chosen', async () => {
    const events = await openDraft({ content: content({ targets: [] }) })
    await events.click(await primary('Publish'))
    const bar = within(screen.getByRole('region', { name: 'Publish' }))
    expect(bar.getByRole('alert')).toHaveTextContent('Choose at least one account.')
    const first = await box('Northwind')
    expect(first).toHaveFocus()
    expect(first).toBeInvalid()
    expect(first).toHaveAccessibleDescription('Choose at least one account.')
    await events.click(button('All'))
    expect(bar.queryByRole('alert')).toBeNull()
    expect(first).toBeValid()
  })

  test('that are paused say so and are resumed there', async () => {
    let paused = true
    api.reply('listBrands', () => [brand({ paused })])
    api.reply('pauseBrand', () => {
      paused = false
      return { paused, released: 0, missed: 0, missed_post_ids: [] }
    })
    const events = await openDraft()
    const row = within(await rowOf('TikTok @northwind'))
    expect(await row.findByText('Paused')).toBeVisible()
    expect(screen.getByText('1 paused')).toBeVisible()
    await events.click(row.getByRole('button', { name: 'Resume Northwind' }))
    await waitFor(() => expect(row.queryByText('Paused')).not.toBeInTheDocument())
  })

  test('that have no post left say so before they are selected, and are skipped', async () => {
    const stopped = { message: 'TikTok takes no more posts today.', until: AT, limit: true }
    api.reply('listPostsToday', [{ account_id: 3, today: { ...today, stopped } }])
    const events = await open()
    const row = await rowOf('TikTok @northwind.kitchen')
    await within(row).findByText('Held')
    expect(within(row).getByText(/^TikTok takes no more posts today. Next try: /)).toBeVisible()
    expect(api.calls('getAccountOptions')).toEqual([])
    await events.click(button('All'))
    expect(await box('TikTok @northwind')).toBeChecked()
    expect(await box('TikTok @northwind.kitchen')).not.toBeChecked()
    expect(await box('TikTok @northwind.kitchen')).toBeEnabled()
  })

  test('that are held say so, and their posts wait', async () => {
    const stopped = { message: 'TikTok takes no more posts today.', until: AT, limit: true }
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
    await events.click(
      await screen.findByRole('button', { name: 'Caption and options for @northwind on TikTok' }),
    )
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

  test('an own cover for Instagram goes out to its accounts, once it is uploaded', async () => {
    vi.stubGlobal('createImageBitmap', () =>
      Promise.resolve({ width: 9, height: 16, close: () => undefined }),
    )
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
      fillRect: () => undefined,
      drawImage: () => undefined,
    } as unknown as CanvasRenderingContext2D)
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((done) => done(new Blob(['jpeg'])))
    api.reply('uploadPicture', picture({ picture_id: 7 }))
    const release = api.hold('uploadPicture')
    const events = await openDraft({
      content: content({
        targets: [
          { account_id: 1, text: null, options: null },
          { account_id: 2, text: null, options: null },
        ],
      }),
    })
    await events.upload(
      await screen.findByLabelText('Instagram cover: file', { selector: 'input' }),
      new File(['png'], 'cover.png', { type: 'image/png' }),
    )
    expect(await screen.findByText('Uploading the picture …')).toBeVisible()
    expect(await screen.findByRole('button', { name: 'Publish to 2 accounts' })).toBeDisabled()
    release()
    await within(await rowOf('Instagram @northwind.bakes')).findByText('Reel and feed, cover picture')
    await events.click(await primary('Publish to 2 accounts'))
    await findHeading('Queue')
    const [tiktok, bakes] = sent()[0]?.targets ?? []
    expect(bakes?.options).toMatchObject({ cover_picture_id: 7 })
    expect(tiktok?.options).not.toHaveProperty('cover_picture_id')
  })

  test('a first comment names the account that has not allowed it, and links it again for it', async () => {
    const permission = { name: 'comments' as const, granted: true }
    link(
      { ...instagram, permissions: [{ ...permission, granted: false }] },
      { ...harbour, permissions: [permission] },
    )
    const asked: unknown[] = []
    api.reply('startLink', ({ body }) => {
      asked.push(body)
      return { url: '#consent', state: 'one-time' }
    })
    const targets = [2, 4].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    await events.click(
      await screen.findByRole('button', { name: 'Caption and options for @northwind.bakes on Instagram' }),
    )
    const field = await screen.findByRole('textbox', { name: 'First comment' })
    expect(field).toHaveAccessibleDescription(/^@northwind.bakes hasn't allowed comments./)
    await events.type(field, 'Recipe below')
    expect(field).toHaveAccessibleDescription(/^Allow comments, or leave out the first comment./)
    expect(screen.getByText(/^\d ready$/)).toBeVisible()
    await events.click(button('Link again to allow comments: @northwind.bakes on Instagram'))
    await waitFor(() => expect(asked).toEqual([{ brand_id: 1, account_id: 2, permissions: ['comments'] }]))
  })

  test('are those of one account where they are typed in its own row', async () => {
    const targets = [2, 4].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    await events.click(
      await screen.findByRole('button', { name: 'Caption and options for @northwind.bakes on Instagram' }),
    )
    const own = await screen.findByRole('switch', { name: 'Custom options for @northwind.bakes' })
    expect(own).not.toBeChecked()
    expect(screen.getByText(/^Same as all Instagram accounts\./)).toBeVisible()
    await events.type(screen.getByRole('textbox', { name: 'Collaborators' }), 'bakers')
    expect(own).toBeChecked()
    expect(screen.getByRole('textbox', { name: 'Collaborators' })).toHaveFocus()
    expect(await rowOf('Instagram @northwind.bakes')).toHaveTextContent('1 collaborator · custom options')
    await events.click(await primary('Publish to 2 accounts'))
    await findHeading('Queue')
    expect(sent()[0]?.targets.map(({ options }) => options)).toMatchObject([
      { collaborators: ['bakers'] },
      { collaborators: [] },
    ])
  })

  test('of all accounts of a platform have a card of their own above the list', async () => {
    const targets = [2, 4].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    const card = await screen.findByRole('region', { name: 'All Instagram accounts' })
    expect(screen.queryByRole('region', { name: 'All TikTok accounts' })).toBeNull()
    expect(card).toHaveTextContent('2 accounts of 2 brands')
    await events.click(button('Caption and options for all Instagram accounts', card))
    await events.click(await within(card).findByRole('checkbox', { name: 'Share to feed' }))
    for (const name of ['Instagram @northwind.bakes', 'Instagram @harbour_coffee'])
      expect(within(await rowOf(name)).getByText('Reel only')).toBeVisible()
    expect(within(card).queryByText(/^This goes to/)).toBeNull()
    await events.type(within(card).getByRole('textbox', { name: 'Collaborators' }), 'bakers')
    expect(within(card).getByText(/^This goes to 2 accounts of 2 brands\./)).toBeVisible()

    await events.click(button('Caption and options for @harbour_coffee on Instagram'))
    const row = await rowOf('Instagram @harbour_coffee')
    await events.clear(await within(row).findByRole('textbox', { name: 'Collaborators' }))
    expect(card).toHaveTextContent('1 account, 1 with its own')
    await events.click(button('Use the shared options: Custom options for @harbour_coffee', row))
    expect(within(row).getByRole('textbox', { name: 'Collaborators' })).toHaveValue('bakers')
    expect(card).toHaveTextContent('2 accounts of 2 brands')
  })

  test('of a platform go to its accounts that have none of their own', async () => {
    const targets = [1, 2, 4].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    const card = await screen.findByRole('region', { name: 'All Instagram accounts' })
    await events.click(button('Caption and options for all Instagram accounts', card))
    await events.click(
      await within(card).findByRole('switch', { name: 'Custom caption for all Instagram accounts' }),
    )
    const field = within(card).getByRole('textbox', { name: 'Caption for all Instagram accounts' })
    expect(field).toHaveFocus()
    expect(field).toHaveValue('Lemon tart')
    await events.type(field, ' #reels')
    await events.click(await primary('Publish to 3 accounts'))
    await findHeading('Queue')
    expect(sent()[0]?.targets.map(({ text }) => text)).toEqual([
      undefined,
      'Lemon tart #reels',
      'Lemon tart #reels',
    ])
  })

  test('that are missing for all accounts of a platform are chosen once, where Show leads', async () => {
    const platforms = settings().platforms.map((platform) => ({ ...platform, audit_form: true }))
    api.reply('getSettings', settings({ platforms }))
    const targets = [1, 3].map((account_id) => ({ account_id, text: null, options: null }))
    const events = await openDraft({ content: content({ targets }) })
    await events.click(await primary('Publish to 2 accounts'))
    const card = await screen.findByRole('region', { name: 'All TikTok accounts' })
    const field = await within(card).findByRole('combobox', { name: /^Who can see this video/ })
    await waitFor(() => expect(field).toHaveFocus())
    expect(field).toHaveValue('')
    await events.click(field)
    await events.click(await screen.findByRole('option', { name: 'Private' }))
    await events.click(await primary('Publish to 2 accounts'))
    await findHeading('Queue')
    expect(sent()[0]?.targets.map(({ options }) => options)).toMatchObject([
      { privacy_level: 'SELF_ONLY' },
      { privacy_level: 'SELF_ONLY' },
    ])
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
    await screen.findByText('1 needs attention')
    await events.click(await primary('Publish to 2 accounts'))
    const field = await screen.findByRole('combobox', { name: /^Who can see this video/ })
    await waitFor(() => expect(field).toHaveFocus())
    expect(sent()).toEqual([])
    await events.click(button('Leave out @northwind'))
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()[0]?.targets.map(({ account_id }) => account_id)).toEqual([2])
  })

  test('a check is settled by one press, which can be undone', async () => {
    const text = `Tart ${'#a '.repeat(31)}`
    const events = await openDraft({
      content: content({ text, targets: [{ account_id: 2, text: null, options: null }] }),
    })
    await events.click(await screen.findByRole('button', { name: /^Keep the first 30 hashtags: / }))
    const field = screen.getByRole('textbox', { name: 'Caption' })
    expect(field).toHaveValue(`Tart ${'#a '.repeat(29)}#a `)
    expect(screen.getByRole('heading', { name: 'Checks' })).toHaveFocus()
    await events.click(button('Undo'))
    expect(field).toHaveValue(text)
    await events.type(field, '!')
    expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument()
  })

  test('a shared caption that does not fit is said once, and Show leads to it', async () => {
    const events = await openDraft({
      content: content({ text: '#a '.repeat(31), targets: [{ account_id: 2, text: null, options: null }] }),
    })
    const list = await screen.findByRole('region', { name: 'Checks' })
    await events.click(await within(list).findByRole('button', { name: /^Show: Instagram allows up to 30/ }))
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveFocus()
    expect(screen.getByText('31')).toBeVisible()
  })
})

describe('when', () => {
  test('a time is picked in the user’s zone, and the button names it', async () => {
    const events = await openDraft()
    await events.click(await whenChoice(events, 'Pick a time'))
    expect(screen.getByText('Europe/Lisbon time.')).toBeVisible()
    expect(await screen.findByRole('button', { name: /^Schedule for \w{3} 18:00$/ })).toBeVisible()
  })

  test('a time that has passed is refused at the field and among the checks', async () => {
    const publish_at = { local: '2020-01-01T10:00', timezone: 'Europe/Lisbon' }
    const events = await openDraft({ content: content({ publish_at }) })
    await events.click(await screen.findByRole('button', { name: /^Schedule/ }))
    await waitFor(() =>
      expect(screen.getAllByText('This time has passed. Choose a later one.')).toHaveLength(2),
    )
    expect(sent()).toEqual([])
  })

  test('a time can be of another zone, which the button names', async () => {
    // A Monday in both zones; from 15:00 on it is Tuesday in Tokyo.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T12:00:00.000Z') })
    const events = await openDraft()
    await events.click(await whenChoice(events, 'Pick a time'))
    await events.click(button('Change time zone: Europe/Lisbon'))
    const zones = await screen.findByRole('combobox', { name: 'Time zone: Europe/Lisbon' })
    await fill(events, zones, 'tokyo')
    await events.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(button('Change time zone: Asia/Tokyo')).toHaveFocus())
    expect(screen.getByText('Asia/Tokyo time. For you: Tue 09:00.')).toBeVisible()
    await events.click(button('Schedule for Tue 18:00 Tokyo time'))
    await findHeading('Queue')
    expect(sent()[0]?.publish_at).toMatchObject({ timezone: 'Asia/Tokyo' })
  })

  test('a draft is saved without being published', async () => {
    const events = await open()
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), 'Later')
    await events.click(await whenChoice(events, 'Save draft'))
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

  test('a draft that cannot be saved is not published, and the bar says why', async () => {
    const events = await openDraft()
    api.disconnect('saveDraft')
    await events.type(await screen.findByRole('textbox', { name: 'Caption' }), '!')
    await events.click(await primary('Publish to 1 account'))
    await findAlert('Nothing was published.')
    expect(sent()).toEqual([])
    answerSaves()
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()).toHaveLength(1)
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
    await screen.findByText(/^\d ready$/)
    await events.click(await screen.findByRole('textbox', { name: 'Caption' }))
    await events.keyboard('{Control>}{Enter}{/Control}')
    await findHeading('Queue')
    expect(sent()).toHaveLength(1)
  })

  test('while the video is uploaded the press waits for it', async () => {
    tus.becomes(() => Video.parse(video()))
    const release = tus.hold()
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
      'targets.0.account_id': ['Link @northwind again first.'],
    })
    const events = await openDraft()
    await events.click(await primary('Publish to 1 account'))
    await findAlert('@northwind: Link @northwind again first.')
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveValue('Lemon tart')
  })

  test('a refused field is opened and focused, and marked until it is changed', async () => {
    api.refuse('createPost', 'invalid', 'Check the marked fields.', {
      'targets.0.options.collaborators': ['This account takes no requests.'],
    })
    const targets = [{ account_id: 2, text: null, options: null }]
    const options = { instagram: { shareToFeed: true, collaborators: 'maria.bakes' } }
    const events = await openDraft({ content: content({ targets, platform_options: options }) })
    await events.click(await primary('Publish to 1 account'))
    const field = await screen.findByRole('textbox', { name: 'Collaborators' })
    await waitFor(() => expect(field).toHaveFocus())
    expect(field).toBeInvalid()
    expect(field).toHaveAccessibleDescription('This account takes no requests.')
    const row = await rowOf('Instagram @northwind.bakes')
    expect(within(row).getByText('This account takes no requests', { exact: true })).toBeVisible()
    await events.clear(field)
    expect(field).toBeValid()
    api.reply('createPost', post({ post_id: 7 }))
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
  })

  test('the new post has the focus in the queue', async () => {
    const made = post({ post_id: 7, text: 'Lemon tart', deliveries: [delivery({ post_id: 7 })] })
    api.reply('createPost', made)
    api.reply('listPosts', ({ query }) => ({
      items: query['status'] === 'past' ? [made] : [],
      next_cursor: null,
      counts: posts().counts,
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
  const check = (await screen.findByText(/The same video was sent here/)).closest('li')
  expect(check).toHaveTextContent('@')
  expect(api.calls('findSimilarPosts')[0]?.body).toEqual({
    video_id: 1,
    targets: [{ account_id: 1, text: 'Tart', after_minutes: 0 }],
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
    await events.click(button('Use the other version'))
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveValue('Their tart'))
    expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveFocus()
  })

  test("changed in another tab are published in this tab's version once it is kept", async () => {
    const events = await openDraft()
    api.refuse('saveDraft', 'conflict', 'Another version is stored.')
    api.reply('getDraft', draft({ version: 9, content: content({ text: 'Their tart' }) }))
    await fill(events, await screen.findByRole('textbox', { name: 'Caption' }), 'My tart')
    // Saves at once.
    await events.click(await primary('Publish to 1 account'))
    const keep = await screen.findByRole('button', { name: "Keep this tab's version" })
    expect(sent()).toEqual([])
    api.reply('saveDraft', ({ body }) => draft({ ...(body as { content: DraftContent }), version: 10 }))
    await events.click(keep)
    await waitFor(() => expect(keep).not.toBeInTheDocument())
    expect(api.calls('saveDraft').at(-1)?.body).toMatchObject({ version: 9 })
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    expect(sent()).toMatchObject([{ text: 'My tart', draft: { draft_id: ID, version: 10 } }])
  })

  test('published or deleted elsewhere say so, and can be kept as new ones', async () => {
    const events = await openDraft()
    api.refuse('saveDraft', 'not_found', 'There is no such draft.')
    api.refuse('getDraft', 'not_found', 'There is no such draft.')
    await fill(events, await screen.findByRole('textbox', { name: 'Caption' }), 'Too late')
    await events.click(await primary('Publish to 1 account'))
    await findAlert('This draft was published or deleted elsewhere.')
    expect(button('Publish to 1 account')).toBeDisabled()
    expect(sent()).toEqual([])
    answerSaves()
    await events.click(button('Keep as a new draft'))
    await waitFor(() => expect(button('Publish to 1 account')).toBeEnabled())
    await events.click(button('Publish to 1 account'))
    await findHeading('Queue')
    const last = api.calls('saveDraft').at(-1)
    expect(last?.body).toMatchObject({ version: 0, content: { text: 'Too late' } })
    expect(last?.params['draftId']).not.toBe(ID)
    expect(sent()).toMatchObject([{ text: 'Too late', draft: { draft_id: last?.params['draftId'] } }])
  })

  test('that are gone say so', async () => {
    api.refuse('getDraft', 'not_found', 'There is no such draft.')
    await open(`?draft=${ID}`)
    await screen.findByText(/This draft isn't there any more/)
  })

  test('were at an address of the composer, which leads to them', async () => {
    api.reply('listDrafts', { items: [] })
    await renderSignedIn('/dashboard/compose?drafts', 'Drafts')
    expect(location.pathname).toBe('/dashboard/drafts')
  })
})

describe('a post made again', () => {
  test('keeps everything, and is sent to the one failed account only', async () => {
    const failed = partlyFailed({ needs_change: true })
    api.reply('getPost', failed)
    api.reply('listPosts', ({ query }) => posts(query['status'] === 'past' ? [failed] : []))
    const events = await renderSignedIn(PATHS.queue, 'Queue')
    await events.click(await screen.findByRole('link', { name: 'Edit and resend: @northwind on Instagram' }))
    await findHeading('New post')
    expect(await screen.findByRole('textbox', { name: 'Caption' })).toHaveValue('Too hot')
    expect(await box('Instagram @northwind.bakes')).toBeChecked()
    expect(await box('TikTok @northwind')).not.toBeChecked()
    // What would be refused again is open, and not ready.
    const own = await screen.findByRole('textbox', { name: 'Caption for @northwind.bakes' })
    expect(own).toHaveValue('Too hot here')
    expect(screen.queryAllByText(/Instagram refused it\./)).not.toEqual([])
    await fill(events, own, 'Cooler now')
    expect(screen.queryAllByText(/Instagram refused it\./)).toEqual([])
    await events.click(await primary('Publish to 1 account'))
    await findHeading('Queue')
    const target = { account_id: 2, text: 'Cooler now', options: { share_to_feed: false } }
    expect(sent()).toMatchObject([{ video_id: 1, text: 'Too hot', targets: [target] }])
    expect(sent()[0]?.targets).toHaveLength(1)
    const [resent] = failed.deliveries.filter(({ status }) => status === 'failed')
    expect(sent()[0]?.replaces).toEqual([resent?.delivery_id])
    expect(api.calls('saveDraft').at(-1)?.body).toMatchObject({
      content: { replaces: [resent?.delivery_id] },
    })
  })

  test('says why it was refused also when its draft is opened later, until that is changed', async () => {
    const failed = partlyFailed({ needs_change: true })
    api.reply('getPost', failed)
    api.reply('listPosts', posts([failed]))
    const { content: copied } = copyOfPost(PostDetail.parse(failed), 'failed')
    const events = await openDraft({ content: copied })
    const own = await screen.findByRole('textbox', { name: 'Caption for @northwind.bakes' })
    expect(screen.queryAllByText(/Instagram refused it\./)).not.toEqual([])
    await fill(events, own, 'Cooler now')
    expect(screen.queryAllByText(/Instagram refused it\./)).toEqual([])
    await screen.findByText(/^Draft saved at/)
  })

  test.each([
    ['a copy of a post', copyPath(9, 'all')],
    ['a post with a video', `${PATHS.compose}?video=1`],
    ['a post at a time', `${PATHS.compose}?at=2026-12-24T18:30&zone=Europe/Lisbon`],
  ])('%s that is only looked at leaves no draft', async (_what, address) => {
    api.reply('getPost', partlyFailed())
    const events = await renderSignedIn(address, 'New post')
    await screen.findByRole('textbox', { name: 'Caption' })
    await box('TikTok @northwind')
    // Leaving saves at once what is to be saved.
    await events.click(screen.getByRole('link', { name: 'Settings' }))
    await findHeading('Settings')
    expect(api.calls('saveDraft')).toEqual([])
  })

  test('asks where the failure was retried meanwhile, and is then sent as it is', async () => {
    api.reply('getPost', partlyFailed())
    const events = await renderSignedIn(copyPath(9, DeliveryId.parse(2)), 'New post')
    const repeat = {
      platform: 'instagram',
      username: 'northwind.bakes',
      display_name: 'Northwind',
      post_id: 9,
      status: 'scheduled',
      at: AT,
      url: null,
    }
    const message = 'Another post takes this video there.'
    api.fail('createPost', 409, { code: 'already_posted', message, repeats: [repeat] })
    await events.click(await primary('Publish to 1 account'))
    const asked = await screen.findByRole('dialog', { name: 'Post it again?' })
    expect(asked).toHaveTextContent('@northwind.bakes on Instagram')
    await events.click(within(asked).getByRole('button', { name: 'Leave it' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent()).toHaveLength(1)
    await events.click(await primary('Publish to 1 account'))
    const again = await screen.findByRole('dialog', { name: 'Post it again?' })
    api.reply('createPost', post())
    api.reply('listPosts', posts())
    await events.click(within(again).getByRole('button', { name: 'Post it again' }))
    await findHeading('Queue')
    expect(sent().map(({ confirm_repeat }) => confirm_repeat)).toEqual([undefined, undefined, true])
  })
})

test('a YouTube channel gets the title of the caption, and asks what it leaves to the user', async () => {
  link(account({ account_id: 6, username: 'northwind', platform: 'youtube' }))
  api.reply('getAccountOptions', channel)
  const events = await openDraft({
    content: content({
      text: 'Lemon tart\nStill warm',
      targets: [{ account_id: 6, text: null, options: null }],
    }),
  })
  expect(await screen.findByText('Choose who can see this video.')).toBeVisible()
  expect(screen.getByRole('textbox', { name: 'Caption' })).toHaveAccessibleDescription(
    /YouTube\s*21\s*\/5000\s*bytes/,
  )
  await events.click(await primary('Publish to 1 account'))
  expect(sent()).toEqual([])
  await events.click(await screen.findByRole('combobox', { name: 'Who can see this video' }))
  await events.click(screen.getByRole('option', { name: /^Public/ }))
  await events.click(screen.getByRole('radio', { name: 'No' }))
  expect(within(screen.getByRole('tabpanel')).getByText('Lemon tart')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Community Guidelines' })).toBeVisible()
  await events.click(await primary('Publish to 1 account'))
  await waitFor(() => expect(sent()).toHaveLength(1))
  expect(sent()[0]?.targets[0]?.options).toMatchObject({
    title: 'Lemon tart',
    privacy: 'public',
    made_for_kids: false,
  })
})
