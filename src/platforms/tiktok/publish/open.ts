import { z } from 'zod'
import { INBOX_OPTIONS } from '#contract/platforms/index.ts'
import { TikTokOptions } from '#contract/platforms/tiktok.ts'
import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { toFailure, unexpectedFailure } from '../../kit/failure-rule.ts'
import type { PublishJob } from '../../kit/platform.ts'
import type { TikTokConfig } from '../api/config.ts'
import { API_RULES, ownFailure } from '../api/failures.ts'
import { creatorInfo } from '../api/creator-info.ts'
import { InitAnswer, post } from '../api/wire.ts'
import type { CreatorInfo } from '../api/wire.ts'
import { chunkPlan } from './chunk-plan.ts'
import { UPLOAD_LIFE_MS } from './session.ts'
import type { Deps, TikTokSession } from './session.ts'

/** No request starts in the last minute of that hour. */
const UPLOAD_MARGIN_MS = 60_000

/** "Direct Post": posting starts with the last byte, so an upload whose answer is lost has no effect. */
export async function open({ config, now }: Deps, job: PublishJob): Promise<Result<Session>> {
  const plan = chunkPlan(job.video.size)
  if (plan === null) return fail(ownFailure('size'))
  const options = TikTokOptions.safeParse(job.options)
  if (!options.success) return fail(ownFailure('options', z.prettifyError(options.error)))
  const inbox = options.data.post_mode === 'MEDIA_UPLOAD'
  const target = inbox ? asDraft(job) : await asPost(config, job, options.data)
  if (!target.ok) return target

  // The hour starts before the answer arrives.
  const asked = now()
  const source_info = {
    source: 'FILE_UPLOAD',
    video_size: plan.size,
    chunk_size: plan.chunkSize,
    total_chunk_count: plan.count,
  }
  const { path, info, username } = target.value
  const answer = await post(
    config,
    path,
    job.account.accessToken,
    { ...info, source_info },
    InitAnswer,
    job.signal,
  )
  if (!answer.ok) return fail(asOpening(answer.failure, inbox))
  if (!isUploadAddress(config, answer.value.upload_url)) return fail(ownFailure('upload_host'))
  return ok({
    publishId: answer.value.publish_id,
    inbox,
    username,
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

type Target = { readonly path: string; readonly info: object; readonly username: string | null }

async function asPost(
  config: TikTokConfig,
  job: PublishJob,
  options: TikTokOptions,
): Promise<Result<Target>> {
  const creator = await creatorInfo(config, job.account.accessToken, job.signal)
  if (!creator.ok) return creator
  const objection = findObjection(config, options, job.video.durationS, creator.value)
  if (objection !== null) return fail(objection)
  return ok({
    path: '/v2/post/publish/video/init/',
    info: { post_info: postInfo(job.text, options, creator.value) },
    username: creator.value.creator_username,
  })
}

/** "Upload": a draft sends no `post_info`, so the creator's settings do not matter. */
function asDraft(job: PublishJob): Result<Target> {
  const most = INBOX_OPTIONS.tiktok.maxDurationS
  if (job.video.durationS > most)
    return fail(ownFailure('too_long', `${most} seconds are allowed for a draft`))
  return ok({ path: '/v2/post/publish/inbox/video/init/', info: {}, username: job.account.username })
}

/** "Upload": five drafts may be pending, and one with a lost answer may count among them. */
const LOST_DRAFTS_MOST = 1

/**
 * Marks an `init` that may have been executed: TikTok does not document whether unfinished uploads count against the day's posts or pending
 * shares.
 */
function asOpening(failure: Failure, inbox: boolean): Failure {
  const marked = { mayHaveOpened: true, ...(inbox && { openAgainMost: LOST_DRAFTS_MOST }) }
  switch (failure.kind) {
    case 'unreachable':
      return failure.maybeExecuted === false ? failure : { ...failure, ...marked }
    case 'unexpected':
      return { ...failure, ...marked }
    case 'account':
    case 'rejected':
    case 'throttled':
      return failure
  }
}

/** TikTok's guidelines forbid sending posts that it would refuse. */
function findObjection(
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

const apiFailure = (code: keyof typeof API_RULES): Failure => {
  const rule = API_RULES[code]
  return rule === undefined
    ? unexpectedFailure('TikTok', { status: 0, code, text: '' })
    : toFailure(code, rule, null)
}

/** "Direct Post", post_info. Settings that the creator's account forbids are sent as disabled, whatever was chosen. */
const postInfo = (title: string, options: TikTokOptions, creator: CreatorInfo) => ({
  title,
  privacy_level: options.privacy_level,
  disable_comment: options.disable_comment || creator.comment_disabled,
  disable_duet: options.disable_duet || creator.duet_disabled,
  disable_stitch: options.disable_stitch || creator.stitch_disabled,
  video_cover_timestamp_ms: options.video_cover_timestamp_ms,
  // The table calls the first one required, so both are always sent.
  brand_content_toggle: options.brand_content_toggle,
  brand_organic_toggle: options.brand_organic_toggle,
  is_aigc: options.is_aigc,
})

/** The address carries its own secret and receives the whole video: it must be one of TikTok's. */
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
