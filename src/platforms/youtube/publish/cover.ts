import { z } from 'zod'
import { YouTubeOptions, YouTubePrivacy } from '#contract/platforms/youtube.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import { toFailure } from '../../kit/failure-rule.ts'
import type { CoverJob, InspectJob, Standing } from '../../kit/platform.ts'
import type { Deps } from '../api/config.ts'
import { COVER_RULES, endFailure, ownFailure, privacyDiffers, videoGone } from '../api/failures.ts'
import { api } from '../api/wire.ts'
import { readVideo } from './publish.ts'

/** `thumbnails.set`, 50 units. Repeating it is harmless. Before a video is processed YouTube may take the picture and not use it (2026-11-03). */
export async function setCover(deps: Deps, job: CoverJob): Promise<Result<void>> {
  const video = await readVideo(deps, job, job.postId)
  if (!video.ok) return video
  const status = video.value?.processingDetails?.processingStatus
  if (status === 'failed' || status === 'terminated') return fail(ownFailure('processing_ended', status))
  if (status !== 'succeeded') return fail(ownFailure('not_processed'))
  const picture = await job.picture.read()
  if (!picture.ok) return picture
  const answer = await api(
    deps,
    {
      method: 'POST',
      path: '/upload/youtube/v3/thumbnails/set',
      query: { videoId: job.postId },
      bearer: job.account.accessToken,
      bytes: { type: job.picture.mime, data: picture.value },
      signal: job.signal,
    },
    z.object({}),
  )
  if (answer.ok) return ok(undefined)
  const rule = answer.error === null ? undefined : COVER_RULES[answer.error.reason]
  const { failure } = answer
  return fail(rule === undefined ? failure : toFailure(failure.reason.code, rule, failure.reason.detail))
}

/** An empty list may be wrong for a while, above all right after the upload. */
const MISSED_MOST = 2

/** `videos.list`, 1 unit: YouTube may make a video private, and may remove one that was live. */
export async function inspect(deps: Deps, job: InspectJob): Promise<Result<Standing>> {
  const video = await readVideo(deps, job, job.postId)
  if (!video.ok) return video
  if (video.value === null) {
    return job.tries < MISSED_MOST
      ? fail(ownFailure('not_shown'))
      : ok({ kind: 'differs', reason: videoGone() })
  }
  const { uploadStatus, rejectionReason, privacyStatus } = video.value.status ?? {}
  if (uploadStatus === 'rejected')
    return ok({ kind: 'differs', reason: endFailure('rejected', rejectionReason).reason })
  if (uploadStatus === 'deleted') return ok({ kind: 'differs', reason: videoGone() })
  const asked = YouTubeOptions.safeParse(job.options)
  const is = YouTubePrivacy.safeParse(privacyStatus)
  if (!asked.success || !is.success || is.data === asked.data.privacy) return ok({ kind: 'as_asked' })
  // Later only its owner makes a video public or unlisted: YouTube itself makes videos private.
  if (job.looks > 0 && is.data !== 'private') return ok({ kind: 'as_asked' })
  return ok({ kind: 'differs', reason: privacyDiffers(is.data) })
}
