import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Session } from '#domain/delivery/state.ts'
import type { Notice } from '#platforms/kit/hooks.ts'
import type { AccessDeps } from '../accounts/access.ts'
import { erasedId } from '../deliveries/erased-account.ts'
import { notifyWake } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { fromColumns } from '../deliveries/record.ts'
import { applyUserEvent } from '../deliveries/store.ts'

type Of<K extends Notice['kind']> = Extract<Notice, { kind: K }>

/** How long a platform is asked whether it took our access away: it may say so a moment before it does so. */
const DOUBT_MS = 600_000

/** Makes the deliveries of this post due now, so that the platform is asked at once. What became of it only the answer tells. */
export function hasten(deps: AccessDeps, platform: PlatformId, notice: Of<'post_moved'>): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await isNews(trx, platform, notice.key))) return
    const asking = await trx
      .selectFrom('deliveries')
      .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
      .select(['deliveries.delivery_id', 'deliveries.state', 'deliveries.data', 'deliveries.session'])
      .where(calledBy(platform, notice.externalId))
      .where('accounts.unlinked_at', 'is', null)
      .where('accounts.relink_reason', 'is', null)
      // Whatever else waits does so for a reason that this does not change, such as a limit.
      .where('deliveries.state', 'in', ['processing', 'unconfirmed', 'published'])
      .where('deliveries.wake_at', 'is not', null)
      .execute()
    const meant = asking
      .filter((row) => holds(fromColumns(row, deps.encrypter), notice.session))
      .map(({ delivery_id }) => delivery_id)
    if (meant.length === 0) return
    const now = new Date(deps.now())
    await trx
      .updateTable('deliveries')
      .set((eb) => ({
        wake_at: sql<Date>`least(wake_at, ${now})`,
        // A worker that is just hearing the answer from before asks again.
        version: eb('version', '+', 1),
      }))
      .where('delivery_id', 'in', meant)
      .where('state', 'in', ['processing', 'unconfirmed', 'published'])
      .where('wake_at', 'is not', null)
      .execute()
    await notifyWake(trx)
  })
}

function holds(state: ReturnType<typeof fromColumns>, part: Session): boolean {
  const session = 'session' in state ? state.session : null
  return session !== null && Object.entries(part).every(([name, value]) => session[name] === value)
}

/** The accounts whose access is now in doubt: those that were linked before it was taken away. */
export function doubtAccess(
  deps: AccessDeps,
  platform: PlatformId,
  notice: Of<'access_removed'>,
): Promise<number[]> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await isNews(trx, platform, notice.key))) return []
    const doubted = await trx
      .updateTable('accounts')
      .set({ access_check_until: new Date(deps.now() + DOUBT_MS) })
      .where(calledBy(platform, notice.externalId))
      .where('unlinked_at', 'is', null)
      .where('relink_reason', 'is', null)
      .where('linked_at', '<=', new Date(notice.at))
      .returning('account_id')
      .execute()
    return doubted.map(({ account_id }) => account_id)
  })
}

/** What stands where a person was. */
const NOBODY = 'Deleted account'

/**
 * Deletes what we hold of a person's account, in every row of it: those of all our users, and those that were unlinked
 * before. What was published stays on record, without whom it was published as. The same request hears the same code.
 */
export function forget(deps: AccessDeps, platform: PlatformId, notice: Of<'forget_person'>): Promise<string> {
  const digest = digestOf(platform, notice.key)
  return deps.db.transaction().execute(async (trx) => {
    const made = await trx
      .insertInto('deletion_requests')
      .values({ code: newCode(), digest, platform, accounts: 0 })
      // Waits for whoever is carrying out the same request.
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
      await endDeliveries(trx, deps, user_id, account_id)
      await trx
        .updateTable('accounts')
        .set((eb) => ({
          external_id: erasedId(account_id),
          app_scoped_id: null,
          username: null,
          display_name: NOBODY,
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

export type Deletion = { readonly accounts: number; readonly at: Date }

export async function findDeletion(db: Db, code: string): Promise<Deletion | null> {
  const row = await db
    .selectFrom('deletion_requests')
    .select(['accounts', 'requested_at'])
    .where('code', '=', code)
    .executeTakeFirst()
  return row ? { accounts: row.accounts, at: row.requested_at } : null
}

/** Longer than any platform repeats what it was not thanked for: TikTok for 72 hours. */
const REPEATED_FOR = sql<Date>`now() - interval '7 days'`

export async function forgetOldNotices(db: Db): Promise<void> {
  await db.deleteFrom('hook_notices').where('received_at', '<', REPEATED_FOR).execute()
}

/** True for the first who tells it; part of the transaction that acts on it, so that nothing told is lost half-way. */
async function isNews(trx: Db, platform: PlatformId, key: string): Promise<boolean> {
  const made = await trx
    .insertInto('hook_notices')
    .values({ digest: digestOf(platform, key) })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('digest')
    .executeTakeFirst()
  return made !== undefined
}

const digestOf = (platform: PlatformId, key: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([platform, key]))
    .digest()

/** The accounts that the platform calls so, whichever of its ids it uses. */
const calledBy = (platform: PlatformId, externalId: string) =>
  sql<boolean>`accounts.platform = ${platform} and (accounts.external_id = ${externalId} or accounts.app_scoped_id = ${externalId})`

/** Letters and digits only, of which nobody guesses one that was given out. */
const newCode = (): string =>
  BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(26, '0')
