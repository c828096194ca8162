import type { PlatformId } from '#contract/platforms/index.ts'
import {
  checkQuota,
  nextQuotaQueryAt,
  type QuotaDecision,
  type QuotaReport,
} from '#domain/rate-limit/daily-quota.ts'
import type { Allowance } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { findExternalId } from './account-id.ts'
import { countSince } from './post-counts.ts'

/** A delivery whose call was just allowed may not have saved its new state yet. */
const UNSAVED_MS = 15_000

/** True if the account may post once more today. The caller must hold the lock of the account's call times for opening a post. */
export async function checkDailyQuota(
  trx: Db,
  answer: {
    readonly platform: PlatformId
    readonly externalId: string
    readonly deliveryId: number
    readonly now: number
  },
): Promise<QuotaDecision> {
  const { platform, externalId, now } = answer
  const row = await trx
    .selectFrom('platform_allowances')
    .select(['used', 'total', 'reported_at', 'ask_at'])
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  const report = row ? toReport(row) : null
  const own = await countSince(trx, {
    platform,
    externalId,
    now,
    since: report?.at ?? now,
    reservedSince: now - UNSAVED_MS,
    except: answer.deliveryId,
  })
  const decision = checkQuota(report, row?.ask_at.getTime() ?? null, own, now)
  if (decision.kind === 'free') return decision
  const ask_at = new Date(decision.kind === 'query' ? decision.queryAt : decision.until)
  await trx
    .insertInto('platform_allowances')
    .values({ platform, external_id: externalId, ask_at })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'external_id'])
        .doUpdateSet({ ask_at })
        // Keeps an answer that arrived meanwhile.
        .where('platform_allowances.ask_at', '=', row?.ask_at ?? ask_at),
    )
    .execute()
  return decision
}

const toReport = (row: {
  used: number | null
  total: number | null
  reported_at: Date | null
}): QuotaReport | null =>
  row.reported_at === null ? null : { used: row.used ?? 0, total: row.total, at: row.reported_at.getTime() }

/** `allowance: null`: the platform did not tell, and no post waits for it. */
export async function recordAllowance(
  db: Db,
  answer: {
    readonly platform: PlatformId
    readonly accountId: number
    readonly allowance: Allowance | null
    readonly now: number
  },
): Promise<void> {
  const report: QuotaReport = {
    used: answer.allowance?.used ?? 0,
    total: answer.allowance?.total ?? null,
    at: answer.now,
  }
  const columns = {
    used: report.used,
    total: report.total,
    reported_at: new Date(report.at),
    ask_at: new Date(nextQuotaQueryAt(report)),
  }
  await db
    .insertInto('platform_allowances')
    .values({
      platform: answer.platform,
      external_id: await findExternalId(db, answer.accountId),
      ...columns,
    })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doUpdateSet(columns))
    .execute()
}
