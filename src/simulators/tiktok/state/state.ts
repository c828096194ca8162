import { createHash } from 'node:crypto'
import type { Context } from '../../kit/context.ts'
import { hugeNumber } from '../../kit/ids.ts'
import type { LivePost, Visibility } from '../../kit/live-post.ts'
import type { Table } from '../../kit/store.ts'

export const clientKey = 'practice-tiktok-key'
export const clientSecret = 'practice-tiktok-secret'

export const scopes = {
  'user.info.basic': 'Read your name and picture',
  'user.info.profile': 'Read your username and profile',
  'user.info.stats': 'Read your numbers of followers and videos',
  'video.list': 'See the videos that you posted, and their numbers',
  'video.upload': 'Put drafts into your inbox',
  'video.publish': 'Post videos to your account',
} as const

export interface AppSettings {
  /** null: derived from `--app-url`. */
  redirect_uris: string[] | null
  audited: boolean
  /** Verified prefixes of addresses from which TikTok pulls videos. */
  verified_prefixes: string[]
}

export interface Creator {
  username: string
  nickname: string
  private: boolean
  banned: boolean
  /** Posts per 24 hours over all apps; null: no limit. */
  daily_limit: number | null
  /** The app has reached its number of active creators. */
  active_user_cap: boolean
  comment_disabled: boolean
  duet_disabled: boolean
  stitch_disabled: boolean
  max_video_post_duration_sec: number
  /** null: derived from `private`. */
  privacy_level_options: string[] | null
  /** False: the creator is not a target user of the app's sandbox key. */
  sandbox_target: boolean
  /** No status or event names the post's id, as observed with some public posts. */
  id_never_told: boolean
  /** The `fail_reason`s of the next uploads, one each, whatever they contain. */
  fail_reasons: string[]
}

export interface Code {
  code: string
  username: string
  scopes: string[]
  redirect_uri: string
  code_challenge: string | null
  expires_at: number
  used: boolean
}

export interface Grant {
  id: string
  username: string
  scopes: string[]
  refresh_token: string
  refresh_expires_at: number
  /** The previous refresh token, until the new pair is used. */
  previous_refresh_token: string | null
  /** The newest access token; older ones live until they expire, unless the pair was never used. */
  access_token: string
}

export interface AccessToken {
  token: string
  grant_id: string
  expires_at: number
}

export interface PostInfo {
  title: string
  privacy_level: string
  disable_duet: boolean
  disable_comment: boolean
  disable_stitch: boolean
  video_cover_timestamp_ms: number
  brand_content_toggle: boolean
  brand_organic_toggle: boolean
  is_aigc: boolean
}

export type TaskProgress =
  | { state: 'uploading' }
  /** TikTok pulls it; only this can be cancelled. */
  | { state: 'downloading' }
  /** All bytes are received. `fail_reason` is null for a good file, undefined during inspection. */
  | { state: 'processing'; sha256: string; uploaded_at: number; fail_reason?: string | null }
  /** A draft in the creator's inbox: final, unless the creator posts it. */
  | { state: 'inbox'; sha256: string; delivered_at: number }
  | { state: 'complete'; sha256: string; post_id: string; live_at: number }
  | { state: 'failed'; fail_reason: string }

export interface UploadTask {
  publish_id: string
  upload_id: string
  upload_token: string
  username: string
  /** The target: a post, or a draft in the creator's inbox. */
  to: 'post' | 'inbox'
  video_url: string | null
  post_info: PostInfo
  video_size: number
  chunk_size: number
  total_chunk_count: number
  received: number
  /** Received bytes by time, kept while a status lags behind. */
  received_log?: [at: number, received: number][]
  created_at: number
  stuck: boolean
  progress: TaskProgress
}

export interface Post {
  id: string
  username: string
  post_info: PostInfo
  sha256: string
  bytes: number
  created_at: number
}

export interface AnnouncedEvents {
  outcome: boolean
  draft: boolean
  public: boolean
  gone: boolean
}

export interface TikTok extends Context {
  app: Table<AppSettings>
  creators: Table<Creator>
  codes: Table<Code>
  grants: Table<Grant>
  accessTokens: Table<AccessToken>
  tasks: Table<UploadTask>
  posts: Table<Post>
  announced: Table<AnnouncedEvents>
}

export function openTikTok(context: Context): TikTok {
  const { store } = context
  return {
    ...context,
    app: store.table('tiktok.app'),
    creators: store.table('tiktok.creators'),
    codes: store.table('tiktok.codes'),
    grants: store.table('tiktok.grants'),
    accessTokens: store.table('tiktok.access_tokens'),
    tasks: store.table('tiktok.tasks'),
    posts: store.table('tiktok.posts'),
    // The journal has this name since the first version.
    announced: store.table('tiktok.told'),
  }
}

export const appSettings = (tiktok: TikTok): AppSettings =>
  tiktok.app.get('app') ?? { redirect_uris: null, audited: true, verified_prefixes: [] }

export const redirectUris = (tiktok: TikTok): string[] =>
  appSettings(tiktok).redirect_uris ?? [`${tiktok.appUrl}/dashboard/oauth/tiktok/callback`]

export const newCreator = (username: string): Creator => ({
  username,
  nickname: username.charAt(0).toUpperCase() + username.slice(1),
  private: false,
  banned: false,
  daily_limit: null,
  active_user_cap: false,
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  // "do not hard-code 600": real captures of 2025 and 2026 say 3600.
  max_video_post_duration_sec: 3600,
  privacy_level_options: null,
  sandbox_target: true,
  id_never_told: false,
  fail_reasons: [],
})

/** Unique per creator and app; a real one may begin with a dash. */
export const openId = (username: string): string =>
  `-000${createHash('sha256').update(`open ${username}`).digest('base64url').slice(0, 32)}`

export const unionId = (username: string): string =>
  createHash('sha256').update(`union ${username}`).digest('hex').slice(0, 36)

export function privacyOptions(creator: Creator): string[] {
  if (creator.privacy_level_options !== null) return creator.privacy_level_options
  return creator.private
    ? ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
    : ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
}

export const newPostId = (): string => hugeNumber('76', 19)

/** Upload address and publish id carry the same number, so that either finds the task. */
export const formatPublishId = (to: UploadTask['to'], from: 'file' | 'url', uploadId: string): string =>
  `v_${to === 'post' ? 'pub' : 'inbox'}_${from}~v2-1.${uploadId}`

export const findUploadTask = (tiktok: TikTok, uploadId: string): UploadTask | undefined =>
  tiktok.tasks.get(formatPublishId('post', 'file', uploadId)) ??
  tiktok.tasks.get(formatPublishId('inbox', 'file', uploadId))

export interface InboxDraft {
  platform: 'tiktok'
  account: string
  sha256: string
  posted: boolean
}

export const inboxDrafts = (tiktok: TikTok): InboxDraft[] =>
  tiktok.tasks.all().flatMap(({ to, username, progress }): InboxDraft[] =>
    to === 'inbox' && (progress.state === 'inbox' || progress.state === 'complete')
      ? [
          {
            platform: 'tiktok',
            account: username,
            sha256: progress.sha256,
            posted: progress.state === 'complete',
          },
        ]
      : [],
  )

export const livePosts = (tiktok: TikTok, origin: string): LivePost[] =>
  tiktok.posts.all().map(({ id, username, post_info: { title, ...options }, sha256, bytes, created_at }) => ({
    platform: 'tiktok',
    id,
    account: username,
    text: title,
    options,
    sha256,
    bytes,
    created_at: new Date(created_at).toISOString(),
    url: `${origin}/tiktok/@${username}/video/${id}`,
  }))

export function seedCreators(tiktok: TikTok): void {
  for (const creator of [
    newCreator('nova'),
    newCreator('atlas'),
    { ...newCreator('quiet'), private: true },
  ]) {
    if (tiktok.creators.get(creator.username) === undefined) tiktok.creators.put(creator.username, creator)
  }
}

/** The creator deletes a post, or changes who sees it. */
export function setVisibility(tiktok: TikTok, id: string, visibility: Visibility): void {
  const post = tiktok.posts.get(id)
  if (post === undefined) return
  const privacy_level = visibility === 'public' ? 'PUBLIC_TO_EVERYONE' : 'SELF_ONLY'
  if (visibility === 'deleted') tiktok.posts.delete(id)
  else tiktok.posts.put(id, { ...post, post_info: { ...post.post_info, privacy_level } })
}

/** The creator takes permissions back and leaves the others. */
export function withdraw(tiktok: TikTok, username: string, taken: readonly string[]): void {
  for (const grant of tiktok.grants.all()) {
    if (grant.username !== username) continue
    tiktok.grants.put(grant.id, { ...grant, scopes: grant.scopes.filter((one) => !taken.includes(one)) })
  }
}

const uploadLifetimeMs = 3_600_000

/** "valid 1 hour; the whole upload must finish inside it" */
export const uploadExpired = (tiktok: TikTok, task: UploadTask): boolean =>
  task.created_at + uploadLifetimeMs <= tiktok.clock.now()
