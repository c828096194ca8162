import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely, type Selectable, type Updateable } from 'kysely'
import { z } from 'zod'
import type { Reason } from '#contract/deliveries.ts'
import { PLATFORM_IDS, PlatformId } from '#contract/platforms/index.ts'
import { waitAfterFailedRefresh } from '#domain/delivery/backoff.ts'
import { REASONS } from '#domain/delivery/reasons.ts'
import { type Failure, type Result, fail, ok } from '#domain/delivery/failure.ts'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts, DB } from '#base/db/tables.ts'
import { deadlineIn } from '#base/deadline.ts'
import { moveDeliveriesOf } from '../deliveries/store.ts'
import type { Encrypter } from '#base/encryption.ts'
import { type Access, callWithAccess, PLATFORM_OFF } from '../deliveries/account-access.ts'
import { isErased } from '../deliveries/erased-account.ts'

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

/** A platform answers a refresh within 30 s or not at all; a lease held for longer belongs to a dead or hung process. */
const LEASE_MS = 45_000
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
    const held = open(deps, await select(deps.db, accountId).executeTakeFirst())
    if (!held.ok) return held
    if (!needsRefresh(deps, held.value, refused)) return ok(held.value.access)
    const stillGood = isGood(deps, held.value, refused)
    // Another call has just tried and failed for all waiting calls.
    failuresBefore ??= held.value.failures
    if (held.value.failures > failuresBefore) return stillGood ? ok(held.value.access) : fail(NOT_RENEWED)
    const lease = await takeLease(deps.db, accountId, held.value)
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
  const due = await deps.db
    .selectFrom('accounts')
    .select('account_id')
    .where('unlinked_at', 'is', null)
    .where('relink_reason', 'is', null)
    .where('refresh_due_at', '<=', new Date(deps.now()))
    .where('platform', 'in', on)
    .orderBy('refresh_due_at')
    .limit(limit)
    .execute()
  for (const { account_id } of due) {
    const held = open(deps, await select(deps.db, account_id).executeTakeFirst())
    if (stopping.aborted) return
    // Another process may have renewed it since, or be at it.
    if (!held.ok || held.value.dueAt > deps.now()) continue
    const lease = await takeLease(deps.db, account_id, held.value)
    if (lease !== null) await refresh(deps, account_id, held.value, lease)
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
    const row = await select(trx, accountId).forNoKeyUpdate().executeTakeFirst()
    if (!row || row.unlinked_at !== null || row.tokens === null) return false
    if (row.relink_reason !== null) return true
    if (decryptTokens(deps.encrypter, row.tokens).accessToken !== refused) return false
    await trx
      .updateTable('accounts')
      .set({ relink_reason: reason.message, refresh_leased_until: null })
      .where('account_id', '=', accountId)
      .execute()
    await moveDeliveriesOf(trx, deps, accountId, { type: 'relink', reason })
    return true
  })
}

/**
 * A failure of a call that a user waits for, in a sentence or two. Remedies of passing faults speak of posts, which wait by
 * themselves; a moment does not help against a daily limit.
 */
export function explain(failure: Failure): string {
  const { message, remedy } = failure.reason
  switch (failure.kind) {
    case 'rejected':
    case 'account':
      return `${message} ${remedy}`
    case 'throttled':
      return failure.limit ? message : `${message} ${SOON}`
    case 'unreachable':
    case 'unexpected':
      return `${message} ${SOON}`
  }
}

const SOON = 'Try again in a moment.'

export const encryptTokens = (encrypter: Encrypter, tokens: Tokens): Buffer =>
  encrypter.encrypt(JSON.stringify(tokens))

/** Of the time until an idle account is refreshed: accounts that were linked in the same hour are not renewed in the same. */
const SPREAD = 0.1

/** What an account's row keeps of its access. */
export const accessColumns = (encrypter: Encrypter, platform: Platform, tokens: Tokens) => ({
  tokens: encryptTokens(encrypter, tokens),
  refresh_due_at: new Date(earlier(tokens.issuedAt, platform.idleRefreshAt(tokens))),
  access_ends_at: new Date(tokens.refreshExpiresAt),
  refresh_leased_until: null,
  refresh_failures: 0,
})

const earlier = (from: number, at: number): number => at - Math.random() * SPREAD * Math.max(at - from, 0)

export const decryptTokens = (encrypter: Encrypter, encrypted: Buffer): Tokens =>
  StoredTokens.parse(JSON.parse(encrypter.decrypt(encrypted)))

const StoredTokens = z.object({
  accessToken: z.string(),
  accessExpiresAt: z.number(),
  refreshToken: z.string().nullable(),
  refreshExpiresAt: z.number(),
  issuedAt: z.number(),
})

type Row = Pick<Selectable<Accounts>, (typeof COLUMNS)[number]>
type Held = {
  readonly platform: Platform
  readonly tokens: Tokens
  readonly encrypted: Buffer
  readonly access: Access
  readonly failures: number
  /** When the access is renewed if nobody uses it before; after a vain try, when the next may be made. */
  readonly dueAt: number
}

const COLUMNS = [
  'account_id',
  'platform',
  'external_id',
  'username',
  'tokens',
  'relink_reason',
  'unlinked_at',
  'refresh_due_at',
  'refresh_failures',
] as const

const select = (db: Db, accountId: number) =>
  db.selectFrom('accounts').select(COLUMNS).where('account_id', '=', accountId)

function open(deps: AccessDeps, row: Row | undefined): Result<Held> {
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

/** For one process, while the access is still the one that was read; on the database's clock. */
async function takeLease(db: Db, accountId: number, held: Held): Promise<Lease | null> {
  const early = deadlineIn(LEASE_MS / 4)
  const row = await db
    .updateTable('accounts')
    .set((account) => ({
      refresh_leased_until: sql<Date>`now() + ${LEASE_MS} * interval '1 millisecond'`,
      refresh_fence: account('refresh_fence', '+', 1),
    }))
    .where('account_id', '=', accountId)
    .where('tokens', '=', held.encrypted)
    // Not after another process has just tried in vain.
    .where('refresh_failures', '=', held.failures)
    .where('relink_reason', 'is', null)
    .where((account) =>
      account.or([
        account('refresh_leased_until', 'is', null),
        account('refresh_leased_until', '<', sql<Date>`now()`),
      ]),
    )
    .returning('refresh_fence')
    .executeTakeFirst()
  // A process that slept over most of its lease may not call any more: another may be at it by now.
  return row && !early.isOver() ? { fence: row.refresh_fence } : null
}
type Lease = { readonly fence: number }

const OVERTAKEN = Symbol('what was to be renewed has changed meanwhile')

/** The one place that renews access, and writes down what came of it before anybody uses it. */
async function refresh(
  deps: AccessDeps,
  accountId: number,
  held: Held,
  { fence }: Lease,
): Promise<Result<Access> | typeof OVERTAKEN> {
  const renewed = await held.platform.refresh(held.tokens)
  const change = (values: Updateable<Accounts>) =>
    deps.db
      .updateTable('accounts')
      .set({ ...values, refresh_leased_until: null })
      .where('account_id', '=', accountId)
      .where('refresh_fence', '=', fence)
      .where('tokens', '=', held.encrypted)
      .returning('account_id')
      .executeTakeFirst()
  if (renewed.ok) {
    const kept = await change(accessColumns(deps.encrypter, held.platform, renewed.value))
    if (kept) return ok({ ...held.access, accessToken: renewed.value.accessToken })
    const now = await select(deps.db, accountId).executeTakeFirst()
    // Unlinked meanwhile: what was taken back there was the pair before.
    if (now?.unlinked_at) void held.platform.revoke(renewed.value)
    return OVERTAKEN
  }
  const { failure } = renewed
  if (failure.kind === 'account') {
    // Where another is at it by now, its answer counts, which may be a good pair.
    if (!(await change({}))) return OVERTAKEN
    const { accessToken } = held.tokens
    return (await markForRelink(deps, accountId, failure.reason, accessToken)) ? renewed : OVERTAKEN
  }
  const failures = held.failures + 1
  const leftS = (held.tokens.refreshExpiresAt - deps.now()) / 1000
  await change({
    refresh_failures: failures,
    refresh_due_at: new Date(deps.now() + later(waitAfterFailedRefresh(failures, leftS)) * 1000),
  })
  return renewed
}

/** All accounts of a platform that is down fail within minutes, and do not come back as one. */
const later = (seconds: number): number => seconds * (1 + Math.random() * SPREAD)

const relinkFailure = (message: string): Failure => ({
  kind: 'account',
  expired: false,
  reason: { code: 'relink', message, remedy: 'Link the account again.', detail: null },
})

export const UNLINKED: Failure = {
  kind: 'account',
  expired: false,
  reason: {
    code: 'unlinked',
    message: 'This account is no longer linked.',
    remedy: 'Link the account again.',
    detail: null,
  },
}

/** Its data was deleted at its owner's request. */
const ERASED: Failure = { kind: 'account', expired: false, gone: true, reason: REASONS.accountErased }

/** Another call tried in vain for this one, too, or has been at it for longer than any platform takes. */
const NOT_RENEWED: Failure = {
  kind: 'unreachable',
  reason: {
    code: 'access_not_renewed',
    message: 'Reelay could not renew its access to this account.',
    remedy: 'Retry later. If it keeps happening, link the account again.',
    detail: null,
  },
}
