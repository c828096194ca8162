import type { IncomingMessage } from 'node:http'
import { VIDEO_FETCH_MAX_S, VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { Problem } from '#base/problem.ts'
import { createPublicClient, type NoAnswer, type PublicClient } from '#base/public-fetch.ts'
import { displayFilename } from '../http/filename.ts'
import { refusal } from '../http/parse.ts'
import { assertDiskRoom } from '../storage/disk-room.ts'
import { TooLarge } from '../storage/storage.ts'
import type { Asker } from './facts.ts'
import { readRoom } from './quota.ts'
import { isKept } from './store.ts'
import { storeVideo, type VideoDeps } from './store-video.ts'

const REDIRECTS_MAX = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const REASONS: Readonly<Record<NoAnswer, string>> = {
  not_public: 'This address is in a private network. Use one that everybody can open.',
  no_address: 'There is no server at this address.',
  not_https: 'Use an address that begins with https://.',
  bad_certificate: "The certificate of this address isn't valid.",
  timed_out: `This took longer than ${VIDEO_FETCH_MAX_S / 60} minutes, or its server doesn't answer.`,
  unreachable: "This address can't be reached.",
}

/**
 * Downloads a video from an address in a public network into the user's library. Nothing is stored if it fails or the caller leaves.
 * @throws Problem invalid, too_large, quota_exceeded, disk_full
 */
export async function fetchVideo(
  deps: VideoDeps,
  asker: Asker,
  asked: { readonly url: string; readonly filename?: string | undefined },
): Promise<Video> {
  const client = createPublicClient({ allowPrivate: deps.config.privateAddresses })
  const signal = AbortSignal.any([asker.gone, AbortSignal.timeout(VIDEO_FETCH_MAX_S * 1000)])
  try {
    const { response, url } = await follow(client, new URL(asked.url), signal)
    const announced = Math.max(1, Number(response.headers['content-length'] ?? 1))
    if (announced > VIDEO_MAX_BYTES) throw new Problem('too_large', TEXTS.videoTooLarge)
    await assertDiskRoom(deps.storage, announced)
    const room = await readRoom(deps.db, { userId: asker.userId, quotaBytes: deps.quotaBytes })
    if (announced > room.bytes) throw room.exceeded()
    const stored = await deps.storage
      .put(response, { maxBytes: Math.min(VIDEO_MAX_BYTES, room.bytes), signal })
      .catch((error: unknown) => {
        if (error instanceof Problem) throw error
        if (error instanceof TooLarge)
          throw room.bytes < VIDEO_MAX_BYTES
            ? room.exceeded()
            : new Problem('too_large', TEXTS.videoTooLarge, { cause: error })
        throw refused(signal.aborted ? REASONS.timed_out : 'The download broke off. Try again.')
      })
    const file = { ...stored, filename: displayFilename(asked.filename ?? lastPart(url)) }
    return await storeVideo(deps, asker, { file, field: 'url' }).catch(async (error: unknown) => {
      // The transaction may have committed although its answer was lost.
      if (!(await isKept(deps.db, file.key))) await deps.storage.delete(file.key)
      throw error
    })
  } finally {
    client.close()
  }
}

/** Each address on the way is checked as the first one. */
async function follow(
  client: PublicClient,
  url: URL,
  signal: AbortSignal,
  redirects = 0,
): Promise<{ readonly response: IncomingMessage; readonly url: URL }> {
  const answer = await client.open({ url, method: 'GET', signal })
  if (answer.kind === 'none') throw refused(REASONS[answer.why])
  const { response } = answer
  const { statusCode: status = 0, headers } = response
  if (status === 200) return { response, url }
  response.destroy()
  const next = REDIRECTS.has(status) ? parseUrl(headers.location, url) : null
  if (next === null) throw refused(`This address answers ${status} instead of a video.`)
  if (redirects === REDIRECTS_MAX) throw refused('This address redirects too often.')
  return follow(client, next, signal, redirects + 1)
}

const parseUrl = (text: string | undefined, base: URL): URL | null =>
  text !== undefined && URL.canParse(text, base.href) ? new URL(text, base) : null

const refused = (message: string): Problem => refusal('invalid', { url: [message] })

/** The file's name in an address. */
function lastPart({ pathname }: URL): string {
  const part = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part)
  } catch {
    return part // not UTF-8
  }
}
