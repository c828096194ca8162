import { sql } from 'kysely'
import type { Siblings } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Claim } from '../store.ts'

/**
 * Lists what other deliveries posted, or may have posted, to the same platform account since then, so that a post that was
 * found is not mistaken for theirs. Matches by the platform's own id, because several users may have linked the account.
 */
export async function findSiblings(db: Db, claim: Claim, sinceMs: number): Promise<Siblings> {
  // The platform may tell it later, with the link.
  const postId = sql<string | null>`coalesce(deliveries.data ->> 'postId', (
    select f.data ->> 'postId' from follow_ups f where f.delivery_id = deliveries.delivery_id and f.kind = 'public_link'))`
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .innerJoin('accounts as mine', (join) =>
      join
        .onRef('mine.platform', '=', 'accounts.platform')
        .onRef('mine.external_id', '=', 'accounts.external_id'),
    )
    .select(['deliveries.text', postId.as('postId')])
    .where('mine.account_id', '=', claim.accountId)
    .where('deliveries.delivery_id', '!=', claim.deliveryId)
    .where((eb) =>
      eb.or([
        // `at` is when it was known to be live, which is never before it was.
        eb.and([
          eb('deliveries.state', '=', 'published'),
          eb(sql<number>`(deliveries.data ->> 'at')::float8`, '>=', sinceMs),
        ]),
        eb('deliveries.state', 'in', ['committing', 'processing', 'unconfirmed']),
        // Its user says that the attempt before is not there, which may be a mistake.
        eb(sql<string>`jsonb_typeof(deliveries.data -> 'earlier')`, '=', 'object'),
        // The platform said that its call had no effect, yet not that it never will.
        eb.and([
          eb('deliveries.state', '=', 'preparing'),
          eb(sql<number>`(deliveries.data ->> 'commits')::int`, '>', 0),
        ]),
      ]),
    )
    .execute()
  return {
    postIds: rows.flatMap((row) => row.postId ?? []),
    unknown: rows.filter((row) => row.postId === null).map((row) => row.text),
  }
}
