import type { Failure, Result } from '#domain/delivery/failure.ts'
import { toFailure } from '../../kit/failure-rule.ts'
import type { PublishJob } from '../../kit/platform.ts'
import { FAIL_REASONS, UNKNOWN_FAIL_REASON } from '../api/failures.ts'
import { StatusAnswer, post } from '../api/wire.ts'
import { isWhole, nextChunk } from './chunk-plan.ts'
import type { Deps, TikTokSession } from './session.ts'

/** "Get Post Status": PROCESSING_UPLOAD means both missing bytes and processing. Undocumented statuses count as in progress. */
export function uploadStage(
  session: TikTokSession,
  status: StatusAnswer,
): 'live' | 'failed' | 'inbox' | 'uploading' | 'working' {
  switch (status.status) {
    case 'PUBLISH_COMPLETE':
      return 'live'
    case 'FAILED':
      return 'failed'
    case 'SEND_TO_USER_INBOX':
      return 'inbox'
    case 'PROCESSING_UPLOAD':
      return isWhole(session, status.uploaded_bytes ?? 0) ? 'working' : 'uploading'
    default:
      return 'working'
  }
}

export const fetchStatus = (
  { config }: Deps,
  job: PublishJob,
  session: TikTokSession,
): Promise<Result<StatusAnswer>> =>
  post(
    config,
    '/v2/post/publish/status/fetch/',
    job.account.accessToken,
    { publish_id: session.publishId },
    StatusAnswer,
    job.signal,
  )

export const nextToSend = (session: TikTokSession, status: StatusAnswer): number =>
  Math.min(nextChunk(session, status.uploaded_bytes ?? 0), session.count - 1)

export function toFailReason(status: StatusAnswer): Failure {
  const code = status.fail_reason ?? ''
  const rule = FAIL_REASONS[code]
  return rule === undefined
    ? toFailure(code || 'failed', UNKNOWN_FAIL_REASON, code || null)
    : toFailure(code, rule, null)
}

/** Filled only for public posts after moderation; empty is no failure. Several drafts make several posts: use the first. */
export const publicId = (status: StatusAnswer): string | null =>
  status.post_ids.find((id) => id !== '0') ?? null
