import { feedPath } from '#contract/http/addresses.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { ownsBrand } from '../accounts/store.ts'
import type { Handlers } from '../http/mount.ts'
import type { Config } from '../runtime/config.ts'
import { feedCreatedAt, putFeed, removeFeed } from './store.ts'

type FeedDeps = {
  readonly db: Db
  readonly config: Pick<Config, 'publicUrl'>
  readonly now: () => number
}

export const feedRoutes = ({
  db,
  config,
  now,
}: FeedDeps): Handlers<'getFeed' | 'createFeed' | 'deleteFeed'> => ({
  getFeed: async ({ user, params }) => {
    await assertOwned(db, user.user_id, params.brandId)
    return { created_at: (await feedCreatedAt(db, params.brandId))?.toISOString() ?? null }
  },
  createFeed: async ({ user, params }) => {
    await assertOwned(db, user.user_id, params.brandId)
    const token = newSecret()
    const at = now()
    const feed = { brandId: params.brandId, userId: user.user_id, tokenHash: secretHash(token), now: at }
    await putFeed(db, feed)
    return { url: `${config.publicUrl}${feedPath(token)}`, created_at: new Date(at).toISOString() }
  },
  deleteFeed: async ({ user, params }) => {
    await assertOwned(db, user.user_id, params.brandId)
    await removeFeed(db, params.brandId)
  },
})

/** @throws Problem not_found */
async function assertOwned(db: Db, userId: number, brandId: number): Promise<void> {
  if (!(await ownsBrand(db, userId, brandId))) throw notFound('brand')
}
