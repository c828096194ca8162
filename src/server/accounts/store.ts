import { type Selectable, sql } from 'kysely'
import type { Account } from '#contract/accounts.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { WaitingPosts } from '#contract/posts.ts'
import type { Tokens } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts } from '#base/db/tables.ts'
import { IN_FLIGHT, UNDECIDED } from '#domain/delivery/state.ts'
import { applyUserEvent } from '../deliveries/store.ts'
import { Problem, notFound } from '#base/problem.ts'
import { type AccessDeps, decryptTokens } from './access.ts'

export type AccountRow = Selectable<Accounts>

export function toAccount(row: AccountRow): Account {
  return {
    account_id: row.account_id as Account['account_id'], // ids come out of the database unbranded
    brand_id: row.brand_id as Account['brand_id'],
    username: row.username,
    platform: PlatformId.parse(row.platform),
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    health: row.relink_reason === null ? { status: 'ok' } : { status: 'relink', reason: row.relink_reason },
    can_publish: row.can_publish,
    linked_at: row.linked_at.toISOString(),
    access_ends_at: row.relink_reason === null ? (row.access_ends_at?.toISOString() ?? null) : null,
  }
}

/** The user's linked accounts, of one brand or of all, in the order in which they were linked. */
export async function listAccounts(db: Db, userId: number, brandId: number | undefined): Promise<Account[]> {
  if (brandId !== undefined && !(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  const all = db
    .selectFrom('accounts')
    .selectAll()
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .orderBy('account_id')
  const rows = await (brandId === undefined ? all : all.where('brand_id', '=', brandId)).execute()
  return rows.map(toAccount)
}

export async function findAccount(db: Db, userId: number, accountId: number): Promise<AccountRow> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('account')
  return row
}

/** Stores the profile that the platform just returned: handles and pictures change, and picture addresses expire. */
export async function keepProfile(
  db: Db,
  accountId: number,
  told: { readonly username: string; readonly avatar_url: string | null },
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ username: told.username, avatar_url: told.avatar_url })
    .where('account_id', '=', accountId)
    .where('unlinked_at', 'is', null)
    .where((row) =>
      row.or([
        row('username', 'is distinct from', told.username),
        row('avatar_url', 'is distinct from', told.avatar_url),
      ]),
    )
    .execute()
}

export async function ownsBrand(db: Db, userId: number, brandId: number): Promise<boolean> {
  const row = await db
    .selectFrom('brands')
    .select('brand_id')
    .where('brand_id', '=', brandId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Unlinks one account: its tokens are erased here and, best effort, at the platform.
 * @param cancelPosts how many waiting posts the user has agreed to cancel
 * @throws Problem not_found; in_flight while something of it is on its way; posts_waiting where another number of posts waits
 */
export async function unlinkAccount(
  deps: AccessDeps,
  userId: number,
  accountId: number,
  cancelPosts: number,
): Promise<void> {
  const grants = await deps.db.transaction().execute(async (trx) => {
    await findAccount(trx, userId, accountId)
    return unlink(trx, deps, { userId, which: { accountId }, cancelPosts })
  })
  revoke(deps, grants)
}

export type Grant = { readonly platform: PlatformId; readonly tokens: Tokens }

/**
 * Part of a transaction: unlinks the chosen accounts of the user, cancels what waits for them, and gives back the grants to
 * `revoke` once it has committed.
 */
export async function unlink(
  trx: Db,
  deps: AccessDeps,
  it: { readonly userId: number; readonly which: Which; readonly cancelPosts: number },
): Promise<Grant[]> {
  const { userId } = it
  // The row locks wait for posts that are being made for these accounts, and make a concurrent refresh find them gone.
  const accounts = await linkedOf(trx, userId, it.which).orderBy('account_id').forUpdate().execute()
  const ids = accounts.map(({ account_id }) => account_id)
  if (ids.length === 0) return []
  const waiting = await trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'state'])
    .where('account_id', 'in', ids)
    .where('state', 'in', UNDECIDED)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()
  const open = waiting.filter(({ state }) => IN_FLIGHT.some((kind) => kind === state))
  if (open.length > 0) {
    throw new Problem(
      'in_flight',
      open.every(({ state }) => state === 'unconfirmed')
        ? 'A post to this account may be live, and Reelay is still checking. Wait, or tell us in the queue what you see on the platform.'
        : "A post to this account is publishing. Wait until it's done, or cancel it in the queue if you still can.",
    )
  }
  const { posts } = await readWaiting(trx, userId, it.which)
  if (posts !== it.cancelPosts) throw postsWaiting(posts)
  for (const { delivery_id } of waiting) {
    await applyUserEvent(trx, deps.encrypter, {
      deliveryId: delivery_id,
      userId,
      event: { type: 'cancel' },
      now: deps.now(),
    })
  }
  await trx
    .updateTable('accounts')
    .set({
      tokens: null,
      refresh_due_at: null,
      access_ends_at: null,
      relink_reason: null,
      access_check_until: null,
      unlinked_at: new Date(deps.now()),
    })
    .where('account_id', 'in', ids)
    .execute()
  return grantsOf(trx, deps, accounts)
}

/** Part of the transaction in which these accounts were unlinked or deleted: what to `revoke` of their access after it. */
export async function grantsOf(
  trx: Db,
  deps: Pick<AccessDeps, 'encrypter'>,
  accounts: readonly Pick<AccountRow, 'platform' | 'external_id' | 'tokens'>[],
): Promise<Grant[]> {
  const grants: Grant[] = []
  for (const { platform, external_id, tokens } of accounts) {
    // Revoking one grant may revoke all of this server's links to the account, those of other users too.
    if (tokens === null || (await isLinked(trx, platform, external_id))) continue
    grants.push({ platform: PlatformId.parse(platform), tokens: decryptTokens(deps.encrypter, tokens) })
  }
  return grants
}

async function isLinked(trx: Db, platform: string, externalId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('platform', '=', platform)
    .where('external_id', '=', externalId)
    .where('unlinked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Revokes grants in the background. One that fails, or is lost in a crash, stays granted at the platform until it expires;
 * our tokens are erased by then, so nobody can use it.
 */
export function revoke(deps: Pick<AccessDeps, 'platforms'>, grants: readonly Grant[]): void {
  for (const { platform, tokens } of grants) void deps.platforms[platform]?.revoke(tokens)
}

/** One account, or all of a brand. */
type Which = { readonly accountId: number } | { readonly brandId: number }

function linkedOf(db: Db, userId: number, which: Which) {
  const linked = db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'external_id', 'tokens'])
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
  return 'brandId' in which
    ? linked.where('brand_id', '=', which.brandId)
    : linked.where('account_id', '=', which.accountId)
}

/** The posts that wait for these accounts: scheduled or held. */
export async function readWaiting(db: Db, userId: number, which: Which): Promise<WaitingPosts> {
  const { posts, first_at, last_at } = await db
    .selectFrom('deliveries as d')
    .innerJoin(linkedOf(db, userId, which).as('a'), 'a.account_id', 'd.account_id')
    .where('d.state', 'in', ['scheduled', 'blocked'] satisfies DeliveryStatus[])
    .select([
      sql<number>`count(distinct d.post_id)`.as('posts'),
      sql<Date | null>`min(d.goes_out_at)`.as('first_at'),
      sql<Date | null>`max(d.goes_out_at)`.as('last_at'),
    ])
    .executeTakeFirstOrThrow()
  return { posts, first_at: first_at?.toISOString() ?? null, last_at: last_at?.toISOString() ?? null }
}

/** @throws Problem not_found */
export async function getAccountWaiting(db: Db, userId: number, accountId: number): Promise<WaitingPosts> {
  await findAccount(db, userId, accountId)
  return readWaiting(db, userId, { accountId })
}

const postsWaiting = (posts: number): Problem =>
  new Problem(
    'posts_waiting',
    posts === 0
      ? 'It no longer has scheduled posts. Check again and confirm.'
      : `${posts === 1 ? 'A scheduled post' : `${posts} scheduled posts`} won't be posted. Confirm to continue.`,
  )
