import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Settings, SignUpMode } from '#contract/settings.ts'
import { NOTICE_HOLD, NOTICE_SIGNUP_CLOSED, noticePractice } from '#contract/texts.ts'
import type { Db } from '#base/db/open.ts'
import { keepLast } from '#base/keep-last.ts'
import { shareReads } from '#base/share-reads.ts'
import { hasUsers } from '../users/store.ts'
import type { LegalPages } from '../legal/legal-pages.ts'
import { readSignUp } from '../users/sign-up.ts'
import type { Config } from '../runtime/config.ts'
import type { Identity } from '#identity/identity.ts'
import type { Handlers } from '../http/mount.ts'

/** The settings that the web app needs before sign-in. */
export function settingsRoutes(deps: {
  readonly config: Config
  readonly identity: Identity
  readonly db: Db
  readonly legalPages: LegalPages
}): Handlers<'getSettings'> {
  // The same object until something changes: its answer is kept.
  const settings = keepLast((is_new: boolean, signup: SignUpMode, ..._of: readonly unknown[]) => ({
    ...toSettings(deps.config, deps.identity, signup),
    is_new,
    legal_pages: [...deps.legalPages.keys()],
  }))
  // The database is not asked again once it has users.
  let isNew = true
  return {
    async getSettings() {
      const [isStillNew, signup] = await Promise.all([
        isNew && hasUsers(deps.db).then((has) => !has),
        deps.config.signup ?? readMode(deps.db, 'signup'),
      ])
      isNew &&= isStillNew
      return settings(isNew, signup, ...Object.values(deps.config.platforms))
    },
  }
}

/** Any process may have changed it. Strangers who ask at once share one read. */
const readMode = shareReads(async (db: Db) => (await readSignUp(db, { signup: null })).mode)

function toSettings(
  config: Config,
  identity: Identity,
  signup: SignUpMode,
): Omit<Settings, 'is_new' | 'legal_pages'> {
  const platforms = PLATFORM_IDS.map((id) => {
    const platform = config.platforms[id]
    return {
      id,
      name: PLATFORM_NAMES[id],
      mode: platform.mode,
      audit_form: 'auditForm' in platform && platform.auditForm,
    }
  })
  return {
    signup,
    identity: identity.publicSettings,
    account: {
      delete: identity.selfDeletion,
      sign_out_everywhere: identity.signOutEverywhere !== undefined,
    },
    token_sync_url: config.tokenSyncUrl,
    platforms,
    practice_url: config.practice.on ? config.practice.url : null,
    notice: chooseNotice({ signup, hold: config.hold }, platforms),
  }
}

/** Shown only where it is true (ruling R4). */
function chooseNotice(
  { signup, hold }: Pick<Settings, 'signup'> & Pick<Config, 'hold'>,
  platforms: Settings['platforms'],
): string | null {
  const practised = platforms.flatMap(({ name, mode }) => (mode === 'practice' ? [name] : []))
  const practice = practised.length > 0 ? noticePractice(practised) : null
  const closed = signup === 'closed' ? NOTICE_SIGNUP_CLOSED : null
  return [hold ? NOTICE_HOLD : null, practice, closed].filter((line) => line !== null).join(' ') || null
}
