import { callbackPath, hookPath } from '#contract/http/addresses.ts'
import type { Help } from '#contract/help.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { keepLast } from '#base/keep-last.ts'
import type { Config } from '../runtime/config.ts'
import { knownFailures } from './known-failures.ts'
import type { Handlers } from '../http/mount.ts'

export function helpRoutes({ config }: { readonly config: Config }): Handlers<'getHelp'> {
  // The same object each time: its answer is kept.
  const help = keepLast((..._of: readonly unknown[]): Help => ({
    platforms: PLATFORM_IDS.map((id) => ({
      id,
      mode: config.platforms[id].mode,
      return_address: `${config.publicUrl}${callbackPath(id)}`,
      scopes: [...PLATFORM_FACTS[id].scopes],
      hooks: PLATFORM_FACTS[id].hooks.map(({ name, called }) => ({
        called,
        address: `${config.publicUrl}${hookPath(id, name)}`,
      })),
    })),
    mail: toMailMode(config),
    failures: knownFailures(),
  }))
  return { getHelp: async () => help(...Object.values(config.platforms)) }
}

function toMailMode({ identity, smtpUrl }: Config): Help['mail'] {
  if (identity.mode === 'firebase') return 'hosted'
  return smtpUrl === null ? 'kept' : 'sent'
}
