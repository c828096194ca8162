import { type FailureRule, nameRule, nameRules } from '../../kit/failure-rule.ts'
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

const CONVERT = 'Export the video as MP4 (H.264, AAC, at most 1920 pixels wide) and make a new post.'

const MINUTE_S = 60
const HOUR_S = 3600
const DAY_S = 86_400

export const UNKNOWN = nameRule('instagram/unknown', unreachable('Instagram had an internal error.'))
export const NO_PERMISSION = nameRule(
  'instagram/no_permission',
  account(
    false,
    'This Instagram account was linked without the permission to post.',
    'Link the account again and leave every permission switched on.',
  ),
)
const TOKEN_DEAD = nameRule(
  'instagram/token_dead',
  account(false, "Reelay's access to this Instagram account has ended."),
)
const LOG_IN_FIRST = nameRule(
  'instagram/log_in_first',
  account(
    false,
    'Instagram wants you to log in to this account.',
    'Log in to Instagram with this account, do what it asks, then link the account again.',
  ),
)
/** The wait where no header gives one; `laterS`: longer waits if the throttle continues. */
const SLOW_DOWN = (retryAfterS: number, ...laterS: readonly number[]): FailureRule => ({
  kind: 'throttled',
  retryAfterS,
  laterS,
  limit: false,
  message: 'Instagram asked Reelay to slow down.',
  remedy: LATER,
})
const NOT_READY = throttled(10, false, 'Instagram is still processing the video.')
const COVER = contentRefused(
  'Instagram did not accept the cover picture.',
  'Make a new post with another cover picture, or with a frame of the video.',
)
const BAD_REQUEST = nameRule(
  'instagram/bad_request',
  rejected('Instagram did not understand what Reelay sent.', BUG),
)

/**
 * Codes of the Graph API, most exact first: `code/subcode`, then `code`. Instagram Platform, "Error Codes" (2026-06-02); Graph API, "Handle
 * Errors" and "Rate Limits". `againInS` (our figures): a new container may succeed.
 */
export const GRAPH_RULES: Readonly<Record<string, FailureRule>> = nameRules('instagram.graph', {
  '-1/2207001': UNKNOWN,
  '-1/2207032': rejected('Instagram could not create the post.', AGAIN, [30, 120]),
  '-1/2207053': rejected('Instagram did not receive the video.', AGAIN, [30, 120, 600]),
  '-1': UNKNOWN,
  '-2/2207003': rejected(
    'Instagram gave up downloading the video because this server was too slow.',
    `${OPERATOR} for a faster connection, or upload a smaller video.`,
    [60, 300, 900],
  ),
  '-2/2207020': rejected('The post waited too long at Instagram and expired.', AGAIN, [5, 60]),
  '-2': UNKNOWN,
  '1/2207057': contentRefused(
    'The chosen cover is not within the video.',
    'Choose another cover and make a new post.',
  ),
  '1': UNKNOWN,
  '2': UNKNOWN,
  '3': rejected("Instagram does not let this server's app do this.", `${OPERATOR} to check the app at Meta.`),
  '4/2207051': stopping(
    'account',
    rejected(
      'Instagram suspected spam and blocked the post.',
      'Wait a day, check whether the Instagram app asks you for something, then try again.',
    ),
  ),
  '4': stopping('app', SLOW_DOWN(15 * MINUTE_S, HOUR_S, 3 * HOUR_S)),
  '9/2207042': stopping(
    'account',
    throttled(
      HOUR_S,
      true,
      'This account has reached the number of posts that Instagram allows within 24 hours.',
      'It goes out as soon as Instagram allows it.',
    ),
  ),
  '10': NO_PERMISSION,
  '17': stopping('account', SLOW_DOWN(15 * MINUTE_S, HOUR_S, 3 * HOUR_S)),
  '24/2207006': rejected(
    'Instagram cannot find the video or may not use it.',
    'Retry to send it again. If it keeps happening, link the account again.',
    [60],
  ),
  '24/2207008': rejected('Instagram lost the post that it was preparing.', AGAIN, [60, 120]),
  '25/2207050': stopping(
    'account',
    throttled(
      DAY_S,
      true,
      'Instagram has restricted this account.',
      'Log in to the Instagram app with this account and do what it asks. Reelay tries again once a day.',
    ),
  ),
  '32': stopping('account', SLOW_DOWN(15 * MINUTE_S, HOUR_S, 3 * HOUR_S)),
  '100/33': rejected(
    'Instagram says that the account or the post does not exist, or that Reelay may not use it.',
    'Try again later. If it keeps happening, link the account again.',
  ),
  '100/2207023': BAD_REQUEST,
  '100/2207028': contentRefused('The number of items in the post is not allowed.', 'Make a new post.'),
  '100/2207035': contentRefused(
    'Instagram does not allow this product tag.',
    'Remove it and make a new post.',
  ),
  '100/2207036': contentRefused(
    'Instagram does not allow this product tag.',
    'Remove it and make a new post.',
  ),
  '100/2207037': contentRefused(
    'Instagram does not allow this product tag.',
    'Remove it and make a new post.',
  ),
  '100/2207040': contentRefused(
    'The caption mentions more than 20 accounts.',
    'Remove some @mentions and make a new post.',
  ),
  '100/2207089': BAD_REQUEST,
  '100': contentRefused(
    'Instagram did not accept the settings of this post.',
    'Look at the details, then make a new post.',
  ),
  '101': rejected(
    "Instagram does not recognise this server's app.",
    `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
  ),
  '102': TOKEN_DEAD,
  '190/458': account(false, "Reelay's access was removed in Instagram's settings."),
  '190/459': LOG_IN_FIRST,
  '190/460': account(false, "The password of this account was changed, which ended Reelay's access."),
  // Another process may have refreshed the token that this call still used.
  '190/463': account(true, "Reelay's access to this account has expired."),
  '190/464': LOG_IN_FIRST,
  '190/467': TOKEN_DEAD,
  '190/492': TOKEN_DEAD,
  '190': account(true, 'Instagram no longer lets Reelay use this account.'),
  '341': stopping('app', SLOW_DOWN(HOUR_S)),
  '352/2207026': contentRefused('Instagram does not accept this video format.', CONVERT),
  '352': contentRefused('Instagram does not accept this video format.', CONVERT),
  '368': stopping(
    'account',
    throttled(
      DAY_S,
      true,
      'Instagram has temporarily blocked this account for breaking its rules.',
      'Open the Instagram app to see why. Reelay waits a day, then tries again automatically.',
    ),
  ),
  '506': rejected(
    'Instagram says that this was already posted.',
    'Check the account in the Instagram app before you send it again.',
  ),
  '613': stopping('account', SLOW_DOWN(15 * MINUTE_S, HOUR_S, 3 * HOUR_S)),
  '803': BAD_REQUEST,
  '2500': BAD_REQUEST,
  '2635': rejected('This version of Reelay is too old for Instagram.', `${OPERATOR} to update Reelay.`),
  '9004/2207052': rejected(
    'Instagram could not fetch the video or its cover picture from this server.',
    `${OPERATOR} to check that its address can be reached from the internet, then retry.`,
    [5, 30, 300],
  ),
  '9004': rejected(
    'Instagram could not use the address of the video.',
    `${OPERATOR} to check that its address can be reached from the internet.`,
    [5, 30, 300],
  ),
  '9007/2207027': NOT_READY,
  '9007': NOT_READY,
  '9009': rejected(
    'Instagram says that this account is not available.',
    'Log in to the Instagram app with this account and do what it asks.',
  ),
  '36000/2207004': COVER,
  '36001/2207005': COVER,
  '36003/2207009': COVER,
  '36004/2207010': contentRefused(
    'The caption is too long for Instagram.',
    'Use at most 2200 characters and make a new post.',
  ),
  '80002': stopping('account', SLOW_DOWN(HOUR_S)),
})

/** Undocumented subcodes, seen in a container's `status` or with an unknown code. */
export const MEDIA_RULES: Readonly<Record<string, FailureRule>> = nameRules('instagram.media', {
  '2207067': BAD_REQUEST,
  '2207073': rejected('Instagram does not accept this kind of media here.', BUG),
  '2207076': contentRefused('Instagram could not process the video.', CONVERT, [30]),
  '2207077': rejected(
    'Instagram could not download the video from this server.',
    `${OPERATOR} to check that its address can be reached from the internet, then retry.`,
    [30, 300],
  ),
  '2207078': throttled(
    DAY_S,
    true,
    'This account has reached the number of trial reels that Instagram allows.',
    'Reelay tries again automatically in a day.',
  ),
  '2207081': contentRefused('This account cannot post trial reels.', 'Post it as a normal reel.'),
  '2207082': contentRefused(
    'Instagram could not receive the video, usually because the file is too large or downloads too slowly.',
    'Export a smaller video and make a new post.',
    [60, 600],
  ),
  '2207085': contentRefused('Instagram could not process the video.', CONVERT, [60]),
})

export const UNKNOWN_MEDIA = nameRule(
  'instagram/unknown_media',
  rejected(
    'Instagram could not use the video, for a reason that Reelay does not know.',
    `Look at the details. ${CONVERT}`,
    [60],
  ),
)

/** Messages that say more than their code, matched first. Only English ones were seen; translated ones do not match. */
export const MESSAGE_RULES: readonly (readonly [RegExp, FailureRule])[] = [
  // Instagram Login has no upload of bytes, so Instagram ignores one.
  [/the parameter video_url is required/i, BAD_REQUEST],
  [
    /appsecret_proof/i,
    nameRule(
      'instagram.message/app_secret_proof',
      rejected(
        'The app at Meta requires an app secret proof, which Reelay does not send.',
        `${OPERATOR} to switch "Require App Secret" off in the app's settings at Meta.`,
      ),
    ),
  ],
  [
    /cannot parse access token/i,
    nameRule(
      'instagram.message/token_unreadable',
      account(
        false,
        "Instagram could not read Reelay's access to this account.",
        `${LINK_AGAIN} If it keeps happening, ${OPERATOR.toLowerCase()} to check the Instagram addresses in its configuration.`,
      ),
    ),
  ],
  [/session has been invalidated|REVOKED_ACCESS_TOKEN|session key is malformed/i, TOKEN_DEAD],
  [/till you log in|not a confirmed user/i, LOG_IN_FIRST],
  [
    /not an instagram business/i,
    nameRule(
      'instagram.message/not_professional',
      account(
        false,
        'This account is no longer a professional account.',
        'Switch it to a Business or Creator account in the Instagram app, then link it again.',
      ),
    ),
  ],
  [
    /missing ads_management/i,
    nameRule(
      'instagram.message/app_permission',
      rejected(
        "This server's app lacks a permission at Meta.",
        `${OPERATOR} to check the permissions of the app at Meta.`,
      ),
    ),
  ],
  [
    /error validating application|client secret/i,
    nameRule(
      'instagram.message/app_unknown',
      rejected(
        "Instagram does not recognise this server's app.",
        `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
      ),
    ),
  ],
]
