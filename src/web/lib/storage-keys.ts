import type { PlatformId } from '#contract/platforms/index.ts'

/** The keys of the browser's storage that the specification names. */
export const STORAGE_KEYS = {
  /** The profile of the signed-in user, as JSON. */
  userData: 'userData',
  /** `'true'` dark, `'false'` light, absent: as the system is. `public/color-scheme.js` reads it too. */
  darkMode: 'darkMode',
  /** The brand for which a link was started. */
  brandId: 'brand_id',
} as const

/** The one-time state of a link that was started. */
export const oauthStateKey = (platform: PlatformId): string => `${platform}_oauth_state`

/** Ours beside them: every link that was started and may still come back, for who starts several at once. */
export const LINKS_KEY = 'links'

/** What was typed and not sent yet, by form and user. */
export const DRAFT_PREFIX = 'draft'
/** The keys of what was sent, by user and form: what it was cannot be read from them. */
export const SENT_PREFIX = 'sent'
