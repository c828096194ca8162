import type { Db } from '#base/db/open.ts'
import type { Identity } from '#identity/identity.ts'

export type MailAddressDeps = { readonly db: Db; readonly identity: Pick<Identity, 'publicSettings'> }

/** The address and its confirmation; null for a user who is deleted or disabled. */
export async function findMailAddress(
  { db, identity }: MailAddressDeps,
  userId: number,
): Promise<{ readonly email: string; readonly isConfirmed: boolean } | null> {
  const row = await db
    .selectFrom('users')
    .leftJoin('identity_users as own', 'own.uid', 'users.uid')
    .select(['users.email', 'users.email_confirmed', 'own.email_verified'])
    .where('users.user_id', '=', userId)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const isHosted = identity.publicSettings.mode === 'firebase'
  return { email: row.email, isConfirmed: isHosted ? row.email_confirmed : row.email_verified === true }
}
