import type { Reason } from '#contract/deliveries.ts'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { fail, type Result } from '#domain/delivery/failure.ts'
import type { Platform } from '#platforms/kit/platform.ts'

export const STARTED_WITH_HOLD: Reason = {
  code: 'started_with_hold',
  message: 'This server was started with --hold and asks platforms nothing.',
  remedy: 'The person who runs it can start it without that.',
  detail: null,
}

const refuse = async (): Promise<Result<never>> => fail({ kind: 'rejected', reason: STARTED_WITH_HOLD })

type Platforms = Record<PlatformId, Platform | null>

/**
 * Used with `--hold`, which starts no workers: refuses all other platform calls. A renewed or revoked token would end the
 * access of the server whose data were copied.
 */
export function refuseCalls(platforms: Platforms): Platforms {
  const refusing = { ...platforms }
  for (const id of PLATFORM_IDS) {
    const platform = platforms[id]
    if (platform)
      refusing[id] = {
        ...platform,
        exchangeCode: refuse,
        refresh: refuse,
        revoke: refuse,
        profile: refuse,
        options: refuse,
      }
  }
  return refusing
}
