import type { LinkStart } from '#contract/accounts.ts'
import type { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { notFound, Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { codeVerifierOf } from './code-verifier.ts'
import { insertAttempt } from './link-store.ts'
import { type LinkDeps, linkablePlatform } from './linkable.ts'
import { findAccount, ownsBrand, listPermissions, whyNoMoreAccounts } from './store.ts'

/**
 * Starts linking an account: stores the hash of a one-time state bound to user, brand and platform, and returns the consent
 * page's address. @throws Problem platform_off; not_found for another user's brand or account; conflict if there are too
 * many
 */
export async function startLink(
  deps: LinkDeps,
  userId: number,
  platformId: PlatformId,
  asked: {
    readonly brand_id: number
    readonly account_id?: number | undefined
    readonly permissions?: readonly OptionalPermission[] | undefined
  },
): Promise<LinkStart> {
  const { platform, redirectUri } = linkablePlatform(deps, platformId)
  if (!(await ownsBrand(deps.db, userId, asked.brand_id))) throw notFound('brand')
  const full =
    asked.account_id === undefined ? await whyNoMoreAccounts(deps.db, userId, asked.brand_id) : null
  if (full !== null) throw new Problem('conflict', full)
  const permissions = new Set(asked.permissions)
  if (asked.account_id !== undefined) {
    const account = await findAccount(deps.db, userId, asked.account_id)
    if (account.brand_id !== asked.brand_id || account.platform !== platformId) throw notFound('account')
    // Linking again must not lose earlier grants.
    for (const { name, granted } of listPermissions(account)) if (granted) permissions.add(name)
  }
  const state = newSecret()
  await insertAttempt(deps.db, {
    state_hash: secretHash(state),
    user_id: userId,
    brand_id: asked.brand_id,
    account_id: asked.account_id ?? null,
    platform: platformId,
    redirect_uri: redirectUri,
    created_at: new Date(deps.now()),
  })
  const { optionalScopes } = PLATFORM_FACTS[platformId]
  const extraScopes = [...permissions].flatMap((name) => optionalScopes[name] ?? [])
  const codeVerifier = codeVerifierOf(deps.encrypter, state)
  return { url: platform.authorizeUrl({ state, redirectUri, extraScopes, codeVerifier }), state }
}
