import type { Logger } from 'pino'
import type { PlatformId } from '#contract/platforms/index.ts'
import { createPlatforms, PLATFORM_FACTS } from '#platforms/registry.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { refuseCalls } from '../restore/refuse-calls.ts'
import {
  type Config,
  type PlatformsConfig,
  type PlatformVariables,
  readPlatforms,
} from '../runtime/config.ts'
import { listEnteredKeys } from './store.ts'

type Deps = {
  readonly config: Config
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
  readonly log: Logger
}

export type LivePlatforms = {
  /** These two change in place. What has begun with an adapter ends with it. */
  readonly adapters: Readonly<Record<PlatformId, Platform | null>>
  readonly settings: PlatformsConfig
  /** Takes the keys that are stored now. */
  refresh(): Promise<void>
  stop(): void
}

/** A process takes keys that were entered at another one after so long. */
const REFRESH_MS = 3_000

/**
 * The platforms with the keys of the environment, or else with those that an operator has entered. Keys that cannot be read later change
 * nothing. @throws if they cannot be read now: without them real accounts would be tried on the practice platforms
 */
export async function openPlatforms(deps: Deps): Promise<LivePlatforms> {
  const { config, db, encrypter, now, log } = deps
  const settings = { ...config.platforms }
  const create = (): Record<PlatformId, Platform | null> => {
    const adapters = createPlatforms(settings, now)
    return config.hold ? refuseCalls(adapters) : adapters
  }
  const adapters = create()
  let taken = ''
  const refresh = async (): Promise<void> => {
    const entered = await listEnteredKeys(db, encrypter)
    const mark = entered.map(({ platform, changedAt }) => `${platform} ${changedAt.toISOString()}`).join()
    if (mark === taken) return
    const keys = entered
      .filter(({ platform }) => !hasOwnKeys(config, platform))
      .map(({ keys: ofPlatform }) => ofPlatform)
    Object.assign(settings, readPlatforms(mergeKeys(config, keys), config))
    Object.assign(adapters, create())
    taken = mark
  }
  let isFailing = false
  const refreshOrLog = (): Promise<void> =>
    refresh().then(
      () => void (isFailing = false),
      (error: unknown) => {
        if (!isFailing) log.error({ err: error }, 'the entered keys of the platforms cannot be read')
        isFailing = true
      },
    )
  await refresh()
  const timer = setInterval(() => void refreshOrLog(), REFRESH_MS).unref()
  return { adapters, settings, refresh, stop: () => clearInterval(timer) }
}

/** The environment's variables win. */
export const mergeKeys = (
  { platformVariables }: Pick<Config, 'platformVariables'>,
  entered: readonly PlatformVariables[],
): PlatformVariables => Object.assign({}, ...entered, platformVariables) as PlatformVariables

/** The environment has keys of the platform's app, so that entered ones do not count. */
export const hasOwnKeys = (
  { platformVariables }: Pick<Config, 'platformVariables'>,
  id: PlatformId,
): boolean =>
  PLATFORM_FACTS[id].settings.some(
    ({ variable, isRequired }) => isRequired && platformVariables[variable] !== undefined,
  )
