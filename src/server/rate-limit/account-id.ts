import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/** Limits belong to the platform's account id: the platform counts all users of an account together. */
export async function findExternalId(db: Db, accountId: number): Promise<string> {
  const { external_id } = await db
    .selectFrom('accounts')
    .select('external_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return external_id
}

export const externalIdIn = (accountId: number): RawBuilder<string> =>
  sql`(select external_id from accounts where account_id = ${accountId})`
