import type { PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { platformOff, Problem } from '#base/problem.ts'
import { STARTED_WITH_HOLD } from '../restore/refuse-calls.ts'
import type { Config } from '../runtime/config.ts'
import type { AccessDeps } from './access.ts'

export type LinkDeps = AccessDeps & { readonly config: Pick<Config, 'platforms' | 'hold'> }

/** @throws Problem platform_off */
export function linkablePlatform(
  deps: LinkDeps,
  platformId: PlatformId,
): { platform: Platform; redirectUri: string } {
  const platform = deps.platforms[platformId]
  const config = deps.config.platforms[platformId]
  if (!platform || config.mode === 'off') {
    throw platformOff(platformId)
  }
  // The consent itself would change the account's grants.
  if (deps.config.hold)
    throw new Problem('platform_off', `${STARTED_WITH_HOLD.message} ${STARTED_WITH_HOLD.remedy}`)
  return { platform, redirectUri: config.redirectUri }
}
