import type { Failure, Stopped } from '#domain/delivery/failure.ts'
import { failureOf, known, knownAnywhere } from '../kit/verdict.ts'
import type { Known, Verdict } from '../kit/verdict.ts'

/** What a failed post can have done about it, once the automatic repeats are used up. */
const LATER = 'Retry it later.'
const AGAIN = 'Retry sends it anew.'
const OPERATOR = 'Ask who runs this server'
const LINK_AGAIN = 'Link the account again on the Accounts screen.'
const BUG = `${OPERATOR} to report this as a fault of Reelay.`
const CONVERT = 'Export the video as MP4 (H.264, AAC, at most 1920 pixels wide) and make a new post.'

const rejected = (message: string, remedy: string, againInS?: readonly number[]): Verdict =>
  againInS === undefined
    ? { kind: 'rejected', message, remedy }
    : { kind: 'rejected', message, remedy, againInS }
const throttled = (retryAfterS: number, limit: boolean, message: string, remedy = LATER): Verdict => ({
  kind: 'throttled',
  retryAfterS,
  limit,
  message,
  remedy,
})
/** What is true of the account or the app, whichever post met it. */
const stopping = (stops: Stopped, verdict: Verdict): Verdict =>
  verdict.kind === 'throttled' || verdict.kind === 'rejected' ? { ...verdict, stops } : verdict
const account = (expired: boolean, message: string, remedy = LINK_AGAIN): Verdict => ({
  kind: 'account',
  expired,
  message,
  remedy,
})
const unreachable = (message: string): Verdict => ({ kind: 'unreachable', message, remedy: LATER })

const MINUTE_S = 60
const HOUR_S = 3600
const DAY_S = 86_400

/** Instagram's own fault, or that of what stands before it. */
export const UNKNOWN = unreachable('Instagram had an internal error.')
const NO_PERMISSION = account(
  false,
  'This Instagram account was linked without the permission to post.',
  'Link the account again and leave every permission switched on.',
)
const TOKEN_DEAD = account(false, "Reelay's access to this Instagram account has ended.")
const LOG_IN_FIRST = account(
  false,
  'Instagram wants the owner of this account to log in.',
  'Log in to Instagram with this account, do what it asks, then link the account again.',
)
/** Where no header tells how long. A throttle that goes on is not waited for in vain again and again. */
const SLOW_DOWN = (retryAfterS: number, ...laterS: readonly number[]): Verdict => ({
  kind: 'throttled',
  retryAfterS,
  laterS,
  limit: false,
  message: 'Instagram asked Reelay to slow down.',
  remedy: LATER,
})
const NOT_READY = throttled(10, false, 'Instagram still works on the video.')
const COVER = rejected('Instagram did not accept the cover picture.', 'Make the post again without a cover.')
const FAULT = rejected('Instagram did not understand what Reelay sent.', BUG)

/**
 * Codes of the Graph API, most exact first: `code/subcode`, then `code`. Instagram Platform, "Error Codes" (2026-06-02);
 * Graph API, "Handle Errors" and "Rate Limits". `againInS`: a new container may succeed. The figures are ours.
 */
export const GRAPH_VERDICTS: Readonly<Record<string, Verdict>> = {
  '-1/2207001': UNKNOWN,
  '-1/2207032': rejected('Instagram could not create the post.', AGAIN, [30, 120]),
  '-1/2207053': rejected('Instagram failed while it took the video.', AGAIN, [30, 120, 600]),
  '-1': UNKNOWN,
  '-2/2207003': rejected(
    'Instagram gave up fetching the video: this server was too slow.',
    `${OPERATOR} for a faster connection, or upload a smaller video.`,
    [60, 300, 900],
  ),
  '-2/2207020': rejected('The post waited too long at Instagram and expired there.', AGAIN, [5, 60]),
  '-2': UNKNOWN,
  '1/2207057': rejected(
    'The cover moment lies outside of the video.',
    'Choose another cover moment and make a new post.',
  ),
  '1': UNKNOWN,
  '2': UNKNOWN,
  '3': rejected("This server's app may not do this at Instagram.", `${OPERATOR} to check the app at Meta.`),
  '4/2207051': stopping(
    'account',
    rejected(
      'Instagram blocked this as suspected spam.',
      'Leave the account alone for a day, and look in the Instagram app whether it asks for something. Then try again.',
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
    'Instagram cannot find the video that it was given, or may not use it.',
    `Retry sends it anew. If it goes on: ${LINK_AGAIN}`,
    [60],
  ),
  '24/2207008': rejected('The post that Instagram had prepared is gone.', AGAIN, [60, 120]),
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
    'Instagram says that the account or the post does not exist, or may not be used.',
    `Try again later. If it goes on: ${LINK_AGAIN}`,
  ),
  '100/2207023': FAULT,
  '100/2207028': rejected('The number of items in the post is not allowed.', 'Make the post again.'),
  '100/2207035': rejected('A product tag is not allowed here.', 'Remove it and make a new post.'),
  '100/2207036': rejected('A product tag is not allowed here.', 'Remove it and make a new post.'),
  '100/2207037': rejected('A product tag is not allowed here.', 'Remove it and make a new post.'),
  '100/2207040': rejected(
    'The text mentions more than 20 accounts.',
    'Take some @ mentions out of the text and make a new post.',
  ),
  '100/2207089': FAULT,
  '100': rejected(
    'Instagram did not accept the settings of this post.',
    'Look at the details, change the post and try again.',
  ),
  '101': rejected(
    "Instagram does not know this server's app.",
    `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
  ),
  '102': TOKEN_DEAD,
  '190/458': account(false, "This server's app was removed from the account in Instagram's settings."),
  '190/459': LOG_IN_FIRST,
  '190/460': account(false, 'The password of this account was changed, which ended the access.'),
  // A refresh by another process may have replaced the token that this call still used.
  '190/463': account(true, 'The access to this account has expired.'),
  '190/464': LOG_IN_FIRST,
  '190/467': TOKEN_DEAD,
  '190/492': TOKEN_DEAD,
  '190': account(true, 'Instagram no longer accepts the access to this account.'),
  '341': stopping('app', SLOW_DOWN(HOUR_S)),
  '352/2207026': rejected('Instagram does not take this video format.', CONVERT),
  '352': rejected('Instagram does not take this video format.', CONVERT),
  '368': stopping(
    'account',
    throttled(
      DAY_S,
      true,
      'Instagram has blocked this account for a while, for breaking its rules.',
      'Open the Instagram app to see why. Reelay leaves the account alone for a day, then tries again by itself.',
    ),
  ),
  '506': rejected(
    'Instagram says that the same post was made before.',
    'Look at the account in the Instagram app before you send it again.',
  ),
  '613': stopping('account', SLOW_DOWN(15 * MINUTE_S, HOUR_S, 3 * HOUR_S)),
  '803': FAULT,
  '2500': FAULT,
  '2635': rejected(
    'Instagram has retired the version of its interface that Reelay uses.',
    `${OPERATOR} to update Reelay.`,
  ),
  '9004/2207052': rejected(
    'Instagram could not fetch the video from this server.',
    `${OPERATOR} to check that its address can be reached from outside, then retry.`,
    [5, 30, 300],
  ),
  '9004': rejected(
    'Instagram could not use the address of the video.',
    `${OPERATOR} to check that its address can be reached from outside.`,
    [5, 30, 300],
  ),
  '9007/2207027': NOT_READY,
  '9007': NOT_READY,
  '9009': rejected(
    'Instagram says that this account is not available.',
    'Log in to the Instagram app with this account and see what it asks.',
  ),
  '36000/2207004': COVER,
  '36001/2207005': COVER,
  '36003/2207009': COVER,
  '36004/2207010': rejected(
    'The text is too long for Instagram.',
    'Use at most 2200 characters and make a new post.',
  ),
  '80002': stopping('account', SLOW_DOWN(HOUR_S)),
}

/** Subcodes that come in a container's `status`, or with a code that we do not know. Seen, not documented. */
export const MEDIA_VERDICTS: Readonly<Record<string, Verdict>> = {
  '2207067': FAULT,
  '2207073': rejected('Instagram does not take this kind of media here.', BUG),
  '2207076': rejected('Instagram could not process the video.', CONVERT, [30]),
  '2207077': rejected(
    'Instagram could not download the video from this server.',
    `${OPERATOR} to check that its address can be reached from outside, then retry.`,
    [30, 300],
  ),
  '2207078': throttled(
    DAY_S,
    true,
    'This account has reached the number of trial reels that Instagram allows.',
    'Reelay tries again by itself in a day.',
  ),
  '2207081': rejected('This account cannot post trial reels.', 'Post it as a normal reel.'),
  '2207082': rejected(
    'Instagram could not take the video, most often because the file is too large or too slow to fetch.',
    'Export a smaller video and make a new post.',
    [60, 600],
  ),
  '2207085': rejected('Instagram could not process the video.', CONVERT, [60]),
}

/** Words that tell more than their code. They are English where they were seen; localised texts are never matched. */
const WORDS: readonly (readonly [RegExp, Verdict])[] = [
  // An upload of bytes, which does not exist with Instagram Login, is not even seen.
  [/the parameter video_url is required/i, FAULT],
  [
    /appsecret_proof/i,
    rejected(
      'The app at Meta asks for a proof that Reelay does not send.',
      `${OPERATOR} to switch "Require App Secret" off in the app's settings at Meta.`,
    ),
  ],
  [
    /cannot parse access token/i,
    account(
      false,
      'Instagram could not read the access to this account.',
      `${LINK_AGAIN} If it goes on, ${OPERATOR.toLowerCase()} to check the addresses of Instagram.`,
    ),
  ],
  [/session has been invalidated|REVOKED_ACCESS_TOKEN|session key is malformed/i, TOKEN_DEAD],
  [/till you log in|not a confirmed user/i, LOG_IN_FIRST],
  [
    /not an instagram business/i,
    account(
      false,
      'This account is no longer a professional account.',
      'Change it to a Business or Creator account in the Instagram app, then link it again.',
    ),
  ],
  [
    /missing ads_management/i,
    rejected(
      "This server's app lacks a permission at Meta.",
      `${OPERATOR} to check the permissions of the app at Meta.`,
    ),
  ],
  [
    /error validating application|client secret/i,
    rejected(
      "Instagram does not know this server's app.",
      `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
    ),
  ],
]

export type GraphError = {
  readonly code: number
  readonly subcode: number | null
  readonly message: string
  readonly transient: boolean
}

/** What Instagram's error means, or null when nobody knows. */
export function verdictOf(error: GraphError): Verdict | null {
  const { code, subcode } = error
  const worded = WORDS.find(([words]) => words.test(error.message))
  if (worded !== undefined) return worded[1]
  const exact = subcode === null ? undefined : GRAPH_VERDICTS[`${code}/${subcode}`]
  if (exact !== undefined) return exact
  const media = subcode === null ? undefined : mediaVerdict(String(subcode))
  if (media !== undefined) return media
  // 200 to 299 are permissions, each with a meaning of its own that no page lists.
  if (code >= 200 && code <= 299) return NO_PERMISSION
  const plain = GRAPH_VERDICTS[String(code)]
  // Throttling is marked as passing too, and says better what to do.
  return error.transient && plain?.kind !== 'throttled' && plain?.kind !== 'account'
    ? UNKNOWN
    : (plain ?? null)
}

/** The verdict on a bare 2207xxx: that of its documented code, one that was seen, or one new try. */
function mediaVerdict(subcode: string): Verdict | undefined {
  if (!/^2207\d{3}$/.test(subcode)) return undefined
  const documented = Object.entries(GRAPH_VERDICTS).find(([key]) => key.endsWith(`/${subcode}`))
  return MEDIA_VERDICTS[subcode] ?? documented?.[1] ?? UNKNOWN_MEDIA
}

const UNKNOWN_MEDIA = rejected(
  'Instagram could not use the video and gave a reason that Reelay does not know.',
  `Look at the details. ${CONVERT}`,
  [60],
)

/** A container that ended in ERROR: its `status` is a sentence with the subcode in it. */
export function containerFailure(status: string | null): Failure {
  const subcode = /\b2207\d{3}\b/.exec(status ?? '')?.[0] ?? null
  const verdict = (subcode === null ? undefined : mediaVerdict(subcode)) ?? UNKNOWN_MEDIA
  // A definite end of this container, whatever its code would mean as the answer to a call.
  const isEnd = verdict.kind === 'rejected' || (verdict.kind === 'throttled' && verdict.limit)
  return isEnd
    ? failureOf(subcode ?? 'container_error', verdict, status)
    : failureOf(subcode ?? 'container_error', UNKNOWN_MEDIA, status)
}

/** Messages of `api.instagram.com/oauth/access_token`, which has no codes worth the name. */
const LINK_WORDS: readonly (readonly [RegExp, string, Verdict])[] = [
  [
    /was not found or was already used|has been used|code has expired|code.*expired/i,
    'code_used',
    rejected('This link attempt was used already or took too long.', 'Link the account again.'),
  ],
  [
    /redirect_uri/i,
    'invalid_redirect_uri',
    rejected(
      "Instagram does not know this server's redirect address.",
      `${OPERATOR} to enter it in the app at Meta exactly as Help shows it under Going live.`,
    ),
  ],
  [
    /insufficient developer role/i,
    'insufficient_developer_role',
    rejected(
      'The app at Meta is in development, and this account has no part in it.',
      `${OPERATOR} to add the account as an Instagram tester; then accept the invitation on instagram.com.`,
    ),
  ],
  [
    /invalid platform app|client secret|client_id/i,
    'invalid_platform_app',
    rejected(
      "Instagram does not know this server's app.",
      `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
    ),
  ],
]

const LINK_REFUSED = rejected('Instagram refused to link the account.', 'Link the account again.')

export function linkVerdict(message: string): { readonly code: string; readonly verdict: Verdict } {
  const found = LINK_WORDS.find(([words]) => words.test(message))
  return found === undefined
    ? { code: 'link_refused', verdict: LINK_REFUSED }
    : { code: found[1], verdict: found[2] }
}

/** What we find ourselves, while an account is linked and while a post goes out. */
const OWN_LINK_VERDICTS = {
  personal_account: rejected(
    'This is a personal account, for which Instagram does not let anybody post.',
    'Change it to a Business or Creator account in the Instagram app, then link it again.',
  ),
} as const satisfies Record<string, Verdict>
const OWN_POST_VERDICTS = {
  options: rejected('The choices of this post cannot be read.', 'Make the post again.'),
  session: rejected('The state of this post cannot be read.', AGAIN, [1]),
  account_id: rejected('The id of this account cannot be read.', LINK_AGAIN),
  container_expired: rejected('The post waited too long at Instagram and expired there.', AGAIN, [5, 60]),
  container_slow: rejected(
    'Instagram did not finish its work on the video within an hour.',
    AGAIN,
    [60, 600],
  ),
  container_unreadable: unreachable('Instagram cannot say at the moment whether it has the video.'),
  container_open: unreachable('Instagram cannot say at the moment what became of the post.'),
} as const satisfies Record<string, Verdict>
const OWN_VERDICTS = { ...OWN_LINK_VERDICTS, ...OWN_POST_VERDICTS }

export const ownFailure = (code: keyof typeof OWN_VERDICTS, detail: string | null = null): Failure =>
  failureOf(code, OWN_VERDICTS[code], detail)

/** Every line of these tables. What is told by words alone comes with many codes, and here with none. */
export const KNOWN: readonly Known[] = [
  ...known('publishing', GRAPH_VERDICTS),
  ...known('publishing', {
    '200-299': NO_PERMISSION,
    http_500: UNKNOWN,
    http_502: UNKNOWN,
    http_503: UNKNOWN,
  }),
  ...known('publishing', MEDIA_VERDICTS),
  ...known('publishing', { '2207xxx': UNKNOWN_MEDIA, container_error: UNKNOWN_MEDIA }),
  ...WORDS.flatMap(([, verdict]) => known('publishing', { '': verdict })),
  ...LINK_WORDS.flatMap(([, code, verdict]) => known('linking', { [code]: verdict })),
  ...known('linking', { link_refused: LINK_REFUSED, ...OWN_LINK_VERDICTS }),
  ...known('publishing', OWN_POST_VERDICTS),
  ...knownAnywhere('Instagram'),
]
