import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { isWaiting, PAUSED, type Reason, WAITS } from '#domain/delivery/reasons.ts'
import type { LimitedCall, Usage } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'
import { StoredReason, withoutWords } from '../db/stored-reason.ts'
import { externalIdIn, externalIdOf } from './account-id.ts'

/** What a cool-down stops: new posts, all calls, or (`slow`) all but a few calls. */
type What = 'posts' | 'calls' | 'slow'

/** A platform told an account, or the whole server (`externalId: null`), to stop until a time. */
export type Cooldown = {
  readonly platform: PlatformId
  readonly externalId: string | null
  readonly what: What
  readonly since: number
  readonly until: number
  readonly reason: Reason
  /** The delivery whose call tries whether the platform accepts calls again. */
  readonly trialDeliveryId: number | null
}

/** New posts wait for any cool-down; reading only for one of all calls. */
const STOPPED_BY: Readonly<Record<LimitedCall, readonly What[]>> = {
  open: ['posts', 'calls', 'slow'],
  send: ['posts', 'calls', 'slow'],
  check: ['calls', 'slow'],
  locate: ['calls', 'slow'],
  options: ['calls', 'slow'],
  comment: ['calls', 'slow'],
}

type Call = { readonly platform: PlatformId; readonly call: LimitedCall; readonly now: number }

/** Cool-downs that concern a call. One that has run out stays until a trial request succeeds. */
export const findCooldowns = (db: Db, it: Call, accountId: number): Promise<Cooldown[]> =>
  cooldownsOf(db, it, sql`array[${externalIdIn(accountId)}]`)

/** Cool-downs that concern a call for any of these accounts. */
export const findCooldownsOf = (db: Db, it: Call, externalIds: readonly string[]): Promise<Cooldown[]> =>
  cooldownsOf(db, it, sql`${[...externalIds]}::text[]`)

async function cooldownsOf(db: Db, it: Call, externalIds: RawBuilder<string[]>): Promise<Cooldown[]> {
  const query = db
    .selectFrom('platform_cooldowns')
    .select(['external_id', 'what', 'since', 'until', 'reason', 'trial_delivery_id'])
    .where('platform', '=', it.platform)
    .where(sql<SqlBool>`(external_id is null or external_id = any(${externalIds}))`)
    .where('what', 'in', [...STOPPED_BY[it.call]])
    .where((eb) => eb.or([eb('what', '!=', 'slow'), eb('until', '>', new Date(it.now))]))
    .orderBy('external_id')
  return (await query.execute()).map((row) => ({
    platform: it.platform,
    externalId: row.external_id,
    what: row.what as What, // as the table's check has it
    since: row.since.getTime(),
    until: row.until.getTime(),
    reason: StoredReason.parse(row.reason),
    trialDeliveryId: row.trial_delivery_id,
  }))
}

/** The cool-down that lasts longest of those that stop all such calls now; a delivery's own trial is not stopped. */
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

/** What a waiting delivery shows: the refusal was another post's, not its own. */
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

/** How long others wait for a trial: a video has to be taken and processed. */
const TRIAL_MS = { posts: 600_000, calls: 60_000 }

/** Half-open: one delivery makes the trial request while the others go on waiting. @returns whether it is this one */
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
    // Not where another delivery has begun a trial meanwhile, or the platform has refused again.
    .where('until', '=', new Date(cooldown.until))
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

const isCooldown = ({ platform, externalId, what }: Cooldown) =>
  sql<SqlBool>`platform = ${platform} and external_id is not distinct from ${externalId} and what = ${what}`

/** The user retries this delivery: its call is the trial request of whatever stops its posts. */
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

/** Ends the cool-downs that this delivery's trial has disproved. `posts`: a post was taken, not just any call answered. */
export async function recordSuccess(
  db: Db,
  it: { readonly deliveryId: number; readonly posts: boolean; readonly now: number },
): Promise<void> {
  const query = db
    .deleteFrom('platform_cooldowns')
    .where('trial_delivery_id', '=', it.deliveryId)
    .where('what', 'in', it.posts ? ['posts', 'calls'] : ['calls'])
    .returning(['platform', 'external_id', 'what'])
  const ended = await query.execute()
  for (const { platform, external_id: externalId, what } of ended) {
    // Calls cool down for minutes, posts for a day.
    if (what === 'posts') await wakeWaiting(db, { platform, externalId }, it.now)
  }
}

/** Wakes the deliveries that waited for an ended cool-down, in `wake_at` order; they reserve their calls anew. */
async function wakeWaiting(
  db: Db,
  it: { readonly platform: string; readonly externalId: string | null },
  now: number,
): Promise<void> {
  const isConcerned = (row: 'accounts' | 'platform_call_slots') =>
    sql<SqlBool>`${sql.ref(`${row}.platform`)} = ${it.platform}
      and (${it.externalId}::text is null or ${sql.ref(`${row}.external_id`)} = ${it.externalId})`
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
    .where('deliveries.reason_code', '=', PAUSED[it.externalId === null ? 'app' : 'account'])
    // Not what is scheduled for later.
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

/** A refusal that does not say for how long it holds. */
const REFUSED_S = 86_400

/**
 * Starts the cool-down that a refusal asks for. `keepsRunning`: one that runs already is not prolonged, so that users who look at
 * an account every day do not stop it for ever.
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

/** Percent of the allowed calls from which on fewer, or none, are made. */
const SLOW_FROM = 80
const STOP_FROM = 95
const SLOW_S = 600
const STOP_S = 300

/** Makes fewer calls, or none for a while, before the platform refuses them. */
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
          ? `${name} counts the calls of this server, and ${percent} % of an hour's are used.`
          : `${name} counts the calls for this account, and ${percent} % of an hour's are used.`,
      ),
    })
  }
}

/** Never shortens one that is running. */
async function startCooldown(
  db: Db,
  { platform, accountId, now }: About,
  app: boolean,
  it: {
    readonly what: What
    readonly forS: number
    readonly reason: Reason
    readonly keepsRunning?: boolean
  },
): Promise<void> {
  const external_id = app ? null : await externalIdOf(db, accountId)
  const until = new Date(now + it.forS * 1000)
  const { reason } = withoutWords({ reason: it.reason })
  await db
    .insertInto('platform_cooldowns')
    .values({
      platform,
      external_id,
      what: it.what,
      since: new Date(now),
      until,
      reason: JSON.stringify(reason),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'external_id', 'what'])
        .doUpdateSet({
          // A running one keeps its beginning.
          since: sql`case when platform_cooldowns.until > excluded.since then platform_cooldowns.since else excluded.since end`,
          until: sql`greatest(platform_cooldowns.until, excluded.until)`,
          reason: sql`excluded.reason`,
          trial_delivery_id: null,
        })
        .where((eb) =>
          it.keepsRunning === true ? eb('platform_cooldowns.until', '<=', new Date(now)) : eb.lit(true),
        ),
    )
    .execute()
}
