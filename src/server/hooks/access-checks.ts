import { PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import { type AccessDeps, withAccess } from '../accounts/access.ts'

/** A platform that cannot be reached is asked for so long after it should have answered. */
const GIVEN_UP_MS = 86_400_000

/**
 * Asks the platforms about accounts whose access they said they took away. Only a refusal counts, and marks the account to
 * be linked again (`withAccess` does); what was said alone does not. Called at once, and now and then by the worker.
 */
export async function askAboutDoubted(
  deps: AccessDeps,
  which: { readonly accountIds: readonly number[] } | { readonly limit: number },
): Promise<void> {
  const doubted = deps.db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'scopes', 'access_check_until'])
    .where('access_check_until', 'is not', null)
    .orderBy('access_check_until')
  const rows = await (
    'limit' in which ? doubted.limit(which.limit) : doubted.where('account_id', 'in', which.accountIds)
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
      // Not what was said again meanwhile.
      .where('access_check_until', '=', until)
      .execute()
  }
}

/** Whether the question is still to be answered. */
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
