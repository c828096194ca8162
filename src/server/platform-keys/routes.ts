import type { PlatformSetup } from '#contract/operator.ts'
import { PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { platformOff, Problem } from '#base/problem.ts'
import type { Handlers } from '../http/mount.ts'
import { recordAct } from '../operator/acts.ts'
import { type Config, type PlatformVariables, readPlatforms } from '../runtime/config.ts'
import { ConfigError } from '../runtime/variables.ts'
import { hasOwnKeys, type LivePlatforms, mergeKeys } from './live-platforms.ts'
import { countAccounts, listEnteredKeys, storeKeys } from './store.ts'

type KeyDeps = {
  readonly db: Db
  readonly config: Config
  readonly encrypter: Encrypter
  readonly platforms: LivePlatforms['adapters']
  readonly now: () => number
  refreshPlatforms(): Promise<void>
}

export const platformKeyRoutes = (
  deps: KeyDeps,
): Handlers<'listPlatformSetups' | 'setPlatformKeys' | 'tryPlatformKeys'> => ({
  async listPlatformSetups() {
    const { db, encrypter } = deps
    const [entered, accounts] = await Promise.all([listEnteredKeys(db, encrypter), countAccounts(db)])
    return PLATFORM_IDS.map((id) =>
      toSetup(deps, id, accounts, entered.find(({ platform }) => platform === id)?.keys ?? {}),
    )
  },
  setPlatformKeys: ({ user, params: { platform }, body: { keys } }) =>
    setKeys(deps, user.email, platform, keys),
  tryPlatformKeys: ({ params: { platform } }) => tryKeys(deps, platform),
})

function toSetup(
  { config }: KeyDeps,
  id: PlatformId,
  accounts: ReadonlyMap<string, number>,
  entered: PlatformVariables,
): PlatformSetup {
  return {
    platform: id,
    mode: config.platforms[id].mode,
    fixed: hasOwnKeys(config, id),
    accounts: accounts.get(id) ?? 0,
    settings: PLATFORM_FACTS[id].settings.map(({ variable, title, kind, isRequired }) => {
      const isFixed = config.platformVariables[variable] !== undefined
      const value = config.platformVariables[variable] ?? entered[variable]
      return {
        variable,
        title,
        kind,
        required: isRequired,
        source: isFixed ? 'environment' : value === undefined ? null : 'entered',
        value: kind === 'secret' || (isFixed && kind === 'text') ? null : (value ?? null),
      }
    }),
  }
}

/** Two operators who save at once: the later one's keys count, whole. */
async function setKeys(
  deps: KeyDeps,
  operator: string,
  id: PlatformId,
  given: Readonly<Record<string, string>> | null,
): Promise<PlatformSetup> {
  const { db, encrypter, config } = deps
  if (hasOwnKeys(config, id))
    throw new Problem(
      'conflict',
      `The server's environment sets the keys of ${PLATFORM_NAMES[id]}, and wins. Change them there, or take them out there first.`,
    )
  const before = (await listEnteredKeys(db, encrypter)).find(({ platform }) => platform === id)?.keys ?? {}
  const after = given === null ? null : checkKeys(deps, id, given, before)
  const act = {
    operator,
    act: after === null ? 'platform_keys_removed' : 'platform_keys_set',
    subject: PLATFORM_NAMES[id],
    before: describeKeys(id, before),
    after: describeKeys(id, after ?? {}),
  } as const
  const changedAt = new Date(deps.now())
  await recordAct(db, act, deps.now(), (trx) =>
    storeKeys(trx, encrypter, { platform: id, keys: after, changedAt }),
  )
  await deps.refreshPlatforms()
  return toSetup(deps, id, await countAccounts(db), after ?? {})
}

/** A secret that is left out stays as it is. @throws Problem invalid */
function checkKeys(
  { config }: KeyDeps,
  id: PlatformId,
  given: Readonly<Record<string, string>>,
  before: PlatformVariables,
): PlatformVariables {
  const { settings } = PLATFORM_FACTS[id]
  const unknown = Object.keys(given).find((name) => !settings.some(({ variable }) => variable === name))
  if (unknown !== undefined) refuse(unknown, `${PLATFORM_NAMES[id]} has no such setting.`)
  const keys: Record<string, string> = {}
  for (const { variable, title, kind, isRequired } of settings) {
    const value = given[variable]?.trim() ?? (kind === 'secret' ? before[variable] : undefined)
    if (value !== undefined && value !== '') keys[variable] = value
    else if (isRequired) refuse(variable, `Enter the ${title.toLowerCase()}.`)
  }
  try {
    readPlatforms(mergeKeys(config, [keys]), config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    refuse(settings.find(({ variable }) => error.message.startsWith(variable))?.variable ?? '', error.message)
  }
  return keys
}

function refuse(field: string, message: string): never {
  throw new Problem('invalid', message, { errors: { [`keys.${field}`]: [message] } })
}

/** For the log of acts, without secrets. */
const describeKeys = (id: PlatformId, keys: PlatformVariables): Record<string, string> | null => {
  const entries = PLATFORM_FACTS[id].settings.flatMap(({ variable, kind }) => {
    const value = keys[variable]
    return value === undefined ? [] : [[variable, kind === 'secret' ? 'set' : value] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** Exchanges a made-up code. The refusal tells if the platform knows the app; nobody is linked. */
async function tryKeys(
  { config, platforms }: KeyDeps,
  id: PlatformId,
): Promise<{ result: 'known' | 'unknown' | 'unclear'; message: string }> {
  const [platform, setup, name] = [platforms[id], config.platforms[id], PLATFORM_NAMES[id]]
  if (platform === null || setup.mode === 'off') throw platformOff(id)
  const answer = await platform.exchangeCode({
    code: 'made-up',
    redirectUri: setup.redirectUri,
    // As long as a real one.
    codeVerifier: 'made-up-'.repeat(6),
  })
  if (answer.ok) return { result: 'unclear', message: `${name} gave no clear answer.` }
  const { code, message, detail } = answer.failure.reason
  const { known, unknown } = PLATFORM_FACTS[id].keyAnswers
  if (code === known) return { result: 'known', message: `${name} knows the app.` }
  if (code === unknown)
    return { result: 'unknown', message: `${name} does not know the app, or its secret is another one.` }
  return { result: 'unclear', message: detail === null ? message : `${message} It said: ${detail}` }
}
