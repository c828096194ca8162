import { inspectVideo, type MediaFacts } from '../kit/inspection/inspect-video.ts'
import type { LivePost } from '../kit/live-post.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { badRequest, forbidden, json, missingParameter, notFound, readParts, type Caller } from './answers.ts'
import { channelId, etag, uploadsPlaylistId, type Creator, type Video, type YouTube } from './state.ts'

/** Parts that only the owner may read. */
const ownerParts = ['fileDetails', 'processingDetails', 'suggestions']
export const videoParts = [
  'id',
  'snippet',
  'status',
  'contentDetails',
  'statistics',
  'player',
  'recordingDetails',
  'localizations',
  'paidProductPlacementDetails',
  ...ownerParts,
]

/** Reasons of `failed` videos; any other reason is one of `rejected` ones. */
const failureReasons = ['conversion', 'invalidFile', 'emptyFile', 'tooSmall', 'codec', 'uploadAborted']
export function inspectUpload(youtube: YouTube, video: Video): void {
  if (video.stuck) return
  const file = youtube.media.video(video.sha256)
  youtube.background.run(() => storeInspection(youtube, video.id, inspectVideo(file)))
}

async function storeInspection(
  youtube: YouTube,
  id: string,
  inspection: Promise<MediaFacts | null>,
): Promise<void> {
  const facts = await inspection
  const video = youtube.videos.get(id)
  const creator = youtube.creators.get(video?.username ?? '')
  if (video === undefined || creator === undefined || video.inspected !== undefined) return
  const [scripted, ...left] = creator.fail_reasons
  const reason = scripted ?? findReason(facts, creator)
  const [late = null, ...lateLeft] = reason === null ? creator.late_rejections : []
  youtube.store.transaction(() => {
    if (scripted !== undefined) youtube.creators.put(creator.username, { ...creator, fail_reasons: left })
    if (late !== null) youtube.creators.put(creator.username, { ...creator, late_rejections: lateLeft })
    youtube.videos.put(id, {
      ...video,
      inspected: {
        facts: facts && {
          width: facts.width,
          height: facts.height,
          duration_ms: Math.round(facts.duration * 1000),
        },
        reason,
        late_rejection: late,
      },
    })
  })
}

/** "15 min without a phone-verified channel", 12 hours for all. */
function findReason(facts: MediaFacts | null, creator: Creator): string | null {
  if (facts === null) return 'invalidFile'
  if (facts.codec === null) return 'codec'
  const longestS = creator.long_uploads === 'allowed' ? 12 * 3600 : 15 * 60
  return facts.duration > longestS ? 'length' : null
}

/** Repairs what a kill interrupted: a complete file that was not moved, or an inspection. */
export async function resumeInspections(youtube: YouTube): Promise<void> {
  for (const video of youtube.videos.all()) {
    if (video.inspected !== undefined) continue
    await youtube.media.finish(video.upload_id, video.sha256)
    inspectUpload(youtube, video)
  }
}

export type VideoState =
  | { uploadStatus: 'uploaded' | 'processed' }
  | { uploadStatus: 'failed'; failureReason: string }
  | { uploadStatus: 'rejected'; rejectionReason: string; isLate: boolean }

/** Computed from the clock whenever it is read. */
export function videoState(youtube: YouTube, video: Video): VideoState {
  const { youtube_processing_ms, youtube_late_rejection_ms } = youtube.settings.get()
  const now = youtube.clock.now()
  const processedAt = video.created_at + youtube_processing_ms
  if (video.stuck || video.inspected === undefined || now < processedAt) return { uploadStatus: 'uploaded' }
  const { reason, late_rejection } = video.inspected
  if (reason !== null) {
    return failureReasons.includes(reason)
      ? { uploadStatus: 'failed', failureReason: reason }
      : { uploadStatus: 'rejected', rejectionReason: reason, isLate: false }
  }
  return late_rejection !== null && now >= processedAt + youtube_late_rejection_ms
    ? { uploadStatus: 'rejected', rejectionReason: late_rejection, isLate: true }
    : { uploadStatus: 'processed' }
}

/** A private video with `publishAt` becomes public at that time. */
export function privacyOf(youtube: YouTube, { metadata }: Video): string {
  const { publishAt, privacyStatus } = metadata
  return publishAt !== null && Date.parse(publishAt) <= youtube.clock.now() ? 'public' : privacyStatus
}

export const isProcessed = (youtube: YouTube, video: Video): boolean =>
  videoState(youtube, video).uploadStatus === 'processed'

/** The caller's own, or one that everybody may see. */
export const isVisible = (youtube: YouTube, video: Video, { username }: Creator): boolean =>
  video.username === username || (privacyOf(youtube, video) !== 'private' && isProcessed(youtube, video))

/** `GET /youtube/v3/videos?id=`: what the caller may not see is left out. */
export function listVideos(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  const ids = [...new Set((query.get('id') ?? '').split(',').filter((id) => id !== ''))]
  if (ids.length === 0) return missingParameter(youtube, 'id')
  if (ids.length > 50) return badRequest(youtube, 'invalidFilters', 'At most 50 ids.', 'youtube.parameter')
  const parts = readParts(query)
  const found = ids.flatMap((id) => {
    const video = youtube.videos.get(id)
    return video !== undefined && isVisible(youtube, video, creator) ? [video] : []
  })
  const isStrange = found.some((video) => video.username !== creator.username)
  if (isStrange && parts.some((part) => ownerParts.includes(part)))
    return forbidden(youtube, 'forbidden', 'Only the owner of a video may read this part.')
  // A scripted fault hides them once, or shows them once as still being processed.
  const items = call.fault?.fault === 'not_found' ? [] : found
  const isStuck = call.fault?.fault === 'stuck_processing'
  return json(200, {
    kind: 'youtube#videoListResponse',
    etag: etag(`videos ${ids.join(',')}`),
    items: items.map((video) =>
      toResource(youtube, isStuck ? { ...video, stuck: true } : video, call.origin, parts),
    ),
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
  })
}

export function toResource(youtube: YouTube, video: Video, origin: string, parts: string[]): object {
  const state = videoState(youtube, video)
  const all: Record<string, object> = {
    snippet: snippet(youtube, video, origin),
    status: status(youtube, video, state),
    contentDetails: contentDetails(video, state),
    statistics: statistics(youtube, video),
    player: { embedHtml: `<iframe src="${origin}/youtube/embed/${video.id}"></iframe>` },
    recordingDetails:
      video.metadata.recordingDate === null ? {} : { recordingDate: video.metadata.recordingDate },
    localizations: video.metadata.localizations,
    paidProductPlacementDetails: { hasPaidProductPlacement: video.metadata.hasPaidProductPlacement },
    fileDetails: fileDetails(video, state),
    processingDetails: processingDetails(video, state),
    suggestions: video.inspected?.reason === 'invalidFile' ? { processingErrors: ['notAVideoFile'] } : {},
  }
  return {
    kind: 'youtube#video',
    etag: etag(`${video.id} ${state.uploadStatus}`),
    id: video.id,
    ...Object.fromEntries(Object.entries(all).filter(([name]) => parts.includes(name))),
  }
}

/** Texts. A count that is hidden or switched off is left out: that this goes for the comments of videos for kids is our assumption. */
function statistics(youtube: YouTube, video: Video): object {
  const { views, likes, comments } = youtube.audience.count('youtube', video)
  const isOff = comments === null || video.metadata.selfDeclaredMadeForKids === true
  const own = youtube.comments.all().filter((each) => each.video_id === video.id).length
  return {
    ...(views !== null && { viewCount: String(views) }),
    ...(likes !== null && { likeCount: String(likes) }),
    favoriteCount: '0',
    ...(!isOff && { commentCount: String(comments + own) }),
  }
}

function snippet(youtube: YouTube, video: Video, origin: string): object {
  const { title, description, tags, categoryId, defaultLanguage } = video.metadata
  return {
    publishedAt: new Date(video.created_at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    channelId: channelId(video.username),
    title,
    description,
    thumbnails: thumbnailsOf(video, origin),
    channelTitle: youtube.creators.get(video.username)?.title ?? '',
    ...(tags.length > 0 && { tags }),
    categoryId,
    liveBroadcastContent: 'none',
    ...(defaultLanguage !== null && { defaultLanguage }),
    localized: { title, description },
  }
}

/** An own thumbnail has addresses of its own, by which it can be told from YouTube's. */
export function thumbnailsOf({ id, thumbnail }: Video, origin: string): object {
  const query = thumbnail === undefined ? '' : `?own=${thumbnail.sha256.slice(0, 16)}`
  const at = (name: string, width: number, height: number): object => ({
    url: `${origin}/youtube/vi/${id}/${name}.jpg${query}`,
    width,
    height,
  })
  return {
    default: at('default', 120, 90),
    medium: at('mqdefault', 320, 180),
    high: at('hqdefault', 480, 360),
    ...(thumbnail !== undefined && { maxres: at('maxresdefault', 1280, 720) }),
  }
}

function status(youtube: YouTube, video: Video, state: VideoState): object {
  const {
    publishAt,
    selfDeclaredMadeForKids,
    containsSyntheticMedia,
    license,
    embeddable,
    publicStatsViewable,
  } = video.metadata
  const privacyStatus = privacyOf(youtube, video)
  return {
    uploadStatus: state.uploadStatus,
    ...(state.uploadStatus === 'failed' && { failureReason: state.failureReason }),
    ...(state.uploadStatus === 'rejected' && { rejectionReason: state.rejectionReason }),
    privacyStatus,
    ...(publishAt !== null && privacyStatus === 'private' && { publishAt }),
    license,
    embeddable,
    publicStatsViewable,
    madeForKids: selfDeclaredMadeForKids === true,
    ...(selfDeclaredMadeForKids !== null && { selfDeclaredMadeForKids }),
    containsSyntheticMedia,
  }
}

const contentDetails = ({ inspected }: Video, { uploadStatus }: VideoState): object => ({
  duration:
    uploadStatus === 'uploaded' ? 'P0D' : `PT${Math.round((inspected?.facts?.duration_ms ?? 0) / 1000)}S`,
  dimension: '2d',
  definition: 'sd',
  caption: 'false',
  licensedContent: false,
  projection: 'rectangular',
})

/** "only returned when fileDetailsAvailability says available". The API's uploads send no name of a file. */
const fileDetails = ({ bytes, inspected }: Video, { uploadStatus }: VideoState): object =>
  uploadStatus === 'uploaded'
    ? {}
    : {
        fileSize: String(bytes),
        fileType: inspected?.facts == null ? 'other' : 'video',
        ...(inspected?.facts != null && { durationMs: String(inspected.facts.duration_ms) }),
      }

function processingDetails({ inspected }: Video, state: VideoState): object {
  const isOver = state.uploadStatus !== 'uploaded'
  return {
    processingStatus: processingStatus(state),
    ...(state.uploadStatus === 'failed' && { processingFailureReason: failedBy(inspected?.reason ?? '') }),
    ...(!isOver && { processingProgress: { partsTotal: '100', partsProcessed: '50', timeLeftMs: '5000' } }),
    fileDetailsAvailability: isOver ? 'available' : 'inProgress',
    processingIssuesAvailability: isOver ? 'available' : 'inProgress',
    tagSuggestionsAvailability: 'inProgress',
    editorSuggestionsAvailability: 'inProgress',
    thumbnailsAvailability: isOver ? 'available' : 'inProgress',
  }
}

function processingStatus(state: VideoState): string {
  switch (state.uploadStatus) {
    case 'uploaded':
      return 'processing'
    case 'processed':
      return 'succeeded'
    case 'failed':
      return 'failed'
    case 'rejected':
      return state.isLate ? 'succeeded' : 'terminated'
  }
}

const failedBy = (reason: string): string =>
  reason === 'uploadAborted'
    ? 'uploadFailed'
    : ['codec', 'conversion'].includes(reason)
      ? 'transcodeFailed'
      : 'other'

export const playlistItemParts = ['id', 'snippet', 'contentDetails', 'status']

/** `GET /youtube/v3/playlistItems?playlistId=UU…`: newest first, private ones only for their owner. */
export function listPlaylistItems(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  const playlistId = query.get('playlistId')
  if (playlistId === null) return missingParameter(youtube, 'playlistId')
  const owner = youtube.creators.all().find((each) => uploadsPlaylistId(each.username) === playlistId)
  if (owner === undefined || !owner.has_channel)
    return notFound(youtube, 'playlistNotFound', 'The playlist cannot be found.')
  const page = readPage(query, 5, 50)
  if (page === null) return badRequest(youtube, 'invalidPageToken', 'Invalid maxResults or pageToken.')
  const shownUntil = youtube.clock.now() - youtube.settings.get().youtube_playlist_delay_ms
  const videos = youtube.videos
    .all()
    .filter((video) => video.username === owner.username && video.created_at <= shownUntil)
    .filter((video) => video.username === creator.username || privacyOf(youtube, video) === 'public')
    .toReversed()
  const parts = readParts(query)
  return json(200, {
    kind: 'youtube#playlistItemListResponse',
    etag: etag(`playlist ${playlistId}`),
    ...pageTokens(page, videos.length),
    items: videos
      .slice(page.from, page.from + page.size)
      .map((video, index) =>
        playlistItem(youtube, video, { origin: call.origin, parts, position: page.from + index }),
      ),
    pageInfo: { totalResults: videos.length, resultsPerPage: page.size },
  })
}

function playlistItem(
  youtube: YouTube,
  video: Video,
  { origin, parts, position }: { origin: string; parts: string[]; position: number },
): object {
  const { id, username, metadata } = video
  const publishedAt = new Date(video.created_at).toISOString().replace(/\.\d{3}Z$/, 'Z')
  const privacyStatus = privacyOf(youtube, video)
  const all: Record<string, object> = {
    snippet: {
      publishedAt,
      channelId: channelId(username),
      title: metadata.title,
      description: metadata.description,
      thumbnails: thumbnailsOf(video, origin),
      channelTitle: youtube.creators.get(username)?.title ?? '',
      playlistId: uploadsPlaylistId(username),
      position,
      resourceId: { kind: 'youtube#video', videoId: id },
    },
    contentDetails: { videoId: id, ...(privacyStatus !== 'private' && { videoPublishedAt: publishedAt }) },
    status: { privacyStatus },
  }
  return {
    kind: 'youtube#playlistItem',
    etag: etag(`item ${id}`),
    id: Buffer.from(`${uploadsPlaylistId(username)}.${id}`).toString('base64url'),
    ...Object.fromEntries(Object.entries(all).filter(([name]) => parts.includes(name))),
  }
}

export interface Page {
  from: number
  size: number
}

/** A page token is the number of what comes before the page. null: it is none, or the size is out of range. */
export function readPage(query: URLSearchParams, byDefault: number, most: number): Page | null {
  const size = Number(query.get('maxResults') ?? byDefault)
  const token = query.get('pageToken')
  const from = token === null ? 0 : Number(/^P(\d+)$/.exec(token)?.[1] ?? NaN)
  return Number.isInteger(size) && size >= 1 && size <= most && Number.isInteger(from) ? { from, size } : null
}

export const pageTokens = ({ from, size }: Page, total: number): object => ({
  ...(from + size < total && { nextPageToken: `P${from + size}` }),
  ...(from > 0 && { prevPageToken: `P${Math.max(0, from - size)}` }),
})

/** "vertical or square and at most 3 minutes" */
export const isShort = ({ inspected }: Video): boolean =>
  inspected?.facts != null &&
  inspected.facts.width <= inspected.facts.height &&
  inspected.facts.duration_ms <= 180_000

export const livePosts = (youtube: YouTube, origin: string): LivePost[] =>
  youtube.videos
    .all()
    .filter((video) => isProcessed(youtube, video))
    .map((video) => {
      const { description, ...options } = video.metadata
      return {
        platform: 'youtube',
        id: video.id,
        account: video.username,
        text: description,
        options: {
          ...options,
          privacyStatus: privacyOf(youtube, video),
          thumbnail_sha256: video.thumbnail?.sha256 ?? null,
        },
        sha256: video.sha256,
        bytes: video.bytes,
        created_at: new Date(video.created_at).toISOString(),
        url: `${origin}/youtube/${isShort(video) ? `shorts/${video.id}` : `watch?v=${video.id}`}`,
        comments: youtube.comments
          .all()
          .filter((each) => each.video_id === video.id)
          .map((each) => ({ account: each.username, text: each.text })),
      }
    })

/** Videos that YouTube is still processing; the others are what they will be. */
export const pendingVideos = (youtube: YouTube): Video[] =>
  youtube.videos
    .all()
    .filter((video) => !video.stuck && videoState(youtube, video).uploadStatus === 'uploaded')
