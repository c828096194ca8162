import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { accountName } from '#contract/accounts.ts'
import { DeliveryStatus } from '#contract/deliveries.ts'
import { SCHEDULE_MAX_DAYS } from '#contract/limits.ts'
import { PLATFORM_NAMES, PLATFORM_OPTIONS, PlatformId } from '#contract/platforms/index.ts'
import type { NewPost, Post } from '#contract/posts.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkText, checkVideo } from '#domain/video-check/post-check.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { AccountRow } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { applyUserEvent, insertDelivery } from '../deliveries/store.ts'
import { fieldErrors, refusal } from '../http/parse.ts'
import { inPlainWords } from '../http/field-messages.ts'
import { Problem, notFound, platformOff } from '#base/problem.ts'
import type { Sealer } from '#base/encryption.ts'
import type { StoredFile } from '../storage/storage.ts'
import { factsOf, holdVideo, insertVideo } from '../videos/store.ts'
import { getPost } from './read.ts'

export type PostDeps = {
  readonly db: Kysely<DB>
  readonly sealer: Sealer
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly now: () => number
}

/** A post as asked for, whichever call asked. `field`s name the places in the request that a refusal speaks of. */
export type PostRequest = {
  readonly video: AskedVideo & { readonly field: string }
  readonly text: string
  readonly textField: string
  readonly targets: readonly Target[]
  readonly publishAt: NewPost['publish_at']
  readonly idempotency: Idempotency | null
}

/** One of the user's videos, or a file that has just come and has no row yet. */
type AskedVideo =
  | { readonly kind: 'uploaded'; readonly videoId: number }
  | { readonly kind: 'file'; readonly file: StoredFile; readonly facts: VideoFacts }

export type Target = {
  readonly accountId: number
  readonly options: Readonly<Record<string, unknown>>
  readonly field: string
  readonly optionsField: string
  /** Set where the call is one platform's own. */
  readonly platform: PlatformId | null
}

/** The same key with the same request is the same post; `hash` is the request's. */
export type Idempotency = { readonly key: string; readonly hash: Buffer }

/** Whatever must be the same for a request to be the same. */
export const requestHash = (...parts: readonly unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

/** `repeated`: an earlier request with the same key made it; nothing was made now, and a file was not used. */
export type Made = { readonly post: Post; readonly repeated: boolean }

/**
 * Makes a post with its deliveries, all or nothing; the transaction's commit wakes the workers.
 * @throws Problem invalid (with `errors`), not_found, platform_off; conflict for a key that was used for something else, that
 * was withdrawn, or whose post was deleted
 */
export async function createPost(deps: PostDeps, userId: number, asked: PostRequest): Promise<Made> {
  const now = deps.now()
  return deps.db.transaction().execute(async (trx): Promise<Made> => {
    const earlier = asked.idempotency && (await findRepeated(trx, userId, asked.idempotency))
    if (earlier !== null) return { post: await getPost(trx, userId, earlier), repeated: true }
    const publishAt = publishTime(asked.publishAt, now)
    const accounts = await holdAccounts(trx, userId, asked.targets)
    const video = await heldVideo(trx, userId, asked.video)
    const checked = check(deps, asked, accounts, video)
    const goesOutAt = publishAt ?? now
    const postId = await insertPost(trx, { userId, videoId: await video.id(), now, publishAt }, asked)
    for (const { account, platform, options } of checked) {
      const accountId = account.account_id
      await insertDelivery(trx, deps.sealer, { postId, userId, accountId, platform, options, goesOutAt })
    }
    return { post: await getPost(trx, userId, postId), repeated: false }
  })
}

/** What a key stands for so far. The post stays as it is, and whoever deals with the same key waits, until the transaction ends. */
async function holdKey(trx: Db, userId: number, key: string) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`post ${userId} ${key}`}, 0))`.execute(trx)
  const withdrawn = await trx
    .selectFrom('withdrawn_keys')
    .select('withdrawn_at')
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  const post = await trx
    .selectFrom('posts')
    .select(['post_id', 'idempotency_hash', 'deleted_at'])
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .forShare()
    .executeTakeFirst()
  return { isWithdrawn: withdrawn !== undefined, post }
}

/** The post that a request with the same key has made; of two at the same moment one makes it. */
async function findRepeated(trx: Db, userId: number, { key, hash }: Idempotency): Promise<number | null> {
  const { isWithdrawn, post } = await holdKey(trx, userId, key)
  if (post && !post.idempotency_hash?.equals(hash)) {
    throw new Problem(
      'conflict',
      'This Idempotency-Key was used for another post. Send this one with a new key.',
    )
  }
  if (post && post.deleted_at !== null) {
    throw new Problem(
      'conflict',
      'This was sent before, and you have deleted its post since. Sent once more, it is a new post.',
    )
  }
  if (isWithdrawn && !post) {
    throw new Problem(
      'conflict',
      'This upload ended before it had arrived, so nothing was made of it. Sent once more, it is a new post.',
    )
  }
  return post?.post_id ?? null
}

/**
 * Sees to it that a key makes nothing any more, however late its request arrives, and cancels what it has made as far as
 * nothing of it can be out; with `keepPost` that post stays as it is.
 * @returns what it had made; null: nothing, or what was deleted since
 */
export async function withdrawPost(
  deps: PostDeps,
  userId: number,
  key: string,
  keepPost: boolean,
): Promise<Post | null> {
  return deps.db.transaction().execute(async (trx) => {
    const { post } = await holdKey(trx, userId, key)
    if (post) {
      if (!keepPost) await cancelWaiting(trx, deps, userId, post.post_id)
      return post.deleted_at === null ? getPost(trx, userId, post.post_id) : null
    }
    await trx
      .insertInto('withdrawn_keys')
      .values({ user_id: userId, idempotency_key: key, withdrawn_at: new Date(deps.now()) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return null
  })
}

/** A request that is on its way for longer does not arrive. */
const WITHDRAWN_KEPT_MS = 7 * 86_400_000

export async function forgetWithdrawn({ db, now }: Pick<PostDeps, 'db' | 'now'>): Promise<void> {
  await db
    .deleteFrom('withdrawn_keys')
    .where('withdrawn_at', '<', new Date(now() - WITHDRAWN_KEPT_MS))
    .execute()
}

/**
 * Takes a post off the lists for good, and cancels what of it waits. Its row stays; see the migration.
 * @throws Problem not_found; in_flight while something of it may be going out: nothing here could stop the platform
 */
export async function deletePost(deps: PostDeps, userId: number, postId: number): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const post = await trx
      .selectFrom('posts')
      .select('post_id')
      .where('post_id', '=', postId)
      .where('user_id', '=', userId)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!post) throw notFound('post')
    const [open] = await cancelWaiting(trx, deps, userId, postId)
    if (open !== undefined) throw stillOpen(open)
    await trx
      .updateTable('posts')
      .set({ deleted_at: new Date(deps.now()) })
      .where('post_id', '=', postId)
      .execute()
    await trx.updateTable('deliveries').set({ goes_out_at: null }).where('post_id', '=', postId).execute()
  })
}

const stillOpen = (state: DeliveryStatus): Problem =>
  new Problem(
    'in_flight',
    state === 'unconfirmed'
      ? 'This post may be live, and that is still being found out. Wait, or say what you see on the platform; then it can be deleted.'
      : 'This post is going out right now, and deleting it here would not stop that. Wait until it has an outcome.',
  )

/** Cancels what of a post has not gone out. @returns the states of what can neither be cancelled nor has an outcome */
async function cancelWaiting(
  trx: Db,
  { sealer, now }: PostDeps,
  userId: number,
  postId: number,
): Promise<DeliveryStatus[]> {
  const waiting = await trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'state'])
    .where('post_id', '=', postId)
    .where('state', 'in', UNDECIDED)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  const open: DeliveryStatus[] = []
  for (const { delivery_id: deliveryId, state } of waiting) {
    const event = { type: 'cancel' } as const
    const result = await applyUserEvent(trx, sealer, { deliveryId, userId, event, now: now() })
    if (result === null || 'refused' in result) open.push(DeliveryStatus.parse(state))
  }
  return open
}

/** The instant (epoch ms) that a wall clock and a zone name; null: as soon as possible. */
function publishTime(asked: NewPost['publish_at'], now: number): number | null {
  if (!asked) return null
  const at = instantOf(asked.local, asked.timezone)
  if (at === null) throw badTime('There is no such date or time.')
  // The minute that the form shows may have begun while it was filled in.
  if (at < now - 60_000) throw badTime('This time has passed.')
  if (at > now + SCHEDULE_MAX_DAYS * 86_400_000)
    throw badTime(`Choose a time within ${SCHEDULE_MAX_DAYS} days.`)
  return at
}

const badTime = (message: string) => refusal('invalid', { 'publish_at.local': [message] })

/** The accounts in the order of the targets, kept from being unlinked until the transaction ends. */
async function holdAccounts(trx: Db, userId: number, targets: readonly Target[]): Promise<AccountRow[]> {
  const rows = await trx
    .selectFrom('accounts')
    .selectAll()
    .where(
      'account_id',
      'in',
      targets.map(({ accountId }) => accountId),
    )
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .orderBy('account_id')
    .forKeyShare()
    .execute()
  return targets.map(({ accountId }) => {
    const row = rows.find(({ account_id }) => account_id === accountId)
    if (!row) throw notFound('account')
    return row
  })
}

/** `id` gives a file that has just come its row: once nothing can be refused any more. */
type HeldVideo = { readonly facts: VideoFacts; readonly size: number; readonly id: () => Promise<number> }

async function heldVideo(trx: Db, userId: number, asked: AskedVideo): Promise<HeldVideo> {
  switch (asked.kind) {
    case 'uploaded': {
      const row = await holdVideo(trx, userId, asked.videoId)
      return { facts: factsOf(row), size: row.size, id: async () => row.video_id }
    }
    case 'file': {
      const { file, facts } = asked
      const id = async () => (await insertVideo(trx, userId, file, facts)).video_id
      return { facts, size: file.size, id }
    }
  }
}

type Checked = { readonly account: AccountRow; readonly platform: PlatformId; readonly options: object }

/** All that can be known before a platform is asked; what is wrong is said at once, each at its field. */
function check(
  deps: PostDeps,
  asked: PostRequest,
  accounts: readonly AccountRow[],
  video: HeldVideo,
): Checked[] {
  const errors: Record<string, string[]> = {}
  const say = (field: string, message: string) => {
    const said = (errors[field] ??= [])
    if (!said.includes(message)) said.push(message)
  }
  const checked = asked.targets.flatMap((target, i): Checked[] => {
    const account = accounts[i]
    if (!account) return [] // there is one for each target
    const platform = PlatformId.parse(account.platform)
    const name = PLATFORM_NAMES[platform]
    if (deps.platforms[platform] === null) throw platformOff(platform)
    if (target.platform !== null && target.platform !== platform) {
      say(target.field, `${accountName(account)} is an account on ${name}.`)
      return []
    }
    if (accounts.indexOf(account) !== i) say(target.field, 'Choose each account once.')
    if (account.relink_reason !== null)
      say(target.field, `Link ${accountName(account)} again first. ${account.relink_reason}`)
    else if (!account.can_publish) {
      say(target.field, `${accountName(account)} did not allow posting. Link it again and leave that ticked.`)
    }
    for (const problem of checkText(asked.text, platform)) say(asked.textField, problem)
    for (const finding of checkVideo(video.facts, video.size, platform)) {
      if (finding.level === 'error') say(asked.video.field, `${finding.message} ${finding.remedy}`)
    }
    const options = PLATFORM_OPTIONS[platform].safeParse(target.options, {
      error: inPlainWords(target.options),
    })
    if (options.success) return [{ account, platform, options: options.data }]
    for (const [field, messages] of Object.entries(fieldErrors(options.error))) {
      for (const message of messages) say(`${target.optionsField}.${field}`, message)
    }
    return []
  })
  if (Object.keys(errors).length > 0) throw refusal('invalid', errors)
  return checked
}

async function insertPost(
  trx: Db,
  it: {
    readonly userId: number
    readonly videoId: number
    readonly now: number
    readonly publishAt: number | null
  },
  asked: PostRequest,
): Promise<number> {
  const { post_id } = await trx
    .insertInto('posts')
    .values({
      user_id: it.userId,
      video_id: it.videoId,
      text: asked.text,
      publish_at: it.publishAt === null ? null : new Date(it.publishAt),
      publish_local: asked.publishAt?.local ?? null,
      timezone: asked.publishAt?.timezone ?? null,
      idempotency_key: asked.idempotency?.key ?? null,
      idempotency_hash: asked.idempotency?.hash ?? null,
      created_at: new Date(it.now),
    })
    .returning('post_id')
    .executeTakeFirstOrThrow()
  return post_id
}
