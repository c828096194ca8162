import { sql, type Selectable } from 'kysely'
import type { Picture } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { newSecret } from '#base/secret.ts'
import type { Pictures } from '#base/db/tables.ts'
import type { Stored } from '../storage/storage.ts'
import { DONE } from '../videos/store.ts'
import type { Size } from './jpeg.ts'

const toPicture = (row: Selectable<Pictures>): Picture => ({
  picture_id: row.picture_id as Picture['picture_id'], // ids come out of the database unbranded
  url: `/pictures/${row.token}`,
  width: row.width,
  height: row.height,
  size: row.size,
  created_at: row.created_at.toISOString(),
})

/** Takes over a stored file: from here on its row answers for it. */
export async function insertPicture(
  db: Db,
  it: { readonly userId: number; readonly file: Stored; readonly size: Size; readonly now: number },
): Promise<Picture> {
  const now = new Date(it.now)
  const row = await db
    .insertInto('pictures')
    .values({
      user_id: it.userId,
      token: newSecret(),
      storage_key: it.file.key,
      sha256: it.file.sha256,
      size: it.file.size,
      ...it.size,
      created_at: now,
      used_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toPicture(row)
}

/** @throws Problem not_found */
export async function findPicture(db: Db, userId: number, pictureId: number): Promise<Picture> {
  const row = await db
    .selectFrom('pictures')
    .selectAll()
    .where('user_id', '=', userId)
    .where('picture_id', '=', pictureId)
    .executeTakeFirst()
  if (!row) throw notFound('picture')
  return toPicture(row)
}

/** @returns those of the pictures that are the user's, kept from being deleted until the transaction ends */
export async function usePictures(
  trx: Db,
  userId: number,
  pictureIds: readonly number[],
  now: number,
): Promise<ReadonlySet<number>> {
  const used = new Set<number>()
  // In order, so that two posts with the same pictures wait for each other, not both.
  for (const pictureId of [...new Set(pictureIds)].toSorted((one, other) => one - other)) {
    const row = await trx
      .updateTable('pictures')
      .set({ used_at: new Date(now) })
      .where('user_id', '=', userId)
      .where('picture_id', '=', pictureId)
      .returning('picture_id')
      .executeTakeFirst()
    if (row) used.add(row.picture_id)
  }
  return used
}

export async function insertDeliveryPicture(trx: Db, deliveryId: number, pictureId: number): Promise<void> {
  await trx
    .insertInto('delivery_pictures')
    .values({ delivery_id: deliveryId, picture_id: pictureId })
    .execute()
}

/**
 * Deletes the pictures that nothing has needed since `before`: no post since then, no unfinished one, and no draft.
 * @returns their storage keys
 */
export async function deleteUnusedPictures(db: Db, before: number): Promise<string[]> {
  const rows = await deleteUnusedQuery(db, before).execute()
  return rows.map(({ storage_key }) => storage_key)
}

/** Reads each draft once, however many pictures its user has: a draft may be a megabyte. */
export const deleteUnusedQuery = (db: Db, before: number) =>
  db
    .with(
      (cte) => cte('named').materialized(),
      (named) =>
        named
          .selectFrom('drafts')
          .select([
            'drafts.user_id',
            sql<string>`jsonb_path_query(drafts.content, '$.**.cover_picture_id')`.as('picture'),
          ])
          .where('drafts.user_id', 'in', (eb) =>
            eb.selectFrom('pictures').select('user_id').where('used_at', '<', new Date(before)),
          ),
    )
    .deleteFrom('pictures')
    // Read again once the row is locked: a post may take it up meanwhile.
    .where('used_at', '<', new Date(before))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('delivery_pictures')
            .innerJoin('deliveries', 'deliveries.delivery_id', 'delivery_pictures.delivery_id')
            .select('deliveries.delivery_id')
            .whereRef('delivery_pictures.picture_id', '=', 'pictures.picture_id')
            .where('deliveries.state', 'not in', DONE),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('named')
            .select('named.user_id')
            .whereRef('named.user_id', '=', 'pictures.user_id')
            .where('named.picture', '=', sql<string>`to_jsonb(pictures.picture_id)`),
        ),
      ),
    )
    .returning('storage_key')
