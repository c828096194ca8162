import { bodyText, parseQuery } from '../kit/http/body.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { authenticate, invalidParams, isJson, missingScope, notJson, ok, refusal } from './envelope.ts'
import type { RateLimits } from './limits.ts'
import { isPostIdPublic, settle } from './state/processing.ts'
import { openId, privacyOptions, unionId, type Creator, type TikTok, type UploadTask } from './state/state.ts'

export const guidelines =
  'Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/'

const userFields: Record<string, string> = {
  open_id: 'user.info.basic',
  union_id: 'user.info.basic',
  avatar_url: 'user.info.basic',
  avatar_url_100: 'user.info.basic',
  avatar_large_url: 'user.info.basic',
  display_name: 'user.info.basic',
  username: 'user.info.profile',
  bio_description: 'user.info.profile',
  profile_deep_link: 'user.info.profile',
  profile_web_link: 'user.info.profile',
  is_verified: 'user.info.profile',
  follower_count: 'user.info.stats',
  following_count: 'user.info.stats',
  likes_count: 'user.info.stats',
  video_count: 'user.info.stats',
}

/** `GET /v2/user/info/?fields=…`: one field outside the granted scopes fails the whole call. */
export function userInfo(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, [
    'user.info.basic',
    'user.info.profile',
    'user.info.stats',
  ])
  if ('status' in caller) return caller
  const { creator, grant } = caller
  const limited = limits.take('user_info', creator.username)
  if (limited !== null) return limited
  const fields = (parseQuery(call.request).get('fields') ?? '').split(',').filter((field) => field !== '')
  if (fields.length === 0) return invalidParams('The fields parameter is required.')
  const user: Record<string, unknown> = {}
  for (const field of fields) {
    const scope = userFields[field]
    if (scope === undefined) return invalidParams(`The field ${field} is invalid.`)
    if (!grant.scopes.includes(scope)) return missingScope()
    user[field] = userField(tiktok, creator, call.origin, field)
  }
  return ok({ user })
}

function userField(tiktok: TikTok, creator: Creator, origin: string, field: string): unknown {
  const profile = `${origin}/tiktok/@${creator.username}`
  const values: Record<string, unknown> = {
    open_id: openId(creator.username),
    union_id: unionId(creator.username),
    avatar_url: avatarUrl(origin, creator),
    avatar_url_100: avatarUrl(origin, creator),
    avatar_large_url: avatarUrl(origin, creator),
    display_name: creator.nickname,
    username: creator.username,
    bio_description: '',
    profile_deep_link: profile,
    profile_web_link: profile,
    is_verified: false,
    follower_count: 0,
    following_count: 0,
    likes_count: 0,
    video_count: tiktok.posts.all().filter((post) => post.username === creator.username).length,
  }
  return values[field]
}

const avatarUrl = (origin: string, creator: Creator): string =>
  `${origin}/avatars/${encodeURIComponent(creator.username)}.svg`

/** `POST /v2/post/publish/creator_info/query/`: a creator who cannot post now is reported with HTTP 200. */
export function creatorInfo(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.publish'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const { creator } = caller
  const limited = limits.take('creator_info', creator.username)
  if (limited !== null) return limited
  const errorCode = creatorErrorCode(tiktok, creator)
  if (errorCode !== null) return refusal(200, errorCode, guidelines)
  return ok({
    creator_avatar_url: avatarUrl(call.origin, creator),
    creator_username: creator.username,
    creator_nickname: creator.nickname,
    privacy_level_options: privacyOptions(creator),
    comment_disabled: creator.comment_disabled,
    duet_disabled: creator.duet_disabled || creator.private,
    stitch_disabled: creator.stitch_disabled || creator.private,
    max_video_post_duration_sec: creator.max_video_post_duration_sec,
  })
}

export function creatorErrorCode(tiktok: TikTok, creator: Creator): string | null {
  if (creator.banned) return 'spam_risk_user_banned_from_posting'
  if (creator.active_user_cap) return 'reached_active_user_cap'
  if (creator.daily_limit !== null && postsToday(tiktok, creator) >= creator.daily_limit) {
    return 'spam_risk_too_many_posts'
  }
  return null
}

/** Posts of the last 24 hours, including those in processing. We assume that abandoned uploads do not count. */
function postsToday(tiktok: TikTok, creator: Creator): number {
  const since = tiktok.clock.now() - 86_400_000
  const live = tiktok.posts
    .all()
    .filter((post) => post.username === creator.username && post.created_at > since)
  const processing = tiktok.tasks
    .all()
    .filter((task) => task.username === creator.username && task.progress.state === 'processing')
  return live.length + processing.length
}

/** `POST /v2/post/publish/status/fetch/`. The lifetime of a publish_id is undocumented: unlimited here. */
export function status(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.publish', 'video.upload'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const { creator } = caller
  const limited = limits.take('status', creator.username)
  if (limited !== null) return limited
  settle(tiktok)
  const body = asObject(parseJson(bodyText(call.request)))
  const task = typeof body?.publish_id === 'string' ? tiktok.tasks.get(body.publish_id) : undefined
  if (task === undefined || call.fault?.fault === 'not_found') {
    return refusal(400, 'invalid_publish_id', 'The publish_id is invalid.')
  }
  if (task.username !== creator.username) {
    return refusal(
      400,
      'token_not_authorized_for_specified_publish_id',
      'The access token is not authorized for the specified publish_id.',
    )
  }
  if (call.fault?.fault === 'stuck_processing') {
    return ok({ status: 'PROCESSING_UPLOAD', uploaded_bytes: task.received })
  }
  return ok(readStatus(tiktok, creator, task))
}

function readStatus(tiktok: TikTok, creator: Creator, task: UploadTask): Record<string, unknown> {
  const lagging = laggingBytes(tiktok, task)
  if (lagging !== null) return { status: 'PROCESSING_UPLOAD', uploaded_bytes: lagging }
  const { progress } = task
  switch (progress.state) {
    case 'downloading':
      return { status: 'PROCESSING_DOWNLOAD', downloaded_bytes: task.received }
    case 'uploading':
    case 'processing':
      return typeof task.video_url === 'string'
        ? { status: 'PROCESSING_DOWNLOAD', downloaded_bytes: task.received }
        : { status: 'PROCESSING_UPLOAD', uploaded_bytes: task.received }
    case 'inbox':
      return { status: 'SEND_TO_USER_INBOX', uploaded_bytes: task.received }
    case 'failed':
      return {
        status: 'FAILED',
        fail_reason: progress.fail_reason,
        publicaly_available_post_id: [],
        uploaded_bytes: task.received,
      }
    case 'complete':
      return {
        status: 'PUBLISH_COMPLETE',
        // TikTok's own spelling, and a bare number beyond 2^53.
        publicaly_available_post_id: isPostIdPublic(tiktok, creator, task.post_info, progress.live_at)
          ? [BigInt(progress.post_id)]
          : [],
        uploaded_bytes: task.received,
      }
  }
}

/** The bytes that a lagging status still reports; null: the status is current. */
function laggingBytes(tiktok: TikTok, task: UploadTask): number | null {
  const seenAt = tiktok.clock.now() - tiktok.settings.get().tiktok_status_lag_ms
  const log = task.received_log ?? []
  if (log.every(([at]) => at <= seenAt)) return null
  return log.findLast(([at]) => at <= seenAt)?.[1] ?? 0
}
