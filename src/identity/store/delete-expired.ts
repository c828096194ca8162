import type { Db } from '#base/db/open.ts'

export async function deleteExpired(
  db: Db,
  before: { codes: Date; knownAddresses: Date; sessions: Date; throttle: Date },
): Promise<void> {
  await db.deleteFrom('identity_codes').where('expires_at', '<', before.codes).execute()
  await db.deleteFrom('identity_sessions').where('used_at', '<', before.sessions).execute()
  await db.deleteFrom('identity_known_addresses').where('last_seen_at', '<', before.knownAddresses).execute()
  await db.deleteFrom('identity_throttle').where('expire', '<', before.throttle.getTime()).execute()
}
