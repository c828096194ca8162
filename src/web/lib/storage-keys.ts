import type { PlatformId } from '#contract/platforms/index.ts'

/** The local storage keys of the specification. */
export const STORAGE_KEYS = {
  /** The profile of the signed-in user, as JSON. */
  userData: 'userData',
  /** `'true'` dark, `'false'` light, absent: the system's setting. `public/color-scheme.js` reads it too. */
  darkMode: 'darkMode',
  /** The brand of the latest started link. */
  brandId: 'brand_id',
} as const

/** The one-time state of the latest started link. */
export const oauthStateKey = (platform: PlatformId): string => `${platform}_oauth_state`

/** Not in the specification: all started links, because a user may start several at once. */
export const LINKS_KEY = 'links'

/** The identity provider's API key and the id of the user who logged in last, `KEY:ID`; after a log-out `KEY:`. */
export const BROWSER_USER_KEY = 'browserUser'

/** The id of the last notification that this browser has shown; absent: browser notifications are off. */
export const BROWSER_NOTIFICATIONS_KEY = 'browserNotifications'

/** The server's notice that was closed to a chip in this browser; another notice opens again. */
export const CLOSED_NOTICE_KEY = 'closedNotice'

export const DRAFT_PREFIX = 'draft'
/** The idempotency key of a post that was sent and not answered, by user and platform. */
export const UNANSWERED_PREFIX = 'unanswered'
/** Uploads that can be resumed, by user. */
export const UPLOADS_PREFIX = 'uploads'
