import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { IDENTITY_USER_COLUMNS, type IdentityUser } from './users.ts'

// Network addresses with a successful log-in per account: wrong guesses from elsewhere do not lock these.

const MAX_KNOWN_ADDRESSES = 20

/** `seen_here_at`: last log-in from this network address. */
export const findByEmailWithLastSeen = (
  db: Db,
  email: string,
  addressHash: Buffer,
): Promise<(IdentityUser & { readonly seen_here_at: Date | null }) | undefined> =>
  db
    .selectFrom('identity_users')
    .select(IDENTITY_USER_COLUMNS)
    .select((user) =>
      user
        .selectFrom('identity_known_addresses as known')
        .whereRef('known.uid', '=', 'identity_users.uid')
        .where('known.address_hash', '=', addressHash)
        .select('known.last_seen_at')
        .as('seen_here_at'),
    )
    .where('email', '=', email)
    .executeTakeFirst()

/** Does nothing when the user was deleted. */
export async function rememberAddress(
  db: Db,
  { uid, addressHash, now }: { readonly uid: string; readonly addressHash: Buffer; readonly now: Date },
): Promise<void> {
  const stored = await sql<{ uid: string }>`
    insert into identity_known_addresses as known (uid, address_hash, last_seen_at)
    select uid, ${addressHash}::bytea, ${now}::timestamptz
    from identity_users
    where uid = ${uid}
    for key share
    on conflict (uid, address_hash) do update set last_seen_at = excluded.last_seen_at
    returning uid`.execute(db)
  if (stored.rows.length === 0) return
  await sql`
    delete from identity_known_addresses
    where uid = ${uid} and address_hash in (
      select address_hash
      from identity_known_addresses
      where uid = ${uid}
      order by last_seen_at desc
      offset ${MAX_KNOWN_ADDRESSES}
    )`.execute(db)
}
