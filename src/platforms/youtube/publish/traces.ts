import { YouTubeOptions } from '#contract/platforms/youtube.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { Result } from '#domain/delivery/failure.ts'
import type { PublishJob } from '../../kit/platform.ts'
import { readChannel } from '../api/channel.ts'
import type { Deps } from '../api/config.ts'
import { api, PlaylistItems, type Video, Videos } from '../api/wire.ts'
import type { YouTubeSession } from './session.ts'

/** `playlistItems.list`: at most 50 on a page, the newest first. */
const PAGE_SIZE = 50
const CLOCK_SLACK_MS = 60_000
const DURATION_SLACK_MS = 2000

/**
 * The only video among the channel's uploads that can be this upload: since it was opened, with its title, description, size and length,
 * and no other delivery's. `null`: none, several, or none that can be told apart; that proves nothing, since the list lags.
 */
export async function findUpload(
  deps: Deps,
  job: PublishJob,
  session: YouTubeSession,
): Promise<Result<string | null>> {
  const sinceMs = session.openedAt - CLOCK_SLACK_MS
  const channel = await readChannel(deps, job.account.accessToken, job.signal)
  if (!channel.ok) return channel
  const playlistId = channel.value.contentDetails?.relatedPlaylists?.uploads
  if (playlistId === undefined) return ok(null)
  const uploads = await listSince(deps, job, playlistId, sinceMs)
  if (!uploads.ok) return uploads
  if (uploads.value.length === 0) return ok(null)
  const videos = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/videos',
      query: { part: 'id,snippet,status,fileDetails,processingDetails', id: uploads.value.join(',') },
      bearer: job.account.accessToken,
      signal: job.signal,
    },
    Videos,
  )
  if (!videos.ok) return fail(videos.failure)
  // After reading the videos, so that everything found is accounted for.
  const siblings = await job.siblings(sinceMs)
  if (siblings.unknown.some((text) => isText(text, job.text))) return ok(null)
  const [ours, ...more] = videos.value.items.filter(
    (video) => !siblings.postIds.includes(video.id) && isOurs(video, job, session),
  )
  return ok(ours === undefined || more.length > 0 ? null : ours.id)
}

/** The first page is enough: a channel uploads fewer videos in the days in which a post is asked about. */
async function listSince(
  deps: Deps,
  job: PublishJob,
  playlistId: string,
  sinceMs: number,
): Promise<Result<string[]>> {
  const list = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/playlistItems',
      query: { part: 'snippet,contentDetails', playlistId, maxResults: String(PAGE_SIZE) },
      bearer: job.account.accessToken,
      signal: job.signal,
    },
    PlaylistItems,
  )
  if (!list.ok) return fail(list.failure)
  return ok(
    list.value.items
      .filter(({ snippet, contentDetails }) => {
        // An older video that was made public since was published, but not uploaded, since then.
        const times = [contentDetails.videoPublishedAt, snippet?.publishedAt].filter(
          (time) => time !== undefined,
        )
        return times.length > 0 && times.every((time) => Date.parse(time) >= sinceMs)
      })
      .map(({ contentDetails }) => contentDetails.videoId),
  )
}

function isOurs({ snippet, fileDetails }: Video, job: PublishJob, session: YouTubeSession): boolean {
  const options = YouTubeOptions.safeParse(job.options)
  if (!options.success || !isText(snippet?.title ?? '', options.data.title)) return false
  if (!isText(snippet?.description ?? '', job.text)) return false
  // Told only some time after the upload; without it nothing is proven.
  if (Number(fileDetails?.fileSize ?? Number.NaN) !== session.size) return false
  const durationMs = Number(fileDetails?.durationMs ?? Number.NaN)
  const isKnown = !Number.isNaN(durationMs) && job.video.durationS > 0
  return !isKnown || Math.abs(durationMs - job.video.durationS * 1000) <= DURATION_SLACK_MS
}

/** YouTube may change line ends, spaces and composed letters. */
export const isText = (one: string, other: string): boolean => normal(one) === normal(other)
const normal = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
