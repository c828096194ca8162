import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'

/** A column with encrypted values, without rows that another process has read and will write back. */
type EncryptedColumn = {
  readonly what: string
  readonly table: string
  readonly id: string
  readonly column: string
  readonly held: string
}
const PLACES = [
  { what: 'signing keys', table: 'identity_keys', id: 'kid', column: 'private_jwk', held: 'false' },
  // A refresh compares the stored pair byte by byte when it saves, so it must not change meanwhile.
  {
    what: 'accounts',
    table: 'accounts',
    id: 'account_id',
    column: 'tokens',
    held: 'coalesce(refresh_leased_until >= now(), false)',
  },
  {
    what: 'mails that wait',
    table: 'identity_mail_requests',
    id: 'request_id',
    column: 'code',
    held: 'false',
  },
  { what: 'platform keys', table: 'platform_keys', id: 'platform', column: 'keys', held: 'false' },
  { what: 'webhooks', table: 'webhooks', id: 'webhook_id', column: 'secret', held: 'false' },
  {
    what: 'old secrets of webhooks',
    table: 'webhooks',
    id: 'webhook_id',
    column: 'old_secret',
    held: 'false',
  },
  { what: 'deliveries', table: 'deliveries', id: 'delivery_id', column: 'session', held: 'false' },
] as const satisfies EncryptedColumn[]

export type ReEncrypted = { readonly what: string; readonly done: number; readonly left: number }

const AT_ONCE = 500

/**
 * Re-encrypts everything with the newest secret, so that older ones can be removed. Safe beside running servers that have
 * the newest secret. @throws when a value was encrypted with a secret that is not configured
 */
export async function reEncryptAll(db: Db, encrypter: Encrypter): Promise<ReEncrypted[]> {
  const all: ReEncrypted[] = []
  for (const place of PLACES) all.push(await reEncryptPlace(db, encrypter, place))
  return all
}

async function reEncryptPlace(db: Db, encrypter: Encrypter, place: EncryptedColumn): Promise<ReEncrypted> {
  const [table, id, column] = [sql.table(place.table), sql.ref(place.id), sql.ref(place.column)]
  const old = sql<boolean>`substring(${column} for ${sql.lit(encrypter.mark.length)}) <> ${encrypter.mark}`
  const free = sql<boolean>`not ${sql.raw(place.held)}`
  let done = 0
  for (;;) {
    const { rows } = await sql<{ id: string | number; encrypted: Buffer }>`
      select ${id} as id, ${column} as encrypted from ${table} where ${old} and ${free} limit ${AT_ONCE}`.execute(
      db,
    )
    for (const row of rows) {
      const encrypted = encrypter.encrypt(encrypter.decrypt(row.encrypted))
      await sql`update ${table} set ${column} = ${encrypted} where ${id} = ${row.id} and ${column} = ${row.encrypted} and ${free}`.execute(
        db,
      )
    }
    done += rows.length
    if (rows.length < AT_ONCE) break
  }
  const { rows } = await sql<{ left: number }>`select count(*) as left from ${table} where ${old}`.execute(db)
  return { what: place.what, done, left: rows[0]?.left ?? 0 }
}
