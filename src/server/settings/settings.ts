import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Settings } from '#contract/settings.ts'
import { NOTICE_HOLD, noticePractice, TEXTS } from '#contract/texts.ts'
import type { Db } from '#base/db/open.ts'
import { hasUsers } from '../users/store.ts'
import type { Config } from '../runtime/config.ts'
import type { Identity } from '#identity/identity.ts'
import type { Handlers } from '../http/mount.ts'

/** The settings that the web app needs before sign-in; constant while the server runs, but for its first user. */
export function settingsRoutes(deps: {
  readonly config: Config
  readonly identity: Identity
  readonly db: Db
}): Handlers<'getSettings'> {
  const settings = toSettings(deps.config, deps.identity)
  // The same object each time: its answer is kept.
  const [ofNew, ofUsed] = [
    { ...settings, is_new: true },
    { ...settings, is_new: false },
  ]
  // The database is not asked again once it has users.
  let isNew = true
  return {
    async getSettings() {
      isNew &&= !(await hasUsers(deps.db))
      return isNew ? ofNew : ofUsed
    },
  }
}

function toSettings(config: Config, identity: Identity): Omit<Settings, 'is_new'> {
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
    signup: config.signup,
    identity: identity.publicSettings,
    account: {
      delete: identity.selfDeletion,
      sign_out_everywhere: identity.signOutEverywhere !== undefined,
    },
    token_sync_url: config.tokenSyncUrl,
    platforms,
    practice_url: config.practice.on ? config.practice.url : null,
    notice: chooseNotice(config, platforms),
  }
}

/** Shown only where it is true (ruling R4). */
function chooseNotice(
  { signup, hold }: Pick<Config, 'signup' | 'hold'>,
  platforms: Settings['platforms'],
): string | null {
  const practised = platforms.flatMap(({ name, mode }) => (mode === 'practice' ? [name] : []))
  const practice = practised.length > 0 ? noticePractice(practised) : null
  const closed = signup === 'closed' ? TEXTS.noticeSignupClosed : null
  return [hold ? NOTICE_HOLD : null, practice, closed].filter((line) => line !== null).join(' ') || null
}
