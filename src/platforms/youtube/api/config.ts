/** The practice platform differs only in its addresses. */
export type YouTubeConfig = {
  /** `practice` accepts upload addresses without TLS. */
  readonly mode: 'live' | 'practice'
  readonly clientId: string
  readonly clientSecret: string
  readonly authorizeUrl: string
  /** Its `/token` and `/revoke`. */
  readonly oauthUrl: string
  readonly apiUrl: string
  readonly analyticsUrl: string
  /** Hosts that may receive bytes, each with all its subdomains; with a port: that port only. */
  readonly uploadHosts: readonly string[]
  readonly videoUrl: string
  /** The consent screen is in production; in testing every grant ends after seven days. */
  readonly appPublished: boolean
  /** Google has verified the app; before that 100 people may link in its whole life. */
  readonly appVerified: boolean
}

export type Deps = { readonly config: YouTubeConfig; readonly now: () => number }

/** OAuth 2.0 for Web Server Applications; Resumable Uploads (2026-09-14); YouTube Analytics API, Reports: Query. */
export const YOUTUBE_LIVE = {
  mode: 'live',
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  oauthUrl: 'https://oauth2.googleapis.com',
  apiUrl: 'https://www.googleapis.com',
  analyticsUrl: 'https://youtubeanalytics.googleapis.com',
  uploadHosts: ['googleapis.com'],
  videoUrl: 'https://www.youtube.com',
} as const
