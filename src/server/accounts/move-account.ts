import type { Account } from '#contract/accounts.ts'
import { releaseHeld, type PauseDeps } from '../pauses/set-pause.ts'
import { updateBrandOfAccount } from './store.ts'

/**
 * Moves an account to another brand. Posts blocked by its old brand's pause are released, unless the new brand is paused
 * too. @throws Problem not_found for the account or the brand
 */
export async function moveAccount(
  deps: PauseDeps,
  userId: number,
  move: { readonly accountId: number; readonly brandId: number },
): Promise<Account> {
  const account = await deps.db.transaction().execute((trx) => updateBrandOfAccount(trx, userId, move))
  await releaseHeld(deps, { of: 'account', id: move.accountId, userId })
  return account
}
