import { readFileSync } from 'node:fs'
import { act, screen } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import type { z } from 'zod'
import type { Account } from '#contract/accounts.ts'
import type { Draft, DraftContent } from '#contract/drafts.ts'
import { TikTokPrivacy } from '#contract/platforms/tiktok.ts'
import { NewPost } from '#contract/posts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { api } from './api-stub.ts'
import { account, brand, delivery, post, video, videosPage } from './data.ts'
import { renderSignedIn } from './render-app.tsx'

type AccountReply = z.input<typeof Account>
export const AT = '2026-11-22T14:06:00.000Z'
export const ID = '11111111-1111-4111-8111-111111111111'

const tiktok = account({ account_id: 1, username: 'northwind' })
export const instagram = account({ account_id: 2, username: 'northwind.bakes', platform: 'instagram' })
const kitchen = account({ account_id: 3, username: 'northwind.kitchen' })
export const harbour = account({
  account_id: 4,
  brand_id: 2,
  username: 'harbour_coffee',
  platform: 'instagram',
})
const ended = account({
  account_id: 5,
  brand_id: 2,
  username: 'atlasflour',
  health: { status: 'relink', reason: 'TikTok ended the link.' },
})

export const today = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
export const creator = {
  platform: 'tiktok' as const,
  username: 'northwind',
  nickname: 'Northwind Bakery',
  avatar_url: null,
  privacy_levels: [TikTokPrivacy.enum.PUBLIC_TO_EVERYONE, TikTokPrivacy.enum.SELF_ONLY],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: true,
  max_duration_s: 600,
  notice: null,
  today,
}
export const professional = {
  platform: 'instagram' as const,
  username: 'northwind.bakes',
  avatar_url: null,
  quota_used: null,
  quota_total: null,
  today,
}

export const channel = {
  platform: 'youtube' as const,
  title: 'Northwind Bakery',
  username: 'northwind',
  avatar_url: null,
  long_uploads: false,
  max_duration_s: 900,
  today,
}

export const content = (its: Partial<z.input<typeof Draft>['content']> = {}) => ({
  video_id: 1,
  text: 'Lemon tart',
  platform_options: {},
  targets: [{ account_id: 1, text: null, options: null }],
  publish_at: null,
  ...its,
})
export const draft = (its: Partial<z.input<typeof Draft>> = {}) => ({
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
export function answerSaves(): void {
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
export const goodVideo = () => new File([new Uint8Array(GOOD)], 'good.mp4', { type: 'video/mp4' })

export const link = (...accounts: AccountReply[]) => api.reply('listAccounts', accounts)
export const open = (search = '') => renderSignedIn(`${PATHS.compose}${search}`, 'New post')
export const openDraft = (its: Partial<z.input<typeof Draft>> = {}) => {
  api.reply('getDraft', draft(its))
  return open(`?draft=${ID}`)
}
export const box = (name: string) => screen.findByRole('checkbox', { name })
export const rowOf = async (name: string) => {
  const row = (await box(name)).closest('li')
  if (!row) throw new Error(`${name} is in no row`)
  return row
}
export const primary = (name: string) => screen.findByRole('button', { name })
/** Opens the choice of when the post goes out, unless it is open. @returns one of its choices */
export async function whenChoice(events: UserEvent, name: RegExp | string): Promise<HTMLElement> {
  const opener = await screen.findByRole('button', { name: /^When:/ })
  if (screen.queryByRole('group', { name: 'When' }) === null) await events.click(opener)
  return screen.findByRole('radio', { name })
}
/** Such as `1930`, as it is typed: the minutes follow the hours. */
export async function typeTime(events: UserEvent, digits: string): Promise<void> {
  act(() => screen.getByLabelText('Hours').focus())
  await events.keyboard(digits)
}
export const sent = () => api.calls('createPost').map(({ body }) => NewPost.parse(body))

export const summary = (its: object = {}) => ({
  draft_id: ID,
  version: 1,
  text: 'Lemon tart\nand more',
  video: null,
  accounts: 2,
  account_ids: [1, 2],
  brand_ids: [],
  planned: false,
  planned_for: null,
  place: null,
  author: 'Ada',
  updated_at: AT,
  deleted_at: null,
  ...its,
})

export const partlyFailed = (reason: { needs_change?: true } = {}) => ({
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
        reason: { code: 'refused', message: 'Instagram refused it.', remedy: '', detail: null, ...reason },
      }),
    ],
  }),
  events: [],
  targets: [{ delivery_id: 2, text: 'Too hot here', options: { share_to_feed: false }, after_minutes: 0 }],
})

/** Two brands with five accounts, and a server that takes what it is sent. */
export function answerComposer(): void {
  api.reply('listBrands', [brand(), brand({ brand_id: 2, title: 'Harbour Coffee' })])
  api.reply('listDrafts', { items: [] })
  api.reply('listVideos', videosPage(video()))
  api.reply('getVideo', video())
  api.reply('findSimilarPosts', { items: [] })
  api.reply('getAccountOptions', ({ params }) =>
    ['2', '4'].includes(params['accountId'] ?? '') ? professional : creator,
  )
  api.reply('listPostsToday', [])
  api.reply('listSchedules', [])
  api.reply('createPost', post({ post_id: 7 }))
  link(tiktok, instagram, kitchen, harbour, ended)
  answerSaves()
}
