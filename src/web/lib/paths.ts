/** Every address of the product. A link or a redirect names one of these. */
export const PATHS = {
  login: '/',
  signUp: '/signup',
  forgotPassword: '/forgotPassword',
  overview: '/dashboard/overview',
  brands: '/dashboard/brands',
  queue: '/dashboard/queue',
  accounts: '/dashboard/accounts',
  help: '/dashboard/help',
  upload: '/dashboard/upload',
  settings: '/dashboard/settings',
} as const

/** Pages that are dark whatever the user chose. `public/color-scheme.js` knows them too. */
export const ALWAYS_DARK: readonly string[] = [PATHS.signUp]

/** Where a visitor wanted to go who had to log in first; carried in the history's state, so that addresses stay clean. */
export type ReturnState = { readonly returnTo: string }

/** @returns an address of the dashboard; the overview where the state holds none */
export function returnTarget(state: unknown): string {
  const wanted = typeof state === 'object' && state !== null && 'returnTo' in state ? state.returnTo : null
  return typeof wanted === 'string' && wanted.startsWith('/dashboard/') ? wanted : PATHS.overview
}

/** Which brand's accounts to show first. */
export type AccountsState = { readonly brandId: number }

/** The handle of a page that shows something of itself while the session is opened, and asks nothing before. */
export const BEFORE_SESSION = 'before the session'
