import { fail, ok, type Result } from '#domain/delivery/failure.ts'
import type { Deps } from './config.ts'
import { ownFailure } from './failures.ts'
import { api, type Channel, Channels } from './wire.ts'

/**
 * `channels.list`, 1 unit: the one channel that the grant is for. A missing channel is told in three ways: two errors, or no items.
 */
export async function readChannel(
  deps: Deps,
  accessToken: string,
  signal?: AbortSignal,
): Promise<Result<Channel>> {
  const answer = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/channels',
      query: { part: 'id,snippet,contentDetails,status', mine: 'true' },
      bearer: accessToken,
      ...(signal !== undefined && { signal }),
    },
    Channels,
  )
  if (!answer.ok) return fail(answer.failure)
  const [channel] = answer.value.items
  return channel === undefined ? fail(ownFailure('no_channel')) : ok(channel)
}

/** `snippet.customUrl` is the handle, with its @. */
export const handleOf = ({ snippet }: Channel): string | null => {
  const handle = snippet.customUrl?.replace(/^@/, '') ?? ''
  return handle === '' ? null : handle
}

export const avatarOf = ({ snippet: { thumbnails } }: Channel): string | null =>
  (thumbnails?.medium ?? thumbnails?.default ?? thumbnails?.high)?.url ?? null

export const mayUploadLong = ({ status }: Channel): boolean => status?.longUploadsStatus === 'allowed'
