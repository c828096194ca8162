import { sql } from 'kysely'
import type { Siblings } from '#platforms/kit/platform.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import type { Db } from '#base/db/open.ts'
import type { Claim } from '../store.ts'

/**
 * Lists what other deliveries posted, or may have posted, to the same platform account since then, so that a post that was
 * found is not mistaken for theirs. Matches by the platform's own id, because several users may have linked the account.
 */
export async function findSiblings(db: Db, claim: Claim, sinceMs: number): Promise<Siblings> {
  const rows = await findSiblingsQuery(db, claim, sinceMs).execute()
  return {
    postIds: rows.flatMap((row) => row.postId ?? []),
    unknown: rows.filter((row) => row.postId === null).map((row) => row.text),
  }
}

/** Each part has an index of its own: an account may have published very many posts. */
export function findSiblingsQuery(db: Db, claim: Pick<Claim, 'accountId' | 'deliveryId'>, sinceMs: number) {
  // The platform may tell a post's id later, with its link.
  const postId = sql<string | null>`coalesce(deliveries.platform_post_id, (
    select f.platform_post_id from follow_ups f where f.delivery_id = deliveries.delivery_id and f.kind = 'public_link'))`
  const ofAccount = db
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
  const undecided = ofAccount.where('deliveries.state', 'in', UNDECIDED).where((eb) =>
    eb.or([
      eb('deliveries.state', 'in', ['committing', 'processing', 'unconfirmed']),
      // Its user said that an earlier attempt is not live, which may be a mistake.
      eb.and([
        eb('deliveries.state', 'in', ['scheduled', 'blocked']),
        eb('deliveries.session', 'is not', null),
      ]),
      // The platform said that its call has had no effect so far.
      eb.and([eb('deliveries.state', '=', 'preparing'), eb('deliveries.commits', '>', 0)]),
    ]),
  )
  return (
    ofAccount
      .where(sql<boolean>`deliveries.state = 'published'`)
      // `ended_at` is when Reelay learned that the post is live, never earlier than it was.
      .where('deliveries.ended_at', '>=', new Date(sinceMs))
      .unionAll(undecided)
  )
}
