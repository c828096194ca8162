import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { type IdentityUser, laterValidSince } from './users.ts'

export type SignIn = {
  readonly uid: string
  readonly tokenHash: Buffer
  /** `valid_since` when the user proved their identity. A later revocation voids this sign-in. */
  readonly validSince: Date
  /** The compared password hash: a reset in between voids the sign-in. */
  readonly compared: {
    readonly hash: string
    readonly rehashed: string | null
  } | null
}

/** @returns false when the user changed since the comparison; nothing is written then. */
export async function openSession(db: Db, signIn: SignIn, now: Date): Promise<boolean> {
  const { uid, tokenHash, validSince, compared } = signIn
  const { hash = null, rehashed = null } = compared ?? {}
  const opened = await db
    .with('signed_in', (cte) =>
      cte
        .updateTable('identity_users')
        .set({
          last_login_at: now,
          password_hash: sql<string | null>`coalesce(${rehashed}::text, password_hash)`,
        })
        .where('uid', '=', uid)
        .where('disabled', '=', false)
        .where('valid_since', '<=', validSince)
        .where(sql<boolean>`(${hash}::text is null or password_hash = ${hash}::text)`)
        .returning('uid'),
    )
    .insertInto('identity_sessions')
    .columns(['token_hash', 'uid', 'signed_in_at', 'used_at'])
    .expression((select) =>
      select
        .selectFrom('signed_in')
        .select([
          sql<Buffer>`${tokenHash}::bytea`.as('token_hash'),
          'uid',
          sql<Date>`${now}::timestamptz`.as('signed_in_at'),
          sql<Date>`${now}::timestamptz`.as('used_at'),
        ]),
    )
    .returning('uid')
    .execute()
  return opened.length > 0
}

export type LiveSession = IdentityUser & { readonly signed_in_at: Date }

/** Finds a session by refresh token and records the use. Sessions idle since `notSince` have expired. */
export const touchSession = (
  db: Db,
  tokenHash: Buffer,
  at: { now: Date; notSince: Date },
): Promise<LiveSession | undefined> =>
  db
    .updateTable('identity_sessions as session')
    .from('identity_users as user')
    .set({ used_at: at.now })
    .whereRef('user.uid', '=', 'session.uid')
    .where('session.token_hash', '=', tokenHash)
    .where('session.used_at', '>', at.notSince)
    .returningAll('user')
    .returning('session.signed_in_at')
    .executeTakeFirst()

export async function endSessions(db: Db, uid: string): Promise<void> {
  await db.deleteFrom('identity_sessions').where('uid', '=', uid).execute()
}

export const revokeAll = (db: Db, uid: string, now: Date): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .updateTable('identity_users')
      .set({ valid_since: laterValidSince(now) })
      .where('uid', '=', uid)
      .execute()
    await endSessions(trx, uid)
  })

export async function lastUse(db: Db, uid: string): Promise<Date | null> {
  const row = await db
    .selectFrom('identity_sessions')
    .select((select) => select.fn.max('used_at').as('at'))
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row?.at ?? null
}
