import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Delivery, DeliveryAction, DeliveryEvent, Pausable } from '#contract/deliveries.ts'
import { goesToInbox, PlatformId } from '#contract/platforms/index.ts'
import type { PostDetail } from '#contract/posts.ts'
import { isEditable } from '#domain/delivery/by-user.ts'
import { type DeliveryView, EMPTY_VIEW, view } from '#domain/delivery/view.ts'
import { pausedPart } from './find-pause.ts'
import { isErased } from './erased-account.ts'
import { followUpsOfDelivery, linkToldLater, toFollowUps } from './follow-up-rows.ts'
import type { Db } from '#base/db/open.ts'
import type { Deliveries } from '#base/db/tables.ts'
import { stateToShow } from './record.ts'

/** A delivery's row joined with its account and its video, as far as it is shown. */
export type DeliveryRow = Pick<
  Selectable<Deliveries>,
  | 'delivery_id'
  | 'post_id'
  | 'account_id'
  | 'platform'
  | 'options'
  | 'state'
  | 'data'
  | 'session'
  | 'wake_at'
  | 'updated_at'
> & {
  readonly username: string | null
  readonly display_name: string
  readonly avatar_url: string | null
  readonly external_id: string
  readonly unlinked_at: Date | null
  readonly paused: Pausable | null
  readonly size: number
  readonly video_deleted_at: Date | null
  readonly follow_ups: unknown
}

export type DeliveryJson = Omit<
  DeliveryRow,
  'session' | 'wake_at' | 'updated_at' | 'unlinked_at' | 'video_deleted_at'
> & {
  readonly has_session: boolean
  readonly wake_at: string | null
  readonly updated_at: string
  readonly unlinked_at: string | null
  readonly video_deleted_at: string | null
}

/** Read for what waits only: the lists are full of what has ended. A scheduled post may be due after the pause. */
const pausedWhileWaiting = (scheduleId: RawBuilder<unknown>) => {
  const due = sql`case when deliveries.state = 'scheduled' then deliveries.goes_out_at end`
  return sql<Pausable | null>`case when deliveries.state in ('scheduled', 'blocked')
    then ${pausedPart('accounts', scheduleId, due)} end`
}

/** Reads tables under the names `deliveries`, `accounts`, `p` (posts) and `videos`. Sessions are secret: only their presence is selected. */
export const deliveryJson = sql`json_build_object('delivery_id', deliveries.delivery_id, 'post_id', deliveries.post_id,
  'account_id', deliveries.account_id, 'platform', deliveries.platform, 'options', deliveries.options, 'state', deliveries.state,
  'data', deliveries.data, 'has_session', deliveries.session is not null, 'wake_at', deliveries.wake_at,
  'updated_at', deliveries.updated_at, 'username', accounts.username, 'display_name', accounts.display_name,
  'avatar_url', accounts.avatar_url, 'external_id', accounts.external_id, 'unlinked_at', accounts.unlinked_at,
  'paused', ${pausedWhileWaiting(sql`p.schedule_id`)}, 'size', videos.size,
  'video_deleted_at', videos.deleted_at, 'follow_ups', ${followUpsOfDelivery})`

const SOME_SESSION = Buffer.alloc(0)
const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time))

export const fromJson = ({ has_session: hasSession, ...json }: DeliveryJson): DeliveryRow => ({
  ...json,
  session: hasSession ? SOME_SESSION : null,
  wake_at: dateOf(json.wake_at),
  updated_at: new Date(json.updated_at),
  unlinked_at: dateOf(json.unlinked_at),
  video_deleted_at: dateOf(json.video_deleted_at),
})

/**
 * The posts that a user has deleted: few, found by an index of their own, so that every list and count can leave out what is
 * theirs.
 */
const deletedPosts = (userId: number) =>
  sql<number>`(select p.post_id from posts p where p.user_id = ${userId} and p.deleted_at is not null)`

/** The user's deliveries as `toDelivery` takes them, in order of their ids. */
export function selectDeliveries(db: Db, userId: number) {
  return db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .innerJoin('videos', 'videos.video_id', 'posts.video_id')
    .selectAll('deliveries')
    .select([
      'accounts.username',
      'accounts.display_name',
      'accounts.avatar_url',
      'accounts.external_id',
      'accounts.unlinked_at',
      pausedWhileWaiting(sql`posts.schedule_id`).as('paused'),
      'videos.size',
      'videos.deleted_at as video_deleted_at',
      followUpsOfDelivery.as('follow_ups'),
    ])
    .where('deliveries.user_id', '=', userId)
    .where('posts.deleted_at', 'is', null)
    .orderBy('deliveries.delivery_id')
}

export function toDelivery(row: DeliveryRow): Delivery {
  const state = stateToShow(row)
  const seen = state ? view(state) : UNREADABLE
  const platform = PlatformId.parse(row.platform)
  const toInbox = goesToInbox(platform, row.options)
  return {
    delivery_id: row.delivery_id as Delivery['delivery_id'], // ids come out of the database unbranded
    post_id: row.post_id as Delivery['post_id'],
    account_id: row.account_id as Delivery['account_id'],
    platform,
    username: row.username,
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    to_inbox: toInbox,
    // Written by `store.ts` from a state; the column's own check allows no other.
    status: row.state as Delivery['status'],
    progress: seen.sent === null ? null : { sent: seen.sent, total: row.size },
    reason: seen.reason,
    cause: seen.cause,
    paused: row.paused,
    settled: seen.settled && {
      kind: seen.settled.kind,
      at: iso(seen.settled.at),
      // stored when the post was made
      post_id: seen.settled.kind === 'replaced' ? (seen.settled.postId as Delivery['post_id']) : null,
    },
    open_outcome: seen.open && {
      called_at: iso(seen.open.since),
      times_asked: seen.open.checks,
      asked_at: seen.open.answer && iso(seen.open.answer.at),
      answer: seen.open.answer && seen.open.answer.message,
    },
    url: seen.url ?? linkToldLater(row.follow_ups),
    due_at: dueAt(row, seen),
    published_at: seen.publishedAt === null ? null : iso(seen.publishedAt),
    in_inbox_at: seen.inInboxAt === null ? null : iso(seen.inInboxAt),
    actions: seen.actions
      .map((action) => answerFor(toInbox, action))
      .filter((action) => isPossible(action, row)),
    editable: isEditable(state),
    follow_ups: toFollowUps(row.delivery_id, row.follow_ups),
    attempt: state?.attempt ?? 1,
    updated_at: row.updated_at.toISOString(),
  }
}

/** Stands for a row that this version cannot read, so that the rest of its list is shown. */
const UNREADABLE: DeliveryView = {
  ...EMPTY_VIEW,
  reason: {
    code: 'unreadable_record',
    message: 'This version of Reelay cannot read the record of this post.',
    remedy: 'Check whether it is live on the platform, and contact the person who runs this server.',
    detail: null,
  },
}

/** A check of an ended delivery, or of a pause, is no step that the user waits for. */
function dueAt(row: DeliveryRow, seen: DeliveryView): string | null {
  if (seen.plannedAt !== null) return iso(seen.plannedAt)
  if (row.state === 'published' || row.state === 'in_inbox' || seen.cause === 'paused') return null
  return row.wake_at?.toISOString() ?? null
}

/** A draft that arrived is in the inbox, and not live. */
const answerFor = (toInbox: boolean, action: DeliveryAction): DeliveryAction =>
  toInbox && action === 'resolve_live' ? 'resolve_in_inbox' : action

/** Some actions need more than the delivery: its account and its video. */
function isPossible(action: DeliveryAction, row: DeliveryRow): boolean {
  switch (action) {
    case 'retry':
      return row.unlinked_at === null && row.video_deleted_at === null
    case 'link_again':
      return !isErased(row)
    // A draft is checked by its session, which a delivery that is held after a restore may lack.
    case 'resolve_in_inbox':
      return row.session !== null
    case 'dismiss':
    case 'cancel':
    case 'resolve_live':
    case 'resolve_not_live':
    case 'resume_planned':
      return true
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

export async function getDelivery(db: Db, userId: number, deliveryId: number): Promise<Delivery | null> {
  const row = await selectDeliveries(db, userId)
    .where('deliveries.delivery_id', '=', deliveryId)
    .executeTakeFirst()
  return row ? toDelivery(row) : null
}

export async function listTargets(
  db: Db,
  userId: number,
  postIds: readonly number[],
): Promise<PostDetail['targets']> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['delivery_id', 'text', 'options', 'after_minutes'])
    .where('user_id', '=', userId)
    .where('post_id', 'in', postIds)
    .orderBy('delivery_id')
    .execute()
  return rows.map(({ delivery_id, text, options, after_minutes }) => ({
    delivery_id: delivery_id as Delivery['delivery_id'], // unbranded in the database
    text,
    options: options as Record<string, unknown>, // checked by the platform's schema when it was stored
    after_minutes,
  }))
}

/** Lines of the user's timelines, oldest first: those after `since`, some by their ids, or those of posts that are not deleted. */
export async function listEvents(
  db: Db,
  userId: number,
  which:
    | { readonly since: number }
    | { readonly eventIds: readonly number[] }
    | { readonly postIds: readonly number[] },
  limit: number,
): Promise<DeliveryEvent[]> {
  const all = db
    .selectFrom('delivery_events')
    .select(['event_id', 'delivery_id', 'at', 'state', 'message'])
    .where('user_id', '=', userId)
    .orderBy('event_id')
    .limit(limit)
  const ofShownPosts = all.where('delivery_id', 'not in', (eb) =>
    eb
      .selectFrom('deliveries')
      .select('deliveries.delivery_id')
      .where('deliveries.post_id', 'in', deletedPosts(userId)),
  )
  const chosen =
    'since' in which
      ? ofShownPosts.where('event_id', '>', which.since)
      : 'eventIds' in which
        ? ofShownPosts.where('event_id', 'in', which.eventIds)
        : // Beside the filter the planner would read the events of all users.
          all.where('delivery_id', 'in', (eb) =>
            eb
              .selectFrom('deliveries')
              .select('deliveries.delivery_id')
              .where('deliveries.post_id', 'in', which.postIds),
          )
  const rows = await chosen.execute()
  return rows.map((row) => ({
    event_id: row.event_id,
    delivery_id: row.delivery_id as DeliveryEvent['delivery_id'], // unbranded in the database
    at: row.at.toISOString(),
    status: row.state as DeliveryEvent['status'], // written by `record` in store.ts, from a DeliveryState
    message: row.message,
  }))
}
