import { PlatformId } from '#contract/platforms/index.ts'
import type { NewPost, Post, SchedulePlace } from '#contract/posts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { instantOf, whyNotAt } from '#domain/schedule/schedule.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { notFound } from '#base/problem.ts'
import { lockReplaced, settleReplaced } from '../deliveries/replace.ts'
import { assertWaitingRoom, insertDelivery } from '../deliveries/store.ts'
import { assertOfBrand, placePost, type SlotTime } from '../schedules/place-post.ts'
import { lockInOrder } from '../schedules/slotted-posts.ts'
import { lockSchedule, type ScheduleRow } from '../schedules/store.ts'
import { takeDraft } from '../drafts/save-draft.ts'
import { refusal } from '../http/parse.ts'
import { insertDeliveryPicture, usePictures } from '../pictures/store.ts'
import type { StoredFile } from '../storage/storage.ts'
import { assertRoom } from '../videos/quota.ts'
import { insertPostedBrands, insertVideo, lockVideo } from '../videos/store.ts'
import { factsOf } from '../videos/video.ts'
import { type CheckedTarget, checkPost, pictureOf, type Target } from './check-post.ts'
import { findRepeated } from './idempotency.ts'
import { getPost } from './read.ts'
import { type Idempotency, insertPost, lockLinkedAccounts, storePostWords } from './store.ts'

export type PostDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly quotaBytes: number | null
  readonly now: () => number
}

/** `field`s are the places in the request that a refusal names. */
export type PostRequest = {
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
  const now = deps.now()
  return deps.db.transaction().execute(async (trx): Promise<CreatedPost> => {
    const earlier = asked.idempotency && (await findRepeated(trx, userId, asked.idempotency))
    if (earlier !== null) return { post: await getPost(trx, userId, earlier), repeated: true }
    if (asked.schedule && asked.publishAt) throw refusal('invalid', { schedule: [TWO_TIMES] })
    const chosen = parsePublishTime(asked.publishAt, now)
    const schedule = asked.schedule ? await lockSchedule(trx, userId, asked.schedule.schedule_id) : null
    const targets = await lockTargets(trx, userId, asked.targets)
    const video = await lockAskedVideo(trx, deps, userId, asked.video)
    // Locked after the accounts, as the erasure of a user does.
    if (asked.draft) await takeDraft(trx, { userId, draftId: asked.draft.draft_id, now }, asked.draft.version)
    const named = targets.map(({ target, account }) =>
      pictureOf(PlatformId.parse(account.platform), target.options),
    )
    const pictureIds = named.filter((pictureId) => pictureId !== null)
    const checked = checkPost(deps.platforms, {
      videoField: asked.video.field,
      video,
      targets,
      pictures: await usePictures(trx, userId, pictureIds, now),
    })
    await assertWaitingRoom(trx, { userId, more: checked.length, field: 'targets' })
    if (asked.schedule?.place === 'top' && asked.replaces.length > 0)
      await lockInOrder(trx, {
        userId,
        scheduleIds: [asked.schedule.schedule_id],
        postId: null,
        now,
        accountIds: targets.map(({ account }) => account.account_id),
        deliveryIds: asked.replaces,
      })
    const replaced = await lockReplaced(trx, {
      userId,
      deliveryIds: asked.replaces,
      accountIds: targets.map(({ account }) => account.account_id),
      isConfirmed: asked.confirmRepeat,
    })
    const videoId = await video.id()
    const time =
      schedule && asked.schedule && (await placeNewPost(trx, deps, schedule, asked.schedule, checked))
    const publishTime = time?.at ?? chosen
    const publishAt = time?.publishAt ?? asked.publishAt
    const { text, idempotency } = asked
    const slot = time?.slot ?? null
    const post = { userId, videoId, text, now, publishTime, publishAt, slot, idempotency }
    const postId = await insertCheckedPost(trx, deps, post, checked)
    await settleReplaced(trx, deps.encrypter, { userId, deliveryIds: replaced, postId, now })
    await insertPostedBrands(
      trx,
      videoId,
      checked.map(({ account }) => account.brand_id),
    )
    return { post: await getPost(trx, userId, postId), repeated: false }
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
  for (const { account, platform, text, options, pictureId } of checked) {
    const deliveryId = await insertDelivery(trx, encrypter, {
      postId,
      userId: post.userId,
      accountId: account.account_id,
      platform,
      text,
      options,
      goesOutAt: post.publishTime ?? post.now,
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
): Promise<SlotTime> {
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

/** The instant (epoch ms) that a wall clock and a zone name; null: as soon as possible. */
export function parsePublishTime(asked: NewPost['publish_at'] | null, now: number): number | null {
  if (!asked) return null
  const at = instantOf(asked.local, asked.timezone)
  const wrong = whyNotAt(at, now)
  if (wrong !== null) throw badTime(wrong)
  return at
}

const badTime = (message: string) => refusal('invalid', { 'publish_at.local': [message] })

/** @throws Problem not_found for an account that is not the user's or not linked */
async function lockTargets(trx: Db, userId: number, targets: readonly Target[]) {
  const ids = targets.map(({ accountId }) => accountId)
  const rows = await lockLinkedAccounts(trx, userId, ids)
  return targets.map((target) => {
    const account = rows.find(({ account_id }) => account_id === target.accountId)
    if (!account) throw notFound('account')
    return { target, account }
  })
}

/** `id` inserts the row of a file that has just arrived: call it once nothing can be refused any more. */
type LockedVideo = { readonly facts: VideoFacts; readonly size: number; readonly id: () => Promise<number> }

async function lockAskedVideo(
  trx: Db,
  { quotaBytes }: Pick<PostDeps, 'quotaBytes'>,
  userId: number,
  asked: AskedVideo,
): Promise<LockedVideo> {
  switch (asked.kind) {
    case 'uploaded': {
      const row = await lockVideo(trx, userId, asked.videoId)
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
