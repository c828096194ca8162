import { z } from 'zod'
import { TikTokOptions } from '#contract/platforms/tiktok.ts'
import type { TikTokPrivacy } from '#contract/platforms/tiktok.ts'
import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { putRange } from '../kit/http.ts'
import type { Answered, HttpReply } from '../kit/http.ts'
import type {
  CheckOutcome,
  CommitOutcome,
  Location,
  Progress,
  PublishJob,
  SendOutcome,
} from '../kit/platform.ts'
import { failureOf, unexpectedFailure, unreachableFailure } from '../kit/verdict.ts'
import { chunkPlan, chunkRange, isWhole, nextChunk } from './chunk-plan.ts'
import type { TikTokConfig } from './config.ts'
import { API_VERDICTS, FAIL_REASONS, UNKNOWN_FAIL_REASON, ownFailure, putVerdict } from './failures.ts'
import { creatorInfo } from './oauth.ts'
import { InitAnswer, StatusAnswer, post } from './wire.ts'
import type { CreatorInfo } from './wire.ts'

export type Deps = { readonly config: TikTokConfig; readonly now: () => number }

/** "Direct Post": the upload address is valid for one hour, within which the whole upload must be done. */
export const UPLOAD_LIFE_MS = 3_600_000
/** Nothing is begun in the last minute of it. */
const UPLOAD_MARGIN_MS = 60_000
/** Between two refusals of the last chunk: far longer than an answer of TikTok's lags behind what it has done. */
const SECOND_LOOK_S = 60
/** How often in one call TikTok may name another chunk than the one that we are at. */
const MAX_RESYNCS = 3

const TikTokSession = z.object({
  publishId: z.string(),
  /** As it was when the post was opened: a creator may have changed it since the account was linked. */
  username: z.string(),
  uploadUrl: z.string(),
  expiresAt: z.number(),
  size: z.number(),
  chunkSize: z.number(),
  count: z.number(),
  /** The first chunk that TikTok does not have yet. */
  next: z.number(),
  /**
   * The last chunk was sent once without an answer, and TikTok then said that it has not arrived. From then on only an
   * answer that is certain about every sending counts as definite.
   */
  contested: z.boolean(),
  /** The last chunk was refused once, and TikTok said that bytes are missing. Neither is believed the first time. */
  refused: z.boolean().default(false),
  /** Seconds to let pass before the next byte. */
  pauseS: z.number().default(0),
  /** TikTok answered 201: it has everything. */
  taken: z.boolean(),
})
type TikTokSession = z.infer<typeof TikTokSession>

/**
 * Asks what the creator may choose now, then opens an upload. "Direct Post" says that posting starts when the last
 * byte is in, so that an upload whose answer is lost is never heard of again.
 */
export async function open({ config, now }: Deps, job: PublishJob): Promise<Result<Session>> {
  const plan = chunkPlan(job.video.size)
  if (plan === null) return fail(ownFailure('size'))
  const options = TikTokOptions.safeParse(job.options)
  if (!options.success) return fail(ownFailure('options', z.prettifyError(options.error)))
  const creator = await creatorInfo(config, job.account.accessToken, job.signal)
  if (!creator.ok) return creator
  const objection = objectionTo(config, options.data, job.video.durationS, creator.value)
  if (objection !== null) return fail(objection)

  // The hour began before the answer came.
  const asked = now()
  const answer = await post(
    config,
    '/v2/post/publish/video/init/',
    job.account.accessToken,
    {
      post_info: postInfo(job.text, options.data, creator.value),
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: plan.size,
        chunk_size: plan.chunkSize,
        total_chunk_count: plan.count,
      },
    },
    InitAnswer,
    job.signal,
  )
  if (!answer.ok) return fail(asOpening(answer.failure))
  if (!isUploadAddress(config, answer.value.upload_url)) return fail(ownFailure('upload_host'))
  return ok({
    publishId: answer.value.publish_id,
    username: creator.value.creator_username,
    uploadUrl: answer.value.upload_url,
    expiresAt: asked + UPLOAD_LIFE_MS - UPLOAD_MARGIN_MS,
    ...plan,
    next: 0,
    contested: false,
    refused: false,
    pauseS: 0,
    taken: false,
  } satisfies TikTokSession)
}

/**
 * Whether uploads that nobody finishes count against the day's posts or the pending shares is not documented: an `init` that
 * may have been carried out is marked.
 */
function asOpening(failure: Failure): Failure {
  switch (failure.kind) {
    case 'unreachable':
      return failure.maybeExecuted === false ? failure : { ...failure, mayHaveOpened: true }
    case 'unexpected':
      return { ...failure, mayHaveOpened: true }
    case 'account':
    case 'rejected':
    case 'throttled':
      return failure
  }
}

/** What TikTok would refuse, and by its guidelines must not even be sent to it. */
function objectionTo(
  config: TikTokConfig,
  options: TikTokOptions,
  durationS: number,
  creator: CreatorInfo,
): Failure | null {
  if (!config.appAudited && options.privacy_level !== 'SELF_ONLY') {
    return apiFailure('unaudited_client_can_only_post_to_private_accounts')
  }
  if (!creator.privacy_level_options.includes(options.privacy_level)) {
    return apiFailure('privacy_level_option_mismatch')
  }
  return durationS > creator.max_video_post_duration_sec
    ? ownFailure('too_long', `${creator.max_video_post_duration_sec} seconds are allowed`)
    : null
}

const apiFailure = (code: keyof typeof API_VERDICTS): Failure => {
  const verdict = API_VERDICTS[code]
  return verdict === undefined
    ? unexpectedFailure('TikTok', { status: 0, code, text: '' })
    : failureOf(code, verdict, null)
}

/** "Direct Post", post_info. What the creator's settings forbid is sent as disabled, whatever was chosen. */
const postInfo = (title: string, options: TikTokOptions, creator: CreatorInfo) => ({
  title,
  privacy_level: options.privacy_level,
  disable_comment: options.disable_comment || creator.comment_disabled,
  disable_duet: options.disable_duet || creator.duet_disabled,
  disable_stitch: options.disable_stitch || creator.stitch_disabled,
  video_cover_timestamp_ms: options.video_cover_timestamp_ms,
  // The table calls it required; both are always said aloud.
  brand_content_toggle: false,
  brand_organic_toggle: false,
})

/** The address carries its own secret and gets the whole video: it must be one of TikTok's. */
export function isUploadAddress(config: TikTokConfig, address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && !(config.mode === 'practice' && url.protocol === 'http:')) return false
  return config.uploadHosts.some((allowed) => {
    const [name, port = ''] = allowed.split(':')
    const under = url.hostname === name || url.hostname.endsWith(`.${name}`)
    return under && url.port === port
  })
}

/** Every chunk but the last, one after the other. */
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
    // Media Transfer Guide: 206 accepted, 416 another range is due, 403 address expired, 404 no such upload, 5xx again.
    if (reply.status === 416) {
      const told = await resync(deps, job, session)
      if (told.kind !== 'next') return told
      resyncs += 1
      if (resyncs > MAX_RESYNCS) return dead(session, putFailure(reply))
      session = told.session
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
 * The upload is over. While its last chunk was never sent nothing of it can become public. Else only `commit` can find
 * out, which sends it to the same address, where it is the same post.
 */
const dead = (session: TikTokSession, failure: Failure): SendOutcome =>
  wasSentWhole(session) ? { kind: 'ready', session } : { kind: 'setback', failure, session: null }

/** The last chunk has left for this address at least once. */
const wasSentWhole = (session: TikTokSession): boolean => session.contested || session.refused

/** TikTok did not take these bytes. 429 and 5xx are no such word: they may stand for a call that was carried out. */
const isRefusal = (reply: Answered): boolean =>
  reply.status >= 400 && reply.status < 500 && reply.status !== 429

function putFailure(reply: Answered): Failure {
  const verdict = putVerdict(reply.status)
  return verdict === null
    ? unexpectedFailure('TikTok', { status: reply.status, code: null, text: reply.text })
    : failureOf(`http_${reply.status}`, verdict, `HTTP ${reply.status} ${reply.text}`)
}

/** "Direct Post", upload: no Authorization header; the range's last byte is included; the address to the letter. */
function put(job: PublishJob, session: TikTokSession, fresh: boolean): Promise<HttpReply> {
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
  switch (wordOf(session, status.value)) {
    case 'failed':
      return { kind: 'setback', failure: failureOfReason(status.value), session: null }
    case 'uploading':
      return { kind: 'next', session: { ...session, next: nextToSend(session, status.value) } }
    // It says that it has everything: what the last chunk gets for an answer tells the rest.
    case 'live':
    case 'inbox':
    case 'working':
      return { kind: 'next', session: { ...session, next: session.count - 1 } }
  }
}

const nextToSend = (session: TikTokSession, status: StatusAnswer): number =>
  Math.min(nextChunk(session, status.uploaded_bytes ?? 0), session.count - 1)

/**
 * What TikTok says of an upload. "Get Post Status": PROCESSING_UPLOAD both while bytes are missing and while it works on
 * them. Words that no page lists are work in progress.
 */
function wordOf(
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

const fetchStatus = (
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

/**
 * The last chunk. Media Transfer Guide: 201 means that all parts are in and that posting starts. Every other answer is
 * held against what TikTok says of the upload itself before it is taken for a no.
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
 * A 4xx says that this request was not taken. It does not say that no other was: a gateway may have repeated it, or an
 * earlier one may have arrived after all, and `uploaded_bytes` may lag behind. So the same chunk goes to the same
 * address once more, where it can only be the same post, and only when both answers are twice the same is it a no. Even
 * then no new upload begins by itself: only FAILED is TikTok's word that nothing will come of it.
 */
async function afterRefusedChunk(
  deps: Deps,
  job: PublishJob,
  session: TikTokSession,
  reply: Answered,
): Promise<CommitOutcome> {
  const status = await fetchStatus(deps, job, session)
  if (!status.ok) return { kind: 'unanswered', failure: putFailure(reply) }
  switch (wordOf(session, status.value)) {
    case 'failed':
      return { kind: 'refused', failure: failureOfReason(status.value), session: null }
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

/** "Get Post Status". */
export async function check(deps: Deps, job: PublishJob, committed: Session): Promise<CheckOutcome> {
  const parsed = TikTokSession.safeParse(committed)
  if (!parsed.success) return { kind: 'unreadable', failure: ownFailure('session') }
  const session = parsed.data
  const answer = await fetchStatus(deps, job, session)
  if (!answer.ok) return { kind: 'unreadable', failure: answer.failure }
  const status = answer.value
  switch (wordOf(session, status)) {
    case 'live': {
      const postId = publicId(status)
      return { kind: 'live', postId, url: urlOf(deps.config, session.username, postId) }
    }
    case 'failed':
      return { kind: 'rejected', failure: failureOfReason(status) }
    case 'inbox':
      return { kind: 'rejected', failure: ownFailure('inbox') }
    case 'working':
      return status.status === 'PROCESSING_UPLOAD'
        ? { kind: 'accepted', session: { ...session, taken: true } }
        : { kind: 'pending', session }
    case 'uploading':
      return uploading(deps, session, status)
  }
}

/** TikTok says that bytes are missing. After a 201 that figure is only late. */
function uploading(deps: Deps, session: TikTokSession, status: StatusAnswer): CheckOutcome {
  if (session.taken) return { kind: 'accepted', session }
  if (status.uploaded_bytes === undefined) return { kind: 'pending', session }
  // Once the address has expired the missing bytes can never arrive, but no page says what then becomes of the rest.
  if (deps.now() >= session.expiresAt) return { kind: 'pending', session }
  return {
    kind: 'uncommitted',
    session: { ...session, next: nextToSend(session, status), contested: true },
  }
}

function failureOfReason(status: StatusAnswer): Failure {
  const code = status.fail_reason ?? ''
  const verdict = FAIL_REASONS[code]
  return verdict === undefined
    ? failureOf(code || 'failed', UNKNOWN_FAIL_REASON, code || null)
    : failureOf(code, verdict, null)
}

/** Filled only for public posts after moderation; empty is no failure. Several drafts make several posts: the first. */
const publicId = (status: StatusAnswer): string | null => status.post_ids.find((id) => id !== '0') ?? null

const urlOf = (config: TikTokConfig, username: string | null, postId: string | null): string | null =>
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
  if (postId !== null) return ok({ postId, url: urlOf(deps.config, username, postId), complete: true })
  const options = TikTokOptions.safeParse(job.options)
  const level: TikTokPrivacy | null = options.success ? options.data.privacy_level : null
  // "Get Post Status": only public posts ever get an id.
  if (!session.success || level !== 'PUBLIC_TO_EVERYONE')
    return ok({ postId: null, url: null, complete: true })
  const status = await fetchStatus(deps, job, session.data)
  if (!status.ok) return status
  const id = publicId(status.value)
  return ok({ postId: id, url: urlOf(deps.config, username, id), complete: id !== null })
}
