import type { Db } from '../../db/open.ts'
import { endSessions } from './sessions.ts'

/** What a mailed code is good for. */
export const PURPOSES = [
  'password_reset',
  'email_sign_in',
  'verify_email',
  'verify_and_change_email',
  'recover_email',
] as const
export type Purpose = (typeof PURPOSES)[number]
export type Code = {
  readonly purpose: string
  /** `null` for a link that may be somebody's first sign-in. */
  readonly uid: string | null
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
      .where('uid', '=', user.uid)
      .execute()
    await endSessions(trx, user.uid)
    await trx.deleteFrom('identity_codes').where('uid', '=', user.uid).execute()
    return true
  })
