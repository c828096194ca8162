import type { z } from 'zod'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import { fail, ok } from '#domain/delivery/failure.ts'
import type { PublishJob, Siblings } from '../../kit/platform.ts'
import type { InstagramConfig } from '../api/config.ts'
import { MediaList, PublishingLimit, graph } from '../api/wire.ts'

/** Evidence in the account's posts where the container does not tell the outcome. */
export type Traces =
  /** This post; it belongs to no other delivery. */
  | { readonly kind: 'ours'; readonly postId: string; readonly url: string | null }
  /** Something may be ours; only the user can say. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'none' }

type ListedPost = z.infer<typeof MediaList>['data'][number]

export const CLOCK_SLACK_S = 60
/** IG User Content Publishing Limit: `since` may be no older than 24 hours. */
const QUOTA_MAX_AGE_MS = 86_400_000 - 2 * CLOCK_SLACK_S * 1000
const LIST_LIMIT = 50

/**
 * Looks for our post since `sinceMs` (epoch ms) in the list of posts and in the number of published containers. The number alone
 * proves no post, since stories and other apps count too; but while it is unexplained, absence is not proven.
 */
export async function findTraces(
  config: InstagramConfig,
  job: PublishJob,
  sinceMs: number,
  now: number,
): Promise<Result<Traces>> {
  const list = await listSince(config, job, sinceMs)
  if (!list.ok) return list
  const published = await publishedSince(config, job, sinceMs, now)
  const siblings = await job.siblings(sinceS(sinceMs) * 1000)
  const byText = onlyCandidate(list.value, siblings, job.text)
  if (byText?.caption !== undefined && isText(byText.caption, job.text)) return ok(isOurs(byText))
  if (!published.ok) return published
  return ok(judgeByCount(list.value, byText, published.value, siblings, job.text))
}

/** The only post that can be ours, to find its address; it is already known to be live. */
export async function findPost(
  config: InstagramConfig,
  job: PublishJob,
  sinceMs: number,
): Promise<Result<ListedPost | null>> {
  const list = await listSince(config, job, sinceMs)
  if (!list.ok) return list
  return ok(onlyCandidate(list.value, await job.siblings(sinceS(sinceMs) * 1000), job.text))
}

/** Finds out from the number of published containers if there is one that no other delivery explains. */
function judgeByCount(
  list: List,
  only: ListedPost | null,
  published: number | null,
  siblings: Siblings,
  text: string,
): Traces {
  const unexplained = published !== null && published > siblings.postIds.length + siblings.unknown.length
  if (only !== null) return unexplained && only.caption === undefined ? isOurs(only) : { kind: 'unclear' }
  const nothing = candidates(list, siblings, text).length === 0 && list.whole && !unexplained
  return nothing ? { kind: 'none' } : { kind: 'unclear' }
}

const isOurs = ({ id, permalink }: ListedPost): Traces => ({
  kind: 'ours',
  postId: id,
  url: permalink ?? null,
})

/** The only video that can be this post, unless it may equally be another delivery's. */
function onlyCandidate(list: List, siblings: Siblings, text: string): ListedPost | null {
  const [first, ...more] = candidates(list, siblings, text)
  if (first === undefined || more.length > 0) return null
  const { caption } = first
  const isSibling = siblings.unknown.some((other) => caption === undefined || isLike(caption, other))
  return isSibling ? null : first
}

/** Videos that can be this post: not another delivery's, and without a different text. */
const candidates = ({ posts }: List, siblings: Siblings, text: string): readonly ListedPost[] =>
  posts.filter(
    ({ id, caption }) => !siblings.postIds.includes(id) && (caption === undefined || isLike(caption, text)),
  )

/** Instagram may change line ends, spaces and composed letters. */
export const isText = (caption: string, text: string): boolean => plain(caption) === plain(text)
const plain = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Hashtags beyond a limit may be cut off, so compare only the beginnings. */
const isLike = (caption: string, text: string): boolean => beginning(caption) === beginning(text)
const beginning = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 24)

type List = { readonly posts: readonly ListedPost[]; readonly whole: boolean }

const sinceS = (sinceMs: number): number => Math.floor(sinceMs / 1000) - CLOCK_SLACK_S

/** IG User Media: own posts, newest first. A reel reads back as `VIDEO`. */
async function listSince(config: InstagramConfig, job: PublishJob, sinceMs: number): Promise<Result<List>> {
  const from = sinceS(sinceMs)
  const list = await graph(
    config,
    {
      method: 'GET',
      path: `/${job.account.externalId}/media`,
      query: {
        fields: 'id,permalink,caption,timestamp,media_type',
        since: String(from),
        limit: String(LIST_LIMIT),
      },
      bearer: job.account.accessToken,
      signal: job.signal,
      onUsage: job.onUsage,
    },
    MediaList,
  )
  if (!list.ok) return fail(list.failure)
  const posts = list.value.data.filter(({ media_type: type, timestamp }) => {
    const at = timestamp === undefined ? NaN : parseTimestamp(timestamp)
    return (type === undefined || type === 'VIDEO') && (Number.isNaN(at) || at >= from * 1000)
  })
  const whole = list.value.data.length < LIST_LIMIT && list.value.paging?.next === undefined
  return ok({ posts, whole })
}

/** Graph timestamps end in "+0000", which `Date` does not promise to read. */
export const parseTimestamp = (timestamp: string): number =>
  Date.parse(timestamp.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))

/** The number of containers that the account published since; `null`: Instagram does not say. */
async function publishedSince(
  config: InstagramConfig,
  job: PublishJob,
  sinceMs: number,
  now: number,
): Promise<Result<number | null>> {
  if (now - sinceMs > QUOTA_MAX_AGE_MS) return ok(null)
  const limit = await graph(
    config,
    {
      method: 'GET',
      path: `/${job.account.externalId}/content_publishing_limit`,
      query: { fields: 'quota_usage', since: String(sinceS(sinceMs)) },
      bearer: job.account.accessToken,
      signal: job.signal,
      onUsage: job.onUsage,
    },
    PublishingLimit,
  )
  if (limit.ok) return ok(limit.value.data[0]?.quota_usage ?? null)
  return isNo(limit.failure) ? ok(null) : fail(limit.failure)
}

/** A refused request proves nothing; a failed one may be repeated. */
const isNo = ({ kind }: Failure): boolean => kind === 'rejected'
