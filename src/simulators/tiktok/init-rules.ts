import { asObject } from '../kit/json.ts'
import type { PostInfo } from './state/state.ts'

const privacyLevels = ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY']

/** The one message TikTok has for everything that is wrong with `post_info`. */
const wrongPostInfo = { refused: 'The request post info is empty or incorrect' }

export function readPostInfo(value: unknown): PostInfo | { refused: string } {
  const info = asObject(value)
  if (info === null) return wrongPostInfo
  const { privacy_level, title = '' } = info
  if (typeof privacy_level !== 'string' || !privacyLevels.includes(privacy_level)) return wrongPostInfo
  // "2200 UTF-16 runes" equals JavaScript's length.
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
  // Branded content must not be private; the real answer is undocumented, so we refuse it.
  if (switches.brand_content_toggle && privacy_level === 'SELF_ONLY') return wrongPostInfo
  const cover = info.video_cover_timestamp_ms
  return {
    title,
    privacy_level,
    ...switches,
    // An invalid or absent cover time is never an error: the first frame is used.
    video_cover_timestamp_ms: typeof cover === 'number' && Number.isInteger(cover) && cover >= 0 ? cover : 0,
  }
}

const allBooleans = <K extends string>(values: Record<K, unknown>): values is Record<K, boolean> =>
  Object.values(values).every((value) => typeof value === 'boolean')

export interface FileSource {
  from: 'file'
  video_size: number
  chunk_size: number
  total_chunk_count: number
}
export interface UrlSource {
  from: 'url'
  video_url: string
}
export interface RefusedSource {
  refused: string
}

/** Only three messages of `invalid_params` are known. Which one an invalid size gets is our assumption. */
const wrongChunkSize = { refused: 'The chunk size is invalid' }
const wrongCount = { refused: 'The total chunk count is invalid' }

export function readSource(value: unknown): FileSource | UrlSource | RefusedSource {
  const info = asObject(value)
  if (info?.source === 'PULL_FROM_URL' && typeof info.video_url === 'string') {
    return { from: 'url', video_url: info.video_url }
  }
  if (info?.source !== 'FILE_UPLOAD') return wrongPostInfo
  const { video_size, chunk_size, total_chunk_count } = info
  if (!isCount(video_size) || !isCount(chunk_size)) return wrongChunkSize
  if (!isCount(total_chunk_count)) return wrongCount
  const source: FileSource = { from: 'file', video_size, chunk_size, total_chunk_count }
  return checkPlan(source) ?? source
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

/** "Maximum of 4GB" */
const maxVideoSize = 4_294_967_296
/** MB is not defined as 10^6 or 2^20; both limits are generous. */
const minChunkSize = 5_242_880
const maxChunkSize = 67_108_864

function checkPlan({ video_size, chunk_size, total_chunk_count }: FileSource): RefusedSource | null {
  if (video_size > maxVideoSize || chunk_size > video_size) return wrongChunkSize
  // "total_chunk_count = floor(video_size / chunk_size)": the last chunk absorbs the rest.
  if (total_chunk_count !== Math.floor(video_size / chunk_size)) return wrongCount
  if (total_chunk_count > 1000) return wrongCount
  if (chunk_size > maxChunkSize) return wrongChunkSize
  if (total_chunk_count === 1) return chunk_size === video_size ? null : wrongChunkSize
  return chunk_size < minChunkSize ? wrongChunkSize : null
}
