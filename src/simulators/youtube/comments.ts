import { bodyText, mediaType } from '../kit/http/body.ts'
import { escapeHtml } from '../kit/http/page.ts'
import { secret } from '../kit/ids.ts'
import { asObject, parseJson } from '../kit/json.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { badRequest, forbidden, json, missingParameter, notFound, type Caller } from './answers.ts'
import { channelId, etag, type Comment, type Creator, type Video, type YouTube } from './state.ts'
import { isProcessed, isVisible, pageTokens, privacyOf, readPage } from './videos.ts'

/** The length is unpublished; 10,000 is said. */
const textMaxChars = 10_000

/** `POST /youtube/v3/commentThreads?part=snippet`: public at once, without an idempotency key. */
export function comment(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  if (query.get('part') !== 'snippet') return invalidThread(youtube)
  const thread = readThread(call)
  if (thread === null) return invalidThread(youtube)
  const { text, videoId, channel } = thread
  const needsChannel = youtube.settings.get().youtube_comment_channel_required
  if (videoId === null || (channel === null && needsChannel))
    return badRequest(youtube, 'channelOrVideoIdMissing', 'channelId and videoId are required.')
  if (text.trim() === '') return badRequest(youtube, 'commentTextRequired', 'The comment has no text.')
  if (text.length > textMaxChars) return badRequest(youtube, 'commentTextTooLong', 'The comment is too long.')
  const video = findVideo(youtube, call, creator, videoId)
  if ('status' in video) return video
  if (channel !== null && channel !== channelId(video.username))
    return notFound(youtube, 'channelNotFound', 'The channel cannot be found.')
  const made: Comment = {
    id: `Ug${secret(18)}`,
    video_id: video.id,
    username: creator.username,
    text,
    created_at: youtube.clock.now(),
  }
  const isAgain = findComments(youtube, video.id).some(
    (each) => each.username === made.username && each.text === text,
  )
  if (isAgain) call.flag = 'commented_again'
  youtube.comments.put(made.id, made)
  return json(200, toThread(youtube, made, { creator, video, isPlain: false }))
}

const invalidThread = (youtube: YouTube): Answer =>
  badRequest(youtube, 'invalidCommentThreadMetadata', 'The request body is not a comment thread.')

/** Unknown fields are refused. */
function readThread({
  request,
}: Call): { text: string; videoId: string | null; channel: string | null } | null {
  if (mediaType(request.headers['content-type']) !== 'application/json') return null
  const body = asObject(parseJson(bodyText(request)))
  const snippet = asObject(body?.snippet)
  const top = asObject(snippet?.topLevelComment)
  const inner = asObject(top?.snippet)
  const isKnown =
    hasOnly(body, ['snippet']) &&
    hasOnly(snippet, ['channelId', 'videoId', 'topLevelComment']) &&
    hasOnly(top, ['snippet']) &&
    hasOnly(inner, ['textOriginal'])
  if (!isKnown) return null
  return {
    text: asText(inner?.textOriginal) ?? '',
    videoId: asText(snippet?.videoId),
    channel: asText(snippet?.channelId),
  }
}

const hasOnly = (value: object | null, names: string[]): boolean =>
  value !== null && Object.keys(value).every((name) => names.includes(name))

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** `GET /youtube/v3/commentThreads?videoId=` */
export function listComments(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  const videoId = query.get('videoId')
  if (videoId === null) return missingParameter(youtube, 'videoId')
  const page = readPage(query, 20, 100)
  const order = query.get('order') ?? 'time'
  const format = query.get('textFormat') ?? 'html'
  if (page === null || !['time', 'relevance'].includes(order) || !['html', 'plainText'].includes(format))
    return badRequest(youtube, 'processingFailure', 'Invalid maxResults, pageToken, order or textFormat.')
  const video = findVideo(youtube, call, creator, videoId)
  if ('status' in video) return video
  const all = findComments(youtube, video.id).toReversed()
  return json(200, {
    kind: 'youtube#commentThreadListResponse',
    etag: etag(`comments ${videoId}`),
    ...pageTokens(page, all.length),
    pageInfo: { totalResults: all.length, resultsPerPage: page.size },
    items: all
      .slice(page.from, page.from + page.size)
      .map((each) => toThread(youtube, each, { creator, video, isPlain: format === 'plainText' })),
  })
}

const findComments = (youtube: YouTube, videoId: string): Comment[] =>
  youtube.comments.all().filter((each) => each.video_id === videoId)

/** A video that is not processed yet is not found; that a private one has no comments is not verified. */
function findVideo(youtube: YouTube, call: Call, creator: Creator, id: string): Video | Answer {
  const video = youtube.videos.get(id)
  const isThere =
    video !== undefined &&
    call.fault?.fault !== 'not_found' &&
    isVisible(youtube, video, creator) &&
    isProcessed(youtube, video)
  if (!isThere) return notFound(youtube, 'videoNotFound', 'The video cannot be found.')
  const isOff = video.metadata.selfDeclaredMadeForKids === true || privacyOf(youtube, video) === 'private'
  return isOff ? forbidden(youtube, 'commentsDisabled', 'The video has disabled comments.') : video
}

function toThread(
  youtube: YouTube,
  made: Comment,
  { creator, video, isPlain }: { creator: Creator; video: Video; isPlain: boolean },
): object {
  const at = new Date(made.created_at).toISOString().replace(/\.\d{3}Z$/, 'Z')
  return {
    kind: 'youtube#commentThread',
    etag: etag(`thread ${made.id}`),
    id: made.id,
    snippet: {
      channelId: channelId(video.username),
      videoId: video.id,
      topLevelComment: {
        kind: 'youtube#comment',
        etag: etag(`comment ${made.id}`),
        id: made.id,
        snippet: {
          channelId: channelId(video.username),
          videoId: video.id,
          textDisplay: isPlain ? made.text : escapeHtml(made.text).replaceAll('\n', '<br>'),
          // "filled for the author"
          ...(made.username === creator.username && { textOriginal: made.text }),
          authorDisplayName: `@${youtube.creators.get(made.username)?.username ?? made.username}`,
          authorChannelId: { value: channelId(made.username) },
          canRate: true,
          viewerRating: 'none',
          likeCount: 0,
          publishedAt: at,
          updatedAt: at,
        },
      },
      canReply: true,
      totalReplyCount: 0,
      isPublic: true,
    },
  }
}
