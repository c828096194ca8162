import type { Logger } from 'pino'
import type { Db } from '#base/db/open.ts'
import type { RecordProviderLogin } from '#identity/identity.ts'
import { parseAmount } from '../runtime/variables.ts'
import { insertRow, makeNickname } from '../users/store.ts'
import { insertAct } from './acts.ts'
import { isLastOperator } from './users.ts'

type ProviderLoginDeps = {
  readonly db: Db
  readonly config: { readonly operatorEmail: string | null }
  readonly now: () => number
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Makes the user's row at the first log-in through a provider, with the browser's zone, and applies its claims at each. They take back
 * only what a claim has granted, and not from the last operator: the first user and those of the command line stay.
 */
export const createProviderLogin =
  ({ db, config, now, log }: ProviderLoginDeps): RecordProviderLogin =>
  async ({ uid, email }, { provider, name, timezone, operator, quota }) => {
    const quotaBytes = quota === null ? null : parseAmount(quota)
    if (quota !== null && quotaBytes === null)
      log.warn({ provider, quota }, 'a quota claim is no amount such as 500MB or 50GB, and changes nothing')
    const nickname = makeNickname(name, email)
    const made = { uid, email, email_confirmed: true, nickname, timezone: timezone ?? 'UTC' }
    await db.transaction().execute(async (trx) => {
      const staysOperator = operator === false && (await isOnlyOperator(trx, config, uid))
      const row = await insertRow(trx, made, { email })
      const before = { operator_by: row.operator_by, quota_bytes: row.quota_bytes }
      const after = {
        operator_by: staysOperator
          ? before.operator_by
          : decideOperator(before.operator_by, operator, config),
        quota_bytes: quotaBytes ?? before.quota_bytes,
      }
      const record = async (
        act: 'operator_granted' | 'operator_revoked' | 'user_quota_set',
        field: keyof typeof after,
      ) =>
        insertAct(
          trx,
          {
            operator: provider,
            act,
            subject: email,
            before: { [field]: before[field] },
            after: { [field]: after[field] },
          },
          now(),
        )
      const hasOperator = after.operator_by !== before.operator_by
      const hasQuota = after.quota_bytes !== before.quota_bytes
      if (hasOperator)
        await record(after.operator_by === null ? 'operator_revoked' : 'operator_granted', 'operator_by')
      if (hasQuota) await record('user_quota_set', 'quota_bytes')
      if (hasOperator || hasQuota)
        await trx.updateTable('users').set(after).where('user_id', '=', row.user_id).execute()
    })
  }

async function isOnlyOperator(trx: Db, config: ProviderLoginDeps['config'], uid: string): Promise<boolean> {
  const user = await trx.selectFrom('users').select('user_id').where('uid', '=', uid).executeTakeFirst()
  // Only the built-in service has providers.
  const identity = { publicSettings: { mode: 'embedded' } } as const
  return user !== undefined && isLastOperator(trx, { config, identity }, user.user_id)
}

/** @param claimed `null`: the provider has no say in it */
function decideOperator(
  before: string | null,
  claimed: boolean | null,
  { operatorEmail }: ProviderLoginDeps['config'],
): string | null {
  // Where an address names the operator, having been the first user counts for nothing.
  const counts = before === 'first' && operatorEmail !== null ? null : before
  if (claimed === true) return counts ?? 'provider'
  return claimed === false && before === 'provider' ? null : before
}
