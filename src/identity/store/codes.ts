import type { Selectable } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { IdentityCodes } from '#base/db/tables.ts'
import { endSessions } from './sessions.ts'
import { findByUid, nextSecond, unlessTaken } from './users.ts'
import type { IdentityUser } from './users.ts'

/** What a mailed code is good for. */
export const PURPOSES = [
  'password_reset',
  'email_sign_in',
  'verify_email',
  'verify_and_change_email',
  'recover_email',
] as const
export type Purpose = (typeof PURPOSES)[number]

export function purposeOf(stored: string): Purpose {
  const purpose = PURPOSES.find((each) => each === stored)
  if (!purpose) throw new Error(`A code for ${stored} is none that we know.`)
  return purpose
}

export type Code = {
  readonly purpose: Purpose
  /** `null` for a link that may be somebody's first sign-in. */
  readonly uid: string | null
  /** The address that it was made for; where one is to be taken back, that one. */
  readonly email: string
  /** The address that takes its place; where one is to be taken back, the one that the user has now. */
  readonly newEmail: string | null
  readonly expiresAt: Date
}

export async function insertCode(db: Db, code: Code & { readonly codeHash: Buffer }): Promise<void> {
  await db
    .insertInto('identity_codes')
    .values({
      code_hash: code.codeHash,
      purpose: code.purpose,
      uid: code.uid,
      email: code.email,
      new_email: code.newEmail,
      expires_at: code.expiresAt,
    })
    .execute()
}

/**
 * Looks at a code without using it. Its user must still have the address that it was made for, unless it is there to bring
 * that address back.
 */
export async function findCode(db: Db, codeHash: Buffer): Promise<Code | undefined> {
  const row = await db
    .selectFrom('identity_codes as code')
    .leftJoin('identity_users as user', 'user.uid', 'code.uid')
    .selectAll('code')
    .select('user.email as email_now')
    .where('code.code_hash', '=', codeHash)
    .where((is) =>
      is.or([
        is('code.uid', 'is', null),
        is('code.purpose', '=', 'recover_email' satisfies Purpose),
        is('user.email', '=', is.ref('code.email')),
      ]),
    )
    .executeTakeFirst()
  if (!row) return undefined
  const code = codeOf(row)
  return code.purpose === 'recover_email' ? { ...code, newEmail: row.email_now } : code
}

const codeOf = (row: Selectable<IdentityCodes>): Code => ({
  purpose: purposeOf(row.purpose),
  uid: row.uid,
  email: row.email,
  newEmail: row.new_email,
  expiresAt: row.expires_at,
})

export type CodeUse = { readonly codeHash: Buffer; readonly now: Date }

/** Uses up a code that is still good. */
export async function takeCode(
  db: Db,
  { purpose, codeHash, now }: CodeUse & { readonly purpose: Purpose },
): Promise<Code | undefined> {
  const row = await db
    .deleteFrom('identity_codes')
    .where('code_hash', '=', codeHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  return row && codeOf(row)
}

/**
 * Ends the codes of a user whose password or address changes, and the mails that would bring more of them. Those that bring
 * an address back stay: they are what is left to somebody whose account was taken over.
 */
export async function voidCodes(db: Db, user: Pick<IdentityUser, 'uid' | 'email'>): Promise<void> {
  await db
    .deleteFrom('identity_codes')
    .where((is) => is.or([is('uid', '=', user.uid), is('email', '=', user.email)]))
    .where('purpose', '!=', 'recover_email' satisfies Purpose)
    .execute()
  await db
    .deleteFrom('identity_mail_requests')
    .where('uid', '=', user.uid)
    .where('purpose', '!=', 'recover_email' satisfies Purpose)
    .execute()
}

/** `void`: the code was used, ran out or lost its meaning meanwhile. Nothing is changed then. */
export type NotUsed = 'void' | 'disabled'

/**
 * Uses up a code for a change of its user, in one transaction: of several at once one wins. The user's row is locked first,
 * always: two codes of one user used at once would otherwise wait for each other.
 */
const change = (
  db: Db,
  use: CodeUse & { readonly purpose: Purpose },
  apply: (trx: Db, user: IdentityUser, code: Code) => Promise<void>,
): Promise<IdentityUser | NotUsed> =>
  db.transaction().execute(async (trx) => {
    const owner = await trx
      .selectFrom('identity_users as user')
      .innerJoin('identity_codes as code', 'code.uid', 'user.uid')
      .select('user.uid')
      .where('code.code_hash', '=', use.codeHash)
      .forUpdate('user')
      .executeTakeFirst()
    const user = owner && (await findByUid(trx, owner.uid))
    if (!user) return 'void'
    if (user.disabled) return 'disabled'
    const code = await takeCode(trx, use)
    // A code for an address that the user has left was void all along.
    if (!code || (use.purpose !== 'recover_email' && code.email !== user.email)) return 'void'
    await apply(trx, user, code)
    return (await findByUid(trx, user.uid)) ?? 'void'
  })

/**
 * Sets a password. Ends every session, every other code and every ID token of the user. The address is verified, since the
 * code came to it.
 */
export const resetPassword = (
  db: Db,
  { passwordHash, ...use }: CodeUse & { readonly passwordHash: string },
): Promise<IdentityUser | NotUsed> =>
  change(db, { ...use, purpose: 'password_reset' }, async (trx, user) => {
    await trx
      .updateTable('identity_users')
      .set({
        password_hash: passwordHash,
        password_updated_at: use.now,
        email_verified: true,
        valid_since: nextSecond(use.now),
      })
      .where('uid', '=', user.uid)
      .execute()
    await endSessions(trx, user.uid)
    await voidCodes(trx, user)
  })

export const verifyEmail = (db: Db, use: CodeUse): Promise<IdentityUser | NotUsed> =>
  change(db, { ...use, purpose: 'verify_email' }, async (trx, user) => {
    await trx
      .updateTable('identity_users')
      .set({ email_verified: true })
      .where('uid', '=', user.uid)
      .execute()
  })

export type NotifyOldAddress = (
  trx: Db,
  left: { readonly uid: string; readonly email: string },
) => Promise<void>

/**
 * Gives the user the address that the code came to.
 * @param notifyOldAddress is told the address that was left, within the same transaction.
 */
export const changeEmail = (
  db: Db,
  use: CodeUse,
  notifyOldAddress: NotifyOldAddress,
): Promise<IdentityUser | NotUsed | 'taken'> =>
  unlessTaken(() =>
    change(db, { ...use, purpose: 'verify_and_change_email' }, async (trx, user, { email, newEmail }) => {
      await moveTo(trx, user, newEmail ?? email, use.now)
      await notifyOldAddress(trx, { uid: user.uid, email })
    }),
  )

/** Gives the user the address back that they had when the code was made, whatever they have now. */
export const recoverEmail = (db: Db, use: CodeUse): Promise<IdentityUser | NotUsed | 'taken'> =>
  unlessTaken(() =>
    change(db, { ...use, purpose: 'recover_email' }, async (trx, user, { email, expiresAt }) => {
      await moveTo(trx, user, email, use.now)
      // Who took the account over may have moved it on from there: what would bring it back to them ends too. What
      // somebody before that may still undo, stays.
      await trx
        .deleteFrom('identity_codes')
        .where('uid', '=', user.uid)
        .where('expires_at', '>=', expiresAt)
        .execute()
    }),
  )

async function moveTo(trx: Db, user: IdentityUser, email: string, now: Date): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({ email, email_verified: true, valid_since: nextSecond(now) })
    .where('uid', '=', user.uid)
    .execute()
  await endSessions(trx, user.uid)
  await voidCodes(trx, user)
}
