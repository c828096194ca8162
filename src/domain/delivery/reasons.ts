import type { Pausable, Reason as WordedReason } from '#contract/deliveries.ts'
import { WAITING } from './waiting.ts'

/** Stored in the place of a reason's words, so that a corrected text also reaches older records. */
export type TextRef = {
  readonly name: string
  readonly params?: readonly TextParam[]
  /** The remedy that stands in the place of the text's own. */
  readonly remedy?: 'repeated' | 'asked'
}
type TextParam = string | number | null | TextRef

/** `meanwhile`: the remedy while it is tried again by itself, where more than that is to be said. */
export type Words = Pick<WordedReason, 'message' | 'remedy' | 'needs_change'> & {
  readonly meanwhile?: string
}

/** Why a delivery waits or failed. `text` is stored in the place of the words; records of earlier versions have the words alone. */
export type Reason = WordedReason & Words & { readonly text?: TextRef }
type Text = Pick<Reason, 'code'> & Words

/** Names of texts are stored: a text that is renamed is no longer found. */
export const nameTexts = <K extends string>(
  prefix: string,
  texts: { readonly [key in K]: Text },
): { readonly [key in K]: Reason & { readonly text: TextRef } } =>
  Object.fromEntries(
    Object.entries<Text>(texts).map(([key, text]) => [
      key,
      { ...text, detail: null, text: { name: `${prefix}${key}` } },
    ]),
  ) as ReturnType<typeof nameTexts<K>> // the same keys

/** Replaces a failure's own remedy while the post is tried again by itself. */
export const REPEATED = 'Reelay tries again automatically.'

/** A platform's answers to the question whether an unconfirmed post is live. */
export const ANSWERS = nameTexts('answer.', {
  pending: { code: 'pending', message: 'It could not say yet whether the post is live.', remedy: '' },
  working: { code: 'working', message: 'It is still processing the post.', remedy: '' },
  uncommitted: { code: 'uncommitted', message: 'It has not published anything so far.', remedy: '' },
})

/** Reasons that are ours; a platform's are in its `failures.ts`. */
export const REASONS = nameTexts('', {
  interrupted: {
    code: 'interrupted',
    message: 'The server stopped while the post was going out, so it may be live.',
    remedy: 'Reelay is checking with the platform and will not send it twice.',
  },
  tooLong: {
    code: 'processing_too_long',
    message: 'The platform received the post a day ago and has not said whether it is live.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
  },
  accountErased: {
    code: 'account_erased',
    message: 'The owner of this account had its data deleted, so Reelay can no longer post to it.',
    remedy: 'To post there again, link the account again and make a new post.',
  },
  cannotBeAsked: {
    code: 'account_erased_open',
    message:
      'The data of this account was deleted while the post was going out, so Reelay cannot check whether it is live.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
  },
  missed: {
    code: 'missed',
    message: 'This post was due while Reelay was not posting, so it did not go out.',
    remedy: 'Publish it now, or choose another time.',
  },
  missedAfterLimit: {
    code: 'missed_after_limit',
    message:
      'This post had to wait for a limit, which ended while Reelay was not posting, so it did not go out.',
    remedy: 'Publish it now, or choose another time.',
  },
  missedWhilePaused: {
    code: 'missed_while_paused',
    message: 'This post was due while posting was paused, so it did not go out.',
    remedy: 'Publish it now, or choose another time.',
  },
  userDisabled: {
    code: WAITING.userDisabled,
    message: 'Nothing goes out for this user: the person who runs this server has disabled them.',
    remedy: 'It goes out, or is held for its user, once they are enabled again.',
  },
  restored: {
    code: 'restored',
    message:
      'This server was restored from a backup or copied, so this post may have gone out without this copy knowing.',
    remedy: 'Look at the account first. If the post is there, say so here. If not, publish it now.',
  },
  restoredPlanned: {
    code: 'restored_planned',
    message:
      'This server was restored from a backup or copied, so this scheduled post waits: it could go out twice.',
    remedy:
      'Resume scheduled posts, unless another copy of this server posts them or they have been published since.',
  },
  restoredOpen: {
    code: 'restored_open',
    message:
      'This server was restored from a backup or copied while the post was going out, so it may be live.',
    remedy: 'Reelay is checking with the platform and will not send it twice.',
  },
  openingLost: {
    code: 'opening_unanswered',
    message: 'Reelay tried to start the upload more than once, and the platform gave no usable answer.',
    remedy:
      'Nothing was published. Retry later: the platform may count these attempts as unfinished posts for a day.',
  },
  neverReady: {
    code: 'never_ready',
    message: 'The platform received the video but never became ready to publish it.',
    remedy: 'Nothing was published. Retry to send it again.',
  },
  tooManyCommits: {
    code: 'commit_without_effect',
    message: 'Reelay asked the platform several times to publish, and it says that nothing was posted.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
  },
})

/** Reasons of an account that cannot be used. */
export const ACCESS_REASONS = nameTexts('access.', {
  unlinked: {
    code: 'unlinked',
    message: 'This account is no longer linked.',
    remedy: 'Link the account again.',
  },
  notRenewed: {
    code: 'access_not_renewed',
    message: 'Reelay could not renew its access to this account.',
    remedy: 'Retry later. If it keeps happening, link the account again.',
  },
  platformOff: {
    code: 'platform_off',
    message: 'This platform is no longer set up on this server.',
    remedy: 'Ask the person who runs this server to set its keys again, then retry.',
    meanwhile:
      'Ask the person who runs this server to set its keys again. The post then goes out automatically.',
  },
})

export const PAUSED = { account: WAITING.accountPaused, app: WAITING.appPaused } as const

/** Texts with parameters. Their names and parameters are stored, so neither changes its meaning. */
const TEXTS = {
  paused: (what: Pausable): Text => ({
    code: WAITING.pausedByUser,
    message: `Posting is paused for this ${what}.`,
    remedy: 'It goes out once you resume it.',
  }),
  rateLimit: (rate: string): Text => ({
    code: WAITING.turn,
    message: `Waiting for its turn: ${rate}`,
    remedy: 'It goes out automatically, after the posts that were due before it.',
  }),
  quota: (platform: string, total: number | null): Text => ({
    code: WAITING.room,
    message:
      total === null
        ? `Waiting for ${platform} to say how many posts this account has left.`
        : `Waiting: ${platform} allows this account ${total} posts in 24 hours, and all of them are used or on their way.`,
    remedy: 'It goes out automatically as soon as there is room.',
  }),
  platformPaused: (of: keyof typeof PAUSED, cause: string): Text => ({
    code: PAUSED[of],
    message: `${of === 'account' ? 'Posting' : 'Posting from this server'} is paused. ${cause}`,
    remedy: 'It goes out automatically after the pause.',
  }),
  upload: (running: number): Text => ({
    code: WAITING.upload,
    message: `Waiting for other uploads: ${uploads(running)} running.`,
    remedy: 'It goes out automatically.',
  }),
  uplink: (running: number, inMinutes: number | null): Text => ({
    code: WAITING.upload,
    message: `Waiting for bandwidth: ${uploads(running)} running, and one more would slow them down too much to finish in time.${
      inMinutes === null
        ? ''
        : ` Should start in about ${inMinutes < 90 ? `${inMinutes} minutes` : `${inMinutes / 60} hours`}.`
    }`,
    remedy: 'It goes out automatically. Smaller videos go out sooner.',
  }),
  connectionTooSlow: (bytes: number, bytesPerS: number, lifeS: number): Text => ({
    code: 'line_too_slow',
    message: `This video is ${inMillions(bytes)} MB, and this server uploads at about ${inMillions(bytesPerS * 8)} Mbit/s, so it cannot arrive within the ${Math.round(lifeS / 60)} minutes that the platform allows.`,
    remedy: 'Use a smaller file or a faster connection, then try again.',
  }),
} as const

const uploads = (count: number): string => (count === 1 ? '1 upload is' : `${count} uploads are`)

const inMillions = (amount: number): string =>
  amount >= 10_000_000 ? String(Math.round(amount / 1_000_000)) : (amount / 1_000_000).toFixed(1)

type Texts = typeof TEXTS

const reasonWith =
  <N extends keyof Texts>(name: N) =>
  (...params: Parameters<Texts[N]>): Reason => ({
    ...(TEXTS[name] as (...with_: Parameters<Texts[N]>) => Text)(...params), // its own parameters
    detail: null,
    text: { name, params },
  })

/** A pause of its user keeps a delivery from going out, or an operator who has disabled the user. */
export type Stopped = Pausable | 'user'

const pausedByUser = reasonWith('paused')
export const pausedReason = (what: Stopped): Reason =>
  what === 'user' ? REASONS.userDisabled : pausedByUser(what)

export const connectionTooSlow = reasonWith('connectionTooSlow')

/** Nothing is wrong: a post that waits because a platform takes only so many. */
export const WAITS = {
  ...nameTexts('wait.', {
    spaced: {
      code: WAITING.late,
      message: 'Waiting: late posts to this account go out a minute apart.',
      remedy: 'It goes out automatically.',
    },
    uploadOfAccount: {
      code: WAITING.upload,
      message: 'Waiting for another upload to this account, which takes one video at a time.',
      remedy: 'It goes out automatically.',
    },
  }),
  rateLimit: reasonWith('rateLimit'),
  quota: reasonWith('quota'),
  upload: reasonWith('upload'),
  /** `inS`: when it is expected to begin; null: unknown. */
  uplink: (running: number, inS: number | null): Reason =>
    reasonWith('uplink')(running, inS === null ? null : roundWait(inS)),
  /** `cause`: what the platform answered to another post. */
  paused: (pause: NonNullable<Reason['pause']>, cause: Reason): Reason => ({
    ...reasonWith('platformPaused')(pause.of, cause.message),
    text: { name: 'platformPaused', params: [pause.of, cause.text ?? cause.message] },
    detail: cause.detail,
    pause,
  }),
} as const

/** Minutes in steps of five, then of sixty, so that it is not another text every second. */
function roundWait(seconds: number): number {
  const minutes = Math.max(5, Math.ceil(seconds / 300) * 5)
  return minutes < 90 ? minutes : Math.round(minutes / 60) * 60
}

/** The reason with the remedy for while it is tried again, or only asked about. */
export const withRemedy = (reason: Reason, which: OtherRemedy): Reason => ({
  ...reason,
  remedy: otherRemedy(reason, which),
  ...(reason.text && { text: { ...reason.text, remedy: which } }),
})

type OtherRemedy = NonNullable<TextRef['remedy']>

const otherRemedy = ({ meanwhile = REPEATED }: Words, which: OtherRemedy): string =>
  which === 'repeated' ? meanwhile : REASONS.interrupted.remedy

const UNKNOWN_TEXT: Words = {
  message: 'Another version of Reelay recorded the reason, and this one cannot read it.',
  remedy: 'See the details.',
}

/** The words of a stored reason. `fixed`: the texts without parameters, by their names. */
export function formatReasonText(
  { name, params = [], remedy }: TextRef,
  fixed: ReadonlyMap<string, Words>,
): Pick<Words, 'message' | 'remedy' | 'needs_change'> {
  const words = Object.hasOwn(TEXTS, name)
    ? // As `reasonWith` has stored them.
      (TEXTS[name as keyof Texts] as (...with_: unknown[]) => Text)(
        ...params.map((one) => (typeof one === 'object' && one ? formatReasonText(one, fixed).message : one)),
      )
    : (fixed.get(name) ?? UNKNOWN_TEXT)
  return {
    message: words.message,
    remedy: remedy === undefined ? words.remedy : otherRemedy(words, remedy),
    ...(words.needs_change && { needs_change: true }),
  }
}
