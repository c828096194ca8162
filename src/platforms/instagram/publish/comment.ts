import type { Failure, Result } from '#domain/delivery/failure.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import { type FailureRule, failureOf } from '../../kit/failure-rule.ts'
import type { CommentJob, CommentOutcome } from '../../kit/platform.ts'
import { COMMENT_RULES, COMMENTS_OFF_RULES } from '../api/comment-rules.ts'
import type { InstagramConfig } from '../api/config.ts'
import type { GraphError } from '../api/failures.ts'
import { Changed, CommentList, Created, graph } from '../api/wire.ts'
import { CLOCK_SLACK_S, isText, timeOf } from './traces.ts'

/** IG Media Comments: "a maximum of 50 comments per query", the newest first. */
const PAGE_SIZE = 50
/** A popular post gets more comments than this while ours is looked for; then only a person can tell. */
const PAGES_MAX = 5

/** IG Media Comments: `POST /{media}/comments`. There is no idempotency key, so only a refusal in words is a no. */
export async function comment(config: InstagramConfig, job: CommentJob): Promise<CommentOutcome> {
  const answer = await graph(
    config,
    {
      method: 'POST',
      path: commentsOf(job),
      bearer: job.account.accessToken,
      form: { message: job.text },
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Created,
  )
  if (answer.ok) return { kind: 'commented', commentId: answer.value.id }
  if (answer.unsent) return { kind: 'unsent', failure: answer.failure }
  const failure = commentFailure(answer.error, answer.failure)
  return { kind: isRefusal(answer.error) ? 'refused' : 'unanswered', failure }
}

/** Looks for the account's own comment with this text. */
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
        path: commentsOf(job),
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
    if (!list.ok) return fail(commentFailure(list.error, list.failure))
    const { data, paging } = list.value
    const ours = data.find((it) => isOurs(it, job, sinceMs))
    if (ours !== undefined) return ok(ours.id)
    after = paging?.cursors?.after
    if (after === undefined || data.length < PAGE_SIZE) break
  }
  return ok(null)
}

/** IG Media: `POST /{media}` with `comment_enabled`. The same call again changes nothing more. */
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
  return answer.ok ? ok(undefined) : fail(commentFailure(answer.error, answer.failure, COMMENTS_OFF_RULES))
}

const commentsOf = ({ postId }: CommentJob): string => `/${encodeURIComponent(postId)}/comments`

type Listed = CommentList['data'][number]

function isOurs({ text, username, timestamp }: Listed, job: CommentJob, sinceMs: number): boolean {
  const own = job.account.username?.toLowerCase()
  if (own === undefined || username?.toLowerCase() !== own) return false
  if (text === undefined || !isText(text, job.text)) return false
  const at = timestamp === undefined ? NaN : timeOf(timestamp)
  return Number.isNaN(at) || at >= sinceMs - CLOCK_SLACK_S * 1000
}

/** Rate Limits: calls beyond a limit fail. Before a comment that was refused is made again, it is looked for (`step.ts`). */
const THROTTLES = [4, 17, 32, 613, 80_002]

/** Token, permission, object and parameters are checked before anything is executed, and so are limits on calls. */
function isRefusal(error: GraphError | null): boolean {
  if (error === null) return false
  const { code, subcode } = error
  if (code === 190 || code === 10 || (code >= 200 && code <= 299)) return true
  if (code === 100) return subcode === null || subcode === 33
  // 4/2207051 was seen for posts that went live.
  return THROTTLES.includes(code) && (subcode === null || !String(subcode).startsWith('2207'))
}

function commentFailure(
  error: GraphError | null,
  failure: Failure,
  rules: Readonly<Record<string, FailureRule>> = COMMENT_RULES,
): Failure {
  if (error === null) return failure
  const { code, subcode } = error
  const isPermission = code >= 200 && code <= 299
  const exact = rules[`${code}/${subcode ?? ''}`]
  const rule = exact ?? rules[isPermission ? '200' : String(code)]
  return rule === undefined || (code === 4 && exact === undefined)
    ? failure
    : failureOf(failure.reason.code, rule, failure.reason.detail)
}
