import { type Selectable, sql } from 'kysely'
import { type Brand, BrandColor } from '#contract/brands.ts'
import { BRANDS_MAX } from '#contract/limits.ts'
import type { WaitingPosts } from '#contract/waiting-posts.ts'
import { ownsBrand, readWaiting } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import type { Brands } from '#base/db/tables.ts'
import { notFound, Problem } from '#base/problem.ts'
import { newSecret } from '#base/secret.ts'
import type { StoredObject } from '../storage/storage.ts'
import { lockUser } from '../videos/quota.ts'

export async function listBrands(db: Db, userId: number): Promise<Brand[]> {
  const rows = await withCount(db).where('user_id', '=', userId).orderBy('brand_id').execute()
  return rows.map(toBrand)
}

/** @throws Problem conflict if there are too many */
export function createBrand(db: Db, userId: number, title: string): Promise<Brand> {
  return db.transaction().execute(async (trx) => {
    await lockUser(trx, userId)
    const { brands } = await trx
      .selectFrom('brands')
      .select((eb) => eb.fn.countAll<number>().as('brands'))
      .where('user_id', '=', userId)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (brands >= BRANDS_MAX)
      throw new Problem(
        'conflict',
        `You have ${brands} brands; the limit is ${BRANDS_MAX}. Delete one first.`,
      )
    const row = await trx
      .insertInto('brands')
      .values({ user_id: userId, title })
      .returningAll()
      .executeTakeFirstOrThrow()
    return toBrand({ ...row, linked: 0 })
  })
}

type BrandChange = {
  readonly title: string
  readonly timezone?: string | null | undefined
  readonly color?: BrandColor | null | undefined
}

/** @returns true if its time zone changed @throws Problem not_found */
export async function updateBrand(
  trx: Db,
  userId: number,
  brandId: number,
  change: BrandChange,
): Promise<boolean> {
  const before = await trx
    .selectFrom('brands')
    .select('timezone')
    .where('brand_id', '=', brandId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('brand')
  const { title, timezone = before.timezone, color } = change
  await trx
    .updateTable('brands')
    .set({ title, timezone, ...(color !== undefined && { color }) })
    .where('brand_id', '=', brandId)
    .execute()
  return timezone !== before.timezone
}

/** @throws Problem not_found */
export async function getBrand(db: Db, userId: number, brandId: number): Promise<Brand> {
  const row = await withCount(db)
    .where('user_id', '=', userId)
    .where('brand_id', '=', brandId)
    .executeTakeFirst()
  if (!row) throw notFound('brand')
  return toBrand(row)
}

/** @returns the storage key of its logo, to be deleted once the transaction has ended @throws Problem not_found */
export async function markDeleted(
  trx: Db,
  userId: number,
  brandId: number,
  now: number,
): Promise<string | null> {
  const logoKey = await replaceLogo(trx, userId, brandId, null)
  await trx
    .updateTable('brands')
    .set({ deleted_at: new Date(now) })
    .where('brand_id', '=', brandId)
    .execute()
  await trx.updateTable('videos').set({ brand_id: null }).where('brand_id', '=', brandId).execute()
  return logoKey
}

/** @returns the storage key of the logo before, to be deleted once the transaction has ended @throws Problem not_found */
export async function replaceLogo(
  trx: Db,
  userId: number,
  brandId: number,
  logo: StoredObject | null,
): Promise<string | null> {
  // The lock serialises two logos that arrive at once.
  const before = await trx
    .selectFrom('brands')
    .select('logo_key')
    .where('brand_id', '=', brandId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!before) throw notFound('brand')
  await trx
    .updateTable('brands')
    .set({
      logo_token: logo && newSecret(),
      logo_key: logo && logo.key,
      logo_size: logo && logo.size,
    })
    .where('brand_id', '=', brandId)
    .execute()
  return before.logo_key
}

/** @throws Problem not_found */
export async function getBrandWaiting(db: Db, userId: number, brandId: number): Promise<WaitingPosts> {
  if (!(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  return readWaiting(db, userId, { brandId })
}

const withCount = (db: Db) =>
  db
    .selectFrom('brands')
    .select([
      'brand_id',
      'title',
      'timezone',
      'color',
      'logo_token',
      'paused_at',
      'paused_until',
      'created_at',
      sql<number>`(select count(*) from accounts a where a.brand_id = brands.brand_id and a.unlinked_at is null)`.as(
        'linked',
      ),
    ])
    .where('deleted_at', 'is', null)

type BrandRow = Pick<
  Selectable<Brands>,
  'brand_id' | 'title' | 'timezone' | 'color' | 'logo_token' | 'paused_at' | 'paused_until' | 'created_at'
>

function toBrand(row: BrandRow & { readonly linked: number }): Brand {
  return {
    brand_id: row.brand_id as Brand['brand_id'], // ids come out of the database unbranded
    title: row.title,
    linkedAccounts: row.linked,
    timezone: row.timezone,
    color: BrandColor.nullable().parse(row.color),
    logo_url: row.logo_token === null ? null : `/logos/${row.logo_token}`,
    paused: row.paused_at !== null,
    paused_until: row.paused_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
