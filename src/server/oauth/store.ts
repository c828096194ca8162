import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { KeyLimit } from '#contract/api-keys.ts'
import type { KeyScope } from '#contract/http/key-rights.ts'
import type { Db } from '#base/db/open.ts'
import type { OauthGrants } from '#base/db/tables.ts'
import { loginSince } from '../users/store.ts'

/** Devices of strangers that wait for a user at the same time. */
export const WAITING_DEVICES_MAX = 10_000
/** A device that asks late still learns that its code has expired. */
const EXPIRED_KEPT_MS = 600_000

type GrantRow = Selectable<OauthGrants>

/** What a user allows. */
export type Approval = {
  readonly userId: number
  readonly scopes: readonly KeyScope[]
  readonly limitedTo: KeyLimit | null
}

const toColumns = ({ userId, scopes, limitedTo }: Approval) => ({
  state: 'approved',
  user_id: userId,
  scopes: [...scopes],
  limited_to: limitedTo && JSON.stringify(limitedTo),
  login_since: loginSince(userId),
})

/** @returns false where too many devices wait already */
export async function insertDeviceGrant(
  db: Db,
  device: {
    readonly secretHash: Buffer
    readonly userCodeMac: Buffer
    readonly clientId: string
    readonly clientName: string
    readonly deviceName: string | null
    readonly scopes: readonly KeyScope[]
    readonly now: number
    readonly expiresAt: number
  },
): Promise<boolean> {
  await deleteOldGrants(db, device.now)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from oauth_grants
    where expires_at > ${new Date(device.now)}`.execute(db)
  if ((rows[0]?.count ?? 0) >= WAITING_DEVICES_MAX) return false
  await db
    .insertInto('oauth_grants')
    .values({
      secret_hash: device.secretHash,
      user_code_mac: device.userCodeMac,
      client_id: device.clientId,
      client_name: device.clientName,
      device_name: device.deviceName,
      state: 'waiting',
      scopes: [...device.scopes],
      expires_at: new Date(device.expiresAt),
    })
    .execute()
  return true
}

export async function insertCodeGrant(
  db: Db,
  code: Approval & {
    readonly secretHash: Buffer
    readonly clientId: string
    readonly clientName: string
    readonly redirectUri: string
    readonly codeChallenge: string
    readonly now: number
    readonly expiresAt: number
  },
): Promise<void> {
  await deleteOldGrants(db, code.now)
  await db
    .insertInto('oauth_grants')
    .values({
      ...toColumns(code),
      secret_hash: code.secretHash,
      client_id: code.clientId,
      client_name: code.clientName,
      redirect_uri: code.redirectUri,
      code_challenge: code.codeChallenge,
      expires_at: new Date(code.expiresAt),
    })
    .execute()
}

type DeviceCode = { readonly userCodeMac: Buffer; readonly now: number }

export const findWaitingDevice = (db: Db, { userCodeMac, now }: DeviceCode): Promise<GrantRow | undefined> =>
  db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_code_mac', '=', userCodeMac)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', new Date(now))
    .executeTakeFirst()

/** @returns false where nothing waits with this code, also because another decided first */
export async function decideDevice(
  db: Db,
  { userCodeMac, now }: DeviceCode,
  decision: Approval | { readonly declinedBy: number },
): Promise<boolean> {
  const row = await db
    .updateTable('oauth_grants')
    .set('declinedBy' in decision ? { state: 'declined', user_id: decision.declinedBy } : toColumns(decision))
    .where('user_code_mac', '=', userCodeMac)
    .where('state', '=', 'waiting')
    .where('expires_at', '>', new Date(now))
    .returning('client_id')
    .executeTakeFirst()
  return row !== undefined
}

export const findGrant = (db: Db, secretHash: Buffer): Promise<GrantRow | undefined> =>
  db.selectFrom('oauth_grants').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst()

export async function notePoll(db: Db, secretHash: Buffer, now: number): Promise<void> {
  await db
    .updateTable('oauth_grants')
    .set({ polled_at: new Date(now) })
    .where('secret_hash', '=', secretHash)
    .execute()
}

/** Deletes what may be exchanged for a key, so that only one of several calls gets it. @returns undefined for the others */
export const takeApproved = (trx: Db, secretHash: Buffer, now: number): Promise<GrantRow | undefined> =>
  trx
    .deleteFrom('oauth_grants')
    .where('secret_hash', '=', secretHash)
    .where('state', '=', 'approved')
    .where('expires_at', '>', new Date(now))
    .where('login_since', 'is not distinct from', loginSince(sql.ref('oauth_grants.user_id')))
    .returningAll()
    .executeTakeFirst()

export async function deleteOldGrants(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('oauth_grants')
    .where('expires_at', '<', new Date(now - EXPIRED_KEPT_MS))
    .execute()
}
