import { randomBytes } from 'node:crypto'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { AccessDeps } from '../accounts/access.ts'
import { deleteAccountNumbers } from '../deliveries/result-rows.ts'
import { erasedId } from '../deliveries/erased-account.ts'
import { applyUserEvents } from '../deliveries/store.ts'
import { deleteNotificationsAbout } from '../notifications/store.ts'
import { calledBy, hashNotice, type NoticeOf } from './store.ts'

const ERASED_NAME = 'Deleted account'

/**
 * Deletes an account's data in all its rows, also other users' and unlinked ones. Published posts stay on record without
 * the account's name. A repeated request gets the same code.
 */
export function eraseAccount(
  deps: AccessDeps,
  platform: PlatformId,
  notice: NoticeOf<'erase_person'>,
): Promise<string> {
  const digest = hashNotice(platform, notice.key)
  return deps.db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('deletion_requests')
      .values({ code: newCode(), digest, platform, accounts: 0 })
      // Waits for a process that executes the same request.
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .returning('code')
      .executeTakeFirst()
    if (!made) {
      const before = trx.selectFrom('deletion_requests').select('code').where('digest', '=', digest)
      return (await before.executeTakeFirstOrThrow()).code
    }
    // Like `unlink`: first the accounts, then their deliveries.
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
      await deleteAccountNumbers(trx, [account_id])
      await trx
        .updateTable('accounts')
        .set((eb) => ({
          external_id: erasedId(account_id),
          app_scoped_id: null,
          grant_owner_id: null,
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

/** The user must decide about posts that are at the platform already. A delivery whose irreversible call was made ends with its outcome. */
async function endDeliveries(trx: Db, deps: AccessDeps, userId: number, accountId: number): Promise<void> {
  const waiting = await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('account_id', '=', accountId)
    .where('state', 'in', ['scheduled', 'blocked', 'preparing', 'processing', 'unconfirmed'])
    .orderBy('delivery_id')
    .execute()
  const ids = waiting.map(({ delivery_id }) => delivery_id)
  const apply = (type: 'cancel' | 'erased', to: readonly number[]) =>
    applyUserEvents(
      trx,
      deps.encrypter,
      to.map((deliveryId) => ({ deliveryId, userId, event: { type } })),
      deps.now(),
    )
  const { moved: cancelled } = await apply('cancel', ids)
  await apply(
    'erased',
    ids.filter((id) => !cancelled.has(id)),
  )
}

/** Letters and digits only, and too long to guess. */
const newCode = (): string =>
  BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(26, '0')
