import type { Failure, Result } from '#domain/delivery/failure.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import { toFailure } from '../../kit/failure-rule.ts'
import type { CommentJob, CommentOutcome } from '../../kit/platform.ts'
import type { Deps } from '../api/config.ts'
import { COMMENT_RULES, type YouTubeError } from '../api/failures.ts'
import { api, CommentMade, type CommentThread, CommentThreads } from '../api/wire.ts'
import { isText } from './traces.ts'

/** `commentThreads.list`: at most 100 on a page, the newest first. */
const PAGE_SIZE = 100
/** A popular video gets more comments than this while Reelay looks for its own; then only a person can tell. */
const PAGES_MAX = 5
const CLOCK_SLACK_MS = 60_000

const PATH = '/youtube/v3/commentThreads'

/** `commentThreads.insert`, 50 units. It has no idempotency key, so only an explicit refusal counts as a no. */
export async function comment(deps: Deps, job: CommentJob): Promise<CommentOutcome> {
  const answer = await api(
    deps,
    {
      method: 'POST',
      path: PATH,
      query: { part: 'snippet' },
      bearer: job.account.accessToken,
      json: {
        snippet: {
          channelId: job.account.externalId,
          videoId: job.postId,
          topLevelComment: { snippet: { textOriginal: job.text } },
        },
      },
      signal: job.signal,
    },
    CommentMade,
  )
  if (answer.ok) return { kind: 'commented', commentId: answer.value.snippet.topLevelComment.id }
  if (answer.unsent) return { kind: 'unsent', failure: answer.failure }
  const failure = commentFailure(answer.error, answer.failure)
  return { kind: isRefusal(answer.error, failure) ? 'refused' : 'unanswered', failure }
}

/** `commentThreads.list`, 1 unit a page. */
export async function findComment(
  deps: Deps,
  job: CommentJob,
  sinceMs: number,
): Promise<Result<string | null>> {
  let pageToken: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const list = await api(
      deps,
      {
        method: 'GET',
        path: PATH,
        query: {
          part: 'snippet',
          videoId: job.postId,
          order: 'time',
          maxResults: String(PAGE_SIZE),
          textFormat: 'plainText',
          ...(pageToken !== undefined && { pageToken }),
        },
        bearer: job.account.accessToken,
        signal: job.signal,
      },
      CommentThreads,
    )
    if (!list.ok) return fail(commentFailure(list.error, list.failure))
    const ours = list.value.items.find((thread) => isOurs(thread, job, sinceMs))
    if (ours !== undefined) return ok(ours.snippet.topLevelComment.id)
    pageToken = list.value.nextPageToken
    if (pageToken === undefined) break
  }
  return ok(null)
}

function isOurs({ snippet }: CommentThread, job: CommentJob, sinceMs: number): boolean {
  const { authorChannelId, textOriginal, textDisplay, publishedAt } = snippet.topLevelComment.snippet ?? {}
  if (authorChannelId?.value !== job.account.externalId) return false
  const text = textOriginal ?? textDisplay
  if (text === undefined || !isText(text, job.text)) return false
  const at = Date.parse(publishedAt ?? '')
  return Number.isNaN(at) || at >= sinceMs - CLOCK_SLACK_MS
}

/** Access, video, text and quota are checked before anything is executed. */
const isRefusal = (error: YouTubeError | null, { kind }: Failure): boolean =>
  error !== null && error.status < 500 && error.reason !== 'processingFailure' && kind !== 'unexpected'

function commentFailure(error: YouTubeError | null, failure: Failure): Failure {
  const rule = error === null ? undefined : COMMENT_RULES[error.reason]
  return rule === undefined ? failure : toFailure(failure.reason.code, rule, failure.reason.detail)
}
