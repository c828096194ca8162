import type { PlatformId } from '../platforms/index.ts'

/** Every call of the API is under this path. */
export const API_PREFIX = '/api/v1'

/** A platform returns here after its consent page. The same text is registered there. */
export const callbackPath = (platform: PlatformId | ':platform'): string =>
  `/dashboard/oauth/${platform}/callback`

/** The page that the links in our mails open, with `mode` and `oobCode`. */
export const ACTION_PATH = '/__/auth/action'

/** A platform sends its webhooks here and decides what the last part may be. The same text is registered there. */
export const hookPath = (platform: PlatformId | ':platform', name: string): string =>
  `/hooks/${platform}/${name}`

/** Pages of the web app outside the dashboard, beside ACTION_PATH. */
export const FRONT_PAGES = { login: '/', signUp: '/signup', forgotPassword: '/forgotPassword' } as const

/** Assistants call it, by the Model Context Protocol. */
export const MCP_PATH = '/mcp'

/** Programs send users here, with a code to type or with a request of OAuth. Both lead to the screen. */
export const CONSENT_PAGES = { connect: '/connect', authorize: '/authorize' } as const
export const CONSENT_SCREEN = '/dashboard/connect'

/** The reference of the API, made from the contract. */
export const API_PAGE = '/help/api'
/** The API as a TypeScript client without dependencies. */
export const CLIENT_FILE = '/help/api/reelay.ts'
export const refusalPath = (code: string): string => `${API_PAGE}#refusal-${code}`

/** The command line program, as one file for Node. */
export const COMMAND_PATH = '/cli/reelay.mjs'

/** Pages with texts of the operator; a server may have none of them. */
export const LEGAL_PAGES = { terms: '/terms', privacy: '/privacy' } as const
export type LegalPage = keyof typeof LEGAL_PAGES

/** The fragment of the log-in page to which a log-in through a provider leads back. */
export const OIDC_RETURN = '#oidc'

/** Every page below it is the web app's. */
export const DASHBOARD_PATH = '/dashboard'

/** Pages of the web app that the server's mails and pages lead to; its own list of them is the web app's. */
export const LINKED_PAGES = {
  queue: '/dashboard/queue',
  accounts: '/dashboard/accounts',
  settings: '/dashboard/settings',
  post: (postId: number): string => `/dashboard/posts/${postId}`,
} as const

/** The page of what a notification is about. */
export function notificationPath({
  post_id: postId,
  webhook_id: webhookId,
}: {
  readonly post_id: number | null
  readonly webhook_id: number | null
}): string {
  if (postId !== null) return LINKED_PAGES.post(postId)
  return webhookId === null ? LINKED_PAGES.accounts : LINKED_PAGES.settings
}

/** The page that ends mails about posts and accounts, for whoever has its address. */
export const unsubscribePath = (token: string): string => `/unsubscribe/${token}`

/** The page about a request to delete what we hold of somebody. */
export const deletionPath = (code: string): string => `/data-deletion/${code}`

/** The page on which a client reads a report. The token is in the fragment, which no server and no other page is told. */
export const REPORT_PAGE = '/report'
export const reportAddress = (token: string): string => `${REPORT_PAGE}#${token}`

/** Calendar apps read it; the token is the permission. */
export const feedPath = (token: string): string => `/feeds/${token}.ics`
