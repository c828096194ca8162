import type { Result } from '#domain/delivery/failure.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { CommentJob, CommentOutcome } from '../../kit/platform.ts'
import { COMMENT_RULES, COMMENTS_OFF_RULES } from '../api/comment-rules.ts'
import type { InstagramConfig } from '../api/config.ts'
import { failureBy, type GraphError } from '../api/failures.ts'
import { Changed, CommentList, Created, graph } from '../api/wire.ts'
import { CLOCK_SLACK_S, isText, parseTimestamp } from './traces.ts'

/** IG Media Comments: "a maximum of 50 comments per query", the newest first. */
const PAGE_SIZE = 50
/** A popular post gets more comments than this while Reelay looks for its own; then only a person can tell. */
const PAGES_MAX = 5

/** IG Media Comments: `POST /{media}/comments` has no idempotency key, so only an explicit refusal counts as a no. */
export async function comment(config: InstagramConfig, job: CommentJob): Promise<CommentOutcome> {
  const answer = await graph(
    config,
    {
      method: 'POST',
      path: commentsPath(job),
      bearer: job.account.accessToken,
      form: { message: job.text },
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Created,
  )
  if (answer.ok) return { kind: 'commented', commentId: answer.value.id }
  if (answer.unsent) return { kind: 'unsent', failure: answer.failure }
  const failure = failureBy(COMMENT_RULES, answer.error, answer.failure)
  return { kind: isRefusal(answer.error) ? 'refused' : 'unanswered', failure }
}

export async function findComment(
  config: InstagramConfig,
  job: CommentJob,
  sinceMs: number,
): Promise<Result<string | null>> {
  let after: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const list = await graph(
      config,
      {
        method: 'GET',
        path: commentsPath(job),
        query: {
          fields: 'id,text,username,timestamp',
          limit: String(PAGE_SIZE),
          ...(after !== undefined && { after }),
        },
        bearer: job.account.accessToken,
        signal: job.signal,
        onUsage: job.onUsage,
      },
      CommentList,
    )
    if (!list.ok) return fail(failureBy(COMMENT_RULES, list.error, list.failure))
    const { data, paging } = list.value
    const ours = data.find((listed) => isOurs(listed, job, sinceMs))
    if (ours !== undefined) return ok(ours.id)
    after = paging?.cursors?.after
    if (after === undefined || data.length < PAGE_SIZE) break
  }
  return ok(null)
}

/** IG Media: `POST /{media}` with `comment_enabled`. Repeating the call is harmless. */
export async function turnOffComments(
  config: InstagramConfig,
  job: Omit<CommentJob, 'text'>,
): Promise<Result<void>> {
  const answer = await graph(
    config,
    {
      method: 'POST',
      path: `/${encodeURIComponent(job.postId)}`,
      bearer: job.account.accessToken,
      form: { comment_enabled: 'false' },
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Changed,
  )
  return answer.ok ? ok(undefined) : fail(failureBy(COMMENTS_OFF_RULES, answer.error, answer.failure))
}

const commentsPath = ({ postId }: CommentJob): string => `/${encodeURIComponent(postId)}/comments`

type ListedComment = CommentList['data'][number]

function isOurs({ text, username, timestamp }: ListedComment, job: CommentJob, sinceMs: number): boolean {
  const own = job.account.username?.toLowerCase()
  if (own === undefined || username?.toLowerCase() !== own) return false
  if (text === undefined || !isText(text, job.text)) return false
  const at = timestamp === undefined ? NaN : parseTimestamp(timestamp)
  return Number.isNaN(at) || at >= sinceMs - CLOCK_SLACK_S * 1000
}

/** Rate Limits: calls beyond a limit fail. `step.ts` looks for a refused comment before it is made again. */
const THROTTLES = [4, 17, 32, 613, 80_002]

/** Token, permission, object, parameters and call limits are checked before anything is executed. */
function isRefusal(error: GraphError | null): boolean {
  if (error === null) return false
  const { code, subcode } = error
  if (code === 190 || code === 10 || (code >= 200 && code <= 299)) return true
  if (code === 100) return subcode === null || subcode === 33
  // 4/2207051 was seen for posts that went live.
  return THROTTLES.includes(code) && (subcode === null || !String(subcode).startsWith('2207'))
}
