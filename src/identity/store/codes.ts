import type { Selectable } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { IdentityCodes } from '#base/db/tables.ts'
import { deleteLinks } from './provider-links.ts'
import { endSessions } from './sessions.ts'
import { catchTakenEmail, findByUid, type IdentityUser, laterValidSince } from './users.ts'

export const PURPOSES = [
  'password_reset',
  'email_sign_in',
  'verify_email',
  'verify_and_change_email',
  'recover_email',
] as const
export type Purpose = (typeof PURPOSES)[number]

export function parsePurpose(stored: string): Purpose {
  const purpose = PURPOSES.find((each) => each === stored)
  if (!purpose) throw new Error(`Unknown purpose of a code: ${stored}`)
  return purpose
}

export type Code = {
  readonly purpose: Purpose
  /** `null` for a sign-in link to an address without a user. */
  readonly uid: string | null
  readonly email: string
  /** Address to change to; for recovery, the current one. */
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

/** Reads a code without using it. It is void when the user's address changed, except for recovery. */
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
  const code = toCode(row)
  return code.purpose === 'recover_email' ? { ...code, newEmail: row.email_now } : code
}

const toCode = (row: Selectable<IdentityCodes>): Code => ({
  purpose: parsePurpose(row.purpose),
  uid: row.uid,
  email: row.email,
  newEmail: row.new_email,
  expiresAt: row.expires_at,
})

export type CodeUse = { readonly codeHash: Buffer; readonly now: Date }

export async function consumeCode(
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
  return row && toCode(row)
}

/** Deletes codes and pending mails of a user whose password or address changes. Recovery codes stay: they let the owner undo a takeover. */
export async function revokeCodes(db: Db, user: Pick<IdentityUser, 'uid' | 'email'>): Promise<void> {
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

/** `void`: used, expired or outdated. Nothing is changed then. */
export type CodeUnusable = 'void' | 'disabled'

/**
 * Consumes a code and applies its change in one transaction.
 * Always locks the user first: two codes of one user could deadlock otherwise.
 */
const changeByCode = (
  db: Db,
  use: CodeUse & { readonly purpose: Purpose },
  apply: (trx: Db, user: IdentityUser, code: Code) => Promise<void>,
): Promise<IdentityUser | CodeUnusable> =>
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
    const code = await consumeCode(trx, use)
    // A code for a former address is void.
    if (!code || (use.purpose !== 'recover_email' && code.email !== user.email)) return 'void'
    await apply(trx, user, code)
    return (await findByUid(trx, user.uid)) ?? 'void'
  })

/** Revokes sessions, other codes and ID tokens. The code proves the address, so it becomes verified. */
export const resetPassword = (
  db: Db,
  { passwordHash, ...use }: CodeUse & { readonly passwordHash: string },
): Promise<IdentityUser | CodeUnusable> =>
  changeByCode(db, { ...use, purpose: 'password_reset' }, async (trx, user) => {
    await trx
      .updateTable('identity_users')
      .set({
        password_hash: passwordHash,
        password_updated_at: use.now,
        email_verified: true,
        valid_since: laterValidSince(use.now),
      })
      .where('uid', '=', user.uid)
      .execute()
    await endSessions(trx, user.uid)
    await revokeCodes(trx, user)
    // Somebody else may have signed up, linked a provider, and then had this address confirmed.
    await deleteLinks(trx, user.uid)
  })

export const verifyEmail = (db: Db, use: CodeUse): Promise<IdentityUser | CodeUnusable> =>
  changeByCode(db, { ...use, purpose: 'verify_email' }, async (trx, user) => {
    await trx
      .updateTable('identity_users')
      .set({ email_verified: true })
      .where('uid', '=', user.uid)
      .execute()
  })

export type NotifyOldAddress = (
  trx: Db,
  old: { readonly uid: string; readonly email: string },
) => Promise<void>

/** @param notifyOldAddress runs in the same transaction. */
export const changeEmail = (
  db: Db,
  use: CodeUse,
  notifyOldAddress: NotifyOldAddress,
): Promise<IdentityUser | CodeUnusable | 'taken'> =>
  catchTakenEmail(() =>
    changeByCode(
      db,
      { ...use, purpose: 'verify_and_change_email' },
      async (trx, user, { email, newEmail }) => {
        await setEmail(trx, user, newEmail ?? email, use.now)
        await notifyOldAddress(trx, { uid: user.uid, email })
      },
    ),
  )

export const recoverEmail = (db: Db, use: CodeUse): Promise<IdentityUser | CodeUnusable | 'taken'> =>
  catchTakenEmail(() =>
    changeByCode(db, { ...use, purpose: 'recover_email' }, async (trx, user, { email, expiresAt }) => {
      await setEmail(trx, user, email, use.now)
      await deleteLinks(trx, user.uid)
      // The attacker may have changed the address again: revoke later recovery codes, keep earlier ones.
      await trx
        .deleteFrom('identity_codes')
        .where('uid', '=', user.uid)
        .where('expires_at', '>=', expiresAt)
        .execute()
    }),
  )

async function setEmail(trx: Db, user: IdentityUser, email: string, now: Date): Promise<void> {
  await trx
    .updateTable('identity_users')
    .set({ email, email_verified: true, valid_since: laterValidSince(now) })
    .where('uid', '=', user.uid)
    .execute()
  await endSessions(trx, user.uid)
  await revokeCodes(trx, user)
}
