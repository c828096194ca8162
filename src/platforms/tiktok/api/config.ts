/** The practice platform differs only in its addresses. */
export type TikTokConfig = {
  /** `practice` accepts upload addresses without TLS. */
  readonly mode: 'live' | 'practice'
  /** TikTok's name for the client id. */
  readonly clientKey: string
  readonly clientSecret: string
  readonly authorizeUrl: string
  readonly apiUrl: string
  /** Hosts that may receive bytes, each with all its subdomains; with a port: that port only. */
  readonly uploadHosts: readonly string[]
  readonly postUrl: string
  /** TikTok has audited the app; before that it may post only privately. */
  readonly appAudited: boolean
  /** Calls are not counted: the practice platform's limits are switched off. */
  readonly unlimited?: boolean
}

/** TikTok's addresses (2026-09-11). Uploads go to the host that `upload_url` names; all hosts seen are under tiktokapis.com. */
export const TIKTOK_LIVE = {
  mode: 'live',
  authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize/',
  apiUrl: 'https://open.tiktokapis.com',
  uploadHosts: ['tiktokapis.com'],
  postUrl: 'https://www.tiktok.com',
} as const
