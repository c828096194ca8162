import type { PlatformId } from '../platforms/index.ts'

/** Every call of the API is under this path. */
export const API_PREFIX = '/api/v1'

/** Where a platform leads back to after its consent page. The same text is registered there. */
export const callbackPath = (platform: PlatformId | ':platform'): string =>
  `/dashboard/oauth/${platform}/callback`

/** The page that the links in our mails open, with `mode` and `oobCode`. */
export const ACTION_PATH = '/__/auth/action'

/** Where a platform sends us what it has to say; what the last part may be is the platform's. The same text is registered there. */
export const hookPath = (platform: PlatformId | ':platform', name: string): string =>
  `/hooks/${platform}/${name}`

/** The page about a request to delete what we hold of somebody. */
export const deletionPath = (code: string): string => `/data-deletion/${code}`
