import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'

/** Limits are kept by the platform's id of an account: several users may have linked it, and the platform counts them together. */
export async function externalIdOf(db: Db, accountId: number): Promise<string> {
  const { external_id } = await db
    .selectFrom('accounts')
    .select('external_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return external_id
}

/** The same in a statement that does something else with it. */
export const externalIdIn = (accountId: number): RawBuilder<string> =>
  sql`(select external_id from accounts where account_id = ${accountId})`
