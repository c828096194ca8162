import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { API } from '#contract/api/api.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { NewPost, Post, SchedulePlace } from '#contract/posts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { instantOf, minutesAfter, whyNotAt } from '#domain/schedule/schedule.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound, Problem } from '#base/problem.ts'
import { lockReplaced, settleReplaced } from '../deliveries/replace.ts'
import { recordPostEvents } from '../deliveries/post-events.ts'
import { assertWaitingRoom, insertDelivery } from '../deliveries/store.ts'
import { assertOfBrand, type PlacedPost, placePost } from '../schedules/place-post.ts'
import { lockInOrder } from '../schedules/slotted-posts.ts'
import { findSchedule, lockSchedules, type ScheduleRow } from '../schedules/store.ts'
import { takeDraft } from '../drafts/save-draft.ts'
import { refusal } from '../http/parse.ts'
import { insertDeliveryPicture, usePictures as lockPictures } from '../pictures/store.ts'
import type { StoredFile } from '../storage/storage.ts'
import { assertRoom } from '../videos/quota.ts'
import { insertPostedBrands, insertVideo, lockVideos } from '../videos/store.ts'
import { factsOf, type VideoRow } from '../videos/video.ts'
import { type CheckedTarget, checkPost, pictureOf, type Target } from './check-post.ts'
import { findRepeated } from './idempotency.ts'
import { getPost } from '../deliveries/read-posts.ts'
import { type Idempotency, insertPost, lockLinkedAccounts, selectPostTimes, storePostWords } from './store.ts'

export type PostDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly quotaBytes: number | null
  readonly now: () => number
}

/** `field`s are the places in the request that a refusal names. */
export type PostRequest = {
  /** Its place in a request of several posts, such as `posts.3`; null: it is the whole request. */
  readonly place: string | null
  readonly video: AskedVideo & { readonly field: string }
  /** The shared text, which lists show. */
  readonly text: string
  readonly targets: readonly Target[]
  readonly publishAt: NewPost['publish_at']
  /** A place in a posting schedule, instead of a time. */
  readonly schedule: NewPost['schedule']
  readonly draft: NewPost['draft']
  /** The failed deliveries that this post replaces. */
  readonly replaces: readonly number[]
  /** The user has confirmed to post it although accounts got the video after those failures. */
  readonly confirmRepeat: boolean
  readonly idempotency: Idempotency | null
  /** What the caller calls it. */
  readonly reference: string | null
  /** Is given what is about to be posted, and may refuse it. */
  readonly inspect: ((content: PostContent) => void) | null
}

/** All that decides what a post publishes, where and when. */
export type PostContent = {
  readonly videoId: number
  /** The shared text. */
  readonly text: string
  readonly publishAt: PostRequest['publishAt']
  readonly replaces: readonly number[]
  /** Epoch ms; null: as soon as possible. */
  readonly publishTime: number | null
  readonly slot: PlacedPost['slot'] | null
  /** The posts that make room for it in its posting schedule. */
  readonly moves: PlacedPost['moves']
  readonly targets: readonly (Pick<CheckedTarget, 'platform' | 'text' | 'options' | 'afterMinutes'> & {
    readonly accountId: number
  })[]
}

/** One of the user's videos, or a file that has just arrived and has no row yet. */
type AskedVideo =
  | { readonly kind: 'uploaded'; readonly videoId: number }
  | { readonly kind: 'file'; readonly file: StoredFile; readonly facts: VideoFacts }

/** `repeated`: an earlier request with the same key made the post; this one's file was not used. */
export type CreatedPost = { readonly post: Post; readonly repeated: boolean }

/**
 * Makes a post with its deliveries, all or nothing; the transaction's commit wakes the workers.
 * @throws Problem invalid (with `errors`), not_found, platform_off, quota_exceeded; conflict for its idempotency key or draft; already_posted
 */
export async function createPost(deps: PostDeps, userId: number, asked: PostRequest): Promise<CreatedPost> {
  return deps.db.transaction().execute(async (trx): Promise<CreatedPost> => {
    const { earlier, made } = await insertPosts(trx, deps, userId, [asked])
    const postId = earlier.get(asked) ?? made.get(asked) ?? 0
    return { post: await getPost(trx, userId, postId), repeated: earlier.has(asked) }
  })
}

/**
 * Makes several posts, all or none; `repeated`: earlier requests made all of them. Those with place `next` get one slot after the other, in their order.
 * @throws Problem like `createPost`; its `errors` name the post before the field
 */
export async function createPosts(
  deps: PostDeps,
  userId: number,
  asked: readonly PostRequest[],
): Promise<Reply<(typeof API)['createPosts']> & { readonly repeated: boolean }> {
  return deps.db.transaction().execute(async (trx) => {
    const { earlier, made } = await insertPosts(trx, deps, userId, asked)
    const postIds = asked.map((post) => earlier.get(post) ?? made.get(post) ?? 0)
    return { posts: await selectPostTimes(trx, postIds), repeated: made.size === 0 }
  })
}

/** Goes through all that `createPost` does, and undoes it. @throws Problem as `createPost` */
export async function tryPost(deps: PostDeps, userId: number, asked: PostRequest): Promise<void> {
  const trx = await deps.db.startTransaction().execute()
  try {
    await insertPosts(trx, deps, userId, [asked])
  } finally {
    await trx.rollback().execute()
  }
}

type InsertedPosts = ReadonlyMap<PostRequest, number>

async function insertPosts(
  trx: Db,
  deps: PostDeps,
  userId: number,
  all: readonly PostRequest[],
): Promise<{ readonly earlier: InsertedPosts; readonly made: InsertedPosts }> {
  const earlier = await findEarlier(trx, userId, all)
  const asked = all.filter((post) => !earlier.has(post))
  const made = asked.length === 0 ? [] : await insertNewPosts(trx, deps, userId, asked)
  return { earlier, made: new Map(made.map(({ request, postId }) => [request, postId])) }
}

/**
 * Locks the rows of each kind for all posts, in the order of their ids, before those of the next kind: neither two calls for several
 * posts nor one for a single post can deadlock with another.
 */
async function insertNewPosts(
  trx: Db,
  deps: PostDeps,
  userId: number,
  asked: readonly PostRequest[],
): Promise<readonly { readonly request: PostRequest; readonly postId: number }[]> {
  const now = deps.now()
  const scheduleIds = asked.flatMap(({ schedule }) => schedule?.schedule_id ?? [])
  if (scheduleIds.length > 0) await lockSchedules(trx, userId, { scheduleIds })
  const accountIds = asked.flatMap(({ targets }) => targets.map(({ accountId }) => accountId))
  const linked = await lockLinkedAccounts(trx, userId, accountIds)
  const accounts = new Map(linked.map((account) => [account.account_id, account]))
  const videoIds = asked.flatMap(({ video }) => (video.kind === 'uploaded' ? [video.videoId] : []))
  const videos = await lockVideos(trx, userId, videoIds)
  const found = await forEachPost(asked, async (post) => {
    if (post.schedule && post.publishAt) throw refusal('invalid', { schedule: [TWO_TIMES] })
    return {
      ...post,
      request: post,
      chosen: parsePublishTime(post.publishAt, now),
      scheduleRow: post.schedule ? await findSchedule(trx, userId, post.schedule.schedule_id) : null,
      targets: post.targets.map((target) => {
        const account = accounts.get(target.accountId)
        if (!account) throw notFound('account')
        return { target, account }
      }),
      locked: toLockedVideo(trx, deps, userId, { asked: post.video, videos }),
    }
  })
  // Locked after the accounts, as the erasure of a user does.
  await forEachPost(found.toSorted(byDraft), async ({ draft }) => {
    if (draft) await takeDraft(trx, { userId, draftId: draft.draft_id, now }, draft.version)
  })
  const pictureIds = found
    .flatMap(({ targets }) => targets)
    .map(({ target, account }) => pictureOf(PlatformId.parse(account.platform), target.options))
    .filter((pictureId) => pictureId !== null)
  const pictures = await lockPictures(trx, userId, pictureIds, now)
  const posts = await forEachPost(found, async (post) => {
    // Thousands of targets with their options would block other users' calls.
    await letOthersRun()
    const { video, locked, targets } = post
    const checked = checkPost(deps.platforms, { videoField: video.field, video: locked, targets, pictures })
    return { ...post, checked }
  })
  const more = posts.reduce((sum, { checked }) => sum + checked.length, 0)
  const field = asked[0]?.place === null ? 'targets' : 'posts'
  await assertWaitingRoom(trx, { userId, more, field })
  await lockOthers(trx, userId, { asked, accountIds, now })
  const inserted = await forEachPost(posts, async (post) => {
    const { text, idempotency, reference, replaces, checked, scheduleRow } = post
    const replaced = await lockReplaced(trx, {
      userId,
      deliveryIds: replaces,
      accountIds: checked.map(({ account }) => account.account_id),
      isConfirmed: post.confirmRepeat,
    })
    const videoId = await post.locked.id()
    const time =
      scheduleRow && post.schedule && (await placeNewPost(trx, deps, scheduleRow, post.schedule, checked))
    const publishTime = time?.at ?? post.chosen
    const publishAt = time?.publishAt ?? post.publishAt
    const slot = time?.slot ?? null
    post.request.inspect?.({
      videoId,
      text,
      publishAt,
      replaces,
      publishTime,
      slot,
      moves: time?.moves ?? [],
      targets: checked.map(({ account, platform, text: own, options, afterMinutes }) => ({
        accountId: account.account_id,
        platform,
        text: own,
        options,
        afterMinutes,
      })),
    })
    const row = { userId, videoId, text, now, publishTime, publishAt, slot, idempotency, reference }
    const postId = await insertCheckedPost(trx, deps, row, checked)
    await settleReplaced(trx, deps.encrypter, { userId, deliveryIds: replaced, postId, now })
    return {
      request: post.request,
      postId,
      videoId,
      brandIds: checked.map(({ account }) => account.brand_id),
    }
  })
  await insertPostedBrands(trx, inserted)
  const changes = inserted.map(({ postId }) => ({ userId, postId, planned: true as const }))
  await recordPostEvents(trx, changes, now)
  return inserted
}

/** The posts that earlier requests with the same keys have made; of two at the same moment one makes them. */
async function findEarlier(trx: Db, userId: number, asked: readonly PostRequest[]): Promise<InsertedPosts> {
  const keyed = asked.flatMap((post) => (post.idempotency ? [{ ...post, post, key: post.idempotency }] : []))
  const inOrder = keyed.toSorted((one, other) => (one.key.key < other.key.key ? -1 : 1))
  const found = await forEachPost(inOrder, async ({ post, key }) => ({
    post,
    postId: await findRepeated(trx, userId, key),
  }))
  return new Map(found.flatMap(({ post, postId }) => (postId === null ? [] : [[post, postId]])))
}

type WithDraft = Pick<PostRequest, 'draft'>
const byDraft = ({ draft: one }: WithDraft, { draft: other }: WithDraft): number =>
  (one?.draft_id ?? '') < (other?.draft_id ?? '') ? -1 : 1

/** Rows of other posts, where more than those of one posting schedule or of one post's failed deliveries are locked. */
async function lockOthers(
  trx: Db,
  userId: number,
  {
    asked,
    accountIds,
    now,
  }: {
    readonly asked: readonly PostRequest[]
    readonly accountIds: readonly number[]
    readonly now: number
  },
): Promise<void> {
  const scheduleIds = asked.flatMap(({ schedule }) => (schedule?.place === 'top' ? schedule.schedule_id : []))
  const deliveryIds = asked.flatMap(({ replaces }) => replaces)
  const kinds = [scheduleIds.length > 0, deliveryIds.length > 0, asked.length > 1]
  if (kinds.filter(Boolean).length < 2) return
  await lockInOrder(trx, {
    userId,
    scheduleIds,
    postId: null,
    now,
    ...(deliveryIds.length > 0 && { accountIds, deliveryIds }),
  })
}

/**
 * Does something for each post, one after the other. @throws Problem the first refusal, which names the post; of several posts that are
 * invalid all errors
 */
async function forEachPost<P extends { readonly place: string | null }, T>(
  posts: readonly P[],
  work: (post: P) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  const errors: Record<string, string[]> = {}
  for (const post of posts) {
    try {
      results.push(await work(post))
    } catch (error) {
      if (!(error instanceof Problem) || post.place === null) throw error
      const named = inPost(error, post.place)
      if (named.code !== 'invalid') throw named
      Object.assign(errors, named.errors)
    }
  }
  if (Object.keys(errors).length > 0) throw refusal('invalid', errors)
  return results
}

function inPost({ code, message, errors = {}, repeats = [] }: Problem, place: string): Problem {
  const fields = Object.entries(errors).map(([field, messages]) => [`${place}.${field}`, messages] as const)
  return new Problem(code, message, {
    errors: fields.length > 0 ? Object.fromEntries(fields) : { [place]: [message] },
    ...(repeats.length > 0 && { repeats }),
  })
}

/** The caller inserts the brands that it is posted for. */
export async function insertCheckedPost(
  trx: Db,
  { encrypter }: Pick<PostDeps, 'encrypter'>,
  post: Parameters<typeof insertPost>[1],
  checked: readonly CheckedTarget[],
): Promise<number> {
  const postId = await insertPost(trx, post)
  for (const { account, platform, text, options, pictureId, afterMinutes: asked } of checked) {
    const afterMinutes = asked ?? 0
    const deliveryId = await insertDelivery(trx, encrypter, {
      postId,
      userId: post.userId,
      accountId: account.account_id,
      platform,
      text,
      options,
      goesOutAt: minutesAfter(post.publishTime ?? post.now, afterMinutes),
      afterMinutes,
    })
    if (pictureId !== null) await insertDeliveryPicture(trx, deliveryId, pictureId)
  }
  await storePostWords(trx, postId)
  return postId
}

const TWO_TIMES = 'Give a time or a place in a posting schedule, not both.'

/** The slot that the schedule, which this transaction has locked, gives the post. */
function placeNewPost(
  trx: Db,
  deps: PostDeps,
  schedule: ScheduleRow,
  asked: SchedulePlace,
  targets: readonly CheckedTarget[],
): Promise<PlacedPost> {
  assertOfBrand(
    schedule,
    targets.map(({ account }) => account.brand_id),
  )
  return placePost(trx, deps, schedule, {
    asked,
    accounts: targets.map(({ account }) => account),
    postId: null,
  })
}

/**
 * The instant (epoch ms) that a wall clock and a zone name; null: as soon as possible. It may have passed where the first account that
 * gets the post, `least` minutes later, does so in the future.
 */
export function parsePublishTime(asked: NewPost['publish_at'] | null, now: number, least = 0): number | null {
  if (!asked) return null
  const at = instantOf(asked.local, asked.timezone)
  const wrong = whyNotAt(at === null ? null : minutesAfter(at, least), now)
  if (wrong !== null) throw badTime(wrong)
  return at
}

const badTime = (message: string) => refusal('invalid', { 'publish_at.local': [message] })

/** `id` inserts the row of a file that has just arrived: call it once nothing can be refused any more. */
type LockedVideo = { readonly facts: VideoFacts; readonly size: number; readonly id: () => Promise<number> }

/** `videos`: the locked ones among those that were asked for. @throws Problem not_found */
function toLockedVideo(
  trx: Db,
  { quotaBytes }: Pick<PostDeps, 'quotaBytes'>,
  userId: number,
  { asked, videos }: { readonly asked: AskedVideo; readonly videos: ReadonlyMap<number, VideoRow> },
): LockedVideo {
  switch (asked.kind) {
    case 'uploaded': {
      const row = videos.get(asked.videoId)
      if (!row) throw notFound('video')
      return { facts: factsOf(row), size: row.size, id: async () => row.video_id }
    }
    case 'file': {
      const { file, facts } = asked
      const id = async () => {
        await assertRoom(trx, { userId, bytes: file.size, quotaBytes })
        return (await insertVideo(trx, userId, file, facts)).video_id
      }
      return { facts, size: file.size, id }
    }
  }
}
