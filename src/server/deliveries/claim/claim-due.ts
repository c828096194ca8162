import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import { type Reason, WAITS } from '#domain/delivery/reasons.ts'
import {
  admitUploads,
  maxLanesPerUser,
  UPLOAD_LIMITS,
  type Candidate,
  type Uplink,
  type Running,
  type Waiting,
} from '#domain/rate-limit/upload-lanes.ts'
import type { Db } from '#base/db/open.ts'
import { executeWithOnePlan } from '#base/db/one-plan.ts'
import type { Deliveries } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import { isFree } from '../../lease/leased-row.ts'
import { explainWait } from '../store.ts'

/** The worker pools: sending bytes may take an hour, any other call takes seconds. */
export type Lane = 'upload' | 'call'

export const laneOf = (
  { state, platform }: { readonly state: string; readonly platform: string },
  push: readonly string[],
): Lane => ((state === 'scheduled' || state === 'preparing') && push.includes(platform) ? 'upload' : 'call')

type Row = Selectable<Deliveries>

/** `usedBy`: the users of the calls that this process makes. `turns`: users who had a lane lately, the last one at the end. */
export type CallLanes = {
  readonly lanes: number
  readonly usedBy: readonly number[]
  readonly turns: readonly number[]
}
export type UploadLanes = {
  readonly lanes: number
  readonly turns: readonly number[]
  readonly running: readonly Running[]
  readonly uplink: Omit<Uplink, 'openBytes'>
}

export type ClaimRequest = {
  /** Epoch ms. */
  readonly now: number
  readonly leaseMs: number
  /** The platforms that are sent bytes, and those that fetch them. */
  readonly push: readonly PlatformId[]
  readonly pull: readonly PlatformId[]
  readonly calls: CallLanes
  readonly uploads: UploadLanes
}

export type Claimed = { readonly row: Row; readonly lane: Lane; readonly bytes: number }

/** Due deliveries of one kind that one claim ranks, the longest due first: this bounds the cost of a huge backlog. */
const RANKED = 50_000
/** Ranked deliveries that one claim looks up: enough for eight workers that claim 32 each at the same time. */
const CANDIDATES = 256
/** Due uploads of one account that one claim looks at: one starts, and the next learns what it waits for. */
const UPLOADS_OF_ACCOUNT = 2
/** Waiting deliveries that one claim gives a reason: after `EXPLAIN_AFTER_MS`, then at most once a minute. */
const EXPLAINED = 50
const EXPLAIN_AFTER_MS = 3000
const UPLOAD_WAIT = WAITS.uploadOfAccount.code
/** Serializes the claims of uploads, so that counted limits hold across workers. */
const UPLOAD_CLAIMS = 7_205_501
/** An open upload that is retried within this time is still planned for. */
const COMES_SOON_MS = 120_000

type ClaimDeps = { readonly db: Db; readonly encrypter: Encrypter }

/**
 * Leases due deliveries round-robin between users while lanes are free: calls first, then each platform's uploads.
 * `request` is called again after each batch, so that it counts what was claimed before.
 */
export async function* claimDue(deps: ClaimDeps, request: () => ClaimRequest): AsyncGenerator<Claimed[]> {
  yield claimCalls(deps.db, request())
  for (const platform of request().push) yield claimUploads(deps, request(), platform)
}

// ---- calls ----

async function claimCalls(db: Db, it: ClaimRequest): Promise<Claimed[]> {
  const { lanes, usedBy } = it.calls
  const free = lanes - usedBy.length
  if (free <= 0) return []
  const freeLanesOf = freeLanesFor(lanes, usedBy)
  const full = [...new Set(usedBy)].filter((user) => freeLanesOf(user, []) <= 0)
  return db.transaction().execute(async (trx) => {
    const rows = await executeWithOnePlan(trx, dueCallsQuery(it, full, free))
    const ids: number[] = []
    const users: number[] = []
    for (const row of rows) {
      if (freeLanesOf(row.user_id, users) <= 0) continue
      ids.push(row.delivery_id)
      users.push(row.user_id)
    }
    const claimed = await lease(trx, it, 'call', ids)
    return claimed.map((row) => ({ row, lane: 'call' as const, bytes: 0 }))
  })
}

const freeLanesFor =
  (lanes: number, usedBy: readonly number[]) => (user: number, more: readonly number[]) => {
    const all = [...usedBy, ...more]
    const own = all.filter((one) => one === user).length
    return maxLanesPerUser(lanes, all.length - own) - own
  }

/** Deliveries of users with the fewest calls come first, then of those whose turn is longest ago; an account's second after its user's firsts. */
export const dueCallsQuery = (it: ClaimRequest, full: readonly number[], limit: number) => {
  const { usedBy, turns } = it.calls
  const sources = [FOLLOWED_UP, ...it.pull.map(waitsToSend)].map((which) => oldestDue(which, it.now))
  return sql<{ delivery_id: number; user_id: number }>`
    with due as (${sql.join(sources, sql` union all `)}),
    by_account as (
      select *, row_number() over (partition by account_id order by wake_at) as nth
      from due where user_id <> all(${[...full]}::bigint[])
    ), ranked as (${rankedByUser(usedBy, turns)}),
    next as (select * from ranked order by place, turn, wake_at limit ${CANDIDATES})
    select d.delivery_id, d.user_id
    from next cross join lateral (
      select delivery_id, user_id from deliveries
      where delivery_id = next.delivery_id and ${isFree(it.now)} for update skip locked
    ) d
    order by next.place, next.turn, next.wake_at limit ${limit}`
}

/** Each kind has an index that ends with `wake_at`. */
const FOLLOWED_UP = sql`wake_at is not null and state not in ('scheduled', 'preparing')`
const waitsToSend = (platform: PlatformId) =>
  sql`platform = ${platform} and wake_at is not null and state in ('scheduled', 'preparing')`

const oldestDue = (which: RawBuilder<unknown>, now: number) => sql`
  (select delivery_id, user_id, account_id, wake_at, session is not null and state = 'preparing' as resumes
    from deliveries where ${which} and ${isFree(now)} order by wake_at limit ${sql.lit(RANKED)})`

/**
 * `place`: how many come before it for its user, those in the lanes of `holders` (the user of each) included. `turn`: the larger, the
 * later its user had one.
 */
const rankedByUser = (holders: readonly number[], turns: readonly number[]) => sql`
  select by_account.*, coalesce(had.turn, 0) as turn, row_number() over (partition by user_id order by nth, wake_at)
    + (select count(*) from unnest(${[...holders]}::bigint[]) holder where holder = user_id) as place
  from by_account left join unnest(${[...turns]}::bigint[]) with ordinality had (user_id, turn) using (user_id)`

// ---- uploads ----

async function claimUploads(
  { db, encrypter }: ClaimDeps,
  it: ClaimRequest,
  platform: PlatformId,
): Promise<Claimed[]> {
  const { lanes, running, uplink } = it.uploads
  if (!(await isAnyDue(db, it, platform))) return []
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${UPLOAD_CLAIMS})`.execute(trx)
    const everywhere = await liveUploads(trx, platform)
    const full = findFull(lanes, running, everywhere)
    const holders = everywhere.map(({ userId }) => userId)
    const rows = await executeWithOnePlan(trx, dueUploadsQuery(it, platform, full, holders))
    if (rows.length === 0) return []
    const openBytes = await bytesOfOpen(trx, it, platform)
    const due: Candidate[] = rows.map((row) => ({
      deliveryId: row.delivery_id,
      userId: row.user_id,
      accountId: row.account_id,
      bytes: row.bytes,
      resumes: row.resumes,
      waitedS: (it.now - row.wake_at.getTime()) / 1000,
    }))
    const pool = { lanes: lanes, running, everywhere, uplink: { ...uplink, openBytes } }
    const { starting, waiting } = admitUploads(due, pool)
    const explainable = new Set(rows.flatMap((row) => (row.explainable ? row.delivery_id : [])))
    const explained = waiting.filter(({ deliveryId }) => explainable.has(deliveryId))
    const uploading = everywhere.length + starting.length
    for (const { deliveryId, why, inS } of explained)
      await explainWait(trx, encrypter, {
        deliveryId,
        reason: toWaitReason(why, uploading, inS),
        now: it.now,
      })
    const bytes = new Map(starting.map((one) => [one.deliveryId, one.bytes]))
    const claimed = await lease(trx, it, 'upload', [...bytes.keys()])
    return claimed.map((row) => ({ row, lane: 'upload' as const, bytes: bytes.get(row.delivery_id) ?? 0 }))
  })
}

const isAnyDue = async (db: Db, it: ClaimRequest, platform: PlatformId): Promise<boolean> =>
  (await anyDueQuery(it, platform).execute(db)).rows.length > 0

/** Without the order, a plan for any `now` expects a third of the rows to be due, and reads the table from its start. */
export const anyDueQuery = (it: ClaimRequest, platform: PlatformId) => sql`
  select 1 from deliveries where ${waitsToSend(platform)} and ${isFree(it.now)} order by wake_at limit 1`

async function liveUploads(trx: Db, platform: PlatformId): Promise<{ userId: number; accountId: number }[]> {
  const { rows } = await sql<{ userId: number; accountId: number }>`
    select user_id as "userId", account_id as "accountId" from deliveries
    where lane = 'upload' and leased_until > now() and platform = ${platform}`.execute(trx)
  return rows
}

type Full = { readonly users: readonly number[]; readonly accounts: readonly number[] }

/** Users and accounts that can have none now. */
function findFull(
  lanes: number,
  running: readonly Running[],
  everywhere: readonly { userId: number; accountId: number }[],
): Full {
  const local = running.map(({ userId }) => userId)
  const freeLanesOf = freeLanesFor(lanes, local)
  const ofUser = (user: number) => everywhere.filter(({ userId }) => userId === user).length
  const users = [...new Set([...local, ...everywhere.map(({ userId }) => userId)])].filter(
    (user) => freeLanesOf(user, []) <= 0 || ofUser(user) >= UPLOAD_LIMITS.perUser,
  )
  // The limit of an account is one.
  return { users, accounts: everywhere.map(({ accountId }) => accountId) }
}

/**
 * Open addresses first; then by how many uploads a user has, those of `holders` (the user of each that runs) included, then whose turn
 * was longest ago; an account's second after all its first. Users and accounts that can have none now come last: they only learn what they wait for.
 * The size is a query of its own, because a planner that takes the tables for empty joins them whole for each candidate.
 */
export const dueUploadsQuery = (
  it: ClaimRequest,
  platform: PlatformId,
  full: Full,
  holders: readonly number[],
) => {
  const isFull = sql`(user_id = any(${[...full.users]}::bigint[]) or account_id = any(${[...full.accounts]}::bigint[]))`
  return sql<{
    delivery_id: number
    user_id: number
    account_id: number
    bytes: number
    resumes: boolean
    wake_at: Date
    explainable: boolean
  }>`
    with due as ${oldestDue(waitsToSend(platform), it.now)},
    by_account as (
      select *, row_number() over (partition by account_id order by resumes desc, wake_at) as nth, ${isFull} as is_full from due
    ), ranked as (${rankedByUser(holders, it.uploads.turns)}),
    next as (
      select * from ranked where nth <= ${UPLOADS_OF_ACCOUNT}
      order by is_full, resumes desc, place, turn, wake_at limit ${CANDIDATES}
    )
    select d.*, next.resumes
    from next cross join lateral (
      select delivery_id, d.user_id, account_id, wake_at,
        (select size from posts p join videos v using (video_id) where p.post_id = d.post_id)
          - coalesce(d.sent_bytes, 0) as bytes,
        session is null and wake_at <= ${new Date(it.now - EXPLAIN_AFTER_MS)}
          and (d.reason_code is distinct from ${UPLOAD_WAIT} or d.updated_at < now() - interval '1 minute')
          as explainable
      from deliveries d
      where delivery_id = next.delivery_id and ${isFree(it.now)} and state in ('scheduled', 'preparing')
      for update of d skip locked
    ) d
    order by is_full, next.resumes desc, place, turn, next.wake_at
    limit ${it.uploads.lanes + EXPLAINED}`
}

async function bytesOfOpen(trx: Db, it: ClaimRequest, platform: PlatformId): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(v.size - coalesce(d.sent_bytes, 0)), 0)::bigint as bytes
    from deliveries d join posts p using (post_id) join videos v using (video_id)
    where d.platform = ${platform} and d.state = 'preparing' and d.session is not null
      and d.wake_at > ${new Date(it.now)} and d.wake_at <= ${new Date(it.now + COMES_SOON_MS)}
      and (d.leased_until is null or d.leased_until < now())`.execute(trx)
  return rows[0]?.bytes ?? 0
}

function toWaitReason(why: Waiting['why'], running: number, inS: number | null): Reason {
  switch (why) {
    case 'lane':
      return WAITS.upload(running)
    case 'account':
      return WAITS.uploadOfAccount
    case 'uplink':
      return WAITS.uplink(running, inS)
  }
}

async function lease(trx: Db, it: ClaimRequest, lane: Lane, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return []
  return trx
    .updateTable('deliveries')
    .set((eb) => ({
      // Not `now()`: this transaction may have waited for the lock of uploads since it began.
      leased_until: sql<Date>`clock_timestamp() + ${it.leaseMs} * interval '1 millisecond'`,
      fence: eb('fence', '+', 1),
      lane,
    }))
    .where('delivery_id', 'in', ids)
    .returningAll()
    .execute()
}

/** After an unexpected error: the lease runs out by itself, but its lane is free at once. */
export async function freeLane(db: Db, row: { delivery_id: number; fence: number }): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ lane: null })
    .where('delivery_id', '=', row.delivery_id)
    .where('fence', '=', row.fence)
    .execute()
}

/** The next time at which something falls due that is not due yet (epoch ms). */
export async function nextWakeAt(
  db: Db,
  it: Pick<ClaimRequest, 'now' | 'push' | 'pull'>,
): Promise<number | null> {
  const kinds = [FOLLOWED_UP, ...[...it.push, ...it.pull].map(waitsToSend)]
  const firstOf = (which: RawBuilder<unknown>) =>
    sql`(select min(wake_at) from deliveries where ${which} and wake_at > ${new Date(it.now)})`
  const { rows } = await sql<{ next: Date | null }>`
    select least(${sql.join(kinds.map(firstOf))}) as next`.execute(db)
  return rows[0]?.next?.getTime() ?? null
}
