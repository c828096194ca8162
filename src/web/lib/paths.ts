import { FRONT_PAGES, REPORT_PAGE } from '#contract/http/addresses.ts'
import type { DeliveryId } from '#contract/ids.ts'

/** Every path of the product. */
export const PATHS = {
  ...FRONT_PAGES,
  overview: '/dashboard/overview',
  brands: '/dashboard/brands',
  compose: '/dashboard/compose',
  calendar: '/dashboard/calendar',
  queue: '/dashboard/queue',
  drafts: '/dashboard/drafts',
  plan: '/dashboard/drafts/plan',
  import: '/dashboard/import',
  post: '/dashboard/posts/:postId',
  library: '/dashboard/library',
  results: '/dashboard/results',
  accounts: '/dashboard/accounts',
  help: '/dashboard/help',
  upload: '/dashboard/upload',
  settings: '/dashboard/settings',
  report: '/dashboard/results/report',
  sharedReport: REPORT_PAGE,
  server: '/dashboard/server',
  serverUsers: '/dashboard/server/users',
} as const

/** Pages that are always dark. `public/color-scheme.js` has the same list. */
export const ALWAYS_DARK: readonly string[] = [PATHS.signUp]

/** The page to return to after login; in the history state, so that URLs stay clean. */
export type ReturnState = { readonly returnTo: string }

/** @returns a dashboard path; the overview if the state holds none */
export function returnTarget(state: unknown): string {
  const wanted = typeof state === 'object' && state !== null && 'returnTo' in state ? state.returnTo : null
  return typeof wanted === 'string' && wanted.startsWith('/dashboard/') ? wanted : PATHS.overview
}

/** The brand's accounts are shown first. */
export type AccountsState = { readonly brandId: number }

/** The composer with a copy of a post: for all its accounts, the failed ones, or the account of one delivery. */
export const copyPath = (postId: number, to: 'all' | 'failed' | DeliveryId): string => {
  const which = to === 'all' ? '' : to === 'failed' ? '&failed' : `&delivery=${to}`
  return `${PATHS.compose}?post=${postId}${which}`
}

export const postPath = (postId: number): string => PATHS.post.replace(':postId', String(postId))

export const draftPath = (draftId: string): string => `${PATHS.compose}?draft=${draftId}`

/** The page that plans these drafts together. */
export const planPath = (draftIds: readonly string[]): string => `${PATHS.plan}?ids=${draftIds.join()}`

/** The composer with a post to change, as far as it has not started. */
export const editPath = (postId: number): string => `${PATHS.compose}?edit=${postId}`

/** The post is shown first in the queue. */
export type QueueState = { readonly postId: number }
