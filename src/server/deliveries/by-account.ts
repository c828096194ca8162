import type { Reason } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { lockRoom } from './late-posts.ts'
import { applyUserEvents } from './store.ts'

type MoveDeps = { readonly encrypter: Encrypter; readonly now: () => number }

/**
 * Blocks the account's deliveries that cannot go on without access. Call it in the transaction that ends the access and has
 * locked the account's row.
 */
export async function blockAccountDeliveries(
  trx: Db,
  { encrypter, now }: MoveDeps,
  accountId: number,
  reason: Reason,
): Promise<void> {
  const event = { type: 'relink', reason } as const
  const open = await listOpen(trx, accountId)
  await applyUserEvents(
    trx,
    encrypter,
    open.map(({ delivery_id: deliveryId, user_id: userId }) => ({ deliveryId, userId, event })),
    now(),
  )
}

/**
 * Lets the account's blocked deliveries go on, late ones in the order in which they were due, and checks at once what could
 * not be checked without access. Call it in the transaction that renews the access and has locked the account's row.
 */
export async function releaseAccountDeliveries(
  trx: Db,
  { encrypter, now: clock }: MoveDeps,
  accountId: number,
): Promise<void> {
  const now = clock()
  const open = await listOpen(trx, accountId)
  const late = open
    .filter(({ cause, due_at }) => cause === 'account' && (due_at === null || due_at.getTime() <= now))
    .toSorted((a, b) => (a.goes_out_at?.getTime() ?? 0) - (b.goes_out_at?.getTime() ?? 0))
    .map(({ delivery_id }) => delivery_id)
  const freeAt = await freeTimes(trx, accountId, late, now)
  const events = open.map(({ delivery_id: deliveryId, user_id: userId }) => ({
    deliveryId,
    userId,
    event: { type: 'linked_again', freeAt: freeAt.get(deliveryId) ?? now } as const,
  }))
  await applyUserEvents(trx, encrypter, events, now)
}

/** The times at which these late deliveries of an account may go out, in their order. */
async function freeTimes(
  trx: Db,
  accountId: number,
  late: readonly number[],
  now: number,
): Promise<Map<number, number>> {
  if (late.length === 0) return new Map()
  const room = await lockRoom(trx, [accountId], now)
  return new Map(
    late.map((id) => {
      const freeAt = room.freeAt(accountId)
      room.take(accountId, freeAt)
      return [id, freeAt]
    }),
  )
}

/** Rows are locked in this order. Deliveries that an event does not concern refuse it. */
const listOpen = (trx: Db, accountId: number) =>
  trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'user_id', 'goes_out_at', 'due_at', 'cause'])
    .where('account_id', '=', accountId)
    .where('state', 'in', ['scheduled', 'blocked', 'preparing', 'processing', 'unconfirmed'])
    .orderBy('delivery_id')
    .execute()
