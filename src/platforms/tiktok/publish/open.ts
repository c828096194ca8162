import { z } from 'zod'
import { TikTokOptions } from '#contract/platforms/tiktok.ts'
import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { failureOf, unexpectedFailure } from '../../kit/failure-rule.ts'
import type { PublishJob } from '../../kit/platform.ts'
import type { TikTokConfig } from '../api/config.ts'
import { API_RULES, ownFailure } from '../api/failures.ts'
import { creatorInfo } from '../api/creator-info.ts'
import { InitAnswer, post } from '../api/wire.ts'
import type { CreatorInfo } from '../api/wire.ts'
import { chunkPlan } from './chunk-plan.ts'
import { UPLOAD_LIFE_MS } from './session.ts'
import type { Deps, TikTokSession } from './session.ts'

/** Nothing starts in the last minute of that hour. */
const UPLOAD_MARGIN_MS = 60_000

/**
 * Reads what the creator may choose now, then opens an upload. "Direct Post": posting starts with the last byte, so an upload
 * whose answer is lost has no effect.
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

  // The hour starts before the answer arrives.
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
 * Marks an `init` that may have been executed: whether unfinished uploads count against the day's posts or the pending shares
 * is not documented.
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

/** Checks what TikTok would refuse; its guidelines forbid sending such posts. */
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

const apiFailure = (code: keyof typeof API_RULES): Failure => {
  const rule = API_RULES[code]
  return rule === undefined
    ? unexpectedFailure('TikTok', { status: 0, code, text: '' })
    : failureOf(code, rule, null)
}

/** "Direct Post", post_info. What the creator's settings forbid is sent as disabled, whatever was chosen. */
const postInfo = (title: string, options: TikTokOptions, creator: CreatorInfo) => ({
  title,
  privacy_level: options.privacy_level,
  disable_comment: options.disable_comment || creator.comment_disabled,
  disable_duet: options.disable_duet || creator.duet_disabled,
  disable_stitch: options.disable_stitch || creator.stitch_disabled,
  video_cover_timestamp_ms: options.video_cover_timestamp_ms,
  // The table calls the first required, so both are always sent.
  brand_content_toggle: options.brand_content_toggle,
  brand_organic_toggle: options.brand_organic_toggle,
  is_aigc: options.is_aigc,
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
