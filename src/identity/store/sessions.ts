import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { nextSecond } from './users.ts'
import type { IdentityUser } from './users.ts'

/** What a sign-in leaves: a session, and the time at the user. */
export type SignIn = {
  readonly uid: string
  readonly tokenHash: Buffer
  /** The user's when they showed who they are: whatever has ended their sessions since ends this one, too. */
  readonly validSince: Date
  /** The hash that a password was compared with: a reset in between makes the sign-in void. */
  readonly compared: {
    readonly hash: string
    /** Takes its place where its parameters are outdated. */ readonly rehashed: string | null
  } | null
}

/** @returns whether the user was still as compared; if not, nothing was written. */
export async function openSession(db: Db, signIn: SignIn, now: Date): Promise<boolean> {
  const opened = await db
    .with('signed_in', (cte) =>
      cte
        .updateTable('identity_users')
        .set({
          last_login_at: now,
          ...(signIn.compared?.rehashed && { password_hash: signIn.compared.rehashed }),
        })
        .where('uid', '=', signIn.uid)
        .where('disabled', '=', false)
        .where('valid_since', '<=', signIn.validSince)
        .$if(signIn.compared !== null, (update) =>
          update.where('password_hash', '=', signIn.compared?.hash ?? ''),
        )
        .returning('uid'),
    )
    .insertInto('identity_sessions')
    .columns(['token_hash', 'uid', 'signed_in_at', 'used_at'])
    .expression((select) =>
      select
        .selectFrom('signed_in')
        .select([
          sql<Buffer>`${signIn.tokenHash}::bytea`.as('token_hash'),
          'uid',
          sql<Date>`${now}::timestamptz`.as('signed_in_at'),
          sql<Date>`${now}::timestamptz`.as('used_at'),
        ]),
    )
    .returning('uid')
    .executeTakeFirst()
  return opened !== undefined
}

export type LiveSession = IdentityUser & { readonly signed_in_at: Date }

/** Finds a session by its refresh token and notes that it was used. One that lay idle since before `notSince` is over. */
export const useSession = (
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

/** Ends every session of a user. Their ID tokens end by `valid_since`. */
export async function endSessions(db: Db, uid: string): Promise<void> {
  await db.deleteFrom('identity_sessions').where('uid', '=', uid).execute()
}

/** Ends every session of a user and every ID token that they have. */
export const revokeAll = (db: Db, uid: string, now: Date): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .updateTable('identity_users')
      .set({ valid_since: nextSecond(now) })
      .where('uid', '=', uid)
      .execute()
    await endSessions(trx, uid)
  })

/** When a user's sessions were last used. */
export async function lastUse(db: Db, uid: string): Promise<Date | null> {
  const row = await db
    .selectFrom('identity_sessions')
    .select((select) => select.fn.max('used_at').as('at'))
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row?.at ?? null
}
