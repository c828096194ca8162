import type { Store } from './store.ts'

export interface Settings {
  /** `off`: no webhooks are created. */
  hooks: 'on' | 'off'
  hooks_delay_ms: number
  hooks_copies: number
  /** `reversed`: of webhooks due at once, the newest goes first. */
  hooks_order: 'kept' | 'reversed'
  /** Time from the last byte to PUBLISH_COMPLETE. */
  tiktok_processing_ms: number
  tiktok_processing_ms_per_gb: number
  /** Time from PUBLISH_COMPLETE to the public post's id; -1: never. */
  tiktok_moderation_ms: number
  /** Time after delivery until a creator posts a draft from the inbox; -1: never. */
  tiktok_draft_posted_ms: number
  tiktok_rate_limits: boolean
  /** The old refresh token stays valid, ends when the new pair is first used, or ends at once. */
  tiktok_refresh_rotation: 'never' | 'on_use' | 'at_once'
  /** TikTok's token endpoint was recorded answering errors with 200. */
  tiktok_oauth_error_status: number
  /** Status for an accepted chunk that is sent again. */
  tiktok_repeated_chunk_status: number
  /** The Content-Range of an answer names the number of bytes received, or the position of the last. */
  tiktok_content_range: 'count' | 'last'
  tiktok_status_lag_ms: number
  instagram_processing_ms: number
  /** Documentation and reality differ in the shape of the token's answer. */
  instagram_token_shape: 'flat' | 'data'
  instagram_permissions_shape: 'array' | 'string'
  instagram_me_shape: 'flat' | 'data'
  /** Ids are texts in the documentation and were observed as numbers too large for JavaScript. */
  instagram_ids: 'text' | 'number'
  /** `BUSINESS` was observed, `Business` is documented. */
  instagram_account_type_case: 'upper' | 'documented'
  /** A refresh ends the token it was made with: unknown at Instagram. */
  instagram_refresh_ends_old: boolean
  instagram_error_language: 'en' | 'es' | 'th'
  instagram_quota_total: number
  instagram_caption_in_list: boolean
  /** The effect of publishing a published container: unknown at Instagram. `posts_again` is the worst case. */
  instagram_published_again: 'refused' | 'same_id' | 'posts_again'
  /** Longest time that the download of `video_url` may stall. */
  instagram_fetch_timeout_ms: number
  /** In `X-Business-Use-Case-Usage`. */
  instagram_account_usage_percent: number
}

const defaults: Settings = {
  hooks: 'on',
  hooks_delay_ms: 0,
  hooks_copies: 0,
  hooks_order: 'kept',
  tiktok_processing_ms: 2500,
  tiktok_processing_ms_per_gb: 60_000,
  tiktok_moderation_ms: 1500,
  tiktok_draft_posted_ms: -1,
  tiktok_rate_limits: true,
  tiktok_refresh_rotation: 'on_use',
  tiktok_oauth_error_status: 200,
  tiktok_repeated_chunk_status: 416,
  tiktok_content_range: 'count',
  tiktok_status_lag_ms: 0,
  instagram_processing_ms: 2000,
  instagram_token_shape: 'flat',
  instagram_permissions_shape: 'array',
  instagram_me_shape: 'flat',
  instagram_ids: 'text',
  instagram_account_type_case: 'upper',
  instagram_refresh_ends_old: false,
  instagram_error_language: 'en',
  instagram_quota_total: 100,
  instagram_caption_in_list: true,
  instagram_published_again: 'refused',
  instagram_fetch_timeout_ms: 15_000,
  instagram_account_usage_percent: 0,
}

const choices: Partial<Record<keyof Settings, readonly string[]>> = {
  hooks: ['on', 'off'],
  hooks_order: ['kept', 'reversed'],
  tiktok_refresh_rotation: ['never', 'on_use', 'at_once'],
  tiktok_content_range: ['count', 'last'],
  instagram_token_shape: ['flat', 'data'],
  instagram_permissions_shape: ['array', 'string'],
  instagram_me_shape: ['flat', 'data'],
  instagram_ids: ['text', 'number'],
  instagram_account_type_case: ['upper', 'documented'],
  instagram_error_language: ['en', 'es', 'th'],
  instagram_published_again: ['refused', 'same_id', 'posts_again'],
}

export interface SettingsStore {
  get(): Settings
  change(change: Record<string, unknown>): string | null
}

export function openSettings(store: Store): SettingsStore {
  const table = store.table<Partial<Settings>>('settings')
  const get = (): Settings => ({ ...defaults, ...table.get('all') })
  return {
    get,
    change: (change) => {
      for (const [name, value] of Object.entries(change)) {
        const wrong = whatIsWrong(name, value)
        if (wrong !== null) return wrong
      }
      table.put('all', { ...table.get('all'), ...change })
      return null
    },
  }
}

function whatIsWrong(name: string, value: unknown): string | null {
  if (!isSetting(name)) return `There is no setting "${name}". Settings: ${Object.keys(defaults).join(', ')}`
  if (typeof value !== typeof defaults[name]) return `"${name}" must be a ${typeof defaults[name]}`
  const allowed = choices[name]
  if (allowed !== undefined && !allowed.includes(String(value)))
    return `"${name}" must be one of ${allowed.join(', ')}`
  return null
}

const isSetting = (name: string): name is keyof Settings => Object.hasOwn(defaults, name)
