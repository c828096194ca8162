import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import type { CheckOutcome, CommitOutcome, Location, PublishJob } from '../../kit/platform.ts'
import type { Deps, YouTubeConfig } from '../api/config.ts'
import { endFailure, ownFailure } from '../api/failures.ts'
import { api, type Video, Videos } from '../api/wire.ts'
import { YouTubeSession } from './session.ts'
import { findUpload } from './traces.ts'
import { heldBackFrom } from './session.ts'
import { probe, putPart } from './upload.ts'

/** Sends the last bytes. Resumable Uploads: 201 (200 is seen, too) means that the video exists. */
export async function commit(deps: Deps, job: PublishJob, ready: Session): Promise<CommitOutcome> {
  const parsed = YouTubeSession.safeParse(ready)
  if (!parsed.success) return { kind: 'unanswered', failure: ownFailure('session') }
  const session = parsed.data
  if (session.videoId !== null) return { kind: 'accepted', session }
  // Only `send` may send what lies before.
  if (session.next < heldBackFrom(session.size)) {
    return { kind: 'refused', failure: ownFailure('last_part_missing'), session }
  }
  const sent = { ...session, contested: true }
  const part = { first: session.next, last: session.size - 1, fresh: true }
  const answer = await putPart(deps, job, session, part)
  switch (answer.kind) {
    case 'finished':
      return { kind: 'accepted', session: { ...sent, videoId: answer.videoId } }
    case 'wanting':
      return {
        kind: 'refused',
        failure: ownFailure('last_part_missing'),
        session: { ...sent, next: answer.next },
      }
    case 'refused':
      return afterRefusal(deps, job, sent, answer.failure)
    // Access is checked before anything is executed, unless an earlier call went unanswered.
    case 'unauthorized':
      return session.contested
        ? { kind: 'unanswered', failure: answer.failure, session: sent }
        : { kind: 'refused', failure: answer.failure, session: sent }
    case 'gone':
      return { kind: 'unanswered', failure: ownFailure('outcome_unknown'), session: sent }
    case 'unclear':
      return answer.isSent
        ? { kind: 'unanswered', failure: answer.failure, session: sent }
        : { kind: 'unsent', failure: answer.failure }
  }
}

/** A refusal may answer a request that a gateway repeated, so the upload itself is asked before it counts. */
async function afterRefusal(
  deps: Deps,
  job: PublishJob,
  session: YouTubeSession,
  failure: Extract<CommitOutcome, { kind: 'refused' }>['failure'],
): Promise<CommitOutcome> {
  const answer = await probe(deps, job, session)
  switch (answer.kind) {
    case 'finished':
      return { kind: 'accepted', session: { ...session, videoId: answer.videoId } }
    case 'refused':
      return { kind: 'refused', failure: answer.failure, session: null }
    case 'wanting':
      return { kind: 'refused', failure, session: { ...session, next: answer.next } }
    case 'unauthorized':
    case 'gone':
    case 'unclear':
      return { kind: 'unanswered', failure, session }
  }
}

/** First which video the upload became, then what YouTube has made of it. */
export async function check(deps: Deps, job: PublishJob, committed: Session): Promise<CheckOutcome> {
  const parsed = YouTubeSession.safeParse(committed)
  if (!parsed.success) return { kind: 'unreadable', failure: ownFailure('session') }
  const session = parsed.data
  if (session.videoId !== null) return checkVideo(deps, job, session, session.videoId)
  const answer = await probe(deps, job, session)
  switch (answer.kind) {
    case 'finished':
      return answer.videoId === null
        ? findByTraces(deps, job, { ...session, contested: true })
        : checkVideo(deps, job, { ...session, contested: true }, answer.videoId)
    // The same upload can never become a second video.
    case 'wanting':
      return { kind: 'uncommitted', session: { ...session, next: answer.next, contested: true } }
    case 'refused':
      return { kind: 'rejected', failure: answer.failure }
    case 'gone':
      return findByTraces(deps, job, session)
    case 'unauthorized':
    case 'unclear':
      return { kind: 'unreadable', failure: answer.failure }
  }
}

/** The upload does not tell its video. One that can only be ours proves that it exists; that there is none proves nothing. */
async function findByTraces(deps: Deps, job: PublishJob, session: YouTubeSession): Promise<CheckOutcome> {
  const found = await findUpload(deps, job, session)
  if (!found.ok) return { kind: 'unreadable', failure: found.failure }
  return found.value === null
    ? { kind: 'pending', session }
    : checkVideo(deps, job, { ...session, contested: true }, found.value)
}

/** `videos.list`, 1 unit. A video is live once it is processed: until then its page shows a notice. */
async function checkVideo(
  deps: Deps,
  job: PublishJob,
  before: YouTubeSession,
  videoId: string,
): Promise<CheckOutcome> {
  const session = { ...before, videoId }
  const video = await readVideo(deps, job, videoId)
  if (!video.ok) return { kind: 'unreadable', failure: video.failure }
  // Right after the upload it may be missing for a while.
  if (video.value === null) return { kind: 'accepted', session }
  const { uploadStatus, failureReason, rejectionReason } = video.value.status ?? {}
  switch (uploadStatus) {
    case 'processed':
      return { kind: 'live', postId: videoId, url: formatVideoUrl(deps.config, videoId) }
    case 'failed':
      return { kind: 'rejected', failure: endFailure('failed', failureReason) }
    case 'rejected':
      return { kind: 'rejected', failure: endFailure('rejected', rejectionReason) }
    case 'deleted':
      return { kind: 'rejected', failure: endFailure('deleted', undefined) }
    // `uploaded`, an unknown word, or none.
    case undefined:
    default:
      return { kind: 'accepted', session }
  }
}

/** `null`: YouTube does not show it to this channel. */
export async function readVideo(
  deps: Deps,
  job: Pick<PublishJob, 'account' | 'signal'>,
  videoId: string,
): Promise<Result<Video | null>> {
  const answer = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/videos',
      query: { part: 'id,snippet,status,processingDetails', id: videoId },
      bearer: job.account.accessToken,
      signal: job.signal,
    },
    Videos,
  )
  if (!answer.ok) return fail(answer.failure)
  return ok(answer.value.items.find(({ id }) => id === videoId) ?? null)
}

/** An ordinary video's address leads on from there. */
const formatVideoUrl = (config: YouTubeConfig, videoId: string): string =>
  `${config.videoUrl}/shorts/${videoId}`

export async function locate(
  deps: Deps,
  job: PublishJob,
  committed: Session | null,
  postId: string | null,
): Promise<Result<Location>> {
  const found = (id: string): Result<Location> =>
    ok({ postId: id, url: formatVideoUrl(deps.config, id), complete: true })
  if (postId !== null) return found(postId)
  const session = YouTubeSession.safeParse(committed)
  if (!session.success) return ok({ postId: null, url: null, complete: true })
  if (session.data.videoId !== null) return found(session.data.videoId)
  const answer = await probe(deps, job, session.data)
  if (answer.kind === 'finished' && answer.videoId !== null) return found(answer.videoId)
  const traced = await findUpload(deps, job, session.data)
  if (!traced.ok) return traced
  return traced.value === null ? ok({ postId: null, url: null, complete: false }) : found(traced.value)
}
