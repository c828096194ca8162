import type { Db } from '#base/db/open.ts'
import type { IdentityUser } from './users.ts'

/** A person at a provider. Addresses change hands, a subject never does. */
export type Subject = { readonly issuer: string; readonly subject: string }

export const findLinkedUser = (db: Db, { issuer, subject }: Subject): Promise<IdentityUser | undefined> =>
  db
    .selectFrom('identity_provider_links as link')
    .innerJoin('identity_users as user', 'user.uid', 'link.uid')
    .selectAll('user')
    .where('link.issuer', '=', issuer)
    .where('link.subject', '=', subject)
    .executeTakeFirst()

export type NewLink = Subject & { readonly uid: string; readonly provider: string }

/**
 * The provider has verified the address, so it becomes verified here. A subject that is linked by now keeps its user.
 * @returns false: it is linked by now
 */
export async function insertLink(trx: Db, { uid, ...link }: NewLink, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows: made } = await trx
    .insertInto('identity_provider_links')
    .values({ ...link, uid, linked_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if ((made ?? 0n) === 0n) return false
  await trx.updateTable('identity_users').set({ email_verified: true }).where('uid', '=', uid).execute()
  return true
}

export async function deleteLinks(db: Db, uid: string): Promise<void> {
  await db.deleteFrom('identity_provider_links').where('uid', '=', uid).execute()
}

export const listProviders = async (db: Db, uid: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('identity_provider_links')
    .select('provider')
    .where('uid', '=', uid)
    .orderBy('linked_at')
    .execute()
  return rows.map(({ provider }) => provider)
}

type LoginToken = { readonly tokenHash: Buffer; readonly expiresAt: Date }

export async function storeToken(db: Db, { issuer, subject }: Subject, token: LoginToken): Promise<void> {
  await db
    .updateTable('identity_provider_links')
    .set({ token_hash: token.tokenHash, token_expires_at: token.expiresAt })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** One statement: of two concurrent uses one succeeds. @returns the user's id */
export async function consumeToken(db: Db, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const row = await db
    .updateTable('identity_provider_links')
    .set({ token_hash: null, token_expires_at: null })
    .where('token_hash', '=', tokenHash)
    .where('token_expires_at', '>', now)
    .returning('uid')
    .executeTakeFirst()
  return row?.uid
}
