import { bodyText, parseQuery } from '../kit/http/body.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { authenticate, invalidParams, isJson, notJson, ok } from './envelope.ts'
import type { RateLimits } from './limits.ts'
import { settle } from './state/processing.ts'
import type { Post, TikTok } from './state/state.ts'

const idsMax = 20

/** `POST /v2/video/query/?fields=…`: the creator's own public posts. What is deleted or private is absent, without an error. */
export function queryVideos(tiktok: TikTok, limits: RateLimits, call: Call): Answer {
  const caller = authenticate(tiktok, call.request, ['video.list'])
  if ('status' in caller) return caller
  if (!isJson(call.request)) return notJson()
  const limited = limits.take('video_query', everyone)
  if (limited !== null) return limited
  const fields = (parseQuery(call.request).get('fields') ?? '').split(',').filter((field) => field !== '')
  if (fields.length === 0) return invalidParams('The fields parameter is required.')
  const unknown = fields.find((field) => !videoFields.includes(field))
  if (unknown !== undefined) return invalidParams(`The field ${unknown} is invalid.`)
  const ids = readIds(call)
  if (ids === null) return invalidParams(`filters.video_ids must have 1 to ${idsMax} ids of videos.`)
  settle(tiktok)
  const posts = ids.flatMap((id) => {
    const post = tiktok.posts.get(id)
    return post !== undefined && isShown(tiktok, post, caller.creator.username) ? [post] : []
  })
  const shown = call.fault?.fault === 'not_found' ? [] : posts
  return ok({
    videos: shown.map((post) => {
      const video = toVideo(tiktok, post, call.origin)
      return Object.fromEntries(fields.map((field) => [field, video[field]]))
    }),
  })
}

/** "600 a minute": by user or by app is not said, so the app's. */
const everyone = '*'

/** Texts of digits. That others are refused is our assumption. */
function readIds(call: Call): string[] | null {
  const ids = asObject(asObject(parseJson(bodyText(call.request)))?.filters)?.video_ids
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > idsMax) return null
  const texts = ids.filter((id): id is string => typeof id === 'string' && /^\d{1,20}$/.test(id))
  return texts.length === ids.length ? texts : null
}

const isShown = (tiktok: TikTok, post: Post, username: string): boolean =>
  post.username === username &&
  post.post_info.privacy_level === 'PUBLIC_TO_EVERYONE' &&
  tiktok.creators.get(username)?.private !== true

const videoFields = [
  'id',
  'create_time',
  'cover_image_url',
  'share_url',
  'video_description',
  'duration',
  'height',
  'width',
  'title',
  'embed_html',
  'embed_link',
  'like_count',
  'comment_count',
  'share_count',
  'view_count',
  'is_aigc',
]

function toVideo(tiktok: TikTok, post: Post, origin: string): Record<string, unknown> {
  const { id, username, post_info, created_at } = post
  const counters = tiktok.audience.count('tiktok', post)
  const url = `${origin}/tiktok/@${username}/video/${id}`
  return {
    id,
    create_time: Math.floor(created_at / 1000),
    cover_image_url: `${origin}/avatars/${encodeURIComponent(username)}.svg`,
    share_url: url,
    video_description: post_info.title,
    // Practice posts do not keep what their video is like.
    duration: 15,
    height: 1024,
    width: 576,
    title: post_info.title,
    embed_html: `<iframe src="${url}"></iframe>`,
    embed_link: url,
    like_count: counters.likes ?? undefined,
    comment_count: counters.comments ?? undefined,
    share_count: counters.shares ?? undefined,
    view_count: counters.views ?? undefined,
    is_aigc: post_info.is_aigc,
  }
}
