import { timingSafeEqual } from 'node:crypto'
import type { AccountId } from '#contract/ids.ts'
import type { DryRun } from '#contract/planning/dry-run.ts'
import { minutesAfter } from '#domain/schedule/schedule.ts'
import { checkVideo } from '#domain/video-check/post-check.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound, Problem } from '#base/problem.ts'
import { newSecret } from '#base/secret.ts'
import { selectVideo } from '../videos/store.ts'
import { factsOf } from '../videos/video.ts'
import { type PostContent, type PostDeps, type PostRequest, tryPost } from './create-post.ts'

/** What was shown a day ago may no longer be what is wanted. */
const VALID_MS = 86_400_000

/**
 * What the request would post, with a token that stands for it. Each dry run has another token, so that the same post can be made
 * twice on purpose.
 * @throws Problem as `createPost`
 */
export async function dryRun(
  deps: PostDeps,
  userId: number,
  asked: PostRequest,
): Promise<Omit<DryRun, 'similar'>> {
  const found: { content?: PostContent } = {}
  await tryPost(deps, userId, { ...asked, inspect: (content) => (found.content = content) })
  const { content } = found
  if (!content) throw new Error('A dry run always has a content.')
  const { targets, publishTime, videoId, moves } = content
  const video = await selectVideo(deps.db, userId, videoId)
    .select(['video_id', 'facts', 'size'])
    .executeTakeFirst()
  if (!video) throw notFound('video')
  const nonce = newSecret()
  return {
    preview_token: makeToken(deps.encrypter, { userId, nonce, until: deps.now() + VALID_MS, content }),
    targets: targets.map(({ accountId, platform, text, afterMinutes }) => ({
      account_id: accountId as AccountId, // ids come out of the database unbranded
      platform,
      text,
      goes_out_at:
        publishTime === null ? null : new Date(minutesAfter(publishTime, afterMinutes ?? 0)).toISOString(),
      findings: checkVideo(factsOf(video), video.size, platform),
    })),
    moves: [...moves],
  }
}

/** @throws Problem preview_changed if the token is not one of this content, or has expired */
export function assertPreviewed(
  { encrypter, now }: Pick<PostDeps, 'encrypter' | 'now'>,
  userId: number,
  token: string,
  content: PostContent,
): void {
  const [nonce = '', time = ''] = token.split('.')
  const until = Number(time)
  const expected = Buffer.from(makeToken(encrypter, { userId, nonce, until, content }))
  const given = Buffer.from(token)
  // The token is the key of its post, so only one spelling counts.
  const isSame = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isSame || until < now())
    throw new Problem(
      'preview_changed',
      'What would be posted is not what the dry run showed. Make another dry run.',
    )
}

function makeToken(
  encrypter: Encrypter,
  shown: {
    readonly userId: number
    readonly nonce: string
    /** Epoch ms. */
    readonly until: number
    readonly content: PostContent
  },
): string {
  const mac = encrypter.mac(`preview ${JSON.stringify(shown)}`)
  return `${shown.nonce}.${shown.until}.${mac.toString('base64url')}`
}
