import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { PAUSED, type Reason, WAITS } from '#domain/delivery/reasons.ts'
import { isWaiting } from '#domain/delivery/waiting.ts'
import type { LimitedCall, Usage } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'
import { StoredReason, withoutWords } from '../db/stored-reason.ts'
import { externalIdIn, findExternalId } from './account-id.ts'

type What = 'posts' | 'calls' | 'slow'

/** A platform told an account, or the whole server (`externalId: null`), to stop until a time. */
export type Cooldown = {
  readonly platform: PlatformId
  readonly externalId: string | null
  readonly what: What
  readonly since: number
  readonly until: number
  readonly reason: Reason
  /** The delivery whose call tests if the platform accepts calls again. */
  readonly trialDeliveryId: number | null
}

/** New posts wait for any cool-down; reads wait only for one of all calls. */
const STOPPED_BY: Readonly<Record<LimitedCall, readonly What[]>> = {
  open: ['posts', 'calls', 'slow'],
  send: ['posts', 'calls', 'slow'],
  check: ['calls', 'slow'],
  locate: ['calls', 'slow'],
  options: ['calls', 'slow'],
  comment: ['calls', 'slow'],
  results: ['calls', 'slow'],
}

type Call = { readonly platform: PlatformId; readonly call: LimitedCall; readonly now: number }

/** An expired cool-down stays until a trial request succeeds. */
export const findCooldowns = (db: Db, call: Call, accountId: number): Promise<Cooldown[]> =>
  queryCooldowns(db, call, sql`array[${externalIdIn(accountId)}]`)

export const findSharedCooldowns = (
  db: Db,
  call: Call,
  externalIds: readonly string[],
): Promise<Cooldown[]> => queryCooldowns(db, call, sql`${[...externalIds]}::text[]`)

async function queryCooldowns(db: Db, call: Call, externalIds: RawBuilder<string[]>): Promise<Cooldown[]> {
  const query = db
    .selectFrom('platform_cooldowns')
    .select(['external_id', 'what', 'since', 'until', 'reason', 'trial_delivery_id'])
    .where('platform', '=', call.platform)
    .where(sql<SqlBool>`(external_id is null or external_id = any(${externalIds}))`)
    .where('what', 'in', [...STOPPED_BY[call.call]])
    .where((eb) => eb.or([eb('what', '!=', 'slow'), eb('until', '>', new Date(call.now))]))
    .orderBy('external_id')
  return (await query.execute()).map((row) => ({
    platform: call.platform,
    externalId: row.external_id,
    what: row.what as What, // as the table's check has it
    since: row.since.getTime(),
    until: row.until.getTime(),
    reason: StoredReason.parse(row.reason),
    trialDeliveryId: row.trial_delivery_id,
  }))
}

/** The longest active cool-down for such calls; a delivery's own trial is exempt. */
export const longestCooldown = (
  cooldowns: readonly Cooldown[],
  { now, deliveryId = null }: { readonly now: number; readonly deliveryId?: number | null },
): Cooldown | undefined =>
  cooldowns
    .filter(
      ({ what, until, trialDeliveryId }) =>
        what !== 'slow' && until > now && (deliveryId === null || trialDeliveryId !== deliveryId),
    )
    .toSorted((a, b) => a.until - b.until)
    .at(-1)

export const waitingReason = ({ externalId, since, until, reason }: Cooldown): Reason =>
  isWaiting(reason)
    ? reason
    : WAITS.paused(
        {
          of: externalId === null ? 'app' : 'account',
          since: new Date(since).toISOString(),
          until: new Date(until).toISOString(),
        },
        reason,
      )

/** Others wait this long for a trial: the platform must accept and process a video. */
const TRIAL_MS = { posts: 600_000, calls: 60_000 }

/** Half-open: one delivery makes the trial request while the others wait. @returns true for that delivery */
export async function beginTrial(
  trx: Db,
  cooldown: Cooldown,
  deliveryId: number,
  now: number,
): Promise<boolean> {
  const until = new Date(now + TRIAL_MS[cooldown.what === 'calls' ? 'calls' : 'posts'])
  const taken = await trx
    .updateTable('platform_cooldowns')
    .set({ until, trial_delivery_id: deliveryId })
    .where(isCooldown(cooldown))
    // Fails if another delivery began a trial meanwhile, or the platform refused again.
    .where('until', '=', new Date(cooldown.until))
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

const isCooldown = ({ platform, externalId, what }: Cooldown) =>
  sql<SqlBool>`platform = ${platform} and external_id is not distinct from ${externalId} and what = ${what}`

/** After the user's retry, this delivery's call is the trial of every cool-down that stops it. */
export async function requestTrial(trx: Db, deliveryId: number): Promise<void> {
  await trx
    .updateTable('platform_cooldowns')
    .from('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .set({ trial_delivery_id: deliveryId })
    .where('deliveries.delivery_id', '=', deliveryId)
    .whereRef('platform_cooldowns.platform', '=', 'accounts.platform')
    .where((eb) =>
      eb.or([
        eb('platform_cooldowns.external_id', 'is', null),
        eb('platform_cooldowns.external_id', '=', eb.ref('accounts.external_id')),
      ]),
    )
    .where('platform_cooldowns.what', '=', 'posts')
    .execute()
}

/** Ends the cool-downs that this delivery's trial disproved. `posts`: a post was accepted, not just a call answered. */
export async function recordSuccess(
  db: Db,
  trial: { readonly deliveryId: number; readonly posts: boolean; readonly now: number },
): Promise<void> {
  const query = db
    .deleteFrom('platform_cooldowns')
    .where('trial_delivery_id', '=', trial.deliveryId)
    .where('what', 'in', trial.posts ? ['posts', 'calls'] : ['calls'])
    .returning(['platform', 'external_id', 'what'])
  const ended = await query.execute()
  for (const { platform, external_id: externalId, what } of ended) {
    // Calls cool down for minutes, posts for a day.
    if (what === 'posts') await wakeWaiting(db, { platform, externalId }, trial.now)
  }
}

/** Wakes deliveries that waited for an ended cool-down, in `wake_at` order; they reserve their calls anew. */
async function wakeWaiting(
  db: Db,
  scope: { readonly platform: string; readonly externalId: string | null },
  now: number,
): Promise<void> {
  const isConcerned = (row: 'accounts' | 'platform_call_slots') =>
    sql<SqlBool>`${sql.ref(`${row}.platform`)} = ${scope.platform}
      and (${scope.externalId}::text is null or ${sql.ref(`${row}.external_id`)} = ${scope.externalId})`
  await db
    .updateTable('platform_call_slots')
    .set({ reserved: '[]' })
    .where(isConcerned('platform_call_slots'))
    .where('call', 'in', ['open', 'send'] satisfies LimitedCall[])
    .execute()
  const waiting = db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .select(['delivery_id', sql<number>`row_number() over (order by deliveries.wake_at)`.as('place')])
    .where(isConcerned('accounts'))
    .where('deliveries.state', 'in', ['scheduled', 'preparing'])
    .where('deliveries.wake_at', '>', new Date(now))
    .where('deliveries.reason_code', '=', PAUSED[scope.externalId === null ? 'app' : 'account'])
    // Excludes deliveries scheduled for later.
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '<=', new Date(now))]))
  await db
    .updateTable('deliveries')
    .from(waiting.as('waiting'))
    .set((eb) => ({
      wake_at: sql<Date>`least(wake_at, ${new Date(now)}::timestamptz + waiting.place * interval '1 millisecond')`,
      version: eb('version', '+', 1),
    }))
    .whereRef('deliveries.delivery_id', '=', 'waiting.delivery_id')
    .where('deliveries.state', 'in', ['scheduled', 'preparing'])
    .execute()
  await notifyWake(db)
}

type About = { readonly platform: PlatformId; readonly accountId: number; readonly now: number }

/** For refusals without a duration. */
const REFUSED_S = 86_400

/**
 * Starts the cool-down that a refusal asks for. `keepsRunning`: a running one is not prolonged, so that users who look at
 * an account every day do not stop it forever.
 */
export async function recordFailure(
  db: Db,
  about: About,
  failure: Failure,
  { keepsRunning = false }: { readonly keepsRunning?: boolean } = {},
): Promise<void> {
  if (failure.kind !== 'throttled' && failure.kind !== 'rejected') return
  if (failure.stops === undefined) return
  await startCooldown(db, about, failure.stops === 'app', {
    what: failure.kind === 'throttled' && !failure.limit ? 'calls' : 'posts',
    forS: failure.kind === 'throttled' ? failure.retryAfterS : REFUSED_S,
    reason: failure.reason,
    keepsRunning,
  })
}

/** Percent of the allowed calls from which calls are reduced or stopped. */
const SLOW_FROM = 80
const STOP_FROM = 95
const SLOW_S = 600
const STOP_S = 300

/** Reduces or stops calls before the platform refuses them. */
export async function recordUsage(db: Db, about: About, usage: Usage): Promise<void> {
  const { appPercent, accountPercent, regainS } = usage
  const name = PLATFORM_NAMES[about.platform]
  for (const [app, percent, regain] of [
    [true, appPercent ?? 0, 0],
    [false, accountPercent ?? 0, regainS],
  ] as const) {
    const stopped = percent >= STOP_FROM || regain > 0
    if (!stopped && percent < SLOW_FROM) continue
    await startCooldown(db, about, app, {
      what: stopped ? 'calls' : 'slow',
      forS: stopped ? Math.max(regain, STOP_S) : SLOW_S,
      reason: WAITS.rateLimit(
        app
          ? `${name} limits this server's calls, and ${percent}% of those for this hour are used.`
          : `${name} limits the calls for this account, and ${percent}% of those for this hour are used.`,
      ),
    })
  }
}

/** Never shortens a running one. */
async function startCooldown(
  db: Db,
  { platform, accountId, now }: About,
  app: boolean,
  cooldown: {
    readonly what: What
    readonly forS: number
    readonly reason: Reason
    readonly keepsRunning?: boolean
  },
): Promise<void> {
  const external_id = app ? null : await findExternalId(db, accountId)
  const until = new Date(now + cooldown.forS * 1000)
  const { reason } = withoutWords({ reason: cooldown.reason })
  await db
    .insertInto('platform_cooldowns')
    .values({
      platform,
      external_id,
      what: cooldown.what,
      since: new Date(now),
      until,
      reason: JSON.stringify(reason),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'external_id', 'what'])
        .doUpdateSet({
          since: sql`case when platform_cooldowns.until > excluded.since then platform_cooldowns.since else excluded.since end`,
          until: sql`greatest(platform_cooldowns.until, excluded.until)`,
          reason: sql`excluded.reason`,
          trial_delivery_id: null,
        })
        .where((eb) =>
          cooldown.keepsRunning === true ? eb('platform_cooldowns.until', '<=', new Date(now)) : eb.lit(true),
        ),
    )
    .execute()
}
