import type { Session } from '#domain/delivery/state.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { toFailure, unexpectedFailure, unreachableFailure } from '../../kit/failure-rule.ts'
import { putRange } from '../../kit/http.ts'
import type { Answered, HttpReply } from '../../kit/http.ts'
import type { Progress, PublishJob, SendOutcome } from '../../kit/platform.ts'
import { ownFailure, putRule } from '../api/failures.ts'
import { chunkRange } from './chunk-plan.ts'
import { TikTokSession, wasSentWhole } from './session.ts'
import type { Deps } from './session.ts'
import { toFailReason, fetchStatus, nextToSend, uploadStage } from './status.ts'

/** TikTok may ask for another chunk this often within one call. */
const MAX_RESYNCS = 3

export async function send(
  deps: Deps,
  job: PublishJob,
  opened: Session,
  report: (progress: Progress) => Promise<void>,
): Promise<SendOutcome> {
  const parsed = TikTokSession.safeParse(opened)
  if (!parsed.success) return { kind: 'setback', failure: ownFailure('session'), session: null }
  let session = parsed.data
  if (session.pauseS > 0) {
    const { next, chunkSize, pauseS } = session
    return { kind: 'wait', session: { ...session, pauseS: 0 }, sent: next * chunkSize, afterS: pauseS }
  }
  let resyncs = 0
  while (session.next < session.count - 1) {
    if (deps.now() >= session.expiresAt) return dead(session, ownFailure('upload_expired'))
    const reply = await put(job, session, false)
    if (reply.kind === 'unreachable') {
      return { kind: 'setback', failure: unreachableFailure('TikTok', reply), session }
    }
    // Media Transfer Guide: 206 accepted, 416 another range is due, 403 address expired, 404 no such upload, 5xx repeat.
    if (reply.status === 416) {
      const resynced = await resync(deps, job, session)
      if (resynced.kind !== 'next') return resynced
      resyncs += 1
      if (resyncs > MAX_RESYNCS) return dead(session, putFailure(reply))
      session = resynced.session
    } else if (reply.status >= 200 && reply.status < 300) {
      session = { ...session, next: session.next + 1 }
      await report({ session, sent: session.next * session.chunkSize })
    } else if (isRefusal(reply)) {
      return dead(session, putFailure(reply))
    } else {
      return { kind: 'setback', failure: putFailure(reply), session }
    }
  }
  return { kind: 'ready', session: { ...session, next: session.count - 1 } }
}

/**
 * The upload has ended. If its last chunk was never sent, nothing can become public. Otherwise only `commit` can find out, by
 * sending it to the same address, which is the same post.
 */
const dead = (session: TikTokSession, failure: Failure): SendOutcome =>
  wasSentWhole(session) ? { kind: 'ready', session } : { kind: 'setback', failure, session: null }

/** TikTok refused these bytes. 429 and 5xx do not prove that: the call may have been executed. */
export const isRefusal = (reply: Answered): boolean =>
  reply.status >= 400 && reply.status < 500 && reply.status !== 429

export function putFailure(reply: Answered): Failure {
  const rule = putRule(reply.status)
  return rule === null
    ? unexpectedFailure('TikTok', { status: reply.status, code: null, text: reply.text })
    : toFailure(`http_${reply.status}`, rule, `HTTP ${reply.status} ${reply.text}`)
}

/** "Direct Post", upload: no Authorization header, an inclusive range, the exact address. */
export function put(job: PublishJob, session: TikTokSession, fresh: boolean): Promise<HttpReply> {
  const { first, last } = chunkRange(session, session.next)
  return putRange({
    url: session.uploadUrl,
    headers: {
      'content-type': uploadType(job.video.mime),
      'content-range': `bytes ${first}-${last}/${session.size}`,
    },
    length: last - first + 1,
    body: () => job.video.read(first, last),
    signal: job.signal,
    fresh,
  })
}

/** "Direct Post", upload: one of three types. */
const uploadType = (mime: string): string =>
  mime === 'video/quicktime' || mime === 'video/webm' ? mime : 'video/mp4'

/** "Get Post Status": `uploaded_bytes` is how much TikTok holds. */
async function resync(
  deps: Deps,
  job: PublishJob,
  session: TikTokSession,
): Promise<{ kind: 'next'; session: TikTokSession } | SendOutcome> {
  const status = await fetchStatus(deps, job, session)
  if (!status.ok) return { kind: 'setback', failure: status.failure, session }
  switch (uploadStage(session, status.value)) {
    case 'failed':
      return { kind: 'setback', failure: toFailReason(status.value), session: null }
    case 'uploading':
      return { kind: 'next', session: { ...session, next: nextToSend(session, status.value) } }
    // TikTok has every byte: the answer to the last chunk decides.
    case 'live':
    case 'inbox':
    case 'working':
      return { kind: 'next', session: { ...session, next: session.count - 1 } }
  }
}
