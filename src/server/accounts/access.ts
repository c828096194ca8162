import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import { PLATFORM_IDS, PlatformId } from '#contract/platforms/index.ts'
import { type Failure, type Result, fail, ok } from '#domain/failure.ts'
import type { Platform, Tokens } from '#platforms/platform.ts'
import type { Db } from '../db/open.ts'
import type { Accounts, DB } from '../db/tables.ts'
import type { Sealer } from '../seal.ts'

/** What a call to a platform on behalf of an account needs. The token is a secret. */
export type Access = {
  readonly accessToken: string
  readonly externalId: string
  readonly username: string | null
}

export type AccessDeps = {
  readonly db: Kysely<DB>
  readonly sealer: Sealer
  readonly platforms: Readonly<Record<PlatformId, Platform | null>>
  readonly now: () => number
}

/**
 * Makes a call with an account's access. Where the platform says that the token has expired, the access is refreshed and
 * the call made once more; where the grant is gone, the account is marked to be linked again. For repeatable and read-only
 * calls only.
 */
export async function withAccess<T>(
  deps: AccessDeps,
  accountId: number,
  call: (access: Access) => Promise<Result<T>>,
): Promise<Result<T>> {
  const access = await accessOf(deps, accountId)
  if (!access.ok) return access
  const first = await call(access.value)
  if (first.ok || first.failure.kind !== 'account') return first
  if (!first.failure.expired) return relink(deps, accountId, first.failure)
  const fresh = await accessOf(deps, accountId, { refused: access.value.accessToken })
  if (!fresh.ok) return fresh
  const second = await call(fresh.value)
  if (second.ok || second.failure.kind !== 'account' || second.failure.expired) return second
  return relink(deps, accountId, second.failure)
}

/**
 * An account's access, refreshed ahead of its expiry. `refused` is a token that looks fresh and that the platform refused:
 * it is renewed too, unless another call has done so meanwhile.
 *
 * One refresh at a time per account across all processes: a lock on its row. A new pair is committed before it is handed
 * out. Only the platform's own no marks the account to be linked again; a fault of the line never does.
 */
export async function accessOf(
  deps: AccessDeps,
  accountId: number,
  { refused = null }: { readonly refused?: string | null } = {},
): Promise<Result<Access>> {
  const seen = await select(deps.db, accountId).executeTakeFirst()
  const held = open(deps, seen)
  if (!held.ok) return held
  if (!needsRefresh(deps, held.value, refused)) return ok(held.value.access)
  return deps.db.transaction().execute(async (trx) => {
    const locked = await select(trx, accountId).forNoKeyUpdate().executeTakeFirst()
    const current = open(deps, locked)
    if (!current.ok) return current
    if (!needsRefresh(deps, current.value, refused)) return ok(current.value.access)
    return refresh(deps, trx, accountId, current.value, refused)
  })
}

/** Renews access that is due, so that it does not lapse while nobody posts. Called now and then by the worker. */
export async function refreshDue(deps: AccessDeps, limit: number): Promise<void> {
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
  for (const { account_id } of due) await accessOf(deps, account_id)
}

/** The platform no longer lets us act for this account; only its owner can change that. */
export async function markForRelink(
  { db }: { readonly db: Db },
  accountId: number,
  reason: string,
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ relink_reason: reason })
    .where('account_id', '=', accountId)
    .where('unlinked_at', 'is', null)
    .execute()
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

export const sealTokens = (sealer: Sealer, tokens: Tokens): Buffer => sealer.seal(JSON.stringify(tokens))

/** What an account's row keeps of its access. */
export const accessColumns = (sealer: Sealer, platform: Platform, tokens: Tokens) => ({
  tokens: sealTokens(sealer, tokens),
  refresh_due_at: new Date(platform.refreshDueAt(tokens)),
  access_ends_at: new Date(tokens.refreshExpiresAt),
})

export const openTokens = (sealer: Sealer, sealed: Buffer): Tokens =>
  StoredTokens.parse(JSON.parse(sealer.open(sealed)))

const StoredTokens = z.object({
  accessToken: z.string(),
  accessExpiresAt: z.number(),
  refreshToken: z.string().nullable(),
  refreshExpiresAt: z.number(),
  issuedAt: z.number(),
})

type Row = Pick<
  Selectable<Accounts>,
  'platform' | 'external_id' | 'username' | 'tokens' | 'relink_reason' | 'unlinked_at'
>
type Held = { readonly platform: Platform; readonly tokens: Tokens; readonly access: Access }

const select = (db: Db, accountId: number) =>
  db
    .selectFrom('accounts')
    .select(['platform', 'external_id', 'username', 'tokens', 'relink_reason', 'unlinked_at'])
    .where('account_id', '=', accountId)

function open(deps: AccessDeps, row: Row | undefined): Result<Held> {
  if (!row || row.unlinked_at !== null || row.tokens === null) return fail(UNLINKED)
  if (row.relink_reason !== null) return fail(relinkFailure(row.relink_reason))
  const platform = deps.platforms[PlatformId.parse(row.platform)]
  if (!platform) return fail(PLATFORM_OFF)
  const tokens = openTokens(deps.sealer, row.tokens)
  const access = { accessToken: tokens.accessToken, externalId: row.external_id, username: row.username }
  return ok({ platform, tokens, access })
}

const needsRefresh = (deps: AccessDeps, { platform, tokens }: Held, refused: string | null): boolean =>
  tokens.accessToken === refused || platform.refreshDueAt(tokens) <= deps.now()

async function refresh(
  deps: AccessDeps,
  trx: Db,
  accountId: number,
  held: Held,
  refused: string | null,
): Promise<Result<Access>> {
  const renewed = await held.platform.refresh(held.tokens)
  if (renewed.ok) {
    await trx
      .updateTable('accounts')
      .set({
        ...accessColumns(deps.sealer, held.platform, renewed.value),
      })
      .where('account_id', '=', accountId)
      .execute()
    return ok({ ...held.access, accessToken: renewed.value.accessToken })
  }
  if (renewed.failure.kind === 'account') {
    await markForRelink({ db: trx }, accountId, renewed.failure.reason.message)
    return renewed
  }
  // Refreshing was ahead of time: what we have still works.
  const stillGood = held.tokens.accessToken !== refused && held.tokens.accessExpiresAt > deps.now()
  return stillGood ? ok(held.access) : renewed
}

async function relink<T>(
  deps: AccessDeps,
  accountId: number,
  failure: Extract<Failure, { kind: 'account' }>,
): Promise<Result<T>> {
  await markForRelink(deps, accountId, failure.reason.message)
  return fail({ ...failure, expired: false })
}

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
    message: 'This account is not linked any more.',
    remedy: 'Link the account again.',
    detail: null,
  },
}

/** Its keys were taken away from the server: nobody's account is to blame, and the post waits. */
export const PLATFORM_OFF: Failure = {
  kind: 'unreachable',
  reason: {
    code: 'platform_off',
    message: 'This platform is not set up on this server any more.',
    remedy: 'Ask whoever runs the server to set its keys again.',
    detail: null,
  },
}
