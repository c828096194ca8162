import { Readable } from 'node:stream'
import type { Session } from '#domain/delivery/state.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { unreachableFailure } from '../../kit/failure-rule.ts'
import { type Answered, type HttpReply, parseJson, putRange, retryAfterS } from '../../kit/http.ts'
import type { Progress, PublishJob, SendOutcome } from '../../kit/platform.ts'
import type { Deps } from '../api/config.ts'
import { concernsUpload, ownFailure } from '../api/failures.ts'
import { foreignAnswer, Inserted, PLATFORM, readRefusal } from '../api/wire.ts'
import { uploadType } from './open.ts'
import { heldBackFrom, UNIT_BYTES, YouTubeSession } from './session.ts'

/** Larger parts save few round trips; after a kill up to this much is sent again. */
const PART_BYTES = 32 * UNIT_BYTES
/** Answers in a row that keep nothing of what was sent. */
const STUCK_MOST = 3
/** An access token lives for an hour, and each call begins with one of half an hour or more. */
const SLICE_MS = 20 * 60_000
const RETRY_AFTER_MAX_S = 3600

/** YouTube answers an empty probe and a PUT with bytes alike. */
export type UploadAnswer =
  /** It holds the first `next` bytes, and wants more. */
  | { readonly kind: 'wanting'; readonly next: number; readonly retryAfterS: number }
  /** The upload is complete: the video exists. `videoId: null`: the answer cannot be read. */
  | { readonly kind: 'finished'; readonly videoId: string | null }
  /** A refusal in YouTube's own form, which ends the upload; of a probe only what concerns the upload itself. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The access token is not taken; the upload goes on with a new one. */
  | { readonly kind: 'unauthorized'; readonly failure: Failure }
  /** No such upload: it expired, or ended long ago. */
  | { readonly kind: 'gone' }
  /** Nothing is known. */
  | { readonly kind: 'unclear'; readonly failure: Failure; readonly isSent: boolean }

/** Resumable Uploads, "Resume an interrupted upload". A finished upload repeats its answer to every further request. */
function readUpload(
  reply: HttpReply,
  { isProbe, size, now }: { readonly isProbe: boolean; readonly size: number; readonly now: number },
): UploadAnswer {
  if (reply.kind === 'unreachable') {
    return { kind: 'unclear', failure: unreachableFailure(PLATFORM, reply), isSent: reply.maybeExecuted }
  }
  const { status } = reply
  if (status === 308) {
    const next = readRange(reply)
    // Wanting more of a whole file makes no sense.
    return next < size
      ? { kind: 'wanting', next, retryAfterS: retryAfterS(reply) ?? 0 }
      : { kind: 'unclear', failure: foreignAnswer(reply), isSent: true }
  }
  if (status === 200 || status === 201) {
    const video = Inserted.safeParse(parseJson(reply.text, ['_']))
    return { kind: 'finished', videoId: video.data?.id ?? null }
  }
  const refusal = readRefusal(reply, { bucket: isProbe ? 'units' : 'uploads', now })
  const failure = refusal?.failure ?? foreignAnswer(reply)
  if (status === 401) return { kind: 'unauthorized', failure }
  if (status === 404 || status === 410) return { kind: 'gone' }
  // Being told to slow down ends no upload.
  const isPassing = failure.kind === 'throttled' && !failure.limit
  const isDefinite =
    refusal !== null &&
    (isProbe
      ? concernsUpload(refusal.error.reason)
      : status >= 400 && status < 500 && status !== 408 && status !== 409 && !isPassing)
  return isDefinite ? { kind: 'refused', failure } : { kind: 'unclear', failure, isSent: true }
}

/** `bytes=0-LAST`, inclusive, or in traces without its unit; without the header nothing is stored. */
function readRange(reply: Answered): number {
  const last = /^(?:bytes=)?0-(\d+)$/.exec(reply.headers.get('range')?.trim() ?? '')?.[1]
  return last === undefined ? 0 : Number(last) + 1
}

/** Read-only: an empty PUT. */
export const probe = async ({ now }: Deps, job: PublishJob, session: YouTubeSession): Promise<UploadAnswer> =>
  readUpload(
    await putRange({
      url: session.uploadUrl,
      headers: {
        authorization: `Bearer ${job.account.accessToken}`,
        'content-range': `bytes */${session.size}`,
      },
      length: 0,
      body: () => Promise.resolve(Readable.from([])),
      signal: job.signal,
    }),
    { isProbe: true, size: session.size, now: now() },
  )

/** Bytes `first` to `last`, inclusive. */
export const putPart = async (
  { now }: Deps,
  job: PublishJob,
  session: YouTubeSession,
  part: { readonly first: number; readonly last: number; readonly fresh: boolean },
): Promise<UploadAnswer> =>
  readUpload(
    await putRange({
      url: session.uploadUrl,
      headers: {
        authorization: `Bearer ${job.account.accessToken}`,
        'content-type': uploadType(job.video.mime),
        'content-range': `bytes ${part.first}-${part.last}/${session.size}`,
      },
      length: part.last - part.first + 1,
      body: () => job.video.read(part.first, part.last),
      signal: job.signal,
      fresh: part.fresh,
    }),
    { isProbe: false, size: session.size, now: now() },
  )

/** Sends everything but what is held back for `commit`, from where YouTube says it is. */
export async function send(
  deps: Deps,
  job: PublishJob,
  opened: Session,
  report: (progress: Progress) => Promise<void>,
): Promise<SendOutcome> {
  const parsed = YouTubeSession.safeParse(opened)
  if (!parsed.success) return { kind: 'setback', failure: ownFailure('session'), session: null }
  let session = parsed.data
  if (session.videoId !== null) return { kind: 'ready', session }
  const until = heldBackFrom(session.size)
  const endsAt = deps.now() + SLICE_MS
  // A worker that died may have sent more than it saved, and parts of a part are stored: only YouTube knows how much.
  let answer: UploadAnswer =
    until === 0 && !session.contested
      ? { kind: 'wanting', next: 0, retryAfterS: 0 }
      : await probe(deps, job, session)
  // A pause is for the parts that are sent; the question that opens the next call would be told the same one.
  let pauseS = 0
  let stuck = 0
  let most = 0
  for (;;) {
    if (answer.kind !== 'wanting') return ended(session, answer)
    most = Math.max(most, answer.next)
    const isKept = answer.next > session.next
    session = { ...session, next: answer.next }
    if (isKept) await report({ session, sent: session.next })
    if (session.next >= until) return { kind: 'ready', session }
    if (pauseS > 0 || deps.now() >= endsAt) {
      return { kind: 'wait', session, sent: session.next, afterS: pauseS }
    }
    const first = session.next
    const last = Math.min(first - (first % UNIT_BYTES) + PART_BYTES, until) - 1
    answer = await putPart(deps, job, session, { first, last, fresh: false })
    pauseS = answer.kind === 'wanting' ? Math.min(answer.retryAfterS, RETRY_AFTER_MAX_S) : 0
    stuck = answer.kind === 'wanting' && answer.next <= most ? stuck + 1 : 0
    if (stuck > STUCK_MOST) return { kind: 'setback', failure: ownFailure('upload_stuck'), session }
  }
}

/** The upload wants no more bytes. If its last byte was never sent, nothing can become public. Otherwise `commit` finds out. */
function ended(session: YouTubeSession, answer: Exclude<UploadAnswer, { kind: 'wanting' }>): SendOutcome {
  switch (answer.kind) {
    case 'finished':
      return { kind: 'ready', session: { ...session, contested: true, videoId: answer.videoId } }
    case 'refused':
      return session.contested
        ? { kind: 'ready', session }
        : { kind: 'setback', failure: answer.failure, session: null }
    case 'gone':
      return session.contested
        ? { kind: 'ready', session }
        : { kind: 'setback', failure: ownFailure('upload_expired'), session: null }
    case 'unauthorized':
    case 'unclear':
      return { kind: 'setback', failure: answer.failure, session }
  }
}
