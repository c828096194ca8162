import type { Kysely } from 'kysely'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { AccessDeps } from '../accounts/access.ts'
import { grantsOf, revoke, type Grant } from '../accounts/store.ts'
import { notifyNews } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { deleteIdentityUser } from '#identity/identity.ts'
import type { Claims } from '#identity/identity.ts'
import { secretHash } from '#base/secret.ts'
import type { Storage } from '../storage/storage.ts'

export type ForgetDeps = AccessDeps & {
  readonly db: Kysely<DB>
  readonly storage: Storage
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Deletes a user with everything that is theirs: at once in the database, and after that, as far as it can be reached, the
 * files and the access that platforms gave. A server that dies in between leaves files that are swept as strays, and access
 * that nobody can use. A worker that holds one of the deliveries finds its lease gone, ends its call and saves nothing; what
 * the platform has by then may still appear there.
 */
export async function forgetUser(deps: ForgetDeps, uid: string): Promise<void> {
  const left = await insisting(() => deps.db.transaction().execute((trx) => erase(trx, deps, uid)))
  revoke(deps, left.grants)
  const ends = await Promise.allSettled(left.files.map((key) => deps.storage.delete(key)))
  for (const end of ends) {
    if (end.status === 'rejected')
      deps.log.warn({ err: end.reason as unknown }, 'a file of a deleted user stays for the sweep')
  }
}

const ATTEMPTS = 5

/**
 * Another request of the same user may wait for what this one holds and hold what this one waits for. The database ends one
 * of the two, and says so by an error alone.
 */
async function insisting<T>(attempt: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (made === ATTEMPTS || !(error instanceof DatabaseError && error.code === DEADLOCK)) throw error
    }
  }
}
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DEADLOCK = '40P01'

type Left = { readonly grants: readonly Grant[]; readonly files: readonly string[] }

async function erase(trx: Db, deps: ForgetDeps, uid: string): Promise<Left> {
  const user = await trx.selectFrom('users').select('user_id').where('uid', '=', uid).executeTakeFirst()
  const left = user ? await eraseRows(trx, deps, user.user_id) : { grants: [], files: [] }
  await deleteIdentityUser(trx, uid)
  const forgotten = { uid_hash: secretHash(uid), forgotten_at: new Date(deps.now()) }
  await trx
    .insertInto('forgotten_users')
    .values(forgotten)
    .onConflict((conflict) => conflict.column('uid_hash').doUpdateSet(forgotten))
    .execute()
  return left
}

/** Whether a log-in is from before its user was deleted. */
export async function wasForgotten(db: Db, login: Pick<Claims, 'uid' | 'authTime'>): Promise<boolean> {
  const row = await db
    .selectFrom('forgotten_users')
    .select('forgotten_at')
    .where('uid_hash', '=', secretHash(login.uid))
    .executeTakeFirst()
  return row !== undefined && login.authTime * 1000 < row.forgotten_at.getTime()
}

/** Longer than any token from before is good for. */
const FORGOTTEN_KEPT_MS = 24 * 3_600_000

export async function forgetTheForgotten({ db, now }: Pick<ForgetDeps, 'db' | 'now'>): Promise<void> {
  await db
    .deleteFrom('forgotten_users')
    .where('forgotten_at', '<', new Date(now() - FORGOTTEN_KEPT_MS))
    .execute()
}

async function eraseRows(trx: Db, deps: ForgetDeps, userId: number): Promise<Left> {
  // In the order in which all others lock them: accounts, then deliveries, then the user, whom every new row refers to.
  const accounts = await trx
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'external_id', 'tokens', 'unlinked_at'])
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .forUpdate()
    .execute()
  await trx
    .selectFrom('deliveries')
    .select('delivery_id')
    .where('user_id', '=', userId)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  await trx.selectFrom('users').select('user_id').where('user_id', '=', userId).forUpdate().execute()
  const files = await trx
    .selectFrom('videos')
    .select('storage_key')
    .where('user_id', '=', userId)
    .unionAll(
      trx
        .selectFrom('posters')
        .innerJoin('videos', 'videos.video_id', 'posters.video_id')
        .select('posters.storage_key')
        .where('videos.user_id', '=', userId),
    )
    .execute()
  // All that is theirs refers to them, and goes along.
  await trx.deleteFrom('users').where('user_id', '=', userId).execute()
  for (const account of accounts) await forgetLimits(trx, account)
  // Whoever streams their events is looked at again, and let go.
  await notifyNews(trx, { userId, deliveryId: null, eventId: null })
  return {
    grants: await grantsOf(trx, deps, accounts),
    files: files.map(({ storage_key }) => storage_key),
  }
}

/** What is known of an account by its platform's id, once nobody here has ever linked it. */
async function forgetLimits(trx: Db, account: { platform: string; external_id: string }): Promise<void> {
  const { platform, external_id } = account
  const others = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('platform', '=', platform)
    .where('external_id', '=', external_id)
    .limit(1)
    .executeTakeFirst()
  if (others) return
  for (const table of ['platform_call_slots', 'platform_allowances', 'platform_cooldowns'] as const) {
    await trx
      .deleteFrom(table)
      .where('platform', '=', platform)
      .where('external_id', '=', external_id)
      .execute()
  }
}
