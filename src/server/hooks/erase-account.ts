import { randomBytes } from 'node:crypto'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { AccessDeps } from '../accounts/access.ts'
import { erasedId } from '../deliveries/erased-account.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import { deleteNotificationsAbout } from '../notifications/store.ts'
import { calledBy, digestOf, type NoticeOf } from './store.ts'

/** The display name of an erased account. */
const ERASED_NAME = 'Deleted account'

/**
 * Deletes the data of an account in every row of it: of all our users, unlinked ones included. What was published stays on
 * record without the account's name. A repeated request gets the same code.
 */
export function eraseAccount(
  deps: AccessDeps,
  platform: PlatformId,
  notice: NoticeOf<'erase_person'>,
): Promise<string> {
  const digest = digestOf(platform, notice.key)
  return deps.db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('deletion_requests')
      .values({ code: newCode(), digest, platform, accounts: 0 })
      // Waits for another process that carries out the same request.
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .returning('code')
      .executeTakeFirst()
    if (!made) {
      const before = trx.selectFrom('deletion_requests').select('code').where('digest', '=', digest)
      return (await before.executeTakeFirstOrThrow()).code
    }
    // As `unlink` does: the accounts first, then what waits for them.
    const accounts = await trx
      .selectFrom('accounts')
      .select(['account_id', 'user_id'])
      .where(calledBy(platform, notice.externalId))
      .orderBy('account_id')
      .forUpdate()
      .execute()
    for (const { account_id, user_id } of accounts) {
      await deleteNotificationsAbout(trx, account_id)
      await endDeliveries(trx, deps, user_id, account_id)
      await trx
        .updateTable('accounts')
        .set((eb) => ({
          external_id: erasedId(account_id),
          app_scoped_id: null,
          username: null,
          display_name: ERASED_NAME,
          avatar_url: null,
          scopes: [],
          tokens: null,
          refresh_due_at: null,
          access_ends_at: null,
          access_check_until: null,
          relink_reason: null,
          unlinked_at: eb.fn.coalesce('unlinked_at', eb.val(new Date(deps.now()))),
        }))
        .where('account_id', '=', account_id)
        .execute()
    }
    await trx
      .updateTable('deletion_requests')
      .set({ accounts: accounts.length })
      .where('code', '=', made.code)
      .execute()
    return made.code
  })
}

/**
 * What is at the platform already cannot be taken back, and becomes the user's to answer. One whose irreversible call is out
 * ends by what comes of that.
 */
async function endDeliveries(trx: Db, deps: AccessDeps, userId: number, accountId: number): Promise<void> {
  const waiting = await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('account_id', '=', accountId)
    .where('state', 'in', ['scheduled', 'blocked', 'preparing', 'processing', 'unconfirmed'])
    .orderBy('delivery_id')
    .execute()
  for (const { delivery_id } of waiting) {
    const it = { deliveryId: delivery_id, userId, now: deps.now() }
    const cancelled = await applyUserEvent(trx, deps.encrypter, { ...it, event: { type: 'cancel' } })
    if (cancelled !== null && 'moved' in cancelled) continue
    await applyUserEvent(trx, deps.encrypter, { ...it, event: { type: 'erased' } })
  }
}

/** Letters and digits only, of which nobody guesses one that was given out. */
const newCode = (): string =>
  BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(26, '0')
