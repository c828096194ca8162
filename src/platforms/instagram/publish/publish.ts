import { z } from 'zod'
import { InstagramOptions } from '#contract/platforms/instagram.ts'
import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import {
  type CheckOutcome,
  type CommitOutcome,
  type Location,
  PRACTICE_CHECKS_S,
  type PublishJob,
  type SendOutcome,
} from '../../kit/platform.ts'
import { toFailure } from '../../kit/failure-rule.ts'
import type { InstagramConfig } from '../api/config.ts'
import { containerFailure, ownFailure } from '../api/failures.ts'
import type { GraphError } from '../api/failures.ts'
import { GRAPH_RULES } from '../api/graph-rules.ts'
import { findPost, findTraces } from './traces.ts'
import type { Traces } from './traces.ts'
import { Container, Created, Media, graph } from '../api/wire.ts'
import type { Graph } from '../api/wire.ts'

export type Deps = { readonly config: InstagramConfig; readonly now: () => number }

/** Content Publishing guide: query "once per minute, for no more than 5 minutes"; most finish sooner, some later. */
const POLL_S = [5, 10, 15, 30, 30, 60, 60, 60, 60, 300]
const PRACTICE_POLL_S = [...PRACTICE_CHECKS_S, 15, 30, 60]
/** An unfinished container is abandoned after this time: it is invisible, and a new one may succeed. */
const CONTAINER_PATIENCE_MS = 3_600_000
const PUBLISH_TIMEOUT_MS = 150_000
/**
 * Our own figures. `finished`: how long a container must stay FINISHED after an unanswered publish call before that call counts as lost.
 * `broken`: how long no post may be found for a container that ended in ERROR or EXPIRED.
 */
const PROOF_MS = {
  live: { finished: 120_000, broken: 15 * 60_000 },
  practice: { finished: 15_000, broken: 60_000 },
} as const
/** Publish calls per container; each is made only after the previous one was shown to have had no effect. */
const MAX_PUBLISH_CALLS = 3
/** The same call is not repeated after these answers: more calls make the first worse, and the second needs a check. */
const NOT_REPEATED = ['4/2207051', '506']

const InstagramSession = z.object({
  container: z.string().regex(/^\d{1,32}$/),
  createdAt: z.number(),
  polls: z.number(),
  /** The container was last seen FINISHED at this time, before any publish call: no post of it can be older. */
  readyAt: z.number().nullable(),
  /** Every reading since this time, after the publish call, said FINISHED. */
  finishedSince: z.number().nullable(),
  /** Every reading since this time, after the publish call, said ERROR or EXPIRED. */
  brokenSince: z.number().nullable(),
  /**
   * A publish call went unanswered. From then on no refusal counts as a no, since it says nothing about that call, and the container is
   * read again before each new one.
   */
  contested: z.boolean(),
  /** Unanswered publish calls that were shown to have had no effect. */
  lost: z.number().default(0),
  /** Instagram's answer to a publish call whose outcome is open, and the earliest time for another call. */
  answered: z.string().nullable().default(null),
  notBefore: z.number().nullable().default(null),
})
type InstagramSession = z.infer<typeof InstagramSession>

/** Send only what was chosen: Instagram refuses a parameter that the account may not use, even if it is empty. */
function chosenFields(options: InstagramOptions): Record<string, string> {
  return {
    // IG User Media: `cover_url` wins over `thumb_offset`.
    ...(options.thumb_offset !== undefined &&
      options.cover_picture_id === undefined && { thumb_offset: String(options.thumb_offset) }),
    ...(options.collaborators.length > 0 && { collaborators: JSON.stringify(options.collaborators) }),
    ...(options.user_tags.length > 0 && {
      user_tags: JSON.stringify(options.user_tags.map((username) => ({ username }))),
    }),
    ...(options.audio_name !== undefined && { audio_name: options.audio_name }),
    ...(options.trial_params && { trial_params: JSON.stringify(options.trial_params) }),
    ...(options.is_ai_generated && { is_ai_generated: 'true' }),
  }
}

/** IG User Media: creates a container, which is invisible and expires after 24 hours. */
export async function open({ config, now }: Deps, job: PublishJob): Promise<Result<Session>> {
  const options = InstagramOptions.safeParse(job.options)
  if (!options.success) return fail(ownFailure('options', z.prettifyError(options.error)))
  if (!isId(job.account.externalId)) return fail(ownFailure('account_id'))
  const { cover_picture_id: pictureId } = options.data
  const cover = pictureId === undefined ? undefined : await job.pictureAddress(pictureId)
  if (cover === null) return fail(ownFailure('cover_gone'))
  const answer = await graph(
    config,
    {
      method: 'POST',
      path: `/${job.account.externalId}/media`,
      bearer: job.account.accessToken,
      form: {
        // R13: a single video is REELS; VIDEO is created but refused at publishing (100/2207089).
        media_type: 'REELS',
        // IG User Media: with Instagram Login the video is fetched by Meta; US-ASCII only, which `href` makes it.
        video_url: new URL(await job.video.address()).href,
        // No default is documented.
        share_to_feed: String(options.data.share_to_feed),
        ...chosenFields(options.data),
        ...(cover !== undefined && { cover_url: new URL(cover).href }),
        ...(job.text === '' ? {} : { caption: job.text }),
      },
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Created,
  )
  if (!answer.ok) return fail(answer.failure)
  return ok({
    container: answer.value.id,
    createdAt: now(),
    polls: 0,
    readyAt: null,
    finishedSince: null,
    brokenSince: null,
    contested: false,
    lost: 0,
    answered: null,
    notBefore: null,
  } satisfies InstagramSession)
}

const isId = (id: string): boolean => /^\d{1,32}$/.test(id)

/** Waits until Instagram has fetched and processed the video. */
export async function send(deps: Deps, job: PublishJob, opened: Session): Promise<SendOutcome> {
  const parsed = InstagramSession.safeParse(opened)
  if (!parsed.success) return { kind: 'setback', failure: ownFailure('session'), session: null }
  const session = parsed.data
  // `commit` reads the container itself and must not abandon it.
  if (session.contested) return { kind: 'ready', session }
  const container = await readContainer(deps, job, session)
  if (!container.ok) {
    if (!isReadFault(container.error)) return { kind: 'setback', failure: container.failure, session }
    // The container may be ready: keep it while it only cannot be read.
    return isOutOfPatience(deps, session)
      ? { kind: 'setback', failure: ownFailure('container_unreadable'), session }
      : wait(deps, session)
  }
  switch (container.value.status_code) {
    case 'FINISHED':
      return { kind: 'ready', session: { ...session, readyAt: deps.now() } }
    case 'PUBLISHED':
      // `commit` finds it published and makes no call.
      return { kind: 'ready', session: { ...session, contested: true } }
    case 'ERROR':
      return { kind: 'setback', failure: containerFailure(container.value.status ?? null), session: null }
    case 'EXPIRED':
      return { kind: 'setback', failure: ownFailure('container_expired'), session: null }
    // IN_PROGRESS, an unknown word, or none.
    default:
      return isOutOfPatience(deps, session)
        ? { kind: 'setback', failure: ownFailure('container_slow'), session: null }
        : wait(deps, session)
  }
}

const isOutOfPatience = ({ now }: Deps, session: InstagramSession): boolean =>
  now() - session.createdAt > CONTAINER_PATIENCE_MS

function wait({ config }: Deps, session: InstagramSession): SendOutcome {
  const waits = config.mode === 'practice' ? PRACTICE_POLL_S : POLL_S
  const afterS = waits[Math.min(session.polls, waits.length - 1)] ?? 60
  return { kind: 'wait', session: { ...session, polls: session.polls + 1 }, sent: 0, afterS }
}

/** IG Container: `status_code` and, for an error, a sentence in `status`. */
const readContainer = (
  { config }: Deps,
  job: PublishJob,
  session: InstagramSession,
): Promise<Graph<Container>> =>
  graph(
    config,
    {
      method: 'GET',
      path: `/${session.container}`,
      query: { fields: 'status_code,status' },
      bearer: job.account.accessToken,
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Container,
  )

/** For days in May 2026 reading healthy containers answered 100/33, so it proves nothing. */
const isReadFault = (error: GraphError | null): boolean => error?.code === 100 && error.subcode === 33

/**
 * `media_publish`. There is no idempotency key, and errors were seen for posts that went live (4/2207051), so only the answers
 * in `definite` count as a refusal.
 */
export async function commit(deps: Deps, job: PublishJob, ready: Session): Promise<CommitOutcome> {
  const parsed = InstagramSession.safeParse(ready)
  if (!parsed.success) return { kind: 'unanswered', failure: ownFailure('session') }
  const session = parsed.data
  if (session.contested) {
    const container = await readContainer(deps, job, session)
    if (!container.ok) return { kind: 'unanswered', failure: container.failure }
    if (container.value.status_code === 'PUBLISHED') return { kind: 'live', postId: null, url: null }
    if (container.value.status_code !== 'FINISHED') {
      return { kind: 'unanswered', failure: ownFailure('container_open', container.value.status ?? null) }
    }
  }
  const answer = await graph(
    deps.config,
    {
      method: 'POST',
      path: `/${job.account.externalId}/media_publish`,
      bearer: job.account.accessToken,
      form: { creation_id: session.container },
      timeoutMs: PUBLISH_TIMEOUT_MS,
      signal: job.signal,
      onUsage: job.onUsage,
    },
    Created,
  )
  if (answer.ok) return { kind: 'live', postId: answer.value.id, url: null }
  if (answer.unsent) return { kind: 'unsent', failure: answer.failure }
  return definite(session, answer.error, answer.failure) ?? unanswered(deps, session, answer.failure)
}

/** The answer is no outcome, but it decides whether and when the call may be repeated. */
function unanswered({ now }: Deps, session: InstagramSession, failure: Failure): CommitOutcome {
  const notBefore = failure.kind === 'throttled' ? now() + failure.retryAfterS * 1000 : null
  return { kind: 'unanswered', failure, session: { ...session, answered: failure.reason.code, notBefore } }
}

/** Error Codes (2026-06-02): answers to `media_publish` that prove it was not executed. */
function definite(
  session: InstagramSession,
  error: GraphError | null,
  failure: Failure,
): CommitOutcome | null {
  if (error === null) return null
  const code = error.subcode === null ? String(error.code) : `${error.code}/${error.subcode}`
  // "Media ID is not available": the container needs more time.
  if (code === '9007/2207027') return { kind: 'not_ready', session, failure }
  if (session.contested) return null
  // Token, permission and daily limit are checked before anything is executed.
  if (error.code === 190 || error.code === 10 || code === '9/2207042') {
    return { kind: 'refused', failure, session }
  }
  return code === '100/2207089' || code === '100/2207023' || code === '25/2207050'
    ? { kind: 'refused', failure, session: null }
    : null
}

/** Finds the outcome of an unanswered publish call from the container and, if necessary, from the list of posts. */
export async function check(deps: Deps, job: PublishJob, committed: Session): Promise<CheckOutcome> {
  const parsed = InstagramSession.safeParse(committed)
  if (!parsed.success) return { kind: 'unreadable', failure: ownFailure('session') }
  const session = parsed.data
  const container = await readContainer(deps, job, session)
  if (!container.ok) {
    const unreadable: CheckOutcome = { kind: 'unreadable', failure: container.failure }
    return isReadFault(container.error) ? judgeByPosts(deps, job, session, () => unreadable) : unreadable
  }
  switch (container.value.status_code) {
    case 'PUBLISHED':
      return { kind: 'live', postId: null, url: null }
    case 'FINISHED':
      return finished(deps, session)
    case 'ERROR':
    case 'EXPIRED':
      return judgeByPosts(deps, job, session, (traces) => broken(deps, session, container.value, traces))
    default:
      return { kind: 'pending', session: { ...session, finishedSince: null, brokenSince: null } }
  }
}

function finished({ config, now }: Deps, session: InstagramSession): CheckOutcome {
  const since = session.finishedSince ?? now()
  const proven = now() - since >= PROOF_MS[config.mode].finished
  const lost = session.lost + 1
  const mayNotRepeat =
    NOT_REPEATED.includes(session.answered ?? '') ||
    now() < (session.notBefore ?? 0) ||
    lost >= MAX_PUBLISH_CALLS
  return proven && !mayNotRepeat
    ? {
        kind: 'uncommitted',
        session: { ...session, finishedSince: null, brokenSince: null, contested: true, lost },
      }
    : { kind: 'pending', session: { ...session, finishedSince: since, brokenSince: null } }
}

/** Looks for our post among the account's posts since the container was ready; otherwise returns `without`. */
async function judgeByPosts(
  deps: Deps,
  job: PublishJob,
  session: InstagramSession,
  without: (traces: Exclude<Traces, { kind: 'ours' }>) => CheckOutcome,
): Promise<CheckOutcome> {
  const traces = await findTraces(deps.config, job, session.readyAt ?? session.createdAt, deps.now())
  if (!traces.ok) return { kind: 'unreadable', failure: traces.failure }
  return traces.value.kind === 'ours'
    ? { kind: 'live', postId: traces.value.postId, url: traces.value.url }
    : without(traces.value)
}

/** The container can no longer become a post. It is rejected once no post was found for long enough. */
function broken(
  { config, now }: Deps,
  session: InstagramSession,
  container: Container,
  traces: Exclude<Traces, { kind: 'ours' }>,
): CheckOutcome {
  // A possible post of ours restarts the wait, even if it is gone at the next check.
  if (traces.kind === 'unclear') {
    return { kind: 'pending', session: { ...session, finishedSince: null, brokenSince: null } }
  }
  const since = session.brokenSince ?? now()
  if (now() - since < PROOF_MS[config.mode].broken) {
    return { kind: 'pending', session: { ...session, finishedSince: null, brokenSince: since } }
  }
  return { kind: 'rejected', failure: toEndFailure(session, container) }
}

function toEndFailure({ answered }: InstagramSession, container: Container): Failure {
  const rule = answered !== null && NOT_REPEATED.includes(answered) ? GRAPH_RULES[answered] : undefined
  if (answered !== null && rule !== undefined) return toFailure(answered, rule, null)
  return container.status_code === 'EXPIRED'
    ? ownFailure('container_expired')
    : containerFailure(container.status ?? null)
}

/** IG Media: the permalink cannot be made from the id. Without an id, the only post that can be ours. */
export async function locate(
  deps: Deps,
  job: PublishJob,
  committed: Session | null,
  postId: string | null,
): Promise<Result<Location>> {
  if (postId !== null && isId(postId)) {
    const media = await graph(
      deps.config,
      {
        method: 'GET',
        path: `/${postId}`,
        query: { fields: 'id,permalink' },
        bearer: job.account.accessToken,
        signal: job.signal,
        onUsage: job.onUsage,
      },
      Media,
    )
    if (!media.ok) return fail(media.failure)
    const url = media.value.permalink ?? null
    return ok({ postId, url, complete: url !== null })
  }
  const session = InstagramSession.safeParse(committed)
  if (!session.success) return ok({ postId: null, url: null, complete: true })
  const { readyAt, createdAt } = session.data
  const post = await findPost(deps.config, job, readyAt ?? createdAt)
  if (!post.ok) return fail(post.failure)
  const url = post.value?.permalink ?? null
  return ok({ postId: post.value?.id ?? null, url, complete: url !== null })
}
