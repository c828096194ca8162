import type { Selectable } from 'kysely'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { type Video, VideoFacts } from '#contract/videos.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import type { Videos } from '#base/db/tables.ts'
import { warnOfUnreadable } from '../db/unreadable.ts'

export type VideoRow = Selectable<Videos>

/** Columns of other tables. */
export type VideoDetails = {
  /** Null: the video has no picture. */
  readonly poster_token: string | null
  readonly tags: string[]
  readonly post_count: number
  readonly draft_count: number
}

type Shown = 'video_id' | 'filename' | 'mime' | 'size' | 'sha256' | 'facts' | 'brand_id' | 'created_at'

export function toVideo(row: Pick<VideoRow, Shown> & VideoDetails): Video {
  const facts = factsOf(row)
  return {
    video_id: row.video_id as Video['video_id'], // ids come out of the database unbranded
    filename: row.filename,
    mime: servedMime(row.mime),
    size: row.size,
    sha256: row.sha256,
    facts,
    findings: PLATFORM_IDS.flatMap((platform) => checkVideo(facts, row.size, platform)),
    poster_url: posterUrl(row.poster_token),
    tags: row.tags,
    brand_id: row.brand_id as Video['brand_id'],
    used_in: { posts: row.post_count, drafts: row.draft_count },
    created_at: row.created_at.toISOString(),
  }
}

/** A row whose facts cannot be read is shown as an unknown video: one of them must not hide all others. */
export function factsOf(row: { readonly video_id: number; readonly facts: unknown }): VideoFacts {
  const facts = VideoFacts.safeParse(row.facts)
  if (facts.success) return facts.data
  warnOfUnreadable('video', row.video_id, facts.error)
  return UNKNOWN_FACTS
}

/** `poster.ts` serves it. */
export const posterUrl = (token: string | null): string | null =>
  token === null ? null : `/posters/${token}`

/** The type comes from the file's contents, never from the browser: it is served and sent to platforms under this type. */
export const mimeOf = ({ container }: VideoFacts): string => MIME[container] ?? UNKNOWN_MIME

const UNKNOWN_MIME = 'application/octet-stream'
const MIME: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  ogg: 'video/ogg',
  ts: 'video/mp2t',
}
const MIMES: ReadonlySet<string> = new Set(Object.values(MIME))

/** The type of a stored video; rows of earlier versions may hold whatever a browser said. */
export const servedMime = (mime: string): string => (MIMES.has(mime) ? mime : UNKNOWN_MIME)
