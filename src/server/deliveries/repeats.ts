import { sql } from 'kysely'
import { accountOnPlatform } from '#contract/accounts.ts'
import { DeliveryStatus } from '#contract/deliveries.ts'
import type { Repeat } from '#contract/http/problem.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { view } from '#domain/delivery/view.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { followUpsOfDelivery, linkToldLater } from './follow-up-rows.ts'
import { stateToShow } from './record.ts'

/** The states in which a delivery's video is on its account, or may come to be there. */
export const ON_ACCOUNT = [...UNDECIDED, 'published', 'in_inbox'] as const satisfies DeliveryStatus[]

/** What a question names; the first is the most certain. */
const REPEATS_MAX = 20

/**
 * Refuses what would put the videos of these deliveries on accounts that have them since, or are about to get them, by others.
 * `and themselves`: by these deliveries as well, which were sent again meanwhile.
 * @throws Problem already_posted
 */
export async function refuseRepeats(
  trx: Db,
  deliveryIds: readonly number[],
  by: 'others' | 'and themselves',
): Promise<void> {
  if (deliveryIds.length === 0) return
  const found = findRepeatsQuery(trx, deliveryIds)
  const rows = await (
    by === 'others' ? found.whereRef('deliveries.delivery_id', '!=', 'mine.delivery_id') : found
  ).execute()
  const repeats = rows.map(toRepeat)
  const [first] = repeats
  if (first) throw new Problem('already_posted', describeRepeat(first), { repeats })
}

/**
 * The deliveries whose video is, or may come, where one of these deliveries takes its own: those that still may, and those that
 * have arrived since its post was made. The account counts by the platform's id and the video by its bytes, so neither another
 * link of the account nor another upload of the file hides one. Of other users only what is public counts.
 */
export function findRepeatsQuery(db: Db, deliveryIds: readonly number[]) {
  const arrivedSince = sql<boolean>`(deliveries.data -> 'at')::bigint >= floor(extract(epoch from my_posts.created_at) * 1000)`
  return db
    .selectFrom('deliveries as mine')
    .innerJoin('posts as my_posts', 'my_posts.post_id', 'mine.post_id')
    .innerJoin('videos as my_videos', 'my_videos.video_id', 'my_posts.video_id')
    .innerJoin('accounts as my_accounts', 'my_accounts.account_id', 'mine.account_id')
    .innerJoin('videos', 'videos.sha256', 'my_videos.sha256')
    .innerJoin('posts', 'posts.video_id', 'videos.video_id')
    .innerJoin('deliveries', 'deliveries.post_id', 'posts.post_id')
    .innerJoin('accounts', (join) =>
      join
        .onRef('accounts.account_id', '=', 'deliveries.account_id')
        .onRef('accounts.platform', '=', 'my_accounts.platform')
        .onRef('accounts.external_id', '=', 'my_accounts.external_id'),
    )
    .selectAll('deliveries')
    .select([
      'posts.deleted_at',
      'accounts.username',
      'accounts.display_name',
      followUpsOfDelivery.as('follow_ups'),
      sql<boolean>`deliveries.user_id = mine.user_id`.as('is_own'),
    ])
    .where('mine.delivery_id', 'in', [...deliveryIds])
    .where((one) =>
      one.or([
        one.and([
          one('deliveries.user_id', '=', one.ref('mine.user_id')),
          one('deliveries.state', 'in', UNDECIDED),
        ]),
        one.and([one('deliveries.state', '=', 'published'), arrivedSince]),
        one.and([
          one('deliveries.user_id', '=', one.ref('mine.user_id')),
          one('deliveries.state', '=', 'in_inbox'),
          arrivedSince,
        ]),
      ]),
    )
    .orderBy(sql`deliveries.state = 'published'`, 'desc')
    .orderBy('deliveries.delivery_id', 'desc')
    .limit(REPEATS_MAX)
}

type Row = Awaited<ReturnType<ReturnType<typeof findRepeatsQuery>['execute']>>[number]

function toRepeat(row: Row): Repeat {
  const state = stateToShow(row)
  const seen = state && view(state)
  const at = seen?.publishedAt ?? seen?.inInboxAt ?? row.goes_out_at?.getTime() ?? null
  return {
    platform: row.platform,
    username: row.username,
    display_name: row.display_name,
    post_id: row.is_own && row.deleted_at === null ? row.post_id : null,
    status: row.state,
    at: at === null ? null : new Date(at).toISOString(),
    url: row.is_own ? (seen?.url ?? linkToldLater(row.follow_ups)) : null,
  }
}

function describeRepeat(repeat: Repeat): string {
  const account = accountOnPlatform({ ...repeat, platform: PlatformId.parse(repeat.platform) })
  switch (DeliveryStatus.parse(repeat.status)) {
    case 'published':
      return `${account} has this video already, from another post.`
    case 'in_inbox':
      return `${account} has this video in its inbox already, from another post.`
    case 'unconfirmed':
      return `${account} may have this video already, from another post whose outcome is not known yet.`
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'blocked':
    case 'failed':
    case 'cancelled':
      return `Another post takes this video to ${account}.`
  }
}
