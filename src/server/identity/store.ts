import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

export type IdentityUser = {
  readonly uid: string
  readonly email: string
  readonly email_verified: boolean
  readonly display_name: string | null
  readonly password_hash: string
  readonly password_updated_at: Date
  readonly disabled: boolean
  readonly valid_since: Date
  readonly created_at: Date
  readonly last_login_at: Date
}

export const findByEmail = (db: Db, email: string): Promise<IdentityUser | undefined> =>
  db.selectFrom('identity_users').selectAll().where('email', '=', email).executeTakeFirst()

export const findByUid = (db: Db, uid: string): Promise<IdentityUser | undefined> =>
  db.selectFrom('identity_users').selectAll().where('uid', '=', uid).executeTakeFirst()

export type NewIdentityUser = {
  readonly uid: string
  readonly email: string
  readonly displayName: string | null
  readonly passwordHash: string
}

/** @returns undefined when the address is taken. */
export const insertUser = (db: Db, user: NewIdentityUser, now: Date): Promise<IdentityUser | undefined> =>
  db
    .insertInto('identity_users')
    .values({
      uid: user.uid,
      email: user.email,
      display_name: user.displayName,
      password_hash: user.passwordHash,
      password_updated_at: now,
      valid_since: wholeSeconds(now),
      created_at: now,
      last_login_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()

/** What a sign-in leaves: a session, and the time at the user. */
export type SignIn = {
  readonly uid: string
  /** The hash that the password was compared with: a reset in between makes the sign-in void. */
  readonly passwordHash: string
  /** Replaces it where its parameters are outdated. */
  readonly rehashed: string | null
  readonly tokenHash: Buffer
}

/** @returns whether the user was still as compared; if not, nothing was written. */
export async function openSession(db: Db, signIn: SignIn, now: Date): Promise<boolean> {
  const opened = await db
    .with('signed_in', (cte) =>
      cte
        .updateTable('identity_users')
        .set({ last_login_at: now, password_hash: signIn.rehashed ?? signIn.passwordHash })
        .where('uid', '=', signIn.uid)
        .where('password_hash', '=', signIn.passwordHash)
        .where('disabled', '=', false)
        .returning('uid'),
    )
    .insertInto('identity_sessions')
    .columns(['token_hash', 'uid', 'provider', 'signed_in_at', 'used_at'])
    .expression((select) =>
      select
        .selectFrom('signed_in')
        .select([
          sql<Buffer>`${signIn.tokenHash}::bytea`.as('token_hash'),
          'uid',
          sql<string>`'password'`.as('provider'),
          sql<Date>`${now}::timestamptz`.as('signed_in_at'),
          sql<Date>`${now}::timestamptz`.as('used_at'),
        ]),
    )
    .returning('uid')
    .executeTakeFirst()
  return opened !== undefined
}

export type LiveSession = IdentityUser & { readonly provider: string; readonly signed_in_at: Date }

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
    .returning(['session.provider', 'session.signed_in_at'])
    .executeTakeFirst()

/** What a mailed code is good for. */
export type Purpose = 'password_reset'
export type Code = {
  readonly purpose: string
  readonly uid: string
  readonly email: string
  readonly expires_at: Date
}

export async function insertCode(db: Db, code: Code & { readonly codeHash: Buffer }): Promise<void> {
  const { codeHash, ...rest } = code
  await db
    .insertInto('identity_codes')
    .values({ ...rest, code_hash: codeHash })
    .execute()
}

/** Looks at a code without using it. Its user must still have the address that it was sent to. */
export const findCode = (db: Db, purpose: Purpose, codeHash: Buffer): Promise<Code | undefined> =>
  db
    .selectFrom('identity_codes as code')
    .innerJoin('identity_users as user', (join) =>
      join.onRef('user.uid', '=', 'code.uid').onRef('user.email', '=', 'code.email'),
    )
    .select(['code.purpose', 'code.uid', 'code.email', 'code.expires_at'])
    .where('code.code_hash', '=', codeHash)
    .where('code.purpose', '=', purpose)
    .executeTakeFirst()

/**
 * Uses up a code to set a password: of several at once one wins. Ends every session, voids every other code and every ID
 * token of the user, and takes the address as proven, since the code came to it.
 * @returns false when the code was used or ran out meanwhile; nothing is changed then.
 */
export const resetPassword = (
  db: Db,
  reset: { codeHash: Buffer; passwordHash: string; now: Date; validSince: Date },
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    // The user's row first, always: two codes of one user used at once would otherwise wait for each other.
    const user = await trx
      .selectFrom('identity_users as user')
      .innerJoin('identity_codes as code', 'code.uid', 'user.uid')
      .select('user.uid')
      .where('code.code_hash', '=', reset.codeHash)
      .whereRef('code.email', '=', 'user.email')
      .forUpdate('user')
      .executeTakeFirst()
    if (!user) return false
    const code = await trx
      .deleteFrom('identity_codes')
      .where('code_hash', '=', reset.codeHash)
      .where('purpose', '=', 'password_reset' satisfies Purpose)
      .where('expires_at', '>', reset.now)
      .returning('uid')
      .executeTakeFirst()
    if (!code) return false
    await trx
      .updateTable('identity_users')
      .set({
        password_hash: reset.passwordHash,
        password_updated_at: reset.now,
        email_verified: true,
        valid_since: reset.validSince,
      })
      .where('uid', '=', code.uid)
      .execute()
    await trx.deleteFrom('identity_sessions').where('uid', '=', code.uid).execute()
    await trx.deleteFrom('identity_codes').where('uid', '=', code.uid).execute()
    return true
  })

export async function requestMail(db: Db, purpose: Purpose, email: string, now: Date): Promise<void> {
  await db
    .insertInto('identity_mail_requests')
    .values({ purpose, email, requested_at: now, due_at: now })
    .execute()
}

export type MailRequest = {
  readonly request_id: number
  readonly purpose: string
  readonly email: string
  readonly requested_at: Date
  readonly attempts: number
}

/** Takes the next mail that is due, and keeps others from it until `heldUntil`: who crashes meanwhile only delays it. */
export const claimMailRequest = (db: Db, now: Date, heldUntil: Date): Promise<MailRequest | undefined> =>
  db
    .updateTable('identity_mail_requests')
    .set((row) => ({ due_at: heldUntil, attempts: row('attempts', '+', 1) }))
    .where('request_id', '=', (select) =>
      select
        .selectFrom('identity_mail_requests')
        .select('request_id')
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['request_id', 'purpose', 'email', 'requested_at', 'attempts'])
    .executeTakeFirst()

export async function deleteMailRequest(db: Db, requestId: number): Promise<void> {
  await db.deleteFrom('identity_mail_requests').where('request_id', '=', requestId).execute()
}

/** Throws away what ran out before these times. */
export async function sweep(db: Db, before: { codes: Date; sessions: Date; throttle: Date }): Promise<void> {
  await db.deleteFrom('identity_codes').where('expires_at', '<', before.codes).execute()
  await db.deleteFrom('identity_sessions').where('used_at', '<', before.sessions).execute()
  await db.deleteFrom('identity_throttle').where('expire', '<', before.throttle.getTime()).execute()
}

/** Tokens count in seconds: what is compared with them must too. */
export const wholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000)
