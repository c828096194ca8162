import { z } from 'zod'
import { PlatformId } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { PlatformVariables } from '../runtime/config.ts'

const Keys = z.record(z.string(), z.string())

export type EnteredKeys = {
  readonly platform: PlatformId
  readonly keys: PlatformVariables
  readonly changedAt: Date
}

export async function listEnteredKeys(db: Db, encrypter: Encrypter): Promise<EnteredKeys[]> {
  const rows = await db.selectFrom('platform_keys').selectAll().orderBy('platform').execute()
  return rows.map(({ platform, keys, changed_at: changedAt }) => ({
    platform: PlatformId.parse(platform),
    keys: Keys.parse(JSON.parse(encrypter.decrypt(keys))),
    changedAt,
  }))
}

/** Linked accounts of all users, by platform. */
export async function countAccounts(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('accounts')
    .select(({ fn }) => ['platform', fn.countAll<number>().as('count')])
    .where('unlinked_at', 'is', null)
    .groupBy('platform')
    .execute()
  return new Map(rows.map(({ platform, count }) => [platform, count]))
}

/** @param keys null: forgets them */
export async function storeKeys(
  trx: Db,
  encrypter: Encrypter,
  { platform, keys, changedAt }: Omit<EnteredKeys, 'keys'> & { readonly keys: PlatformVariables | null },
): Promise<void> {
  if (keys === null) {
    await trx.deleteFrom('platform_keys').where('platform', '=', platform).execute()
    return
  }
  const stored = { keys: encrypter.encrypt(JSON.stringify(keys)), changed_at: changedAt }
  await trx
    .insertInto('platform_keys')
    .values({ platform, ...stored })
    .onConflict((conflict) => conflict.column('platform').doUpdateSet(stored))
    .execute()
}
