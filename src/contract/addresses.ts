import type { PlatformId } from './platforms/index.ts'

/** Where a platform leads back to after its consent page. The same text is registered there. */
export const callbackPath = (platform: PlatformId | ':platform'): string =>
  `/dashboard/oauth/${platform}/callback`

/** The page that the links in our mails open, with `mode` and `oobCode`. */
export const ACTION_PATH = '/__/auth/action'
