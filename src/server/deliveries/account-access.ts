import { ACCESS_REASONS, type Reason } from '#domain/delivery/reasons.ts'
import type { Failure, Result } from '#domain/delivery/failure.ts'
import type { PublishJob } from '#platforms/kit/platform.ts'

export type Access = PublishJob['account']

/** `worker-deps.ts` connects this to `accounts`. */
export type AccountAccess = {
  /** Valid access to an account, other than the token that the platform has `refused`. */
  readonly getAccess: (accountId: number, how?: { refused: string }) => Promise<Result<Access>>
  /** The platform no longer lets us act for this account with the token that it has `refused`. */
  readonly markForRelink: (accountId: number, reason: Reason, refused: string) => Promise<boolean>
}

export type NoAccess = { readonly ok: false; readonly failure: Failure }
type AccessFailure = Extract<Failure, { kind: 'account' }>

/**
 * Makes a repeatable call. An expired token is renewed and the call made once more; where the grant is gone, the account is
 * marked to be linked again.
 */
export async function callWithAccess<T>(
  accounts: AccountAccess,
  accountId: number,
  call: (access: Access) => Promise<T>,
  failureOf: (outcome: T) => Failure | null,
): Promise<T | NoAccess> {
  const access = await accounts.getAccess(accountId)
  if (!access.ok) return access
  const first = await call(access.value)
  const failure = failureOf(first)
  if (failure?.kind !== 'account') return first
  const renewed = await renewAccess(accounts, accountId, access.value, failure)
  if (!renewed.ok) return renewed
  const second = await call(renewed.value)
  const stillRefused = failureOf(second)
  // Refused with a token that was just renewed: only the account's owner can mend that.
  if (stillRefused?.kind === 'account') await endAccess(accounts, accountId, renewed.value, stillRefused)
  return second
}

/** New access in the place of a refused one, or the reason why only the account's owner can give it. */
async function renewAccess(
  accounts: AccountAccess,
  accountId: number,
  { accessToken }: Access,
  failure: AccessFailure,
): Promise<Result<Access>> {
  if (failure.expired) return accounts.getAccess(accountId, { refused: accessToken })
  await endAccess(accounts, accountId, { accessToken }, failure)
  return { ok: false, failure }
}

/** After an irreversible call that was refused for its access. `renewed`: that access was new, so only the account's owner can mend it. */
export async function renewAccessOnce(
  accounts: AccountAccess,
  accountId: number,
  access: Access,
  failure: AccessFailure,
  renewed: boolean,
): Promise<Result<Access>> {
  if (!renewed) return renewAccess(accounts, accountId, access, failure)
  await endAccess(accounts, accountId, access, failure)
  return { ok: false, failure }
}

export const endAccess = (
  accounts: AccountAccess,
  accountId: number,
  { accessToken }: Pick<Access, 'accessToken'>,
  { reason }: Failure,
): Promise<boolean> => accounts.markForRelink(accountId, reason, accessToken)

/** The server has lost its keys for the platform: no account is to blame, and the post waits. */
export const PLATFORM_OFF: Failure = {
  kind: 'unreachable',
  reason: ACCESS_REASONS.platformOff,
}
