import { z } from 'zod'
import { YOUTUBE_UNVERIFIED_MAX_S, YouTubeOptions } from '#contract/platforms/youtube.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import type { Session } from '#domain/delivery/state.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { call } from '../../kit/http.ts'
import type { PublishJob } from '../../kit/platform.ts'
import { mayUploadLong, readChannel } from '../api/channel.ts'
import type { Deps, YouTubeConfig } from '../api/config.ts'
import { ownFailure } from '../api/failures.ts'
import { foreignAnswer, readRefusal, PLATFORM } from '../api/wire.ts'
import { unreachableFailure } from '../../kit/failure-rule.ts'
import type { YouTubeSession } from './session.ts'

/** `videos.insert`, resumable (2026-09-14): opens an empty session, which never becomes a video without its last byte. */
export async function open(deps: Deps, job: PublishJob): Promise<Result<Session>> {
  const { config, now } = deps
  const options = YouTubeOptions.safeParse(job.options)
  if (!options.success) return fail(ownFailure('options', z.prettifyError(options.error)))
  const { size } = job.video
  if (size < 1 || size > PLATFORM_LIMITS.youtube.maxBytes) return fail(ownFailure('size'))
  const objection = await findObjection(deps, job)
  if (objection !== null) return fail(objection)
  const openedAt = now()
  const reply = await call({
    method: 'POST',
    url: `${config.apiUrl}/upload/youtube/v3/videos`,
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      notifySubscribers: String(options.data.notify_subscribers),
    },
    headers: {
      'x-upload-content-length': String(size),
      'x-upload-content-type': uploadType(job.video.mime),
    },
    bearer: job.account.accessToken,
    json: metadata(job.text, options.data),
    signal: job.signal,
  })
  if (reply.kind === 'unreachable') return fail(asOpening(unreachableFailure(PLATFORM, reply)))
  const refused = readRefusal(reply, { bucket: 'uploads', now: now() })
  if (refused !== null) return fail(asOpening(refused.failure))
  const uploadUrl = reply.headers.get('location')
  if (reply.status >= 300 || uploadUrl === null) return fail(asOpening(foreignAnswer(reply)))
  if (!isUploadAddress(config, uploadUrl)) return fail(ownFailure('upload_host'))
  return ok({ uploadUrl, size, next: 0, openedAt, contested: false, videoId: null } satisfies YouTubeSession)
}

/** Only a long video needs the question: `status.longUploadsStatus`, 1 unit. */
async function findObjection(deps: Deps, job: PublishJob): Promise<Failure | null> {
  if (job.video.durationS <= YOUTUBE_UNVERIFIED_MAX_S) return null
  const channel = await readChannel(deps, job.account.accessToken, job.signal)
  if (!channel.ok) return channel.failure
  return mayUploadLong(channel.value)
    ? null
    : ownFailure('too_long', `${YOUTUBE_UNVERIFIED_MAX_S} seconds are allowed`)
}

/** Marks a lost answer: no page says whether an upload that nobody continues counts against the day's hundred. */
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

/** `videos.insert`, what may be set. `privacyStatus` is always sent: its default has changed. */
const metadata = (description: string, options: YouTubeOptions) => ({
  snippet: {
    title: options.title,
    description,
    ...(options.tags.length > 0 && { tags: options.tags }),
    ...(options.category_id !== undefined && { categoryId: options.category_id }),
  },
  status: {
    privacyStatus: options.privacy,
    selfDeclaredMadeForKids: options.made_for_kids,
    containsSyntheticMedia: options.synthetic_media,
    license: options.license,
    embeddable: options.embeddable,
    publicStatsViewable: options.public_stats,
  },
})

/** Any `video/*` type, or `application/octet-stream`. */
export const uploadType = (mime: string): string =>
  mime.startsWith('video/') ? mime : 'application/octet-stream'

/** The address carries its own secret and receives the whole video: it must be one of Google's. */
export function isUploadAddress(config: YouTubeConfig, address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol !== 'https:' && !(config.mode === 'practice' && url.protocol === 'http:')) return false
  return config.uploadHosts.some((allowed) => {
    const [name, port = ''] = allowed.split(':')
    const isUnder = url.hostname === name || url.hostname.endsWith(`.${name}`)
    return isUnder && url.port === port
  })
}
