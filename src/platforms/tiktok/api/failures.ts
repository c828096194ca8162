import type { Failure } from '#domain/delivery/failure.ts'
import { toFailure, toFailureCases, commonFailures, nameRule, nameRules } from '../../kit/failure-rule.ts'
import type { FailureRule, FailureCase } from '../../kit/failure-rule.ts'
import {
  AGAIN,
  BUG,
  LATER,
  LINK_AGAIN,
  OPERATOR,
  account,
  contentRefused,
  rejected,
  stopping,
  throttled,
  unreachable,
} from '../../kit/rules.ts'

const HOUR_S = 3600
const DAY_S = 86_400

const SERVICE = nameRule('tiktok/internal_error', unreachable('TikTok had an internal error.'))
const INVALID_PARAMS = contentRefused(
  'TikTok did not accept the settings of this post.',
  `Check the caption and the options, then try again. If it keeps happening, ${OPERATOR.toLowerCase()} to look at the details.`,
)
const TOO_MANY_POSTS = stopping(
  'account',
  throttled(
    DAY_S,
    true,
    'TikTok says this account has posted too much in the last 24 hours, across all apps.',
    'It goes out automatically when a day has passed.',
  ),
)
const BANNED = stopping(
  'account',
  rejected(
    'TikTok has banned this account from posting.',
    'Open the TikTok app to see why. Nothing can be posted until TikTok lifts the ban.',
  ),
)
const SCOPE = account(
  false,
  'This TikTok account was linked without the permission to post.',
  'Link the account again and leave every permission ticked.',
)

const UPLOAD_EXPIRED = rejected(
  'The upload took longer than the hour that TikTok allows.',
  'Use a faster connection or a smaller video, then retry.',
  [5, 60, 600],
)
const UPLOAD_REFUSED = rejected(
  'TikTok rejected part of the upload.',
  `Retry to send it again. If it keeps happening, ${OPERATOR.toLowerCase()} to look at the details.`,
  [15, 60],
)
const UPLOAD_TROUBLE = unreachable('TikTok had trouble receiving the video.')

/**
 * Codes of the v2 API envelope. TikTok, "Direct Post" (2026-09-11), "Query Creator Info", "Get Post Status", "Error Handling". The rules
 * are ours.
 */
export const API_RULES: Readonly<Record<string, FailureRule>> = nameRules('tiktok.api', {
  access_token_invalid: account(true, 'TikTok no longer lets Reelay use this account.', LINK_AGAIN),
  scope_not_authorized: SCOPE,
  scope_permission_missed: SCOPE,
  // Both spellings exist: real answers say `invalid_params`, the Content Posting pages `invalid_param`.
  invalid_params: INVALID_PARAMS,
  invalid_param: INVALID_PARAMS,
  invalid_file_upload: contentRefused(
    'TikTok did not accept the video file.',
    'Export the video as MP4 with H.264 and upload it again.',
  ),
  privacy_level_option_mismatch: contentRefused(
    'TikTok no longer offers this account the audience you chose.',
    'Make a new post with another audience.',
  ),
  unaudited_client_can_only_post_to_private_accounts: rejected(
    "TikTok has not audited this server's app yet, so it may post only privately, and only to private accounts.",
    `Set the account to private in the TikTok app and retry, or ask the person who runs this server to pass TikTok's audit.`,
  ),
  reached_active_user_cap: stopping(
    'app',
    throttled(
      HOUR_S,
      true,
      'TikTok limits how many accounts this server may post to in 24 hours, and that limit is reached.',
      `Reelay tries again every hour. ${OPERATOR} to raise the limit with TikTok; linking again does not help.`,
    ),
  ),
  spam_risk_too_many_posts: TOO_MANY_POSTS,
  // "Upload": 5 pending shares in 24 hours. The creator may make room at any time.
  spam_risk_too_many_pending_share: throttled(
    HOUR_S,
    true,
    'Five drafts of the last 24 hours wait in the TikTok inbox of this account, and TikTok allows no more.',
    'Post or delete drafts in the TikTok app. Reelay tries again every hour.',
  ),
  spam_risk_user_banned_from_posting: BANNED,
  spam_risk: contentRefused(
    'TikTok refused this post as possible spam.',
    'Make a new post with another video or caption.',
  ),
  url_ownership_unverified: rejected(
    "This server's address is not verified at TikTok.",
    `${OPERATOR} to verify the address in the TikTok developer portal.`,
  ),
  app_version_check_failed: rejected(
    'The TikTok app used with this account is too old.',
    'Update the TikTok app on your phone, then try again.',
  ),
  // This was seen for some seconds right after a post was opened.
  invalid_publish_id: throttled(15, false, 'TikTok cannot find this post right now.', LATER),
  token_not_authorized_for_specified_publish_id: rejected(
    'TikTok says this post belongs to another account.',
    'Check in the TikTok app whether the video is there before you send it again.',
  ),
  publish_not_cancellable: rejected(
    'TikTok can no longer cancel this post.',
    'Delete the video in the TikTok app.',
  ),
  // "Direct Post": 6 calls a minute per account; 429 means not executed.
  rate_limit_exceeded: stopping('account', throttled(65, false, 'TikTok asked Reelay to slow down.', LATER)),
  internal_error: SERVICE,
})

export const GRANT_GONE = nameRule(
  'tiktok/grant_gone',
  account(false, "Reelay's access to this TikTok account has ended.", LINK_AGAIN),
)

/** Error values of the token endpoints. TikTok, "OAuth Error Handling" (v2). */
export const OAUTH_RULES: Readonly<Record<string, FailureRule>> = nameRules('tiktok.oauth', {
  access_denied: rejected('Access was declined on TikTok.', 'Link the account again and allow access.'),
  invalid_client: rejected(
    "TikTok does not recognise this server's app.",
    `${OPERATOR} to check TIKTOK_CLIENT_KEY and TIKTOK_CLIENT_SECRET.`,
  ),
  invalid_grant: GRANT_GONE,
  invalid_request: rejected(
    'TikTok did not accept the request to link the account.',
    `Try again. If it keeps happening, ${OPERATOR.toLowerCase()} to check the redirect address in the TikTok developer portal.`,
  ),
  invalid_scope: rejected(
    "This server's TikTok app lacks the permissions that posting needs.",
    `${OPERATOR} to add the scopes in the TikTok developer portal.`,
  ),
  unauthorized_client: rejected(
    "This server's app may not link accounts.",
    `${OPERATOR} to check the app in the TikTok developer portal.`,
  ),
  unsupported_grant_type: rejected('TikTok did not understand the request.', BUG),
  unsupported_response_type: rejected('TikTok did not understand the request.', BUG),
  server_error: SERVICE,
  temporarily_unavailable: unreachable('TikTok is not available at the moment.'),
})

/** `fail_reason` of a post that failed after all bytes were received. TikTok, "Get Post Status". */
export const FAIL_REASONS: Readonly<Record<string, FailureRule>> = nameRules('tiktok.fail_reason', {
  file_format_check_failed: contentRefused(
    'TikTok cannot read this video format.',
    'Export the video as MP4 with H.264 and make a new post.',
  ),
  duration_check_failed: contentRefused(
    'The video is too long or too short for this TikTok account.',
    'Cut the video and make a new post.',
  ),
  frame_rate_check_failed: contentRefused(
    'TikTok accepts 23 to 60 frames per second; this video has fewer or more.',
    'Export the video with 30 frames per second and make a new post.',
  ),
  picture_size_check_failed: contentRefused(
    'The video is too small or too large for TikTok: each side must have 360 to 4096 pixels.',
    'Export the video in 1080 x 1920 and make a new post.',
  ),
  // "internal": TikTok documents that a new attempt may succeed.
  internal: rejected('TikTok failed to process the video.', LATER, [300, 1800]),
  video_pull_failed: rejected(
    'TikTok could not download the video.',
    `${OPERATOR} to check that the server can be reached from the internet.`,
    [60],
  ),
  photo_pull_failed: rejected(
    'TikTok could not download the picture.',
    `${OPERATOR} to check that the server can be reached from the internet.`,
  ),
  publish_cancelled: rejected('The post was cancelled on TikTok.', 'Retry if you still want it posted.'),
  auth_removed: account(
    false,
    'Access to this account was removed while TikTok was processing the video.',
    LINK_AGAIN,
  ),
  spam_risk_too_many_posts: TOO_MANY_POSTS,
  spam_risk_user_banned_from_posting: BANNED,
  spam_risk_text: contentRefused(
    'TikTok refused the caption of this post.',
    'Change the caption and make a new post.',
  ),
  spam_risk: contentRefused(
    'TikTok refused this video as possible spam.',
    'Post another video; TikTok will refuse this one again.',
  ),
})

export const UNKNOWN_FAIL_REASON = nameRule(
  'tiktok/unknown_fail_reason',
  rejected(
    'TikTok did not publish the video, for a reason that Reelay does not know.',
    'Look at the details, then make a new post.',
  ),
)

export const OWN_RULES = nameRules('tiktok.own', {
  size: contentRefused(
    'The video is empty, or larger than TikTok accepts (4 GB).',
    'Upload a smaller video and make a new post.',
  ),
  options: rejected('The options of this post cannot be read.', 'Make a new post.'),
  too_long: contentRefused(
    'The video is longer than TikTok allows for this account.',
    'Cut the video and make a new post.',
  ),
  upload_host: rejected(
    'TikTok gave an upload address that is not its own, so nothing was sent.',
    `${OPERATOR} to look at the details.`,
  ),
  upload_expired: UPLOAD_EXPIRED,
  last_part_refused: unreachable('TikTok did not accept the last part of the video.'),
  last_part_refused_again: rejected(
    'TikTok refused the last part of the video twice and says that it is missing.',
    'Check in the TikTok app whether the video is there before you send it again.',
  ),
  inbox: rejected(
    'TikTok put the video into the inbox of this account as a draft and did not post it.',
    'Post the draft from the inbox in the TikTok app. If you send it again from here instead, delete the draft.',
  ),
  session: rejected('Reelay cannot continue this upload where it stopped.', AGAIN, [1]),
})

/**
 * TikTok's answers to bytes. "Media Transfer Guide" (2026-09-11). The delays are those of a new upload, which begins only while the last
 * chunk has not been sent.
 */
export const PUT_RULES: Readonly<Record<string, FailureRule>> = nameRules('tiktok.put', {
  http_400: UPLOAD_REFUSED,
  http_403: UPLOAD_EXPIRED,
  http_404: rejected('TikTok dropped the upload.', AGAIN, [5, 60, 600]),
  http_416: rejected('TikTok and Reelay disagree about how much of the video has arrived.', AGAIN, [15, 60]),
  http_429: UPLOAD_TROUBLE,
  http_500: UPLOAD_TROUBLE,
  http_502: UPLOAD_TROUBLE,
  http_503: UPLOAD_TROUBLE,
  http_504: UPLOAD_TROUBLE,
})

export function putRule(status: number): FailureRule | null {
  const listed = PUT_RULES[`http_${status}`]
  if (listed !== undefined) return listed
  if (status < 400) return null
  return PUT_RULES[status >= 500 ? 'http_500' : 'http_400'] ?? null
}

export const ownFailure = (code: keyof typeof OWN_RULES, detail: string | null = null): Failure =>
  toFailure(code, OWN_RULES[code], detail)

const NUMBERS_WITHHELD = rejected(
  'TikTok does not let Reelay read the numbers of the posts of this account: it was linked without that permission.',
  `${LINK_AGAIN} Leave the permission to see your videos ticked.`,
)

/** Codes whose meaning differs for numbers. None of them concerns what is posted. */
export const RESULTS_RULES: Readonly<Record<string, FailureRule>> = nameRules('tiktok.results', {
  scope_not_authorized: NUMBERS_WITHHELD,
  scope_permission_missed: NUMBERS_WITHHELD,
  invalid_params: rejected('TikTok did not accept the request for numbers that Reelay sent.', BUG),
  invalid_param: rejected('TikTok did not accept the request for numbers that Reelay sent.', BUG),
  // Rate Limits (2026-08-04): each call has its own, so this one holds no posts.
  rate_limit_exceeded: throttled(65, false, 'TikTok asked Reelay to ask for numbers more slowly.', LATER),
})

/** The token endpoint uses `invalid_grant` for two things; this is a code that it does not accept. */
export const CODE_NOT_TAKEN = rejected('This link attempt was already used or took too long.', LINK_AGAIN)
export const NO_REFRESH_TOKEN = nameRule(
  'tiktok/no_refresh_token',
  account(false, 'Reelay can no longer renew its access to this account.', LINK_AGAIN),
)

export const FAILURE_CASES: readonly FailureCase[] = [
  ...toFailureCases('publishing', API_RULES),
  ...toFailureCases('publishing', FAIL_REASONS),
  ...toFailureCases('publishing', {
    failed: UNKNOWN_FAIL_REASON,
    http_500: SERVICE,
    http_502: SERVICE,
    http_503: SERVICE,
  }),
  ...toFailureCases('publishing', PUT_RULES),
  ...toFailureCases('publishing', OWN_RULES),
  ...toFailureCases('publishing', RESULTS_RULES),
  ...toFailureCases('publishing', { invalid_grant: NO_REFRESH_TOKEN }),
  ...toFailureCases('linking', OAUTH_RULES).map(onRefresh),
  ...toFailureCases('linking', { invalid_grant: CODE_NOT_TAKEN }),
  ...commonFailures('TikTok'),
]

/** Only a definite no ends a link attempt. The other failures occur when access is renewed before a post. */
function onRefresh(line: FailureCase): FailureCase {
  return line.failure.kind === 'rejected' ? line : { ...line, when: 'publishing' }
}
