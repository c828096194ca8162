import type { Context } from '../../kit/context.ts'
import { hugeNumber, hashToHugeNumber } from '../../kit/ids.ts'
import type { LivePost, Visibility } from '../../kit/live-post.ts'
import type { Table } from '../../kit/store.ts'

export const appId = '1000000000000001'
export const appSecret = 'practice-instagram-secret'

export const scopes = {
  instagram_business_basic: 'Read your profile and your posts',
  instagram_business_content_publish: 'Post to your account',
  instagram_business_manage_comments: 'Manage your comments',
  instagram_business_manage_insights: 'Read your numbers',
  instagram_business_manage_messages: 'Manage your messages',
} as const

export const basicScope = 'instagram_business_basic'
export const publishScope = 'instagram_business_content_publish'
export const commentScope = 'instagram_business_manage_comments'
export const insightsScope = 'instagram_business_manage_insights'

export interface AppSettings {
  /** null: derived from `--app-url`. */
  redirect_uris: string[] | null
}

export interface Creator {
  username: string
  name: string
  account_type: 'BUSINESS' | 'MEDIA_CREATOR' | 'PERSONAL'
  private: boolean
  /** Instagram restricted the creator: publishing answers 25/2207050. */
  banned: boolean
  /** Posts per 24 hours; null: the setting `instagram_quota_total`. */
  daily_limit: number | null
}

export interface Code {
  code: string
  username: string
  scopes: string[]
  redirect_uri: string
  expires_at: number
  used: boolean
}

export interface Token {
  token: string
  kind: 'short' | 'long'
  username: string
  scopes: string[]
  created_at: number
  expires_at: number
  /** The subcode of 190 for a token that ended early. */
  ended?: number
}

/** The outcome of downloading and inspecting `video_url` and `cover_url`. */
export type FetchResult =
  | { state: 'fetching' }
  | { state: 'ready'; sha256: string; bytes: number; cover_sha256?: string | null; at: number }
  | { state: 'refused'; subcode: number; at: number }

export interface ContainerOptions {
  caption: string
  share_to_feed: boolean
  thumb_offset: number
  cover_url: string | null
  is_ai_generated: boolean
  collaborators: readonly string[]
  user_tags: readonly string[]
  audio_name: string | null
  graduation: string | null
}

export interface Container {
  id: string
  username: string
  media_type: 'REELS' | 'VIDEO'
  video_url: string
  options: ContainerOptions
  created_at: number
  stuck: boolean
  fetched: FetchResult
  media_id: string | null
}

export interface Post {
  id: string
  shortcode: string
  username: string
  options: ContainerOptions
  sha256: string
  bytes: number
  cover_sha256?: string | null
  comments_off?: boolean
  archived?: boolean
  created_at: number
}

export interface Comment {
  id: string
  media_id: string
  username: string
  text: string
  created_at: number
}

/** A publish call that was answered already and takes effect at `at`. */
export interface LatePublish {
  container_id: string
  at: number
}

export interface Instagram extends Context {
  app: Table<AppSettings>
  creators: Table<Creator>
  codes: Table<Code>
  tokens: Table<Token>
  containers: Table<Container>
  posts: Table<Post>
  latePublishes: Table<LatePublish>
  comments: Table<Comment>
  /** Comments whose call was answered already and that appear at `created_at`. */
  lateComments: Table<Comment>
  /** Of the newest hour of each creator. */
  insightCalls: Table<{ hour: number; calls: number }>
}

export function openInstagram(context: Context): Instagram {
  const { store } = context
  return {
    ...context,
    app: store.table('instagram.app'),
    creators: store.table('instagram.creators'),
    codes: store.table('instagram.codes'),
    tokens: store.table('instagram.tokens'),
    containers: store.table('instagram.containers'),
    posts: store.table('instagram.posts'),
    latePublishes: store.table('instagram.late_publishes'),
    comments: store.table('instagram.comments'),
    lateComments: store.table('instagram.late_comments'),
    insightCalls: store.table('instagram.insight_calls'),
  }
}

export const redirectUris = (instagram: Instagram): string[] =>
  instagram.app.get('app')?.redirect_uris ?? [`${instagram.appUrl}/dashboard/oauth/instagram/callback`]

export const newCreator = (username: string): Creator => ({
  username,
  name: username.charAt(0).toUpperCase() + username.slice(1),
  account_type: 'BUSINESS',
  private: false,
  banned: false,
  daily_limit: null,
})

export function seedCreators(instagram: Instagram): void {
  const seeds: Creator[] = [
    newCreator('nova'),
    { ...newCreator('atlas'), account_type: 'MEDIA_CREATOR' },
    { ...newCreator('quiet'), private: true },
  ]
  for (const creator of seeds) {
    if (instagram.creators.get(creator.username) === undefined)
      instagram.creators.put(creator.username, creator)
  }
}

const [userIdHead, appScopedIdHead] = ['178414', '2616']

/** The professional account's id (`1784…`), beyond 2^53. */
export const userId = (username: string): string => hashToHugeNumber(`instagram ${username}`, userIdHead, 17)

export const appScopedId = (username: string): string =>
  hashToHugeNumber(`scoped ${username}`, appScopedIdHead, 17)

export const isAccountId = (id: string): boolean =>
  id.startsWith(userIdHead) || id.startsWith(appScopedIdHead)

export const newContainerId = (): string => hugeNumber('1789', 17)
export const newMediaId = (): string => hugeNumber('1800', 17)
export const newCommentId = (): string => hugeNumber('1787', 17)

const day = 86_400_000

/** "Expires 24 h after creation" */
export const containerLifetimeMs = day

export const postsSince = (instagram: Instagram, username: string, since: number): Post[] =>
  instagram.posts.all().filter((post) => post.username === username && post.created_at >= since)

/** Archived posts are not shown to anybody: that calls do not find them is our assumption. */
export function findShown(instagram: Instagram, id: string): Post | undefined {
  const post = instagram.posts.get(id)
  return post?.archived === true ? undefined : post
}

/** The creator deletes or archives a post, or shows it again. */
export function setVisibility(instagram: Instagram, id: string, visibility: Visibility): void {
  const post = instagram.posts.get(id)
  if (post === undefined) return
  if (visibility === 'deleted') instagram.posts.delete(id)
  else instagram.posts.put(id, { ...post, archived: visibility === 'private' })
}

/** The creator takes permissions back and leaves the others. */
export function withdraw(instagram: Instagram, username: string, taken: readonly string[]): void {
  for (const token of instagram.tokens.all()) {
    if (token.username !== username) continue
    instagram.tokens.put(token.token, {
      ...token,
      scopes: token.scopes.filter((one) => !taken.includes(one)),
    })
  }
}

export const listComments = (instagram: Instagram, mediaId: string): Comment[] =>
  instagram.comments.all().filter((comment) => comment.media_id === mediaId)

export const quotaTotal = (instagram: Instagram, creator: Creator): number =>
  creator.daily_limit ?? instagram.settings.get().instagram_quota_total

export const liveReels = (instagram: Instagram, origin: string): LivePost[] =>
  instagram.posts
    .all()
    .filter(({ archived }) => archived !== true)
    .map(({ id, shortcode, username, options: { caption, ...options }, sha256, bytes, ...post }) => ({
      platform: 'instagram',
      id,
      account: username,
      text: caption,
      options: { media_type: 'REELS', ...options, cover_sha256: post.cover_sha256 ?? null },
      sha256,
      bytes,
      created_at: new Date(post.created_at).toISOString(),
      url: `${origin}/instagram/reel/${shortcode}/`,
      ...(post.comments_off === true && { comments_off: true }),
      comments: listComments(instagram, id).map((each) => ({ account: each.username, text: each.text })),
    }))
