import type { Reason } from '#contract/deliveries.ts'

/** What a platform's answer to a question about an open outcome comes to. */
export const ANSWERS = {
  pending: 'It could not say yet whether the post is live.',
  working: 'It is still processing the post.',
  uncommitted: 'It has not published anything so far.',
} as const

/** What a post says that is repeated by itself: its failure's own remedy is for when that is over. */
export const REPEATED = 'Reelay tries again automatically.'

/** Reasons that are ours; a platform's are in its `failures.ts`. */
export const REASONS = {
  interrupted: {
    code: 'interrupted',
    message: 'The server stopped while the post was going out, so it may be live.',
    remedy: 'Reelay is checking with the platform and will not send it twice.',
    detail: null,
  },
  tooLong: {
    code: 'processing_too_long',
    message: 'The platform received the post a day ago and has not said whether it is live.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
    detail: null,
  },
  accountErased: {
    code: 'account_erased',
    message: 'The owner of this account had its data deleted, so Reelay can no longer post to it.',
    remedy: 'To post there again, link the account again and make a new post.',
    detail: null,
  },
  cannotBeAsked: {
    code: 'account_erased_open',
    message:
      'The data of this account was deleted while the post was going out, so Reelay cannot check whether it is live.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
    detail: null,
  },
  missed: {
    code: 'missed',
    message: 'This was due at a time when Reelay was not posting, so it was not posted.',
    remedy: 'Publish it now, or choose another time.',
    detail: null,
  },
  missedAfterLimit: {
    code: 'missed_after_limit',
    message:
      'This had to wait for a limit, which ended at a time when Reelay was not posting, so it was not posted.',
    remedy: 'Publish it now, or choose another time.',
    detail: null,
  },
  missedWhilePaused: {
    code: 'missed_while_paused',
    message: 'This was due while posting was paused, so it was not posted.',
    remedy: 'Publish it now, or choose another time.',
    detail: null,
  },
  restored: {
    code: 'restored',
    message:
      "This server's data were restored or copied, and this post may have been posted while this copy did not know.",
    remedy: 'Look at the account first. If the post is there, say so here. If not, publish it now.',
    detail: null,
  },
  restoredPlanned: {
    code: 'restored_planned',
    message:
      "This server's data were restored or copied. This planned post waits, so that it does not go out twice.",
    remedy:
      'Resume planned posts, unless another copy of this server posts them or they were published since.',
    detail: null,
  },
  restoredOpen: {
    code: 'restored_open',
    message: "This server's data were restored or copied while the post was going out, so it may be live.",
    remedy: 'Reelay is checking with the platform and will not send it twice.',
    detail: null,
  },
  openingLost: {
    code: 'opening_unanswered',
    message: 'Reelay tried to start the upload more than once, and the platform gave no usable answer.',
    remedy:
      'Nothing was published. Retry later: the platform may count these attempts as unfinished posts for a day.',
    detail: null,
  },
  neverReady: {
    code: 'never_ready',
    message: 'The platform received the video but never became ready to publish it.',
    remedy: 'Nothing was published. Retry to send it again.',
    detail: null,
  },
  tooManyCommits: {
    code: 'commit_without_effect',
    message: 'Reelay asked the platform several times to publish, and it says that nothing was posted.',
    remedy: 'Check whether it is live on the platform, then tell us here.',
    detail: null,
  },
} as const satisfies Record<string, Reason>

export const PAUSED = { account: 'account_paused', app: 'app_paused' } as const

/** What a user can pause. */
export type Pausable = 'account' | 'brand' | 'queue'

const PAUSED_BY_USER = 'paused'

export const pausedReason = (what: Pausable): Reason => ({
  code: PAUSED_BY_USER,
  message: `Posting is paused for this ${what}.`,
  remedy: 'It goes out once you resume it.',
  detail: null,
})

/** Nothing is wrong: a post that waits because a platform takes only so many. */
export const WAITS = {
  rateLimit: (rate: string): Reason => ({
    code: 'waiting_for_turn',
    message: `Waiting for its turn: ${rate}`,
    remedy: 'It goes out automatically, after the posts that were due before it.',
    detail: null,
  }),
  quota: (platform: string, total: number | null): Reason => ({
    code: 'waiting_for_room',
    message:
      total === null
        ? `Waiting for ${platform} to say how many posts this account has left.`
        : `Waiting: ${platform} allows this account ${total} posts in 24 hours, and all of them are used or on their way.`,
    remedy: 'It goes out automatically as soon as there is room.',
    detail: null,
  }),
  /** `cause`: what the platform answered to another post. */
  paused: (pause: NonNullable<Reason['pause']>, cause: Reason): Reason => ({
    code: PAUSED[pause.of],
    message: `${pause.of === 'account' ? 'Posting' : 'Posting from this server'} is paused. ${cause.message}`,
    remedy: 'It goes out automatically after the pause.',
    detail: cause.detail,
    pause,
  }),
  spaced: {
    code: 'waiting_late',
    message: 'Waiting: late posts to this account go out a minute apart.',
    remedy: 'It goes out automatically.',
    detail: null,
  },
  upload: (running: number): Reason => ({
    code: 'waiting_for_upload',
    message: `Waiting for a free upload slot: ${uploads(running)} running.`,
    remedy: 'It goes out automatically.',
    detail: null,
  }),
  uploadOfAccount: {
    code: 'waiting_for_upload',
    message: 'Waiting for another upload to this account, which takes one video at a time.',
    remedy: 'It goes out automatically.',
    detail: null,
  },
  /** `inS`: when it is expected to begin; null: unknown. */
  uplink: (running: number, inS: number | null): Reason => ({
    code: 'waiting_for_upload',
    message: `Waiting for bandwidth: ${uploads(running)} running, and one more would make them too slow to finish in time.${
      inS === null ? '' : ` Should start in ${roughly(inS)}.`
    }`,
    remedy: 'It goes out automatically. Smaller videos go out sooner.',
    detail: null,
  }),
} as const

const uploads = (count: number): string => (count === 1 ? '1 upload is' : `${count} uploads are`)

/** In steps of five minutes, then of hours, so that it is not another text every second. */
function roughly(seconds: number): string {
  const minutes = Math.max(5, Math.ceil(seconds / 300) * 5)
  return minutes < 90 ? `about ${minutes} minutes` : `about ${Math.round(minutes / 60)} hours`
}

/** A video that cannot arrive while its upload address lives, as was tried. */
export const connectionTooSlow = (bytes: number, bytesPerS: number, lifeS: number): Reason => ({
  code: 'line_too_slow',
  message: `This video has ${inMillions(bytes)} MB and this server uploads at about ${inMillions(bytesPerS * 8)} Mbit/s, so it cannot arrive within the ${Math.round(lifeS / 60)} minutes that the platform allows.`,
  remedy: 'Use a smaller file or a faster connection, then try again.',
  detail: null,
})

const inMillions = (amount: number): string =>
  amount >= 10_000_000 ? String(Math.round(amount / 1_000_000)) : (amount / 1_000_000).toFixed(1)

/** Whether a reason is one of those: then nobody has to do anything. */
export const isWaiting = ({ code }: Reason): boolean =>
  code === 'waiting_for_turn' ||
  code === 'waiting_for_room' ||
  code === 'waiting_for_upload' ||
  code === WAITS.spaced.code ||
  code === PAUSED_BY_USER ||
  code === PAUSED.account ||
  code === PAUSED.app
