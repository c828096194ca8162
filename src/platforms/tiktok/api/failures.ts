import type { Failure } from '#domain/delivery/failure.ts'
import { failureOf, known, knownAnywhere } from '../../kit/failure-rule.ts'
import type { FailureRule, Known } from '../../kit/failure-rule.ts'
import {
  AGAIN,
  BUG,
  LATER,
  LINK_AGAIN,
  OPERATOR,
  account,
  rejected,
  stopping,
  throttled,
  unreachable,
} from '../../kit/rules.ts'

const HOUR_S = 3600
const DAY_S = 86_400

const SERVICE = unreachable('TikTok had an internal error.')
const INVALID_PARAMS = rejected(
  'TikTok did not accept the settings of this post.',
  `Check the title and the choices, then try again. If it goes on, ${OPERATOR.toLowerCase()} to look at the details.`,
)
const TOO_MANY_POSTS = stopping(
  'account',
  throttled(
    DAY_S,
    true,
    'TikTok says this account has posted too much in the last 24 hours, counting every app.',
    'It goes out when a day has passed, or post it in the TikTok app.',
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
  'The video could not be sent within the hour that TikTok gives.',
  'Use a faster connection or a smaller video, then retry.',
  [5, 60, 600],
)
const UPLOAD_REFUSED = rejected(
  'TikTok did not accept a part of the video.',
  `Retry sends it anew. If it goes on, ${OPERATOR.toLowerCase()} to look at the details.`,
  [15, 60],
)
const UPLOAD_TROUBLE = unreachable('TikTok had trouble taking the video.')

/**
 * Codes of the v2 API envelope. TikTok, "Direct Post" (2026-09-11), "Query Creator Info", "Get Post Status", "Error
 * Handling"; the rules are ours.
 */
export const API_RULES: Readonly<Record<string, FailureRule>> = {
  access_token_invalid: account(true, 'TikTok no longer accepts the access to this account.', LINK_AGAIN),
  scope_not_authorized: SCOPE,
  scope_permission_missed: SCOPE,
  // Both spellings exist: real answers say `invalid_params`, the Content Posting pages `invalid_param`.
  invalid_params: INVALID_PARAMS,
  invalid_param: INVALID_PARAMS,
  invalid_file_upload: rejected(
    'TikTok did not accept the video file.',
    'Export the video as MP4 with H.264 and upload it again.',
  ),
  privacy_level_option_mismatch: rejected(
    'TikTok does not offer this account the chosen audience any more.',
    'Choose another audience and send the post again.',
  ),
  unaudited_client_can_only_post_to_private_accounts: rejected(
    "TikTok has not audited this server's app yet, so it may post only privately, and only to private accounts.",
    `Set the TikTok account itself to private in the TikTok app, or ask who runs this server to pass TikTok's audit.`,
  ),
  reached_active_user_cap: stopping(
    'app',
    throttled(
      HOUR_S,
      true,
      "This server's app has reached the number of accounts for which it may post within 24 hours.",
      `Reelay tries again every hour. ${OPERATOR} to raise the limit with TikTok; linking again does not help.`,
    ),
  ),
  spam_risk_too_many_posts: TOO_MANY_POSTS,
  spam_risk_too_many_pending_share: throttled(
    DAY_S,
    true,
    'Too many drafts wait in the inbox of this account.',
    'Reelay tries again by itself in a day. To go on sooner, post or delete the drafts in the TikTok app.',
  ),
  spam_risk_user_banned_from_posting: BANNED,
  spam_risk: rejected(
    'TikTok refused this post as a risk of spam.',
    'Change the video or the text before you try again.',
  ),
  url_ownership_unverified: rejected(
    "TikTok does not know this server's address as its own.",
    `${OPERATOR} to verify the address in the TikTok developer portal.`,
  ),
  app_version_check_failed: rejected(
    'The TikTok app of this account is too old.',
    'Update the TikTok app on your phone, then try again.',
  ),
  // Was seen for some seconds right after a post was opened.
  invalid_publish_id: throttled(15, false, 'TikTok does not know this post (any more).', LATER),
  token_not_authorized_for_specified_publish_id: rejected(
    'TikTok says this post belongs to another account.',
    'Look in the TikTok app whether the video is there before you send it again.',
  ),
  publish_not_cancellable: rejected(
    'TikTok cannot take this post back any more.',
    'Delete the video in the TikTok app.',
  ),
  // "Direct Post": 6 calls a minute per account; 429 means not executed.
  rate_limit_exceeded: stopping('account', throttled(65, false, 'TikTok asked Reelay to slow down.', LATER)),
  internal_error: SERVICE,
}

export const GRANT_GONE = account(false, "Reelay's access to this TikTok account has ended.", LINK_AGAIN)

/** Error values of the token endpoints. TikTok, "OAuth Error Handling" (v2). */
export const OAUTH_RULES: Readonly<Record<string, FailureRule>> = {
  access_denied: rejected('TikTok was told not to allow the access.', 'Link the account again and allow it.'),
  invalid_client: rejected(
    "TikTok does not know this server's app.",
    `${OPERATOR} to check TIKTOK_CLIENT_KEY and TIKTOK_CLIENT_SECRET.`,
  ),
  invalid_grant: GRANT_GONE,
  invalid_request: rejected(
    'TikTok did not accept the request to link the account.',
    `Try again. If it goes on, ${OPERATOR.toLowerCase()} to check the redirect address in the TikTok developer portal.`,
  ),
  invalid_scope: rejected(
    "This server's app may not ask for the permissions that posting needs.",
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
}

/** `fail_reason` of a post that failed after all bytes were in. TikTok, "Get Post Status". */
export const FAIL_REASONS: Readonly<Record<string, FailureRule>> = {
  file_format_check_failed: rejected(
    'TikTok cannot read the video: its format is not one that it takes.',
    'Export the video as MP4 with H.264 and make a new post.',
  ),
  duration_check_failed: rejected(
    'The video is too long or too short for this TikTok account.',
    'Cut the video and make a new post.',
  ),
  frame_rate_check_failed: rejected(
    'The frame rate of the video is not between 23 and 60 frames a second.',
    'Export the video with 30 frames a second and make a new post.',
  ),
  picture_size_check_failed: rejected(
    'The picture of the video is too small or too large: each side must have 360 to 4096 pixels.',
    'Export the video in 1080 x 1920 and make a new post.',
  ),
  // "internal": TikTok documents that a new attempt may succeed.
  internal: rejected('TikTok failed while it worked on the video.', LATER, [300, 1800]),
  video_pull_failed: rejected(
    'TikTok could not fetch the video.',
    `${OPERATOR} to check that the server can be reached from outside.`,
    [60],
  ),
  photo_pull_failed: rejected(
    'TikTok could not fetch the picture.',
    `${OPERATOR} to check that the server can be reached from outside.`,
  ),
  publish_cancelled: rejected('The post was cancelled at TikTok.', 'Send it again if you still want it.'),
  auth_removed: account(
    false,
    'The access to this account was taken back while TikTok worked on the video.',
    LINK_AGAIN,
  ),
  spam_risk_too_many_posts: TOO_MANY_POSTS,
  spam_risk_user_banned_from_posting: BANNED,
  spam_risk_text: rejected('TikTok refused the text of this post.', 'Change the text and make a new post.'),
  spam_risk: rejected(
    'TikTok refused this video as a risk of spam.',
    'Post something else; the same video will be refused again.',
  ),
}

/** A `fail_reason` that no page lists. */
export const UNKNOWN_FAIL_REASON = rejected(
  'TikTok did not publish the video and gave a reason that Reelay does not know.',
  'Look at the details, then make a new post.',
)

/** What we find ourselves, before or between the calls. */
export const OWN_RULES = {
  size: rejected(
    'The video is empty or larger than TikTok takes (4 GB).',
    'Upload a smaller video and make a new post.',
  ),
  options: rejected('The choices of this post cannot be read.', 'Make the post again.'),
  too_long: rejected(
    'The video is longer than TikTok allows this account.',
    'Cut the video and make a new post.',
  ),
  upload_host: rejected(
    'TikTok named an upload address that is not its own, so nothing was sent.',
    `${OPERATOR} to look at the details.`,
  ),
  upload_expired: UPLOAD_EXPIRED,
  last_part_refused: unreachable('TikTok did not take the last part of the video.'),
  last_part_refused_again: rejected(
    'TikTok refused the last part of the video twice and says that it is missing.',
    'Look in the TikTok app whether the video is there before you send it again.',
  ),
  inbox: rejected(
    'TikTok put the video into the inbox of this account, as a draft, and did not post it.',
    'Open the TikTok app and post the draft from the inbox there. If you send it again from here instead, delete the draft.',
  ),
  session: rejected('The state of this upload cannot be read.', AGAIN, [1]),
} as const satisfies Record<string, FailureRule>

/**
 * What TikTok answers to bytes. "Media Transfer Guide" (2026-09-11). The delays are those of a new upload, which begins
 * only while the last chunk has not been sent.
 */
export const PUT_RULES: Readonly<Record<string, FailureRule>> = {
  http_400: UPLOAD_REFUSED,
  http_403: UPLOAD_EXPIRED,
  http_404: rejected('TikTok has dropped the upload.', AGAIN, [5, 60, 600]),
  http_416: rejected('TikTok and Reelay do not agree how much of the video has arrived.', AGAIN, [15, 60]),
  http_429: UPLOAD_TROUBLE,
  http_500: UPLOAD_TROUBLE,
  http_502: UPLOAD_TROUBLE,
  http_503: UPLOAD_TROUBLE,
  http_504: UPLOAD_TROUBLE,
}

/** Of any answer to bytes that is no success; null: one that nobody knows. */
export function putRule(status: number): FailureRule | null {
  const listed = PUT_RULES[`http_${status}`]
  if (listed !== undefined) return listed
  if (status >= 500) return UPLOAD_TROUBLE
  return status >= 400 ? UPLOAD_REFUSED : null
}

export const ownFailure = (code: keyof typeof OWN_RULES, detail: string | null = null): Failure =>
  failureOf(code, OWN_RULES[code], detail)

/** The token endpoint calls two things `invalid_grant`; a code that it does not take is the other. */
export const CODE_NOT_TAKEN = rejected(
  'TikTok did not take the answer of its consent page: it was used before, or is too old.',
  LINK_AGAIN,
)
export const NO_REFRESH_TOKEN = account(
  false,
  'There is nothing left with which the access to this account could be renewed.',
  LINK_AGAIN,
)

/** Every line of these tables. */
export const KNOWN: readonly Known[] = [
  ...known('publishing', API_RULES),
  ...known('publishing', FAIL_REASONS),
  ...known('publishing', {
    failed: UNKNOWN_FAIL_REASON,
    http_500: SERVICE,
    http_502: SERVICE,
    http_503: SERVICE,
  }),
  ...known('publishing', PUT_RULES),
  ...known('publishing', OWN_RULES),
  ...known('publishing', { invalid_grant: NO_REFRESH_TOKEN }),
  ...known('linking', OAUTH_RULES).map(whenAccessIsRenewed),
  ...known('linking', { invalid_grant: CODE_NOT_TAKEN }),
  ...knownAnywhere('TikTok'),
]

/** Only a definite no ends a link attempt. The rest is met when access is renewed, ahead of a post. */
function whenAccessIsRenewed(line: Known): Known {
  return line.failure.kind === 'rejected' ? line : { ...line, when: 'publishing' }
}
