import { sql } from 'kysely'
import { enqueueAccountCheck } from '../outbox/enqueue.ts'
import type { NotifierDeps } from './deps.ts'

/** Users are notified this long before an account's access ends. */
export const ACCESS_NOTICE_MS = 7 * 86_400_000
/** Accounts per round; the others wait for the next one. */
const ENDING_PER_ROUND = 500

/** Enqueues a check of each account whose access ends soon and whose user was not notified of that. */
export async function enqueueEndingAccess(
  { db, now }: Pick<NotifierDeps, 'db' | 'now'>,
  limit = ENDING_PER_ROUND,
): Promise<void> {
  const at = now()
  const ending = await db
    .selectFrom('accounts')
    .leftJoin('notifications', (join) =>
      join
        .onRef('notifications.account_id', '=', 'accounts.account_id')
        .on('notifications.kind', '=', 'access_ending')
        .on('notifications.at', '>=', sql<Date>`accounts.access_ends_at - interval '7 days'`),
    )
    .leftJoin('outbox', 'outbox.account_id', 'accounts.account_id')
    .select(['accounts.account_id', 'accounts.user_id'])
    .where('accounts.unlinked_at', 'is', null)
    .where('accounts.relink_reason', 'is', null)
    .where('accounts.access_ends_at', '>', new Date(at))
    .where('accounts.access_ends_at', '<=', new Date(at + ACCESS_NOTICE_MS))
    .where('notifications.notification_id', 'is', null)
    .where('outbox.event_id', 'is', null)
    .orderBy('accounts.access_ends_at')
    .limit(limit)
    .execute()
  for (const { account_id: accountId, user_id: userId } of ending)
    await enqueueAccountCheck(db, { userId, accountId, now: at })
}
