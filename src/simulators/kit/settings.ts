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
  /** In `X-Business-Use-Case-Usage`; insights add to it. */
  instagram_account_usage_percent: number
  /** Time until a post has insights, which stay that far behind. Up to 48 hours at Instagram. */
  instagram_insights_delay_ms: number
  /** An account's calls for insights in an hour; further ones are refused. The real figure follows from its impressions. */
  instagram_insights_per_hour: number
  /** Without the permission: code 10 was observed, 100/33 is documented. */
  instagram_insights_refusal: 'no_permission' | 'missing'
  /** Names of metrics that Meta has withdrawn, separated by commas. */
  instagram_retired_metrics: string
  /** The refusal of a metric names it, or says only that one is wrong. */
  instagram_metric_refusal: 'named' | 'unnamed'
  /** Time from the last byte to `processed`, `failed` or `rejected`. */
  youtube_processing_ms: number
  /** Time from `processed` to a late rejection. */
  youtube_late_rejection_ms: number
  /** Time from the last byte until the uploads playlist shows the video. */
  youtube_playlist_delay_ms: number
  /** Status of the answer that ends an upload: 201 is documented, 200 was observed. */
  youtube_final_status: number
  /** Answer to a chunk beyond what is stored: 308 with the old range, or 503 as at Cloud Storage. */
  youtube_gap_status: number
  /** In answers of 308; 0: none. */
  youtube_retry_after_s: number
  /** Life of an upload session, finished or not: unpublished. */
  youtube_session_hours: number
  youtube_session_gone_status: number
  /** A session's address alone may carry the right to fill it: unknown. */
  youtube_put_needs_token: boolean
  youtube_upload_limit_at: 'initiation' | 'last_byte'
  youtube_upload_limit_status: number
  /** Uploads of unaudited projects became private until 2026-11-02. */
  youtube_private_lock: boolean
  youtube_paid_placement_accepted: boolean
  youtube_comment_channel_required: boolean
  /** The answer about a person without a channel. */
  youtube_no_channel: 'signup_required' | 'not_channel' | 'empty'
  /** `testing`: refresh tokens live for seven days. */
  youtube_consent_screen: 'production' | 'testing'
  youtube_refresh_unused_days: number
  /** Live refresh tokens of a Google account; one more ends the oldest. */
  youtube_refresh_tokens_max: number
  /** The person limits access to this time; 0: no limit. */
  youtube_access_limited_s: number
  youtube_refresh_returns_new: boolean
  /** A revocation ends the access to all channels of the person, or only to that one: unknown. */
  youtube_revoke_ends: 'person' | 'channel'
  youtube_quota_uploads: number
  youtube_quota_units: number
  /** Reports a day. The real figure stands in Google's console only. */
  youtube_quota_reports: number
  /** Time until the numbers of a day that has ended in California are in reports: 48 to 72 hours at YouTube. */
  youtube_reports_delay_ms: number
  /** Errors have `errors`, `status` and `details`, or only one of both forms. */
  youtube_error_shape: 'full' | 'reasons' | 'status'
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
  instagram_insights_delay_ms: 3000,
  instagram_insights_per_hour: 4800,
  instagram_insights_refusal: 'no_permission',
  instagram_retired_metrics: '',
  instagram_metric_refusal: 'named',
  youtube_processing_ms: 2000,
  youtube_late_rejection_ms: 3_600_000,
  youtube_playlist_delay_ms: 0,
  youtube_final_status: 201,
  youtube_gap_status: 308,
  youtube_retry_after_s: 0,
  youtube_session_hours: 168,
  youtube_session_gone_status: 404,
  youtube_put_needs_token: true,
  youtube_upload_limit_at: 'initiation',
  youtube_upload_limit_status: 400,
  youtube_private_lock: false,
  youtube_paid_placement_accepted: false,
  youtube_comment_channel_required: true,
  youtube_no_channel: 'signup_required',
  youtube_consent_screen: 'production',
  youtube_refresh_unused_days: 180,
  youtube_refresh_tokens_max: 100,
  youtube_access_limited_s: 0,
  youtube_refresh_returns_new: false,
  youtube_revoke_ends: 'person',
  youtube_quota_uploads: 100,
  youtube_quota_units: 10_000,
  youtube_quota_reports: 10_000,
  youtube_reports_delay_ms: 172_800_000,
  youtube_error_shape: 'full',
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
  instagram_insights_refusal: ['no_permission', 'missing'],
  instagram_metric_refusal: ['named', 'unnamed'],
  youtube_upload_limit_at: ['initiation', 'last_byte'],
  youtube_no_channel: ['signup_required', 'not_channel', 'empty'],
  youtube_consent_screen: ['production', 'testing'],
  youtube_revoke_ends: ['person', 'channel'],
  youtube_error_shape: ['full', 'reasons', 'status'],
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
