import { type RawBuilder, type Selectable, sql } from 'kysely'
import { accountOnPlatform } from '#contract/accounts.ts'
import { DeliveryStatus } from '#contract/deliveries.ts'
import type { Repeat } from '#contract/http/problem.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { view } from '#domain/delivery/view.ts'
import type { Db } from '#base/db/open.ts'
import type { Deliveries } from '#base/db/tables.ts'
import { Problem } from '#base/problem.ts'
import { followUpsOfDelivery, linkToldLater } from './follow-up-rows.ts'
import { stateToShow } from './record.ts'

/** In these states a delivery's video is live on its account, or may become so. */
export const ON_ACCOUNT = [...UNDECIDED, 'published', 'in_inbox'] as const satisfies DeliveryStatus[]

/** A question to the user names so many; the first is the most certain. */
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
  const { rows } = await findRepeatsQuery(deliveryIds, by).execute(trx)
  const repeats = rows.map(toRepeat)
  const [first] = repeats
  if (first) throw new Problem('already_posted', describeRepeat(first), { repeats })
}

type Row = Pick<
  Selectable<Deliveries>,
  'delivery_id' | 'post_id' | 'platform' | 'state' | 'data' | 'session' | 'goes_out_at'
> & {
  readonly deleted_at: Date | null
  readonly username: string | null
  readonly display_name: string
  readonly follow_ups: unknown
  readonly is_own: boolean
}

/**
 * The deliveries whose video is, or may come, where one of these deliveries takes its own: those that still may, and those that
 * have arrived since its post was made. The account counts by the platform's id and the video by its bytes, so neither another
 * link of the account nor another upload of the file hides one. Of other users only what is public counts.
 * With `offset` each is looked up by an index, from the video on: an account may have very many posts of others.
 */
export const findRepeatsQuery = (
  deliveryIds: readonly number[],
  by: Parameters<typeof refuseRepeats>[2],
): RawBuilder<Row> => sql<Row>`
  with mine as materialized (
    select d.delivery_id, d.user_id, v.sha256, a.platform, a.external_id,
      date_trunc('milliseconds', p.created_at) as made_at
    from deliveries d join posts p using (post_id) join videos v on v.video_id = p.video_id
      join accounts a on a.account_id = d.account_id
    where d.delivery_id in (${sql.join(deliveryIds)}))
  select deliveries.*, posts.deleted_at, accounts.username, accounts.display_name, ${followUpsOfDelivery} as follow_ups,
    deliveries.user_id = mine.user_id as is_own
  from mine
  cross join lateral (select video_id from videos where videos.sha256 = mine.sha256 offset 0) videos
  cross join lateral (select post_id, deleted_at from posts where posts.video_id = videos.video_id offset 0) posts
  cross join lateral (select * from deliveries where deliveries.post_id = posts.post_id offset 0) deliveries
  cross join lateral (select platform, external_id, username, display_name from accounts
    where accounts.account_id = deliveries.account_id offset 0) accounts
  where accounts.platform = mine.platform and accounts.external_id = mine.external_id
    ${by === 'others' ? sql`and deliveries.delivery_id <> mine.delivery_id` : sql``}
    and case
      when deliveries.state in (${sql.join(UNDECIDED)}) then deliveries.user_id = mine.user_id
      when deliveries.state = 'published' or (deliveries.state = 'in_inbox' and deliveries.user_id = mine.user_id)
        then deliveries.ended_at >= mine.made_at
      else false end
  order by deliveries.state = 'published' desc, deliveries.delivery_id desc
  limit ${sql.lit(REPEATS_MAX)}`

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
