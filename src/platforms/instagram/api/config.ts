/** The practice platform differs only in its addresses. */
export type InstagramConfig = {
  /** The practice platform answers faster, so it is asked sooner. */
  readonly mode: 'live' | 'practice'
  /** The Instagram app id and secret of "API setup with Instagram login", not those of the Meta app. */
  readonly appId: string
  readonly appSecret: string
  /** The Meta app's secret, which may sign the callbacks; `null`: not configured. */
  readonly metaAppSecret: string | null
  readonly authorizeUrl: string
  readonly apiUrl: string
  readonly graphUrl: string
}

/** Business Login guide (2026-03-13), Get Started. */
export const INSTAGRAM_LIVE = {
  mode: 'live',
  authorizeUrl: 'https://www.instagram.com/oauth/authorize',
  apiUrl: 'https://api.instagram.com',
  graphUrl: 'https://graph.instagram.com',
} as const

/** Graph changelog: v25.0 of 2026-02-18 is available until 2028-07-29. Token calls have no version. */
export const GRAPH_VERSION = 'v25.0'
