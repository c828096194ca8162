import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Reason } from '#domain/delivery/reasons.ts'
import { PLATFORM_IDS, PlatformId } from '#contract/platforms/index.ts'
import { waitAfterFailedRefresh } from '#domain/delivery/backoff.ts'
import { type Result, fail, ok } from '#domain/delivery/failure.ts'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import type { DB } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import { enqueueAccountCheck } from '../outbox/outbox.ts'
import { blockDeliveriesOf } from '../deliveries/by-account.ts'
import { type Access, callWithAccess, PLATFORM_OFF } from '../deliveries/account-access.ts'
import { isErased } from '../deliveries/erased-account.ts'
import { ERASED, NOT_RENEWED, relinkFailure, UNLINKED } from './access-failures.ts'
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
import { accessColumns, decryptTokens, SPREAD } from './tokens.ts'

export type AccessDeps = {
  readonly db: Kysely<DB>
  readonly encrypter: Encrypter
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly now: () => number
}

/** Makes a repeatable call with an account's access, which is renewed or ended as the platform says. */
export const withAccess = <T>(
  deps: AccessDeps,
  accountId: number,
  call: (access: Access) => Promise<Result<T>>,
): Promise<Result<T>> =>
  callWithAccess(
    {
      accessOf: (id, how) => accessOf(deps, id, how),
      markForRelink: (id, reason, refused) => markForRelink(deps, id, reason, refused),
    },
    accountId,
    call,
    (outcome) => (outcome.ok ? null : outcome.failure),
  )

/** Between two looks at what another process makes of its refresh. */
const LOOK_AGAIN_MS = 200

/**
 * Returns an account's access, refreshed if it expires soon or is the token that the platform `refused`. A lease on the row
 * allows one refresh at a time across processes. New tokens are saved before use; network errors never unlink an account.
 */
export async function accessOf(
  deps: AccessDeps,
  accountId: number,
  { refused = null }: { readonly refused?: string | null } = {},
): Promise<Result<Access>> {
  // A lease that another process left behind, and a refresh of our own after it.
  const giveUpAt = performance.now() + 2 * LEASE_MS
  let failuresBefore: number | null = null
  for (;;) {
    const held = open(deps, await selectAccess(deps.db, accountId).executeTakeFirst())
    if (!held.ok) return held
    if (!needsRefresh(deps, held.value, refused)) return ok(held.value.access)
    const stillGood = isGood(deps, held.value, refused)
    // Another call has just tried and failed for all waiting calls.
    failuresBefore ??= held.value.failures
    if (held.value.failures > failuresBefore) return stillGood ? ok(held.value.access) : fail(NOT_RENEWED)
    const lease = await takeRefreshLease(deps.db, accountId, held.value)
    if (lease !== null) {
      const renewed = await refresh(deps, accountId, held.value, lease)
      if (renewed !== OVERTAKEN) {
        // Refreshing was ahead of time: what we have still works.
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

/** Renews access that is due, so that it does not lapse while nobody posts. Called now and then by the worker. */
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
    // Another process may have renewed it since, or be at it.
    if (!held.ok || held.value.dueAt > deps.now()) continue
    const lease = await takeRefreshLease(deps.db, accountId, held.value)
    if (lease !== null) await refresh(deps, accountId, held.value, lease)
  }
}

/**
 * The platform no longer lets us act for this account; only its owner can change that, and what waits is held. `refused` is the token that it said
 * so of: another that was granted or renewed meanwhile has not been refused.
 * @returns whether the account is to be linked again
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
    await enqueueAccountCheck(trx, { userId: row.user_id, accountId, now: deps.now() })
    await blockDeliveriesOf(trx, deps, accountId, reason)
    return true
  })
}

type Held = {
  readonly platform: Platform
  readonly tokens: Tokens
  readonly encrypted: Buffer
  readonly access: Access
  readonly failures: number
  /** When the access is renewed if nobody uses it before; after a vain try, when the next may be made. */
  readonly dueAt: number
}

function open(deps: AccessDeps, row: AccessRow | undefined): Result<Held> {
  if (row && isErased(row)) return fail(ERASED)
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
  // What still works is not renewed again right after a vain try.
  const rests = held.failures > 0 && held.dueAt > now
  return held.platform.refreshDueAt(held.tokens) <= now && !rests
}

const OVERTAKEN = Symbol('what was to be renewed has changed meanwhile')

/** The one place that renews access, and writes down what came of it before anybody uses it. */
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
    // Unlinked meanwhile: what was taken back there was the pair before.
    if (now?.unlinked_at) void held.platform.revoke(renewed.value)
    return OVERTAKEN
  }
  const { failure } = renewed
  if (failure.kind === 'account') {
    // Where another is at it by now, its answer counts, which may be a good pair.
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

/** All accounts of a platform that is down fail within minutes, and do not come back as one. */
const later = (seconds: number): number => seconds * (1 + Math.random() * SPREAD)
