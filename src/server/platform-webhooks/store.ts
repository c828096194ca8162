import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Notice } from '#platforms/kit/webhooks.ts'
import type { Db } from '#base/db/open.ts'

export type NoticeOf<K extends Notice['kind']> = Extract<Notice, { kind: K }>

export type Deletion = { readonly accounts: number; readonly at: Date }

export async function findDeletion(db: Db, code: string): Promise<Deletion | null> {
  const row = await db
    .selectFrom('deletion_requests')
    .select(['accounts', 'requested_at'])
    .where('code', '=', code)
    .executeTakeFirst()
  return row ? { accounts: row.accounts, at: row.requested_at } : null
}

/** Longer than any platform repeats an unacknowledged notice: TikTok repeats for 72 hours. */
const REPEATED_FOR = sql<Date>`now() - interval '7 days'`

export async function deleteOldNotices(db: Db): Promise<void> {
  await db.deleteFrom('hook_notices').where('received_at', '<', REPEATED_FOR).execute()
}

/** Runs in the transaction that acts on the notice, so that none is lost. */
export async function isFirstNotice(trx: Db, platform: PlatformId, key: string): Promise<boolean> {
  const added = await trx
    .insertInto('hook_notices')
    .values({ digest: hashNotice(platform, key) })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('digest')
    .execute()
  return added.length > 0
}

export const hashNotice = (platform: PlatformId, key: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([platform, key]))
    .digest()

export const calledBy = (platform: PlatformId, externalId: string) =>
  sql<boolean>`accounts.platform = ${platform} and (accounts.external_id = ${externalId} or accounts.app_scoped_id = ${externalId})`
