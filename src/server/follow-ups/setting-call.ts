import { buffer } from 'node:stream/consumers'
import { type Failure, fail, ok, type Result } from '#domain/delivery/failure.ts'
import type { Reason } from '#domain/delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import type { SettingEvent, SettingState } from '#domain/follow-up/setting.ts'
import { systemCode } from '#base/system-error.ts'
import type { CommentJob, Platform } from '#platforms/kit/platform.ts'
import { PLATFORM_OFF } from '../deliveries/account-access.ts'
import {
  callAndRecord,
  failureOfResult,
  postponement,
  type PublishDeps,
} from '../deliveries/worker/platform-call.ts'
import { pictureOf } from '../posts/check-post.ts'
import type { FollowUpRun } from './comment-call.ts'
import { type FollowUpClaim, readLivePost } from './store.ts'

type Job = Omit<CommentJob, 'text'>
type SetCall = (job: Job) => Promise<Result<void>>
/** Prepares the call for a live post's options. */
type Prepare = (
  deps: PublishDeps,
  claim: FollowUpClaim,
  adapter: Platform,
  options: unknown,
) => Promise<Result<SetCall>>

const refusal = (reason: Reason): { readonly ok: false; readonly failure: Failure } =>
  fail({ kind: 'rejected', reason })

const prepareCommentsOff: Prepare = (_deps, _claim, { turnOffComments }) =>
  Promise.resolve(turnOffComments ? ok(turnOffComments) : refusal(FOLLOW_UP_REASONS.closingNotSupported))

const prepareCover: Prepare = async (deps, claim, { setCover }, options) => {
  if (!setCover) return refusal(FOLLOW_UP_REASONS.coverNotSupported)
  const pictureId =
    typeof options === 'object' && options !== null ? pictureOf(claim.platform, options) : null
  const row =
    pictureId === null
      ? undefined
      : await deps.db
          .selectFrom('pictures')
          .select(['storage_key', 'size'])
          .where('user_id', '=', claim.userId)
          .where('picture_id', '=', pictureId)
          .executeTakeFirst()
  if (row === undefined) return refusal(FOLLOW_UP_REASONS.coverGone)
  const picture = {
    mime: 'image/jpeg',
    read: () => readPicture(deps, row),
  }
  return ok((job) => setCover({ ...job, picture }))
}

/** A file that the storage cannot read is a setback like any other: what throws is saved nowhere and repeated for ever. */
const readPicture = (
  { storage }: PublishDeps,
  file: { readonly storage_key: string; readonly size: number },
) =>
  storage
    .read(file.storage_key, 0, file.size - 1)
    .then(buffer)
    .then(
      (bytes) => ok(new Uint8Array(bytes)),
      (error: unknown) =>
        fail({
          kind: 'unreachable',
          reason: { ...FOLLOW_UP_REASONS.coverUnread, code: `storage_${systemCode(error) ?? 'error'}` },
          maybeExecuted: false,
        }),
    )

const PREPARE = { comments_off: prepareCommentsOff, cover: prepareCover } as const

/** Changes something of the live post by a call that may be repeated. */
export async function nextSettingEvent(
  deps: PublishDeps,
  claim: FollowUpClaim,
  kind: keyof typeof PREPARE,
  state: SettingState,
  { signal }: FollowUpRun,
): Promise<SettingEvent> {
  if (state.kind !== 'waiting') {
    throw new Error(`A ${kind} that is "${state.kind}" has nothing to do, yet it was due.`)
  }
  const { postId, searching, options } = await readLivePost(deps.db, claim.deliveryId)
  if (postId === null) return { type: 'post_unknown', searching }
  const adapter = deps.platforms[claim.platform]
  if (!adapter) return { type: 'setback', failure: PLATFORM_OFF }
  const set = await PREPARE[kind](deps, claim, adapter, options)
  if (!set.ok) return { type: 'setback', failure: set.failure }
  const postponed = await postponement(deps, claim, 'comment')
  if (postponed !== null) return postponed
  const result = await callAndRecord<Result<void>>(
    deps,
    claim,
    (account, onUsage) => set.value({ account, postId, signal, onUsage }),
    failureOfResult,
  )
  return result.ok ? { type: 'set' } : { type: 'setback', failure: result.failure }
}
