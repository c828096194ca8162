import { sql, type Selectable } from 'kysely'
import { PICTURE_OPTIONS } from '#contract/platforms/index.ts'
import type { Picture } from '#contract/videos.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { newSecret } from '#base/secret.ts'
import type { Pictures } from '#base/db/tables.ts'
import type { StoredObject } from '../storage/storage.ts'
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

/** The row owns the stored file once it is inserted. */
export async function insertPicture(
  db: Db,
  input: { readonly userId: number; readonly file: StoredObject; readonly size: Size; readonly now: number },
): Promise<Picture> {
  const now = new Date(input.now)
  const row = await db
    .insertInto('pictures')
    .values({
      user_id: input.userId,
      token: newSecret(),
      storage_key: input.file.key,
      sha256: input.file.sha256,
      size: input.file.size,
      ...input.size,
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

/** @returns the user's pictures among these, protected from deletion until the transaction ends */
export async function usePictures(
  trx: Db,
  userId: number,
  pictureIds: readonly number[],
  now: number,
): Promise<ReadonlySet<number>> {
  const used = new Set<number>()
  // Locks in order, so that two posts with the same pictures cannot deadlock.
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
 * Deletes pictures unused since `before`: without a post since then, an unfinished post, a live one that still waits for its
 * cover, or a draft. @returns their storage keys
 */
export async function deleteUnusedPictures(db: Db, before: number): Promise<string[]> {
  const rows = await deleteUnusedQuery(db, before).execute()
  return rows.map(({ storage_key }) => storage_key)
}

const NAMED_PICTURES = Object.values(PICTURE_OPTIONS)
  .filter((name) => name !== null)
  .map((name) => sql`jsonb_path_query_array(drafts.content, ${`$.**.${name}`}::jsonpath)`)

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
            sql<string>`jsonb_array_elements(${sql.join(NAMED_PICTURES, sql` || `)})`.as('picture'),
          ])
          .where('drafts.user_id', 'in', (eb) =>
            eb.selectFrom('pictures').select('user_id').where('used_at', '<', new Date(before)),
          ),
    )
    .deleteFrom('pictures')
    // Checked again under the row's lock: a post may use it meanwhile.
    .where('used_at', '<', new Date(before))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('delivery_pictures')
            .innerJoin('deliveries', 'deliveries.delivery_id', 'delivery_pictures.delivery_id')
            .select('deliveries.delivery_id')
            .whereRef('delivery_pictures.picture_id', '=', 'pictures.picture_id')
            .where((either) =>
              either.or([
                either('deliveries.state', 'not in', DONE),
                either.exists(
                  either
                    .selectFrom('follow_ups')
                    .select('follow_ups.follow_up_id')
                    .whereRef('follow_ups.delivery_id', '=', 'deliveries.delivery_id')
                    .where('follow_ups.kind', '=', 'cover')
                    .where('follow_ups.state', '=', 'waiting'),
                ),
              ]),
            ),
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
