import { type Kysely, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { Reason } from '#contract/deliveries.ts'
import { PLATFORM_NAMES, type PlatformId, type PostsToday } from '#contract/platforms/index.ts'
import { isWaiting, PAUSED, WAITS } from '#domain/delivery/reasons.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import {
  askAgainAt,
  NO_TURNS,
  roomFor,
  takeTurn,
  type Rate,
  type Told,
  type Turns,
} from '#domain/rate-limit/pace.ts'
import type { Allowance, LimitedCall, Platform, Usage } from '#platforms/kit/platform.ts'
import { notifyWake } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'
import { countDay, countSince } from './counts.ts'

/** Who wants to make a call for an account. `delivery: null`: a person who looks, and who does not wait in line. */
export type Asking = {
  readonly platform: Platform
  readonly accountId: number
  readonly call: LimitedCall
  readonly delivery: { readonly id: number; readonly promised: number | null } | null
  readonly now: number
}

export type Turn =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly until: number; readonly reason: Reason }
  /** Ask the platform how much is left, tell `keepAllowance`, and come again. */
  | { readonly kind: 'ask' }

const GO: Turn = { kind: 'go' }
const UNLIMITED: Rate = { most: Number.MAX_SAFE_INTEGER, perS: 0 }
/** While a platform says that calls are running short. */
const SLOW: Rate = { most: 2, perS: 10 }
/** Turns that all accounts of a platform share. */
const EVERYBODY = ''
/** Leave of which nothing shows in the delivery's row yet. */
const LEAVE_SEEN_MS = 15_000
/** Until somebody who came a moment too late looks again. */
const SOON_MS = 5000
/** How long the others wait for what becomes of the one that tries: a video has to be taken and worked on. */
const PROBE_MS = { posts: 600_000, calls: 60_000 }

/**
 * Whether a call may be made now. Decided under a lock in the database, so that any number of workers on any number of
 * machines keep to one count. Nobody holds anything while they wait: who is told to wait comes again at a moment of their own.
 */
export async function askForTurn(db: Kysely<DB>, asking: Asking): Promise<Turn> {
  const { platform, call, now, delivery } = asking
  const externalId = await externalIdOf(db, asking.accountId)
  const rate = platform.capabilities.rates[call]
  const counted = call === 'open' && platform.allowance !== null && delivery !== null
  if (!rate && !counted && (await holdsOn(db, asking, externalId)).length === 0) return GO
  return db.transaction().execute(async (trx) => {
    const line = await lockLine(trx, platform.id, externalId, call)
    const holds = await holdsOn(trx, asking, externalId)
    const isOurs = (hold: Hold) => delivery !== null && hold.probe === delivery.id
    const standing = holds.filter((hold) => hold.what !== 'slow' && hold.until > now && !isOurs(hold))
    const last = standing.toSorted((a, b) => a.until - b.until).at(-1)
    const promised = delivery?.promised ?? null
    const own = rate ?? UNLIMITED
    let notBefore = last?.until ?? now
    // Who is behind others may wait for what those wait for, and not for the rate.
    const alone = takeTurn({ ...line.turns, promised: [] }, own, { promised: null, notBefore: now, now })
    let reason = last ? reasonOf(last) : WAITS.turn(rate && alone.at > now ? rate.words : OTHERS_FIRST)

    if (counted && takeTurn(line.turns, own, { promised, notBefore, now }).at <= now) {
      const room = await askForRoom(trx, asking, externalId, delivery.id)
      if (room.kind === 'ask') return room
      if (room.kind === 'full') {
        notBefore = room.until
        reason = WAITS.room(PLATFORM_NAMES[platform.id], room.total)
      }
    }

    const turn = takeTurn(line.turns, own, { promised, notBefore, now })
    if (turn.at > now) {
      if (delivery !== null) await keepLine(trx, line, turn.turns)
      return { kind: 'wait', until: turn.at, reason }
    }
    for (const hold of holds.filter(({ what }) => what === 'slow')) {
      const slow = await lockLine(trx, platform.id, hold.externalId ?? EVERYBODY, 'slow')
      const slowly = takeTurn(slow.turns, SLOW, { promised, notBefore: now, now })
      if (slowly.at <= now || delivery !== null) await keepLine(trx, slow, slowly.turns)
      if (slowly.at > now) return { kind: 'wait', until: slowly.at, reason: hold.reason }
    }
    if (delivery !== null) {
      for (const hold of holds.filter(({ what }) => what !== 'slow')) {
        if (await tryOut(trx, hold, delivery.id, now)) continue
        return { kind: 'wait', until: now + SOON_MS, reason: reasonOf(hold) }
      }
      if (call === 'open') await noteLeave(trx, delivery.id, now)
    }
    await keepLine(trx, line, turn.turns)
    return GO
  })
}

const OTHERS_FIRST = 'other posts to this account come first.'

async function externalIdOf(db: Db, accountId: number): Promise<string> {
  const { external_id } = await db
    .selectFrom('accounts')
    .select('external_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return external_id
}

// ---- turns ----

type Line = {
  readonly platform: PlatformId
  readonly externalId: string
  readonly call: string
  readonly turns: Turns
}
const Moments = z.array(z.number())

async function lockLine(trx: Db, platform: PlatformId, externalId: string, call: string): Promise<Line> {
  await trx
    .insertInto('platform_turns')
    .values({ platform, external_id: externalId, call })
    .onConflict((row) => row.doNothing())
    .execute()
  const row = await trx
    .selectFrom('platform_turns')
    .select(['made', 'promised'])
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .where('call', '=', call)
    .forUpdate()
    .executeTakeFirst()
  const turns = row ? { made: Moments.parse(row.made), promised: Moments.parse(row.promised) } : NO_TURNS
  return { platform, externalId, call, turns }
}

async function keepLine(trx: Db, line: Line, turns: Turns): Promise<void> {
  await trx
    .updateTable('platform_turns')
    .set({ made: JSON.stringify(turns.made), promised: JSON.stringify(turns.promised) })
    .where('platform', '=', line.platform)
    .where('external_id', '=', line.externalId)
    .where('call', '=', line.call)
    .execute()
}

const noteLeave = (trx: Db, deliveryId: number, now: number) =>
  trx
    .updateTable('deliveries')
    .set({ turn_at: new Date(now) })
    .where('delivery_id', '=', deliveryId)
    .execute()

// ---- posts of a day ----

async function askForRoom(trx: Db, { platform, now }: Asking, externalId: string, deliveryId: number) {
  const row = await trx
    .selectFrom('platform_allowances')
    .selectAll()
    .where('platform', '=', platform.id)
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  const told = row ? toldOf(row) : null
  const ours = await countSince(trx, {
    platform: platform.id,
    externalId,
    now,
    since: told?.at ?? now,
    allowedSince: now - LEAVE_SEEN_MS,
    except: deliveryId,
  })
  const room = roomFor(told, row?.ask_at.getTime() ?? null, ours, now)
  if (room.kind === 'go') return room
  const ask_at = new Date(room.kind === 'ask' ? room.askAt : room.until)
  await trx
    .insertInto('platform_allowances')
    .values({ platform: platform.id, external_id: externalId, ask_at })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'external_id'])
        .doUpdateSet({ ask_at })
        // Not where an answer has come in meanwhile.
        .where('platform_allowances.ask_at', '=', row?.ask_at ?? ask_at),
    )
    .execute()
  return room
}

const toldOf = (row: { used: number | null; total: number | null; told_at: Date | null }): Told | null =>
  row.told_at === null ? null : { used: row.used ?? 0, total: row.total, at: row.told_at.getTime() }

/** What the platform answered; `null`: it did not, and nobody waits for that. */
export async function keepAllowance(
  db: Db,
  it: {
    readonly platform: PlatformId
    readonly accountId: number
    readonly allowance: Allowance | null
    readonly now: number
  },
): Promise<void> {
  const told: Told = { used: it.allowance?.used ?? 0, total: it.allowance?.total ?? null, at: it.now }
  const columns = {
    used: told.used,
    total: told.total,
    told_at: new Date(told.at),
    ask_at: new Date(askAgainAt(told)),
  }
  await db
    .insertInto('platform_allowances')
    .values({ platform: it.platform, external_id: await externalIdOf(db, it.accountId), ...columns })
    .onConflict((conflict) => conflict.columns(['platform', 'external_id']).doUpdateSet(columns))
    .execute()
}

/** How much of a day's posts an account has left, for who looks. */
export async function postsToday(
  db: Db,
  {
    platform,
    accountId,
    now,
  }: { readonly platform: Platform; readonly accountId: number; readonly now: number },
): Promise<PostsToday> {
  const externalId = await externalIdOf(db, accountId)
  const [ours, told, holds] = await Promise.all([
    countDay(db, { platform: platform.id, externalId, now }),
    db
      .selectFrom('platform_allowances')
      .selectAll()
      .where('platform', '=', platform.id)
      .where('external_id', '=', externalId)
      .where('told_at', '>', new Date(now - DAY_MS))
      .executeTakeFirst(),
    holdsOn(db, { platform, accountId, call: 'open', delivery: null, now }, externalId),
  ])
  const stop = holds
    .filter(({ what, until }) => what !== 'slow' && until > now)
    .toSorted((a, b) => a.until - b.until)
    .at(-1)
  const isTold = told !== undefined && told.total !== null
  return {
    ...ours,
    used: isTold ? told.used : null,
    total: isTold ? told.total : null,
    usual: platform.capabilities.usualPostsPerDay,
    stopped: stop ? { message: stop.reason.message, until: new Date(stop.until).toISOString() } : null,
  }
}

const DAY_MS = 86_400_000

// ---- when a platform says stop ----

type What = 'posts' | 'calls' | 'slow'
type Hold = {
  readonly platform: PlatformId
  readonly externalId: string | null
  readonly what: What
  readonly since: number
  readonly until: number
  readonly reason: Reason
  readonly probe: number | null
}

/** New posts wait for both; what only asks waits when no call at all may be made. */
const HEEDED: Readonly<Record<LimitedCall, readonly What[]>> = {
  open: ['posts', 'calls', 'slow'],
  send: ['posts', 'calls', 'slow'],
  check: ['calls', 'slow'],
  locate: ['calls', 'slow'],
  options: ['calls', 'slow'],
}

async function holdsOn(db: Db, { platform, call, now }: Asking, externalId: string): Promise<Hold[]> {
  const rows = await db
    .selectFrom('platform_holds')
    .selectAll()
    .where('platform', '=', platform.id)
    .where((eb) => eb.or([eb('external_id', 'is', null), eb('external_id', '=', externalId)]))
    .where('what', 'in', [...HEEDED[call]])
    .where((eb) => eb.or([eb('what', '!=', 'slow'), eb('until', '>', new Date(now))]))
    .orderBy('external_id')
    .execute()
  return rows.map((row) => ({
    platform: platform.id,
    externalId: row.external_id,
    what: row.what as What, // as the table's check has it
    since: row.since.getTime(),
    until: row.until.getTime(),
    reason: Reason.parse(row.reason),
    probe: row.probe,
  }))
}

/** What a delivery that waits for it says: another post's refusal is not its own. */
const reasonOf = ({ externalId, since, until, reason }: Hold): Reason =>
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

const isHold = ({ platform, externalId, what }: Pick<Hold, 'platform' | 'externalId' | 'what'>) =>
  sql<SqlBool>`platform = ${platform} and external_id is not distinct from ${externalId} and what = ${what}`

/** Its time is over, or so we hope: one delivery finds out, the others wait for what becomes of it. */
async function tryOut(trx: Db, hold: Hold, deliveryId: number, now: number): Promise<boolean> {
  const until = new Date(now + PROBE_MS[hold.what === 'calls' ? 'calls' : 'posts'])
  const taken = await trx
    .updateTable('platform_holds')
    .set({ until, probe: deliveryId })
    .where(isHold(hold))
    // Not where another account's post has begun to try it meanwhile, or the platform has said it again.
    .where('until', '=', new Date(hold.until))
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

/** The user wants this one tried now, whatever the account was refused before: it is the one that tries whether that is over. */
export async function tryNow(trx: Db, deliveryId: number): Promise<void> {
  await trx
    .updateTable('platform_holds')
    .from('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .set({ probe: deliveryId })
    .where('deliveries.delivery_id', '=', deliveryId)
    .whereRef('platform_holds.platform', '=', 'accounts.platform')
    .where((eb) =>
      eb.or([
        eb('platform_holds.external_id', 'is', null),
        eb('platform_holds.external_id', '=', eb.ref('accounts.external_id')),
      ]),
    )
    .where('platform_holds.what', '=', 'posts')
    .execute()
}

/** The one that tried was let through. `posts`: a post was taken; otherwise just any call was answered. */
export async function letThrough(
  db: Db,
  it: { readonly deliveryId: number; readonly posts: boolean; readonly now: number },
): Promise<void> {
  const over = await db
    .deleteFrom('platform_holds')
    .where('probe', '=', it.deliveryId)
    .where('what', 'in', it.posts ? ['posts', 'calls'] : ['calls'])
    .returning(['platform', 'external_id', 'what'])
    .execute()
  for (const { platform, external_id: externalId, what } of over) {
    // Calls rest for minutes, posts for a day.
    if (what === 'posts') await letGo(db, { platform, externalId }, it.now)
  }
}

/** Who waits for a stop that is over comes again now, in the order in which they were to come, and lines up anew. */
async function letGo(
  db: Db,
  it: { readonly platform: string; readonly externalId: string | null },
  now: number,
): Promise<void> {
  const isMeant = (row: 'accounts' | 'platform_turns') =>
    sql<SqlBool>`${sql.ref(`${row}.platform`)} = ${it.platform}
      and (${it.externalId}::text is null or ${sql.ref(`${row}.external_id`)} = ${it.externalId})`
  await db
    .updateTable('platform_turns')
    .set({ promised: '[]' })
    .where(isMeant('platform_turns'))
    .where('call', 'in', ['open', 'send'] satisfies LimitedCall[])
    .execute()
  const waiting = db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .select(['delivery_id', sql<number>`row_number() over (order by deliveries.wake_at)`.as('place')])
    .where(isMeant('accounts'))
    .where('deliveries.state', 'in', ['scheduled', 'preparing'])
    .where('deliveries.wake_at', '>', new Date(now))
    .where(
      sql<SqlBool>`deliveries.data -> 'reason' ->> 'code' = ${PAUSED[it.externalId === null ? 'app' : 'account']}`,
    )
    // Not what waits for a time of its own.
    .where(sql<SqlBool>`coalesce((deliveries.data ->> 'dueAt')::float8, 0) <= ${now}`)
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

/** A refusal that says nothing of how long it holds. */
const REFUSED_S = 86_400

/**
 * Has the others wait for what one of them was refused. `looked`: nothing was to be posted, somebody only looked at the account;
 * that must not put off what waits for a stop to be over, or whoever looks every day would never see it posted.
 */
export async function heedFailure(
  db: Db,
  about: About,
  failure: Failure,
  { looked = false }: { readonly looked?: boolean } = {},
): Promise<void> {
  if (failure.kind !== 'throttled' && failure.kind !== 'rejected') return
  if (failure.stops === undefined) return
  await placeHold(db, about, failure.stops === 'app', {
    what: failure.kind === 'throttled' && !failure.limit ? 'calls' : 'posts',
    forS: failure.kind === 'throttled' ? failure.retryAfterS : REFUSED_S,
    reason: failure.reason,
    unlessStanding: looked,
  })
}

/** From this share of the calls on fewer are made, and from the other none (percent). */
const SLOW_FROM = 80
const STOP_FROM = 95
const SLOW_S = 600
const STOP_S = 300

/** Makes fewer calls, or none for a while, before the platform says no. */
export async function heedUsage(db: Db, about: About, usage: Usage): Promise<void> {
  const { appPercent, accountPercent, regainS } = usage
  const name = PLATFORM_NAMES[about.platform]
  for (const [app, percent, regain] of [
    [true, appPercent ?? 0, 0],
    [false, accountPercent ?? 0, regainS],
  ] as const) {
    const stopped = percent >= STOP_FROM || regain > 0
    if (!stopped && percent < SLOW_FROM) continue
    await placeHold(db, about, app, {
      what: stopped ? 'calls' : 'slow',
      forS: stopped ? Math.max(regain, STOP_S) : SLOW_S,
      reason: WAITS.turn(
        app
          ? `${name} counts the calls of this server, and ${percent} % of an hour's are used.`
          : `${name} counts the calls for this account, and ${percent} % of an hour's are used.`,
      ),
    })
  }
}

/** A stop that was placed before is never shortened. */
async function placeHold(
  db: Db,
  { platform, accountId, now }: About,
  app: boolean,
  it: {
    readonly what: What
    readonly forS: number
    readonly reason: Reason
    readonly unlessStanding?: boolean
  },
): Promise<void> {
  const external_id = app ? null : await externalIdOf(db, accountId)
  const until = new Date(now + it.forS * 1000)
  const reason = JSON.stringify(it.reason)
  await db
    .insertInto('platform_holds')
    .values({ platform, external_id, what: it.what, since: new Date(now), until, reason })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'external_id', 'what'])
        .doUpdateSet({
          // One that goes on began when it began.
          since: sql`case when platform_holds.until > excluded.since then platform_holds.since else excluded.since end`,
          until: sql`greatest(platform_holds.until, excluded.until)`,
          reason: sql`excluded.reason`,
          probe: null,
        })
        .where((eb) =>
          it.unlessStanding === true ? eb('platform_holds.until', '<=', new Date(now)) : eb.lit(true),
        ),
    )
    .execute()
}
