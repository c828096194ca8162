import { sql } from 'kysely'
import type { KeyLimit } from '#contract/api-keys.ts'
import { PICTURE_OPTIONS } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import type { Caller } from '../http/caller.ts'

type Kind = 'account' | 'brand' | 'post' | 'delivery' | 'schedule' | 'video' | 'picture'

/** The kind of what a field of a request names, in all calls that keys with a limit can make. */
export const NAMES: Readonly<Record<string, Kind>> = {
  accountId: 'account',
  account_id: 'account',
  brandId: 'brand',
  brand_id: 'brand',
  postId: 'post',
  deliveryId: 'delivery',
  replaces: 'delivery',
  scheduleId: 'schedule',
  schedule_id: 'schedule',
  videoId: 'video',
  video_id: 'video',
  accounts: 'account',
}

/**
 * Holds a key to its brands and accounts. A post is the key's if all its accounts are; a video, if it is of no other brand and was posted
 * for none; a picture, if a post to one of its accounts uses it. A slot at the top moves posts that may not be the key's, and drafts have no owner but the user.
 * @throws Problem forbidden, also if the request names nothing at all
 */
export async function assertReach(
  db: Db,
  { user, key }: Caller,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): Promise<void> {
  if (!key?.limitedTo) return
  const ids: Record<Kind, number[]> = {
    account: [],
    brand: [],
    post: [],
    delivery: [],
    schedule: [],
    video: [],
    picture: [],
  }
  for (const part of Object.values(input)) collectIds(part, ids)
  if (Object.values(ids).every((some) => some.length === 0))
    throw new Problem(
      'forbidden',
      'This API key is limited: say of which brand or account (`brandId`, `accountId`).',
    )
  const { brand_ids: brandIds } = key.limitedTo
  // Ids first: the planner finds few posts by their ids, and would read all deliveries otherwise.
  const postIds =
    ids.delivery.length === 0
      ? ids.post
      : [...ids.post, ...(await listPostIds(db, user.user_id, ids.delivery))]
  const { rows } = await sql<{ outside: boolean }>`
    with mine as (${reached(user.user_id, key.limitedTo)})
    select exists (select from unnest(${ids.account}::bigint[]) as a (id) where id not in (select account_id from mine))
      or exists (select from unnest(${ids.brand}::bigint[]) as b (id) where id <> all (${brandIds}::bigint[]))
      or exists (select from unnest(${postIds}::bigint[]) as p (id) cross join lateral (
        select account_id from deliveries where post_id = p.id offset 0) d where account_id not in (select account_id from mine))
      or exists (select from schedules where schedule_id = any (${ids.schedule}::bigint[])
        and brand_id <> all (${brandIds}::bigint[]))
      or exists (select from videos where video_id = any (${ids.video}::bigint[]) and brand_id is not null
        and brand_id not in (select brand_id from mine))
      or exists (select from posted_brands where video_id = any (${ids.video}::bigint[])
        and brand_id not in (select brand_id from mine))
      or exists (select from unnest(${ids.picture}::bigint[]) as c (id) where not exists (
        select from delivery_pictures join deliveries using (delivery_id)
        where picture_id = c.id and account_id in (select account_id from mine))) as outside`.execute(db)
  if (rows[0]?.outside !== false) throw outOfReach()
}

export const outOfReach = (): Problem =>
  new Problem('forbidden', 'This API key is limited to other brands or accounts.')

async function listPostIds(db: Db, userId: number, deliveryIds: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('post_id')
    .where('delivery_id', 'in', [...deliveryIds])
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ post_id }) => post_id)
}

/** The accounts that a key reaches, unlinked ones included. */
const reached = (userId: number, { brand_ids, account_ids }: KeyLimit) =>
  sql`select account_id, brand_id from accounts where user_id = ${userId}
    and (brand_id = any (${brand_ids}::bigint[]) or account_id = any (${account_ids}::bigint[]))`

/** Tells which of a user's accounts a caller reaches. */
export async function readReach(db: Db, { user, key }: Caller): Promise<(accountId: number) => boolean> {
  if (!key?.limitedTo) return () => true
  const { rows } = await sql<{ account_id: number }>`${reached(user.user_id, key.limitedTo)}`.execute(db)
  const own = new Set(rows.map(({ account_id }) => account_id))
  return (accountId) => own.has(accountId)
}

const PICTURES = Object.values(PICTURE_OPTIONS)

/** Options of platforms are the caller's own record, and name nothing of the user's but pictures. */
function collectIds(value: unknown, ids: Record<Kind, number[]>, name = ''): void {
  if (name === 'draft_id' || (name === 'place' && value === 'top'))
    throw new Problem('forbidden', 'API keys that are limited to some brands or accounts cannot do this.')
  const kind = NAMES[name]
  if (typeof value === 'number' && kind) ids[kind].push(value)
  else if (Array.isArray(value)) for (const one of value) collectIds(one, ids, name)
  else if (typeof value === 'object' && value !== null)
    for (const [field, one] of Object.entries(value)) {
      if (name !== 'options') collectIds(one, ids, field)
      else if (typeof one === 'number' && PICTURES.includes(field)) ids.picture.push(one)
    }
}
