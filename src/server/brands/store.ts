import { type Selectable, sql } from 'kysely'
import type { Brand } from '#contract/brands.ts'
import { BRANDS_MAX } from '#contract/limits.ts'
import type { WaitingPosts } from '#contract/waiting-posts.ts'
import { ownsBrand, readWaiting } from '../accounts/store.ts'
import type { Db } from '#base/db/open.ts'
import type { Brands } from '#base/db/tables.ts'
import { notFound, Problem } from '#base/problem.ts'
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

type BrandChange = { readonly title: string; readonly timezone?: string | null | undefined }

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
  const { title, timezone = before.timezone } = change
  await trx.updateTable('brands').set({ title, timezone }).where('brand_id', '=', brandId).execute()
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

/** @throws Problem not_found */
export async function markDeleted(trx: Db, userId: number, brandId: number, now: number): Promise<void> {
  const deleted = await trx
    .updateTable('brands')
    .set({ deleted_at: new Date(now) })
    .where('brand_id', '=', brandId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('brand_id')
    .executeTakeFirst()
  if (!deleted) throw notFound('brand')
  await trx.updateTable('videos').set({ brand_id: null }).where('brand_id', '=', brandId).execute()
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
  'brand_id' | 'title' | 'timezone' | 'paused_at' | 'paused_until' | 'created_at'
>

function toBrand(row: BrandRow & { readonly linked: number }): Brand {
  return {
    brand_id: row.brand_id as Brand['brand_id'], // ids come out of the database unbranded
    title: row.title,
    linkedAccounts: row.linked,
    timezone: row.timezone,
    paused: row.paused_at !== null,
    paused_until: row.paused_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
