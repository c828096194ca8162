import { PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { type AccessDeps, withAccess } from '../accounts/access.ts'
import { calledBy, isFirstNotice, type NoticeOf } from './store.ts'

/** Access may end only a moment after the platform reports it, so checks repeat for this long. */
const CHECKED_FOR_MS = 600_000

/** An unreachable platform is asked again for this long. */
const GIVEN_UP_MS = 86_400_000

/** @returns the ids of the accounts, all linked before the access was removed */
export function scheduleAccessChecks(
  deps: AccessDeps,
  platform: PlatformId,
  notice: NoticeOf<'access_removed'>,
): Promise<number[]> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await isFirstNotice(trx, platform, notice.key))) return []
    const due = await trx
      .updateTable('accounts')
      .set({ access_check_until: new Date(deps.now() + CHECKED_FOR_MS) })
      .where(calledBy(platform, notice.externalId))
      .where('unlinked_at', 'is', null)
      .where('relink_reason', 'is', null)
      .where('linked_at', '<=', new Date(notice.at))
      .returning('account_id')
      .execute()
    return due.map(({ account_id }) => account_id)
  })
}

/** Asks the platforms about accounts whose access they reported as removed. Only a refusal counts: `withAccess` then marks the account. */
export async function runAccessChecks(
  deps: AccessDeps,
  which: { readonly accountIds: readonly number[] } | { readonly limit: number },
): Promise<void> {
  const due = deps.db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'scopes', 'access_check_until'])
    .where('access_check_until', 'is not', null)
    .orderBy('access_check_until')
  const rows = await (
    'limit' in which ? due.limit(which.limit) : due.where('account_id', 'in', which.accountIds)
  ).execute()
  for (const { account_id, platform: platformId, scopes, access_check_until: until } of rows) {
    const platform = deps.platforms[PlatformId.parse(platformId)]
    if (!platform || until === null) continue
    const answer = await withAccess(deps, account_id, (access) => platform.profile({ ...access, scopes }))
    const open = answer.ok
      ? deps.now() < until.getTime()
      : isOpen(answer.failure, deps.now() - until.getTime())
    if (open) continue
    await deps.db
      .updateTable('accounts')
      .set({ access_check_until: null })
      .where('account_id', '=', account_id)
      // Skips accounts that were reported again meanwhile.
      .where('access_check_until', '=', until)
      .execute()
  }
}

function isOpen(failure: Failure, overdueMs: number): boolean {
  switch (failure.kind) {
    case 'account':
      return false
    case 'rejected':
      return overdueMs < 0
    case 'throttled':
    case 'unreachable':
    case 'unexpected':
      return overdueMs < GIVEN_UP_MS
  }
}
