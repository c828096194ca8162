import type { PlatformId } from '#contract/platforms/index.ts'

/** Every key of the browser's storage that is ours. The names are the specification's. */
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
