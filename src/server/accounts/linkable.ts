import type { PlatformId } from '#contract/platforms/index.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { platformOff } from '#base/problem.ts'
import type { Config } from '../runtime/config.ts'
import type { AccessDeps } from './access.ts'

export type LinkDeps = AccessDeps & { readonly config: Pick<Config, 'platforms'> }

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
  return { platform, redirectUri: config.redirectUri }
}
