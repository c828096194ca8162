import { type Selectable, sql } from 'kysely'
import type { Account } from '#contract/accounts.ts'
import { ACCOUNTS_MAX, ACCOUNTS_PER_BRAND_MAX } from '#contract/limits.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import type { WaitingPosts } from '#contract/waiting-posts.ts'
import { UNDECIDED } from '#domain/delivery/state.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { Db } from '#base/db/open.ts'
import type { Accounts } from '#base/db/tables.ts'
import { notFound, Problem } from '#base/problem.ts'

export type AccountRow = Selectable<Accounts>

export const SHOWN_OF_ACCOUNT = [
  'account_id',
  'brand_id',
  'username',
  'platform',
  'display_name',
  'avatar_url',
  'relink_reason',
  'paused_at',
  'paused_until',
  'can_publish',
  'scopes',
  'linked_at',
  'access_ends_at',
] as const satisfies (keyof AccountRow)[]

type ShownAccount = Pick<AccountRow, (typeof SHOWN_OF_ACCOUNT)[number]>
export function toAccount(row: ShownAccount): Account {
  return {
    account_id: row.account_id as Account['account_id'], // ids come out of the database unbranded
    brand_id: row.brand_id as Account['brand_id'],
    username: row.username,
    platform: PlatformId.parse(row.platform),
    display_name: row.display_name,
    avatar_url: row.avatar_url,
    health: row.relink_reason === null ? { status: 'ok' } : { status: 'relink', reason: row.relink_reason },
    paused: row.paused_at !== null,
    paused_until: row.paused_until?.toISOString() ?? null,
    can_publish: row.can_publish,
    permissions: listPermissions(row),
    linked_at: row.linked_at.toISOString(),
    access_ends_at: row.relink_reason === null ? (row.access_ends_at?.toISOString() ?? null) : null,
  }
}

/** The platform's optional permissions, and which of them the account granted. */
export function listPermissions({
  platform,
  scopes,
}: Pick<AccountRow, 'platform' | 'scopes'>): Account['permissions'] {
  const { optionalScopes } = PLATFORM_FACTS[PlatformId.parse(platform)]
  return OptionalPermission.options.flatMap((name) => {
    const needed = optionalScopes[name]
    return needed ? [{ name, granted: needed.every((scope) => scopes.includes(scope)) }] : []
  })
}

export const hasGranted = (
  account: Pick<AccountRow, 'platform' | 'scopes'>,
  name: OptionalPermission,
): boolean => listPermissions(account).some((one) => one.name === name && one.granted)

export async function listAccounts(db: Db, userId: number, brandId: number | undefined): Promise<Account[]> {
  if (brandId !== undefined && !(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  const linked = db
    .selectFrom('accounts')
    .select(SHOWN_OF_ACCOUNT)
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .orderBy('account_id')
  const rows = await (brandId === undefined ? linked : linked.where('brand_id', '=', brandId)).execute()
  return rows.map(toAccount)
}

const countLinked = (db: Db, userId: number, brandId: number) =>
  db
    .selectFrom('accounts')
    .select([
      sql<number>`count(*)::int`.as('all'),
      sql<number>`(count(*) filter (where brand_id = ${brandId}))::int`.as('own'),
    ])
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .executeTakeFirstOrThrow()

/** The reason why one more account cannot be linked in the brand; null: it can. */
export async function whyNoMoreAccounts(db: Db, userId: number, brandId: number): Promise<string | null> {
  const { all, own } = await countLinked(db, userId, brandId)
  if (own >= ACCOUNTS_PER_BRAND_MAX) return brandIsFull(own)
  return all >= ACCOUNTS_MAX
    ? `You have ${all} linked accounts; the limit is ${ACCOUNTS_MAX}. Unlink one first.`
    : null
}

const brandIsFull = (accounts: number): string =>
  `This brand has ${accounts} accounts; the limit is ${ACCOUNTS_PER_BRAND_MAX}. Choose another brand, or unlink an account first.`

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

/** Names and pictures change, and picture addresses expire, so each fresh profile is stored. */
export async function keepProfile(
  db: Db,
  accountId: number,
  profile: {
    readonly username: string | null
    readonly avatar_url: string | null
    /** Absent: it was not read. */
    readonly display_name?: string
  },
): Promise<void> {
  const { username, avatar_url, display_name } = profile
  // A name that the platform does not tell this time stays known.
  const names = {
    ...(username !== null && { username }),
    ...(display_name !== undefined && { display_name }),
  }
  await db
    .updateTable('accounts')
    .set({ avatar_url, ...names })
    .where('account_id', '=', accountId)
    .where('unlinked_at', 'is', null)
    .where((row) =>
      row.or([
        row('avatar_url', 'is distinct from', avatar_url),
        ...(username === null ? [] : [row('username', 'is distinct from', username)]),
        ...(display_name === undefined ? [] : [row('display_name', 'is distinct from', display_name)]),
      ]),
    )
    .execute()
}

export const selectBrand = (db: Db, userId: number, brandId: number) =>
  db
    .selectFrom('brands')
    .where('brand_id', '=', brandId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)

export const ownsBrand = async (db: Db, userId: number, brandId: number): Promise<boolean> =>
  (await selectBrand(db, userId, brandId).select('brand_id').executeTakeFirst()) !== undefined

/** Includes unlinked accounts: their posts stay. */
export const ownsAccount = async (db: Db, userId: number, accountId: number): Promise<boolean> =>
  (await db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()) !== undefined

/** True if taking this account's grant back at the platform would end another link of this server. */
export async function sharesGrant(
  trx: Db,
  { platform, external_id, grant_owner_id }: Pick<AccountRow, 'platform' | 'external_id' | 'grant_owner_id'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('accounts')
    .select('account_id')
    .where('platform', '=', platform)
    .where((account) =>
      account.or([
        account('external_id', '=', external_id),
        ...(grant_owner_id === null ? [] : [account('grant_owner_id', '=', grant_owner_id)]),
      ]),
    )
    .where('unlinked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export type Which = { readonly accountId: number } | { readonly brandId: number }

export function selectLinked(db: Db, userId: number, which: Which) {
  const linked = db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'external_id', 'grant_owner_id', 'tokens'])
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
  return 'brandId' in which
    ? linked.where('brand_id', '=', which.brandId)
    : linked.where('account_id', '=', which.accountId)
}

/** Prevents new posts and refreshes for these accounts until the transaction ends. */
export const lockLinked = (trx: Db, userId: number, which: Which) =>
  selectLinked(trx, userId, which).orderBy('account_id').forUpdate().execute()

export async function readWaiting(db: Db, userId: number, which: Which): Promise<WaitingPosts> {
  const { posts, first_at, last_at } = await db
    .selectFrom('deliveries as d')
    .innerJoin(selectLinked(db, userId, which).as('a'), 'a.account_id', 'd.account_id')
    .where('d.state', 'in', ['scheduled', 'blocked'] satisfies DeliveryStatus[])
    .select([
      sql<number>`count(distinct d.post_id)`.as('posts'),
      sql<Date | null>`min(d.goes_out_at)`.as('first_at'),
      sql<Date | null>`max(d.goes_out_at)`.as('last_at'),
    ])
    .executeTakeFirstOrThrow()
  return { posts, first_at: first_at?.toISOString() ?? null, last_at: last_at?.toISOString() ?? null }
}

export const lockUndecided = (trx: Db, accountIds: readonly number[]) =>
  trx
    .selectFrom('deliveries')
    .select(['delivery_id', 'state'])
    .where('account_id', 'in', accountIds)
    .where('state', 'in', UNDECIDED)
    .orderBy('delivery_id')
    .forUpdate()
    .execute()

export async function clearAccess(trx: Db, accountIds: readonly number[], now: number): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({
      tokens: null,
      grant_owner_id: null,
      avatar_url: null,
      refresh_due_at: null,
      access_ends_at: null,
      relink_reason: null,
      access_check_until: null,
      unlinked_at: new Date(now),
    })
    .where('account_id', 'in', accountIds)
    .execute()
}

/** Moves an account to another brand of the user, which cannot be deleted meanwhile. @throws Problem not_found for either */
export async function updateBrandOfAccount(
  trx: Db,
  userId: number,
  { accountId, brandId }: { readonly accountId: number; readonly brandId: number },
): Promise<Account> {
  const brand = await selectBrand(trx, userId, brandId).select('brand_id').forShare().executeTakeFirst()
  if (!brand) throw notFound('brand')
  const { brand_id: from } = await findAccount(trx, userId, accountId)
  if (from !== brandId) await assertRoomInBrand(trx, userId, brandId)
  const row = await trx
    .updateTable('accounts')
    .set({ brand_id: brandId })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound('account')
  return toAccount(row)
}

async function assertRoomInBrand(trx: Db, userId: number, brandId: number): Promise<void> {
  const { own } = await countLinked(trx, userId, brandId)
  if (own >= ACCOUNTS_PER_BRAND_MAX) throw new Problem('conflict', brandIsFull(own))
}

/** @throws Problem not_found */
export async function getAccountWaiting(db: Db, userId: number, accountId: number): Promise<WaitingPosts> {
  await findAccount(db, userId, accountId)
  return readWaiting(db, userId, { accountId })
}

export async function countToLinkAgain(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('unlinked_at', 'is', null)
    .where('relink_reason', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}
