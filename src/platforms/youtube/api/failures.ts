import type { Failure } from '#domain/delivery/failure.ts'
import {
  commonFailures,
  type FailureCase,
  type FailureRule,
  nameRule,
  nameRules,
  toFailure,
  toFailureCases,
} from '../../kit/failure-rule.ts'
import {
  account,
  AGAIN,
  BUG,
  contentRefused,
  LATER,
  LINK_AGAIN,
  OPERATOR,
  rejected,
  stopping,
  throttled,
  unreachable,
} from '../../kit/rules.ts'
import { untilQuotaResetS } from './quota-day.ts'

const HOUR_S = 3600
const DAY_S = 86_400

const CHANGE = 'Change it and make a new post.'
const CONVERT = 'Export it as MP4 with H.264 and AAC, upload it again and make a new post.'
const LOOK = `If it keeps happening, ${OPERATOR.toLowerCase()} to look at the details.`

const SERVICE = nameRule('youtube/internal_error', unreachable('YouTube had an internal error.'))
const BAD_REQUEST = rejected('YouTube did not accept the request that Reelay sent.', BUG)
const NO_ACCESS = account(true, 'YouTube no longer lets Reelay use this channel.')
const NO_CHANNEL = account(
  false,
  'This Google account has no YouTube channel.',
  'Create a channel at YouTube first, then link it again on the Accounts screen.',
)
const CHANNEL_STOPPED = stopping(
  'account',
  rejected(
    'YouTube has suspended or closed this channel.',
    'Open YouTube Studio to see why. Nothing can be posted until YouTube lifts it.',
  ),
)
const NOT_OWNER = account(
  false,
  'The person who linked this channel may not act for it.',
  "Link the channel again with its owner's Google account.",
)
const GONE = rejected('YouTube cannot find this video.', 'Check in YouTube Studio whether it is there.')
const API_OFF = stopping(
  'app',
  throttled(
    HOUR_S,
    true,
    "The YouTube Data API is switched off in this server's Google project, so nobody here can post to YouTube.",
    `Reelay tries again every hour. ${OPERATOR} to enable the YouTube Data API v3 in the Google Cloud console.`,
  ),
)
const NOT_ALLOWED = account(
  false,
  'This channel was linked without a permission that Reelay needs.',
  'Link the account again and leave every box ticked.',
)
const NUMBERS_WITHHELD = rejected(
  'YouTube does not let Reelay read the numbers of the videos of this channel: it was linked without that permission.',
  `${LINK_AGAIN} Leave every box ticked.`,
)
const SLOWER = throttled(30, false, 'YouTube asked Reelay to slow down.')

/** Quota Calculator (2026-09-11): 100 uploads a day for a project, and 10,000 units for all other calls. */
const UPLOADS_USED = nameRule(
  'youtube.quota/uploads',
  stopping(
    'app',
    throttled(
      DAY_S,
      true,
      "Today's YouTube uploads are used up. All users of this server share them: Google allows 100 a day.",
      'It goes out automatically after midnight Pacific Time.',
    ),
  ),
)
const UNITS_USED = nameRule(
  'youtube.quota/units',
  throttled(
    DAY_S,
    true,
    "Google's daily quota for this server is used up. All users of this server share it.",
    'Reelay tries again automatically after midnight Pacific Time.',
  ),
)

/** Reasons of the Data API: "Errors" (2026-06-01), `videos.insert` (2026-09-14). The rules are ours. */
export const API_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.api', {
  invalidTitle: contentRefused('YouTube did not accept the title.', CHANGE),
  invalidDescription: contentRefused('YouTube did not accept the description.', CHANGE),
  invalidTags: contentRefused('YouTube did not accept the tags.', CHANGE),
  invalidCategoryId: contentRefused(
    'YouTube does not offer this category.',
    'Choose another one and make a new post.',
  ),
  forbiddenPrivacySetting: contentRefused(
    'YouTube does not let this channel use the visibility you chose.',
    'Choose another one and make a new post.',
  ),
  forbiddenLicenseSetting: contentRefused(
    'YouTube does not let this channel use the licence you chose.',
    'Choose another one and make a new post.',
  ),
  invalidVideoMetadata: contentRefused(
    'YouTube did not accept the settings of this post.',
    `Check the title, the description and the options, then make a new post. ${LOOK}`,
  ),
  uploadTooLarge: contentRefused(
    'The video is larger than YouTube accepts.',
    'Use a smaller file and make a new post.',
  ),
  invalidFilename: BAD_REQUEST,
  mediaBodyRequired: BAD_REQUEST,
  missingRequiredParameter: BAD_REQUEST,
  unexpectedParameter: BAD_REQUEST,
  unexpectedPart: BAD_REQUEST,
  invalidParameter: BAD_REQUEST,
  parseError: BAD_REQUEST,
  badRequest: BAD_REQUEST,
  invalid: BAD_REQUEST,
  required: NO_ACCESS,
  authError: NO_ACCESS,
  expired: NO_ACCESS,
  authorizationRequired: NO_ACCESS,
  UNAUTHENTICATED: NO_ACCESS,
  youtubeSignupRequired: NO_CHANNEL,
  authenticatedUserNotChannel: NO_CHANNEL,
  accountDelegationForbidden: NOT_OWNER,
  insufficientPermissions: NOT_ALLOWED,
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: NOT_ALLOWED,
  authenticatedUserAccountClosed: CHANNEL_STOPPED,
  authenticatedUserAccountSuspended: CHANNEL_STOPPED,
  channelClosed: CHANNEL_STOPPED,
  channelSuspended: CHANNEL_STOPPED,
  forbidden: rejected(
    'YouTube does not allow this channel to do that.',
    'Open YouTube Studio and look at what the channel may do, then retry.',
  ),
  accessNotConfigured: API_OFF,
  SERVICE_DISABLED: API_OFF,
  uploadLimitExceeded: stopping(
    'account',
    throttled(
      DAY_S,
      true,
      'YouTube says this channel has uploaded too many videos in the last 24 hours, across all apps.',
      'It goes out automatically when a day has passed.',
    ),
  ),
  rateLimitExceeded: SLOWER,
  userRateLimitExceeded: SLOWER,
  RESOURCE_EXHAUSTED: SLOWER,
  RATE_LIMIT_EXCEEDED: SLOWER,
  uploadRateLimitExceeded: throttled(
    300,
    false,
    'YouTube takes no further pictures from this channel right now.',
  ),
  videoNotFound: GONE,
  channelNotFound: rejected('YouTube cannot find this channel.', LINK_AGAIN),
  playlistNotFound: rejected("YouTube cannot find this channel's uploads.", LATER, [60, 600]),
  // Seen to pass when the call is repeated.
  alreadyExists: rejected('YouTube says that this upload exists already.', AGAIN, [5, 30, 120]),
  internalError: SERVICE,
  backendError: SERVICE,
  notReady: SERVICE,
})

/** A refusal of one upload. All others, such as for a quota, may come from before it, and say nothing of what became of it. */
export const concernsUpload = (reason: string): boolean => {
  const rule = API_RULES[reason]
  return reason === 'uploadLimitExceeded' || (rule?.kind === 'rejected' && rule.needs_change === true)
}

const SLOWER_REASONS = [
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'RESOURCE_EXHAUSTED',
  'RATE_LIMIT_EXCEEDED',
]
const QUOTA = ['quotaExceeded', 'dailyLimitExceeded'] as const

/** The quota that a call counts against. */
export type Bucket = 'uploads' | 'units'

export type YouTubeError = {
  readonly status: number
  readonly reason: string
  /** Its words name a limit of a day. */
  readonly isDaily: boolean
}

/** The meaning of YouTube's error; `null` when unknown. @param now epoch ms, for quotas that are reset at a fixed time */
export function findRule(error: YouTubeError, bucket: Bucket, now: number): FailureRule | null {
  const isSlower = SLOWER_REASONS.includes(error.reason)
  if (QUOTA.some((reason) => reason === error.reason) || (isSlower && error.isDaily)) {
    const rule = bucket === 'uploads' ? UPLOADS_USED : UNITS_USED
    return rule.kind === 'throttled' ? { ...rule, retryAfterS: untilQuotaResetS(now) } : rule
  }
  return API_RULES[error.reason] ?? ruleOfStatus(error.status)
}

export function ruleOfStatus(status: number): FailureRule | null {
  if (status === 401) return NO_ACCESS
  if (status === 413) return API_RULES['uploadTooLarge'] ?? null
  if (status === 429) return SLOWER
  return status >= 500 ? SERVICE : null
}

/** Flat errors of the token endpoint: OAuth 2.0 for Web Server Applications. */
export const OAUTH_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.oauth', {
  invalid_client: rejected(
    "Google does not recognise this server's app.",
    `${OPERATOR} to check YOUTUBE_CLIENT_ID and YOUTUBE_CLIENT_SECRET.`,
  ),
  unauthorized_client: rejected(
    "Google does not let this server's app link accounts.",
    `${OPERATOR} to check that the client in the Google Cloud console is a web application.`,
  ),
  redirect_uri_mismatch: rejected(
    "Google does not recognise this server's redirect address.",
    `${OPERATOR} to enter it in the Google Cloud console exactly as Help shows it under Running this server.`,
  ),
  invalid_request: rejected('Google did not accept the request that Reelay sent.', BUG),
  unsupported_grant_type: rejected('Google did not accept the kind of request that Reelay sent.', BUG),
  admin_policy_enforced: rejected(
    "The administrator of this Google account does not allow this server's app.",
    'Ask that administrator to allow it, or link a channel of another Google account.',
  ),
})

/** The token endpoint uses `invalid_grant` for two things; this is a code that it does not accept. */
export const CODE_NOT_TAKEN = rejected('This link attempt was already used or took too long.', LINK_AGAIN)

/** OAuth 2.0 overview (2026-05-26), "Refresh token expiration": the answer tells no cause, so it follows from the times. */
const ENDED_RULES = nameRules('youtube.ended', {
  ended: account(
    false,
    "Reelay's access to this channel has ended: its owner removed it, or Google did.",
    `${LINK_AGAIN} If that happens every seven days, ${OPERATOR.toLowerCase()} to publish the consent screen at Google, which is in Testing.`,
  ),
  ended_testing: account(
    false,
    "Google ends every link after seven days while the consent screen of this server's app is in Testing.",
    `${LINK_AGAIN} So that it lasts, ${OPERATOR.toLowerCase()} to publish the consent screen at Google.`,
  ),
  ended_unused: account(
    false,
    "Google ended Reelay's access to this channel because it was not used for six months.",
    LINK_AGAIN,
  ),
  no_refresh_token: account(false, 'Reelay can no longer renew its access to this channel.', LINK_AGAIN),
})

const OWN_LINK_RULES = nameRules('youtube.link', {
  no_channel: rejected(
    'The chosen Google account has no YouTube channel yet.',
    'Create a channel at YouTube first, then link it here.',
  ),
  not_renewable: rejected(
    'Google gave Reelay no lasting access to this channel.',
    "Remove this server's app on the page of your Google account for connected apps, then link the channel again.",
  ),
})

const OWN_POST_RULES = nameRules('youtube.own', {
  options: rejected('The options of this post cannot be read.', 'Make a new post.'),
  session: rejected('Reelay cannot continue this upload where it stopped.', AGAIN, [1]),
  size: contentRefused(
    'The video is empty, or larger than YouTube accepts.',
    'Upload another file and make a new post.',
  ),
  too_long: contentRefused(
    'The video is longer than YouTube allows for this channel.',
    'Confirm the phone number of the channel at youtube.com/verify for videos over 15 minutes, or cut the video and make a new post.',
  ),
  upload_host: rejected(
    'YouTube gave an upload address that is not its own, so nothing was sent.',
    `${OPERATOR} to look at the details.`,
  ),
  upload_expired: rejected('YouTube dropped the upload before it was complete.', AGAIN, [5, 60, 600]),
  upload_refused: rejected('YouTube refused the upload.', `Retry to send it again. ${LOOK}`, [15, 60]),
  upload_stuck: unreachable('YouTube did not keep the parts of the video that were sent.'),
  last_part_missing: unreachable('YouTube did not accept the last part of the video.'),
  outcome_unknown: unreachable('YouTube could not say whether the video is there.'),
})
const OWN_COVER_RULES = nameRules('youtube.own', {
  // Each question costs a unit, and high resolutions may take hours.
  not_processed: {
    ...throttled(60, false, 'YouTube is still processing the video.', LATER),
    laterS: [300, 900, HOUR_S],
  },
  processing_ended: rejected(
    'YouTube did not finish processing the video, so its thumbnail could not be set.',
    'Look at the video in YouTube Studio. If it plays there, set the picture there.',
  ),
  not_shown: throttled(3600, false, 'YouTube does not show the video right now.', LATER),
})
const OWN_RULES = { ...OWN_LINK_RULES, ...OWN_POST_RULES, ...OWN_COVER_RULES }

export const ownFailure = (code: keyof typeof OWN_RULES, detail: string | null = null): Failure =>
  toFailure(code, OWN_RULES[code], detail)

export const accessEnded = (code: keyof typeof ENDED_RULES, detail: string | null = null): Failure =>
  toFailure('invalid_grant', ENDED_RULES[code], detail)

/** `status.failureReason` of a video: discovery document of 2026-09-24. */
export const FAILURE_REASONS: Readonly<Record<string, FailureRule>> = nameRules('youtube.failed', {
  conversion: contentRefused('YouTube could not convert the video.', CONVERT),
  invalidFile: contentRefused('YouTube could not read the file as a video.', CONVERT),
  emptyFile: contentRefused(
    'YouTube found no video in the file.',
    'Upload another file and make a new post.',
  ),
  tooSmall: contentRefused(
    'YouTube says that the file is too small to be a video.',
    'Upload another file and make a new post.',
  ),
  codec: contentRefused('YouTube does not know the codec of the video.', CONVERT),
  uploadAborted: rejected('YouTube says that the upload was broken off.', AGAIN),
})

const POLICY = 'Open YouTube Studio to see what it says of the video. It would refuse the same video again.'

/** `status.rejectionReason` of a video. */
export const REJECTION_REASONS: Readonly<Record<string, FailureRule>> = nameRules('youtube.rejected', {
  copyright: contentRefused('YouTube removed the video because of a copyright claim.', POLICY),
  inappropriate: contentRefused('YouTube removed the video as inappropriate.', POLICY),
  duplicate: contentRefused('YouTube refused the video: this channel has uploaded it before.', POLICY),
  termsOfUse: contentRefused('YouTube removed the video because it breaks its terms.', POLICY),
  uploaderAccountSuspended: CHANNEL_STOPPED,
  uploaderAccountClosed: CHANNEL_STOPPED,
  length: contentRefused(
    'YouTube refused the video because it is too long for this channel.',
    'Confirm the phone number of the channel at youtube.com/verify, or cut the video and make a new post.',
  ),
  claim: contentRefused("YouTube removed the video because of somebody's claim.", POLICY),
  trademark: contentRefused('YouTube removed the video because of a trademark.', POLICY),
  legal: contentRefused('YouTube removed the video for legal reasons.', POLICY),
})

const ENDS = nameRules('youtube.end', {
  failed: rejected('YouTube failed to process the video.', `Make a new post. ${LOOK}`),
  rejected: contentRefused('YouTube refused the video, for a reason that Reelay does not know.', POLICY),
  deleted: rejected('The video was deleted at YouTube.', 'Make a new post if it is still wanted.'),
})

/** Why a video ended without being live. `reason`: YouTube's own word. */
export function endFailure(kind: keyof typeof ENDS, reason: string | undefined): Failure {
  const rules = kind === 'failed' ? FAILURE_REASONS : kind === 'rejected' ? REJECTION_REASONS : {}
  const rule = reason === undefined ? undefined : rules[reason]
  return toFailure(reason ?? kind, rule ?? ENDS[kind], rule === undefined ? (reason ?? null) : null)
}

/** Reasons whose meaning differs for comments. The video is live, only its comment is missing. */
export const COMMENT_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.comment', {
  commentsDisabled: rejected(
    'Comments are turned off for this video, so the first comment could not be added.',
    'Turn them on in YouTube Studio, then retry. Videos made for kids have none.',
  ),
  commentTextTooLong: rejected('The first comment is too long for YouTube.', 'Add a shorter one at YouTube.'),
  commentTextRequired: rejected('YouTube found no text in the first comment.', 'Add the comment at YouTube.'),
  invalidCustomEmoji: rejected(
    'YouTube does not know an emoji of the first comment.',
    'Add the comment at YouTube.',
  ),
  invalidCommentThreadMetadata: rejected(
    'YouTube did not accept the first comment.',
    'Add the comment at YouTube.',
  ),
  channelOrVideoIdMissing: rejected('YouTube did not accept the request to comment that Reelay sent.', BUG),
  ineligibleAccount: rejected(
    'This Google account may not comment, because its YouTube account is not merged with it.',
    'Open youtube.com with this account once, then retry.',
  ),
  forbidden: rejected(
    'YouTube does not let this channel comment on the video.',
    'Add the comment at YouTube.',
  ),
  insufficientPermissions: rejected(
    'YouTube did not let Reelay add the first comment: the channel was linked without the permission to comment.',
    `${LINK_AGAIN} Leave the box for comments ticked, then retry.`,
  ),
  videoNotFound: rejected(
    'YouTube cannot find the video to comment on.',
    'If the video is there, retry, or add the comment at YouTube.',
    [30, 300, 1800],
  ),
})

/** Reasons whose meaning differs for the thumbnail. The video is live, only its own picture is missing. */
export const COVER_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.cover', {
  forbidden: rejected(
    'YouTube does not let this channel use its own thumbnails yet.',
    'Confirm the phone number of the channel at youtube.com/verify, then retry.',
  ),
  invalidImage: rejected('YouTube could not read the picture.', 'Set another picture in YouTube Studio.'),
  mediaBodyRequired: rejected(
    'YouTube found no picture in the request.',
    'Set the picture in YouTube Studio.',
  ),
  videoNotFound: rejected(
    'YouTube cannot find the video whose thumbnail is to be set.',
    'If the video is there, retry, or set the picture in YouTube Studio.',
    [30, 300, 1800],
  ),
})

/** Reasons whose meaning differs for numbers. None of them concerns what is posted. */
export const RESULTS_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.results', {
  insufficientPermissions: NUMBERS_WITHHELD,
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: NUMBERS_WITHHELD,
})

const ANALYTICS_OFF = throttled(
  HOUR_S,
  false,
  "The YouTube Analytics API is switched off in this server's Google project, so shares, watch time and followers gained are not read.",
  `${OPERATOR} to enable the YouTube Analytics API in the Google Cloud console.`,
)

/** Reasons of the Analytics API whose meaning differs from that of the Data API. None of them concerns what is posted. */
export const ANALYTICS_RULES: Readonly<Record<string, FailureRule>> = nameRules('youtube.analytics', {
  ...RESULTS_RULES,
  accessNotConfigured: ANALYTICS_OFF,
  SERVICE_DISABLED: ANALYTICS_OFF,
})

const STANDING_RULES = nameRules('youtube.standing', {
  video_gone: rejected(
    'The video was live, and YouTube does not show it any more: it was removed or deleted.',
    'Open YouTube Studio to see what became of it.',
  ),
  privacy_private: privacyRule('Private'),
  privacy_unlisted: privacyRule('Unlisted'),
  privacy_public: privacyRule('Public'),
})

function privacyRule(label: string): FailureRule {
  return rejected(
    `YouTube shows the video as ${label}, which is not what was asked for.`,
    `Change its visibility in YouTube Studio. If it happens to every video, ${OPERATOR.toLowerCase()} to have the app audited by YouTube.`,
  )
}

export const videoGone = (): Failure['reason'] =>
  toFailure('video_gone', STANDING_RULES.video_gone, null).reason

/** @param is what YouTube shows it as */
export const privacyDiffers = (is: 'public' | 'unlisted' | 'private'): Failure['reason'] =>
  toFailure(`privacy_${is}`, STANDING_RULES[`privacy_${is}`], null).reason

export const FAILURE_CASES: readonly FailureCase[] = [
  ...toFailureCases('publishing', API_RULES),
  ...toFailureCases('publishing', { quotaExceeded: UPLOADS_USED }),
  ...toFailureCases('publishing', { quotaExceeded: UNITS_USED, dailyLimitExceeded: UNITS_USED }),
  ...toFailureCases('publishing', { http_500: SERVICE, http_502: SERVICE, http_503: SERVICE }),
  ...toFailureCases('publishing', FAILURE_REASONS),
  ...toFailureCases('publishing', REJECTION_REASONS),
  ...toFailureCases('publishing', ENDS),
  ...toFailureCases('publishing', OWN_POST_RULES),
  ...toFailureCases('publishing', COMMENT_RULES),
  ...toFailureCases('publishing', COVER_RULES),
  ...toFailureCases('publishing', OWN_COVER_RULES),
  ...toFailureCases('publishing', STANDING_RULES),
  ...toFailureCases('publishing', RESULTS_RULES),
  ...toFailureCases('publishing', ANALYTICS_RULES),
  ...Object.values(ENDED_RULES).flatMap((rule) => toFailureCases('publishing', { invalid_grant: rule })),
  ...toFailureCases('linking', OAUTH_RULES),
  ...toFailureCases('linking', { invalid_grant: CODE_NOT_TAKEN, ...OWN_LINK_RULES }),
  ...commonFailures('YouTube'),
]
