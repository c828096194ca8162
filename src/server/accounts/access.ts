import { setTimeout as sleep } from 'node:timers/promises'
import type { Reason } from '#domain/delivery/reasons.ts'
import { PLATFORM_IDS, PlatformId } from '#contract/platforms/index.ts'
import { waitAfterFailedRefresh } from '#domain/delivery/backoff.ts'
import { type Result, fail, ok } from '#domain/delivery/failure.ts'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { enqueueAccountCheck } from '../outbox/outbox.ts'
import { recordEvent } from '../webhooks/record-events.ts'
import { blockAccountDeliveries } from '../deliveries/by-account.ts'
import { type Access, callWithAccess, PLATFORM_OFF } from '../deliveries/account-access.ts'
import { isErased } from '../deliveries/erased-account.ts'
import { ACCOUNT_ERASED, NOT_RENEWED, relinkFailure, UNLINKED } from './access-failures.ts'
import {
  type AccessRow,
  endRefreshLease,
  findDueRefreshes,
  LEASE_MS,
  type RefreshLease,
  selectAccess,
  setRelinkReason,
  takeRefreshLease,
} from './access-store.ts'
import { findAccount, toAccount } from './store.ts'
import { accessColumns, decryptTokens, SPREAD } from './tokens.ts'

export type AccessDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly now: () => number
}

/** Makes a repeatable call with an account's access, and renews or ends the access as the platform says. */
export const withAccess = <T>(
  deps: AccessDeps,
  accountId: number,
  call: (access: Access) => Promise<Result<T>>,
): Promise<Result<T>> =>
  callWithAccess(
    {
      getAccess: (id, how) => getAccess(deps, id, how),
      markForRelink: (id, reason, refused) => markForRelink(deps, id, reason, refused),
    },
    accountId,
    call,
    (outcome) => (outcome.ok ? null : outcome.failure),
  )

/** Interval of checks on another process's refresh. */
const LOOK_AGAIN_MS = 200

/**
 * Returns an account's access, refreshed if it expires soon or the platform `refused` its token. A lease on the row allows
 * one refresh at a time across processes. New tokens are saved before use; network errors never unlink an account.
 */
export async function getAccess(
  deps: AccessDeps,
  accountId: number,
  { refused = null }: { readonly refused?: string | null } = {},
): Promise<Result<Access>> {
  // Another process's abandoned lease, plus a refresh of our own.
  const giveUpAt = performance.now() + 2 * LEASE_MS
  let failuresBefore: number | null = null
  for (;;) {
    const held = open(deps, await selectAccess(deps.db, accountId).executeTakeFirst())
    if (!held.ok) return held
    if (!needsRefresh(deps, held.value, refused)) return ok(held.value.access)
    const stillGood = isGood(deps, held.value, refused)
    // Another call just tried and failed for all waiting calls.
    failuresBefore ??= held.value.failures
    if (held.value.failures > failuresBefore) return stillGood ? ok(held.value.access) : fail(NOT_RENEWED)
    const lease = await takeRefreshLease(deps.db, accountId, held.value)
    if (lease !== null) {
      const renewed = await refresh(deps, accountId, held.value, lease)
      if (renewed !== OVERTAKEN) {
        // The refresh was early: the old access still works.
        return !renewed.ok && renewed.failure.kind !== 'account' && stillGood
          ? ok(held.value.access)
          : renewed
      }
    } else if (stillGood) {
      return ok(held.value.access)
    }
    if (performance.now() > giveUpAt) return fail(NOT_RENEWED)
    await sleep(LOOK_AGAIN_MS)
  }
}

/** Renews due access so that it does not expire while nobody posts. The worker calls it regularly. */
export async function refreshDue(
  deps: AccessDeps,
  limit: number,
  stopping: AbortSignal = new AbortController().signal,
): Promise<void> {
  const on = PLATFORM_IDS.filter((id) => deps.platforms[id] !== null)
  if (on.length === 0) return
  for (const accountId of await findDueRefreshes(deps.db, { platforms: on, now: deps.now(), limit })) {
    const held = open(deps, await selectAccess(deps.db, accountId).executeTakeFirst())
    if (stopping.aborted) return
    // Another process renewed it meanwhile, or is doing so.
    if (!held.ok || held.value.dueAt > deps.now()) continue
    const lease = await takeRefreshLease(deps.db, accountId, held.value)
    if (lease !== null) await refresh(deps, accountId, held.value, lease)
  }
}

/**
 * The platform refuses our access for good: only its owner can change that, and waiting posts are blocked. `refused` is the
 * refused token: a token that was granted or renewed since is still good. @returns true if the account must be linked again
 */
export async function markForRelink(
  deps: Pick<AccessDeps, 'db' | 'encrypter' | 'now'>,
  accountId: number,
  reason: Reason,
  refused: string,
): Promise<boolean> {
  return deps.db.transaction().execute(async (trx) => {
    const row = await selectAccess(trx, accountId).forNoKeyUpdate().executeTakeFirst()
    if (!row || row.unlinked_at !== null || row.tokens === null) return false
    if (row.relink_reason !== null) return true
    if (decryptTokens(deps.encrypter, row.tokens).accessToken !== refused) return false
    await setRelinkReason(trx, accountId, reason.message)
    await blockAccountDeliveries(trx, deps, accountId, reason)
    await enqueueAccountCheck(trx, { userId: row.user_id, accountId, now: deps.now() })
    await recordRelink(trx, { userId: row.user_id, accountId, now: deps.now() })
    return true
  })
}

async function recordRelink(
  trx: Db,
  { userId, accountId, now }: { readonly userId: number; readonly accountId: number; readonly now: number },
): Promise<void> {
  const account = toAccount(await findAccount(trx, userId, accountId))
  const type = 'account.needs_relink'
  await recordEvent(trx, { userId, type, now }, () => ({ type, data: { account } }))
}

type Held = {
  readonly platform: Platform
  readonly tokens: Tokens
  readonly encrypted: Buffer
  readonly access: Access
  readonly failures: number
  /** The next renewal if nobody uses the access before; after a failed one, the next try. */
  readonly dueAt: number
}

function open(deps: AccessDeps, row: AccessRow | undefined): Result<Held> {
  if (row && isErased(row)) return fail(ACCOUNT_ERASED)
  if (!row || row.unlinked_at !== null || row.tokens === null) return fail(UNLINKED)
  if (row.relink_reason !== null) return fail(relinkFailure(row.relink_reason))
  const platform = deps.platforms[PlatformId.parse(row.platform)]
  if (!platform) return fail(PLATFORM_OFF)
  const tokens = decryptTokens(deps.encrypter, row.tokens)
  return ok({
    platform,
    tokens,
    encrypted: row.tokens,
    access: { accessToken: tokens.accessToken, externalId: row.external_id, username: row.username },
    failures: row.refresh_failures,
    dueAt: row.refresh_due_at?.getTime() ?? 0,
  })
}

const isGood = (deps: AccessDeps, { tokens }: Held, refused: string | null): boolean =>
  tokens.accessToken !== refused && tokens.accessExpiresAt > deps.now()

function needsRefresh(deps: AccessDeps, held: Held, refused: string | null): boolean {
  if (!isGood(deps, held, refused)) return true
  const now = deps.now()
  // Working access is not renewed again right after a failed try.
  const rests = held.failures > 0 && held.dueAt > now
  return held.platform.refreshDueAt(held.tokens) <= now && !rests
}

const OVERTAKEN = Symbol('what was to be renewed has changed meanwhile')

/** The only place that renews access; it saves the result before anybody uses it. */
async function refresh(
  deps: AccessDeps,
  accountId: number,
  held: Held,
  lease: RefreshLease,
): Promise<Result<Access> | typeof OVERTAKEN> {
  const renewed = await held.platform.refresh(held.tokens)
  const save = (values: Parameters<typeof endRefreshLease>[2]) =>
    endRefreshLease(deps.db, { accountId, lease, encrypted: held.encrypted }, values)
  if (renewed.ok) {
    const saved = await save(accessColumns(deps.encrypter, held.platform, renewed.value))
    if (saved) return ok({ ...held.access, accessToken: renewed.value.accessToken })
    const now = await selectAccess(deps.db, accountId).executeTakeFirst()
    // Unlinked meanwhile: the unlinking revoked the previous pair.
    if (now?.unlinked_at) void held.platform.revoke(renewed.value)
    return OVERTAKEN
  }
  const { failure } = renewed
  if (failure.kind === 'account') {
    // If another process is already refreshing, its result counts and may be good.
    if (!(await save({}))) return OVERTAKEN
    const { accessToken } = held.tokens
    return (await markForRelink(deps, accountId, failure.reason, accessToken)) ? renewed : OVERTAKEN
  }
  const failures = held.failures + 1
  const leftS = (held.tokens.refreshExpiresAt - deps.now()) / 1000
  await save({
    refresh_failures: failures,
    refresh_due_at: new Date(deps.now() + later(waitAfterFailedRefresh(failures, leftS)) * 1000),
  })
  return renewed
}

/** Accounts of a failed platform all fail within minutes; spread their retries. */
const later = (seconds: number): number => seconds * (1 + Math.random() * SPREAD)
