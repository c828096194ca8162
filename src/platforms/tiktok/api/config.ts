/** What the operator and the mode of the server decide. The practice platform has other addresses, nothing else. */
export type TikTokConfig = {
  /** `practice` accepts upload addresses without TLS. */
  readonly mode: 'live' | 'practice'
  /** Not `client_id`. */
  readonly clientKey: string
  readonly clientSecret: string
  /** With the trailing slash that TikTok's own has. */
  readonly authorizeUrl: string
  /** Without a trailing slash. */
  readonly apiUrl: string
  /** Hosts to which bytes may be sent: each stands for itself and for every host under it. With a port: that port only. */
  readonly uploadHosts: readonly string[]
  /** Base of the addresses of posts, without a trailing slash. */
  readonly postUrl: string
  /** Whether TikTok has audited the app; before that it may post privately only. */
  readonly appAudited: boolean
  /** Set: calls are not counted, for a practice platform whose limits are switched off. */
  readonly unlimited?: boolean
}

/**
 * TikTok's own addresses (2026-09-11). Uploads go to whatever host `upload_url` names; all those seen are under
 * tiktokapis.com.
 */
export const TIKTOK_LIVE = {
  mode: 'live',
  authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize/',
  apiUrl: 'https://open.tiktokapis.com',
  uploadHosts: ['tiktokapis.com'],
  postUrl: 'https://www.tiktok.com',
} as const
