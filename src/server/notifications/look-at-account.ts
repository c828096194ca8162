import { sql } from 'kysely'
import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { composeForAccount, type Composed } from '#domain/notifications/compose.ts'
import type { Db } from '#base/db/open.ts'
import { type AccountLook, scheduleAccountLook, takeLook } from '../outbox/store.ts'
import type { NotifierDeps } from './notifier.ts'
import { tell, zoneOf } from './tell.ts'

/** So long before an account's access ends its user is told. */
const TOLD_BEFORE_MS = 7 * 86_400_000
/** Accounts that one round schedules; the rest waits for the next. */
const ENDING_PER_ROUND = 500

/** Looks at an account whose access had ended or was to end soon, and tells its user if that is still so. */
export async function lookAtAccount(deps: NotifierDeps, look: AccountLook): Promise<void> {
  const { userId, accountId } = look
  await deps.db.transaction().execute(async (trx) => {
    if (!(await takeLook(trx, look, deps.now()))) return
    const account = await trx
      .selectFrom('accounts')
      .select(['platform', 'username', 'display_name', 'relink_reason', 'linked_at', 'access_ends_at'])
      .where('account_id', '=', accountId)
      .where('unlinked_at', 'is', null)
      .executeTakeFirst()
    if (!account) return
    const subject = accountName(account)
    const name = `${subject} (${PLATFORM_NAMES[PlatformId.parse(account.platform)]})`
    const { relink_reason: reason, linked_at: linkedAt, access_ends_at: endsAt } = account
    const told: Composed | null =
      reason !== null
        ? composeForAccount(name, {
            kind: 'link_again',
            reason,
            linkedAt,
            waiting: await countWaiting(trx, accountId),
          })
        : endsAt !== null && endsSoon(endsAt, deps.now())
          ? composeForAccount(name, {
              kind: 'access_ending',
              endsAt,
              timeZone: await zoneOf(trx, userId),
            })
          : null
    if (told !== null) await tell(trx, deps, { userId, about: { accountId }, subject, told })
  })
}

const endsSoon = (endsAt: Date, now: number): boolean => endsAt.getTime() - now <= TOLD_BEFORE_MS

async function countWaiting(db: Db, accountId: number): Promise<number> {
  const { posts } = await db
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .select((row) => row.fn.count<number>('deliveries.delivery_id').as('posts'))
    .where('deliveries.account_id', '=', accountId)
    .where('deliveries.state', '=', 'blocked')
    .where('posts.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return posts
}

/** Schedules a look at accounts whose access ends soon and of which their users do not know that. */
export async function scheduleEndingAccess(
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
    .where('accounts.access_ends_at', '<=', new Date(at + TOLD_BEFORE_MS))
    .where('notifications.notification_id', 'is', null)
    .where('outbox.event_id', 'is', null)
    .orderBy('accounts.access_ends_at')
    .limit(limit)
    .execute()
  for (const { account_id: accountId, user_id: userId } of ending)
    await scheduleAccountLook(db, { userId, accountId, now: at })
}
