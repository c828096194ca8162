import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../kit/context.ts'
import { hashToHugeNumber } from '../kit/ids.ts'
import type { Visibility } from '../kit/live-post.ts'
import type { Table } from '../kit/store.ts'

export const clientId = '100000000001-practice.apps.googleusercontent.com'
export const clientSecret = 'practice-youtube-secret'

const prefix = 'https://www.googleapis.com/auth/'

/** `signIn`: the consent page has no box for it, and Testing does not limit it. */
export const scopes: Record<string, { means: string; signIn: boolean }> = {
  openid: { means: 'Know who you are on Google', signIn: true },
  email: { means: 'See your email address', signIn: true },
  profile: { means: 'See your name and picture', signIn: true },
  [`${prefix}youtube.upload`]: { means: 'Upload videos to your channel', signIn: false },
  [`${prefix}youtube.readonly`]: { means: 'See your channel and its videos', signIn: false },
  [`${prefix}youtube.force-ssl`]: { means: 'Comment, and edit or delete your videos', signIn: false },
  [`${prefix}youtube`]: { means: 'Manage your channel', signIn: false },
  [`${prefix}yt-analytics.readonly`]: { means: 'See the numbers of your channel', signIn: false },
}

export const uploadScope = `${prefix}youtube.upload`
export const readScope = `${prefix}youtube.readonly`
export const commentScope = `${prefix}youtube.force-ssl`
export const analyticsScope = `${prefix}yt-analytics.readonly`

/** What the quotas of an app's project count: uploads, units of all other calls of the Data API, and reports. */
export type Bucket = 'uploads' | 'units' | 'reports'

export interface AppSettings {
  /** null: derived from `--app-url`. */
  redirect_uris: string[] | null
  /** False: the API is switched off in the app's Google project. */
  api_enabled: boolean
  /** The same for the Analytics API. */
  analytics_enabled: boolean
}

/** A choice in Google's chooser: a channel, or a person without one. */
export interface Creator {
  username: string
  title: string
  /** The Google account. A person with several channels chooses one of them for each link. */
  person: string
  /** False: the person has no channel, and `username` is only their name in the chooser. */
  has_channel: boolean
  /** The channel has no `customUrl`. */
  no_handle: boolean
  /** Every upload of the channel becomes private, as its owner chose in the account's settings. */
  private: boolean
  /** YouTube suspended the account. */
  banned: boolean
  /** `longUploadsStatus`: allowed, eligible, disallowed or longUploadsUnspecified. */
  long_uploads: string
  /** Uploads per 24 hours; null: no limit. */
  daily_limit: number | null
  thumbnails_allowed: boolean
  /** The reasons for which the next uploads are `failed` or `rejected`, one each, whatever they contain. */
  fail_reasons: string[]
  /** The reasons for which the next uploads are `rejected` after they were `processed`, one each. */
  late_rejections: string[]
}

export interface Code {
  code: string
  username: string
  scopes: string[]
  redirect_uri: string
  code_challenge: string | null
  /** `access_type=offline`, and this time the person was asked for consent. */
  gives_refresh_token: boolean
  expires_at: number
  used: boolean
}

export interface RefreshToken {
  token: string
  username: string
  scopes: string[]
  created_at: number
  used_at: number
  /** null: the person gave access without a limit of time. */
  expires_at: number | null
}

export interface AccessToken {
  token: string
  username: string
  scopes: string[]
  expires_at: number
}

export interface Metadata {
  title: string
  description: string
  tags: string[]
  categoryId: string
  defaultLanguage: string | null
  privacyStatus: 'public' | 'unlisted' | 'private'
  publishAt: string | null
  selfDeclaredMadeForKids: boolean | null
  containsSyntheticMedia: boolean
  license: 'youtube' | 'creativeCommon'
  embeddable: boolean
  publicStatsViewable: boolean
  hasPaidProductPlacement: boolean
  recordingDate: string | null
  localizations: Record<string, { title?: string; description?: string }>
  notifySubscribers: boolean
}

export interface UploadSession {
  /** In the address: whoever has it and a token of the channel can finish the upload. */
  upload_id: string
  username: string
  parts: string[]
  metadata: Metadata
  bytes: number
  stored: number
  created_at: number
  /** A scripted fault made YouTube forget it. */
  gone: boolean
  /** Processing will never end. */
  stuck: boolean
  /** The answer that finished it, repeated to every further call. */
  answer: { status: number; body: string } | null
}

/** The findings of YouTube's own inspection. Lengths in pixels and milliseconds. */
export interface VideoFacts {
  width: number
  height: number
  duration_ms: number
}

export interface Video {
  id: string
  upload_id: string
  username: string
  metadata: Metadata
  sha256: string
  bytes: number
  created_at: number
  stuck: boolean
  /** Undefined during inspection. `reason`: it fails or is rejected for it; null: it is processed. */
  inspected?: { facts: VideoFacts | null; reason: string | null; late_rejection: string | null }
  thumbnail?: { sha256: string; type: string }
}

export interface Comment {
  id: string
  video_id: string
  username: string
  text: string
  created_at: number
}

export interface YouTube extends Context {
  app: Table<AppSettings>
  creators: Table<Creator>
  codes: Table<Code>
  /** The scopes that each creator has allowed so far. */
  consents: Table<string[]>
  refreshTokens: Table<RefreshToken>
  accessTokens: Table<AccessToken>
  sessions: Table<UploadSession>
  videos: Table<Video>
  comments: Table<Comment>
  /** The quota that the app's project has used, by the date in California. */
  used: Table<Partial<Record<Bucket, number>>>
}

export function openYouTube(context: Context): YouTube {
  const { store } = context
  return {
    ...context,
    app: store.table('youtube.app'),
    creators: store.table('youtube.creators'),
    codes: store.table('youtube.codes'),
    consents: store.table('youtube.consents'),
    refreshTokens: store.table('youtube.refresh_tokens'),
    accessTokens: store.table('youtube.access_tokens'),
    sessions: store.table('youtube.sessions'),
    videos: store.table('youtube.videos'),
    comments: store.table('youtube.comments'),
    used: store.table('youtube.used'),
  }
}

export const newApp = (): AppSettings => ({
  redirect_uris: null,
  api_enabled: true,
  analytics_enabled: true,
})

export const redirectUris = (youtube: YouTube): string[] =>
  youtube.app.get('app')?.redirect_uris ?? [`${youtube.appUrl}/dashboard/oauth/youtube/callback`]

export const newCreator = (username: string): Creator => ({
  username,
  title: username.charAt(0).toUpperCase() + username.slice(1),
  person: username,
  has_channel: true,
  no_handle: false,
  private: false,
  banned: false,
  long_uploads: 'allowed',
  daily_limit: null,
  thumbnails_allowed: true,
  fail_reasons: [],
  late_rejections: [],
})

/** Persons with one, three and no channels. */
export function seedCreators(youtube: YouTube): void {
  const seeds: Creator[] = [
    newCreator('nova'),
    newCreator('atlas'),
    { ...newCreator('atlas.kitchen'), title: 'Atlas Kitchen', person: 'atlas' },
    { ...newCreator('atlas.travel'), title: 'Atlas Travel', person: 'atlas', long_uploads: 'disallowed' },
    newCreator('quiet'),
    { ...newCreator('lurker'), has_channel: false },
  ]
  for (const creator of seeds) {
    if (youtube.creators.get(creator.username) === undefined) youtube.creators.put(creator.username, creator)
  }
}

const hash = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)

export const channelId = (username: string): string => `UC${hash(`channel ${username}`, 22)}`
export const uploadsPlaylistId = (username: string): string => `UU${channelId(username).slice(2)}`
/** The `sub` of a Google account: beyond 2^53. */
export const googleId = (person: string): string => hashToHugeNumber(`google ${person}`, '1', 21)
export const newVideoId = (): string => randomBytes(8).toString('base64url')
export const etag = (of: string): string => hash(`etag ${of}`, 27)

/** The creators whose tokens end together: those of one Google account, or by a setting only the channel itself. */
function withSameAccess(youtube: YouTube, username: string): string[] {
  const person = youtube.creators.get(username)?.person
  if (youtube.settings.get().youtube_revoke_ends === 'channel') return [username]
  return youtube.creators.all().flatMap((each) => (each.person === person ? [each.username] : []))
}

/** The owner deletes a video, or changes who sees it. */
export function setVisibility(youtube: YouTube, id: string, visibility: Visibility): void {
  const video = youtube.videos.get(id)
  if (video === undefined) return
  if (visibility === 'deleted') youtube.videos.delete(id)
  else youtube.videos.put(id, { ...video, metadata: { ...video.metadata, privacyStatus: visibility } })
}

/** The person takes permissions of a channel back and leaves the others. */
export function withdraw(youtube: YouTube, username: string, taken: readonly string[]): void {
  const without = (granted: readonly string[]): string[] => granted.filter((one) => !taken.includes(one))
  youtube.consents.put(username, without(youtube.consents.get(username) ?? []))
  for (const token of youtube.refreshTokens.all()) {
    if (token.username === username)
      youtube.refreshTokens.put(token.token, { ...token, scopes: without(token.scopes) })
  }
  for (const token of youtube.accessTokens.all()) {
    if (token.username === username)
      youtube.accessTokens.put(token.token, { ...token, scopes: without(token.scopes) })
  }
}

/** Revocation, or the person removed the app: every scope and token of the person ends. */
export function endAccess(youtube: YouTube, username: string): void {
  const ended = withSameAccess(youtube, username)
  youtube.store.transaction(() => {
    for (const name of ended) youtube.consents.delete(name)
    for (const tokens of [youtube.refreshTokens, youtube.accessTokens])
      for (const each of tokens.all()) if (ended.includes(each.username)) tokens.delete(each.token)
  })
}
