import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { troubleOf } from '#domain/notifications/trouble.ts'
import { view } from '#domain/delivery/view.ts'
import { composeForPost, subjectOf, type TroubledDelivery } from '#domain/notifications/compose.ts'
import type { Db } from '#base/db/open.ts'
import { stateToShow } from '../deliveries/record.ts'
import { consumeCheck, isAccountCheckQueued, type PostCheck } from '../outbox/events.ts'
import type { NotifierDeps } from './deps.ts'
import { hasUnreadRelinkNotice } from './store.ts'
import { notifyUser } from './notify-user.ts'

/** Checks a post that had trouble a while ago, and notifies its user of the trouble that remains. */
export async function notifyAboutPost(deps: NotifierDeps, check: PostCheck): Promise<void> {
  const { userId, postId } = check
  await deps.db.transaction().execute(async (trx) => {
    if (!(await consumeCheck(trx, check, deps.now()))) return
    const post = await readPost(trx, postId)
    const content = composeForPost(post.troubled, post.accounts)
    if (content === null || (await isCoveredByAccounts(trx, post.troubled))) return
    await notifyUser(trx, deps, { userId, about: { postId }, subject: subjectOf(post.text), content })
  })
}

type Troubled = TroubledDelivery & { readonly accountId: number }

type PostNow = { readonly text: string; readonly accounts: number; readonly troubled: readonly Troubled[] }

/** Nothing is wrong with a post that was deleted. */
async function readPost(db: Db, postId: number): Promise<PostNow> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .selectAll('deliveries')
    .select(['posts.text as post_text', 'accounts.username', 'accounts.display_name'])
    .where('deliveries.post_id', '=', postId)
    .where('posts.deleted_at', 'is', null)
    .orderBy('deliveries.delivery_id')
    .execute()
  const troubled = rows.flatMap((row): Troubled[] => {
    const state = stateToShow(row)
    if (state === null) return []
    const trouble = troubleOf(state)
    const { reason } = view(state)
    if (trouble === null || reason === null) return []
    return [
      {
        deliveryId: row.delivery_id,
        accountId: row.account_id,
        trouble,
        account: accountName(row),
        platform: PLATFORM_NAMES[PlatformId.parse(row.platform)],
        reason,
        attempt: state.attempt,
        goesOutAt: row.goes_out_at?.getTime() ?? null,
      },
    ]
  })
  return { text: rows[0]?.post_text ?? '', accounts: rows.length, troubled }
}

/** Whether the trouble is only that accounts must be linked again, of which an unread or coming notification tells. */
async function isCoveredByAccounts(db: Db, troubled: readonly Troubled[]): Promise<boolean> {
  if (troubled.some(({ trouble }) => trouble !== 'link_again')) return false
  for (const accountId of new Set(troubled.map((one) => one.accountId))) {
    if (!(await isAccountCheckQueued(db, accountId)) && !(await hasUnreadRelinkNotice(db, accountId)))
      return false
  }
  return true
}
