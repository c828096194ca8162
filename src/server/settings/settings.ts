import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Settings, SignUpMode } from '#contract/settings.ts'
import { NOTICE_HOLD, noticePractice, TEXTS } from '#contract/texts.ts'
import type { Db } from '#base/db/open.ts'
import { shareReads } from '#base/share-reads.ts'
import { hasUsers } from '../users/store.ts'
import { readSignUp } from '../users/sign-up.ts'
import type { Config } from '../runtime/config.ts'
import type { Identity } from '#identity/identity.ts'
import type { Handlers } from '../http/mount.ts'

/** The settings that the web app needs before sign-in; constant while the server runs, but for its first user and who may sign up. */
export function settingsRoutes(deps: {
  readonly config: Config
  readonly identity: Identity
  readonly db: Db
}): Handlers<'getSettings'> {
  // The same object until something changes: its answer is kept.
  let settings = toSettings(deps.config, deps.identity, 'open')
  return {
    async getSettings() {
      const [is_new, signup] = await Promise.all([
        // The database is not asked again once it has users.
        settings.is_new && hasUsers(deps.db).then((has) => !has),
        deps.config.signup ?? readMode(deps.db, 'signup'),
      ])
      if (is_new !== settings.is_new || signup !== settings.signup)
        settings = { ...toSettings(deps.config, deps.identity, signup), is_new }
      return settings
    },
  }
}

/** Any process may have changed it. Strangers who ask at once share one read. */
const readMode = shareReads(async (db: Db) => (await readSignUp(db, { signup: null })).mode)

function toSettings(config: Config, identity: Identity, signup: SignUpMode): Settings {
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
    is_new: true,
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
  const closed = signup === 'closed' ? TEXTS.noticeSignupClosed : null
  return [hold ? NOTICE_HOLD : null, practice, closed].filter((line) => line !== null).join(' ') || null
}
