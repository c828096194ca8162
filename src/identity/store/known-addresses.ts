import { sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import type { IdentityUser } from './users.ts'

// The network addresses from which an account has logged in: somebody else's wrong guesses do not lock it there.

/** Of one account; an older one gives way. */
const KEPT = 20

/** Who has the e-mail address, and when they last logged in from the network address; `null`: not lately. */
export const findByEmailAt = (
  db: Db,
  email: string,
  addressHash: Buffer,
): Promise<(IdentityUser & { readonly seen_here_at: Date | null }) | undefined> =>
  db
    .selectFrom('identity_users')
    .selectAll()
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

/** Does nothing where the user is gone. */
export async function rememberAddress(
  db: Db,
  { uid, addressHash, now }: { readonly uid: string; readonly addressHash: Buffer; readonly now: Date },
): Promise<void> {
  const noted = await sql<{ uid: string }>`
    insert into identity_known_addresses as known (uid, address_hash, last_seen_at)
    select uid, ${addressHash}::bytea, ${now}::timestamptz
    from identity_users
    where uid = ${uid}
    for key share
    on conflict (uid, address_hash) do update set last_seen_at = excluded.last_seen_at
    returning uid`.execute(db)
  if (noted.rows.length === 0) return
  await sql`
    delete from identity_known_addresses
    where uid = ${uid} and address_hash in (
      select address_hash
      from identity_known_addresses
      where uid = ${uid}
      order by last_seen_at desc
      offset ${KEPT}
    )`.execute(db)
}
