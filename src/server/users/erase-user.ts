import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { AccessDeps } from '../accounts/access.ts'
import { readGrants, revoke, type Grant } from '../accounts/unlink-account.ts'
import { notifyNews } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { deleteIdentityUser } from '#identity/identity.ts'
import type { Claims } from '#identity/identity.ts'
import { secretHash } from '#base/secret.ts'
import type { Storage } from '../storage/storage.ts'

export type EraseDeps = AccessDeps & {
  readonly db: Db
  readonly storage: Storage
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Deletes a user with all their data in one transaction, then, best effort, files and platform access. A worker with one of
 * the deliveries loses its lease; posts that a platform already has may still appear there.
 */
export async function eraseUser(deps: EraseDeps, uid: string): Promise<void> {
  const left = await retryOnDeadlock(() => deps.db.transaction().execute((trx) => eraseAll(trx, deps, uid)))
  revoke(deps, left.grants)
  const ends = await Promise.allSettled(left.files.map((key) => deps.storage.delete(key)))
  for (const end of ends) {
    if (end.status === 'rejected')
      deps.log.warn(
        { err: end.reason as unknown },
        'file of an erased user not deleted: the next sweep deletes it',
      )
  }
}

const ATTEMPTS = 5

/** Concurrent requests of the same user may lock rows in another order; PostgreSQL then ends one of them. */
async function retryOnDeadlock<T>(attempt: () => Promise<T>): Promise<T> {
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

type Leftovers = { readonly grants: readonly Grant[]; readonly files: readonly string[] }

async function eraseAll(trx: Db, deps: EraseDeps, uid: string): Promise<Leftovers> {
  const user = await trx
    .selectFrom('users')
    .select(['user_id', 'email'])
    .where('uid', '=', uid)
    .executeTakeFirst()
  const left = user ? await eraseRows(trx, deps, user.user_id) : { grants: [], files: [] }
  await deleteIdentityUser(trx, uid)
  if (user)
    await trx
      .deleteFrom('invitations')
      .where((eb) => eb.or([eb('email', '=', user.email), eb('used_by', '=', user.email)]))
      .execute()
  const erased = { uid_hash: secretHash(uid), erased_at: new Date(deps.now()) }
  await trx
    .insertInto('erased_users')
    .values(erased)
    .onConflict((conflict) => conflict.column('uid_hash').doUpdateSet(erased))
    .execute()
  return left
}

/** True for log-ins from before the user's deletion. */
export async function wasErased(db: Db, login: Pick<Claims, 'uid' | 'authTime'>): Promise<boolean> {
  const row = await db
    .selectFrom('erased_users')
    .select('erased_at')
    .where('uid_hash', '=', secretHash(login.uid))
    .executeTakeFirst()
  return row !== undefined && login.authTime * 1000 < row.erased_at.getTime()
}

/** Longer than any earlier token is valid. */
const ERASURE_KEPT_MS = 24 * 3_600_000

export async function deleteOldErasures({ db, now }: Pick<EraseDeps, 'db' | 'now'>): Promise<void> {
  await db
    .deleteFrom('erased_users')
    .where('erased_at', '<', new Date(now() - ERASURE_KEPT_MS))
    .execute()
}

async function eraseRows(trx: Db, deps: EraseDeps, userId: number): Promise<Leftovers> {
  // Follows the lock order of all code; the user, referenced by every new row, is last.
  for (const table of ['brands', 'schedules'] as const)
    await trx.selectFrom(table).select('user_id').where('user_id', '=', userId).forUpdate().execute()
  const accounts = await trx
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'external_id', 'grant_owner_id', 'tokens', 'unlinked_at'])
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
    .unionAll(trx.selectFrom('pictures').select('storage_key').where('user_id', '=', userId))
    .unionAll(trx.selectFrom('uploads').select('storage_key').where('user_id', '=', userId))
    .unionAll(
      trx
        .selectFrom('brands')
        .select('logo_key as storage_key')
        .where('user_id', '=', userId)
        .where('logo_key', 'is not', null)
        .$narrowType<{ storage_key: string }>(),
    )
    .execute()
  await trx.deleteFrom('result_readers').where('user_id', '=', userId).execute()
  await trx.deleteFrom('users').where('user_id', '=', userId).execute()
  for (const account of accounts) await deleteLimits(trx, account)
  await notifyNews(trx, { userId, deliveryId: null, eventId: null })
  return {
    grants: await readGrants(trx, deps, accounts),
    files: files.map(({ storage_key }) => storage_key),
  }
}

/** Limits belong to the platform's account id: they go once no user has it linked. */
async function deleteLimits(trx: Db, account: { platform: string; external_id: string }): Promise<void> {
  const { platform, external_id } = account
  const isStillKnown = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('platform', '=', platform)
    .where('external_id', '=', external_id)
    .limit(1)
    .executeTakeFirst()
  if (isStillKnown) return
  for (const table of ['platform_call_slots', 'platform_allowances', 'platform_cooldowns'] as const) {
    await trx
      .deleteFrom(table)
      .where('platform', '=', platform)
      .where('external_id', '=', external_id)
      .execute()
  }
}
