import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { composeForAccount, type NotificationContent } from '#domain/notifications/compose.ts'
import type { Db } from '#base/db/open.ts'
import { type AccountCheck, consumeCheck } from '../outbox/events.ts'
import { ACCESS_NOTICE_MS } from './enqueue-ending-access.ts'
import type { NotifierDeps } from './deps.ts'
import { findTimeZone, notifyUser } from './notify-user.ts'

/** Checks an account that lost its access or is about to, and notifies its user if that is still so. */
export async function notifyAboutAccount(deps: NotifierDeps, check: AccountCheck): Promise<void> {
  const { userId, accountId } = check
  await deps.db.transaction().execute(async (trx) => {
    if (!(await consumeCheck(trx, check, deps.now()))) return
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
    const content: NotificationContent | null =
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
              timeZone: await findTimeZone(trx, userId),
            })
          : null
    if (content !== null) await notifyUser(trx, deps, { userId, about: { accountId }, subject, content })
  })
}

const endsSoon = (endsAt: Date, now: number): boolean => endsAt.getTime() - now <= ACCESS_NOTICE_MS

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
