import { asObject } from '../kit/json.ts'
import type { PostInfo } from './state.ts'

const privacyLevels = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY']

/** The one message TikTok has for everything that is wrong with `post_info`. */
const wrongPostInfo = { refused: 'The request post info is empty or incorrect' }

export function readPostInfo(value: unknown): PostInfo | { refused: string } {
  const info = asObject(value)
  if (info === null) return wrongPostInfo
  const { privacy_level, title = '' } = info
  if (typeof privacy_level !== 'string' || !privacyLevels.includes(privacy_level)) return wrongPostInfo
  // "2200 UTF-16 runes" is what JavaScript calls length.
  if (typeof title !== 'string' || title.length > 2200) return wrongPostInfo
  const switches = {
    disable_duet: info.disable_duet ?? false,
    disable_comment: info.disable_comment ?? false,
    disable_stitch: info.disable_stitch ?? false,
    brand_content_toggle: info.brand_content_toggle ?? false,
    brand_organic_toggle: info.brand_organic_toggle ?? false,
    is_aigc: info.is_aigc ?? false,
  }
  if (!allBooleans(switches)) return wrongPostInfo
  // Branded content must not be private; what the real call answers is not documented, we refuse it.
  if (switches.brand_content_toggle && privacy_level === 'SELF_ONLY') return wrongPostInfo
  const cover = info.video_cover_timestamp_ms
  return {
    title,
    privacy_level,
    ...switches,
    // An invalid or absent cover time is never an error: the first frame is taken.
    video_cover_timestamp_ms: typeof cover === 'number' && Number.isInteger(cover) && cover >= 0 ? cover : 0,
  }
}

const allBooleans = <K extends string>(values: Record<K, unknown>): values is Record<K, boolean> =>
  Object.values(values).every((value) => typeof value === 'boolean')

export interface Source {
  video_size: number
  chunk_size: number
  total_chunk_count: number
}

export type RefusedSource = { refused: string; code: 'invalid_params' | 'url_ownership_unverified' }

const refuse = (refused: string): RefusedSource => ({ refused, code: 'invalid_params' })

export function readSource(value: unknown): Source | RefusedSource {
  const info = asObject(value)
  if (info?.source === 'PULL_FROM_URL') {
    // No domain is verified for the practice app.
    return { refused: 'The url ownership is not verified', code: 'url_ownership_unverified' }
  }
  if (info === null || info.source !== 'FILE_UPLOAD')
    return refuse('The request source info is empty or incorrect')
  const { video_size, chunk_size, total_chunk_count } = info
  if (!isCount(video_size)) return refuse('The video size is invalid')
  if (!isCount(chunk_size)) return refuse('The chunk size is invalid')
  if (!isCount(total_chunk_count)) return refuse('The total chunk count is invalid')
  return { video_size, chunk_size, total_chunk_count }
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

/** "Maximum of 4GB" */
const maxVideoSize = 4_294_967_296
/** Whether MB means 10^6 or 2^20 is not stated; both limits are taken generously. */
const minChunkSize = 5_242_880
const maxChunkSize = 67_108_864

/** What is wrong with the plan of chunks, in TikTok's words, or null. */
export function checkSource({ video_size, chunk_size, total_chunk_count }: Source): string | null {
  if (video_size > maxVideoSize) return 'The video size is invalid'
  if (chunk_size > video_size) return 'The chunk size is invalid'
  // "total_chunk_count = floor(video_size / chunk_size)": the last chunk absorbs the rest.
  if (total_chunk_count !== Math.floor(video_size / chunk_size)) return 'The total chunk count is invalid'
  if (total_chunk_count > 1000) return 'The total chunk count is invalid'
  if (chunk_size > maxChunkSize) return 'The chunk size is invalid'
  if (total_chunk_count === 1) return chunk_size === video_size ? null : 'The chunk size is invalid'
  return chunk_size < minChunkSize ? 'The chunk size is invalid' : null
}
