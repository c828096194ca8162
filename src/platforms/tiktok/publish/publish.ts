import { tiktokTellsLink } from '#contract/platforms/tiktok.ts'
import type { Session } from '#domain/delivery/state.ts'
import { ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { unreachableFailure } from '../../kit/failure-rule.ts'
import type { Answered } from '../../kit/http.ts'
import type { CheckOutcome, CommitOutcome, Location, PublishJob } from '../../kit/platform.ts'
import type { TikTokConfig } from '../api/config.ts'
import { ownFailure } from '../api/failures.ts'
import type { StatusAnswer } from '../api/wire.ts'
import { TikTokSession, wasSentWhole } from './session.ts'
import type { Deps } from './session.ts'
import { toFailReason, fetchStatus, nextToSend, publicId, uploadStage } from './status.ts'
import { isRefusal, put, putFailure } from './upload.ts'

/** Pause before the last chunk is sent again: far longer than TikTok's status lags behind. */
const SECOND_LOOK_S = 60

/**
 * Sends the last chunk. Media Transfer Guide: 201 means that all parts are in and that posting starts. Every other answer is
 * compared with the upload's status before it counts as a refusal.
 */
export async function commit(deps: Deps, job: PublishJob, ready: Session): Promise<CommitOutcome> {
  const parsed = TikTokSession.safeParse(ready)
  if (!parsed.success) return { kind: 'unanswered', failure: ownFailure('session') }
  const session = { ...parsed.data, next: parsed.data.count - 1 }
  if (deps.now() >= session.expiresAt && !wasSentWhole(session)) {
    return { kind: 'refused', failure: ownFailure('upload_expired'), session: null }
  }
  const reply = await put(job, session, true)
  if (reply.kind === 'unreachable') {
    return {
      kind: reply.maybeExecuted ? 'unanswered' : 'unsent',
      failure: unreachableFailure('TikTok', reply),
    }
  }
  if (reply.status === 201) return { kind: 'accepted', session: { ...session, taken: true } }
  return isRefusal(reply)
    ? afterRefusedChunk(deps, job, session, reply)
    : { kind: 'unanswered', failure: putFailure(reply) }
}

/**
 * A 4xx may answer a request that a gateway repeated, so the same chunk is sent once more and only two equal refusals count.
 * Even then no new upload is started: only FAILED means that nothing will be published.
 */
async function afterRefusedChunk(
  deps: Deps,
  job: PublishJob,
  session: TikTokSession,
  reply: Answered,
): Promise<CommitOutcome> {
  const status = await fetchStatus(deps, job, session)
  if (!status.ok) return { kind: 'unanswered', failure: putFailure(reply) }
  switch (uploadStage(session, status.value)) {
    case 'failed':
      return { kind: 'refused', failure: toFailReason(status.value), session: null }
    case 'live':
    case 'inbox':
    case 'working':
      return { kind: 'accepted', session }
    case 'uploading':
      break
  }
  if (!session.refused) {
    const next = nextToSend(session, status.value)
    return {
      kind: 'refused',
      failure: ownFailure('last_part_refused', `HTTP ${reply.status} ${reply.text}`),
      session: { ...session, next, refused: true, pauseS: SECOND_LOOK_S },
    }
  }
  return session.contested || status.value.uploaded_bytes === undefined
    ? { kind: 'unanswered', failure: putFailure(reply) }
    : {
        kind: 'refused',
        failure: ownFailure('last_part_refused_again', `HTTP ${reply.status} ${reply.text}`),
        session: null,
      }
}

export async function check(deps: Deps, job: PublishJob, committed: Session): Promise<CheckOutcome> {
  const parsed = TikTokSession.safeParse(committed)
  if (!parsed.success) return { kind: 'unreadable', failure: ownFailure('session') }
  const session = parsed.data
  const answer = await fetchStatus(deps, job, session)
  if (!answer.ok) return { kind: 'unreadable', failure: answer.failure }
  const status = answer.value
  switch (uploadStage(session, status)) {
    case 'live': {
      const postId = publicId(status)
      return { kind: 'live', postId, url: formatPostUrl(deps.config, session.username, postId) }
    }
    case 'failed':
      return { kind: 'rejected', failure: toFailReason(status) }
    case 'inbox':
      return session.inbox
        ? { kind: 'in_inbox', session: { ...session, taken: true } }
        : { kind: 'rejected', failure: ownFailure('inbox') }
    case 'working':
      return status.status === 'PROCESSING_UPLOAD'
        ? { kind: 'accepted', session: { ...session, taken: true } }
        : { kind: 'pending', session }
    case 'uploading':
      return uploading(deps, session, status)
  }
}

/** TikTok reports missing bytes. After a 201 that number only lags. */
function uploading(deps: Deps, session: TikTokSession, status: StatusAnswer): CheckOutcome {
  if (session.taken) return { kind: 'accepted', session }
  if (status.uploaded_bytes === undefined) return { kind: 'pending', session }
  // After the address expired the missing bytes can never arrive, but what becomes of the rest is not documented.
  if (deps.now() >= session.expiresAt) return { kind: 'pending', session }
  return {
    kind: 'uncommitted',
    session: { ...session, next: nextToSend(session, status), contested: true },
  }
}

const formatPostUrl = (config: TikTokConfig, username: string | null, postId: string | null): string | null =>
  username === null || postId === null
    ? null
    : `${config.postUrl}/@${encodeURIComponent(username)}/video/${postId}`

export async function locate(
  deps: Deps,
  job: PublishJob,
  committed: Session | null,
  postId: string | null,
): Promise<Result<Location>> {
  const session = TikTokSession.safeParse(committed)
  const username = session.success ? session.data.username : job.account.username
  if (postId !== null)
    return ok({ postId, url: formatPostUrl(deps.config, username, postId), complete: true })
  if (!session.success || !tiktokTellsLink(job.options))
    return ok({ postId: null, url: null, complete: true })
  const status = await fetchStatus(deps, job, session.data)
  if (!status.ok) return status
  const id = publicId(status.value)
  return ok({ postId: id, url: formatPostUrl(deps.config, username, id), complete: id !== null })
}
