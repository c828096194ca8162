import type { Reason } from '#contract/deliveries.ts'

/** What a platform's answer to a question about an open outcome comes to. */
export const ANSWERS = {
  pending: 'It does not say yet what became of the post.',
  working: 'It is still at work on the post.',
  uncommitted: 'It says that nothing has come of it so far.',
} as const

/** What a post says that is repeated by itself: its failure's own remedy is for when that is over. */
export const REPEATED = 'Reelay tries again by itself.'

/** Reasons that are ours; a platform's are in its `failures.ts`. */
export const REASONS = {
  interrupted: {
    code: 'interrupted',
    message: 'The server stopped while the post was going out, so it may be live.',
    remedy: 'The platform is being asked. It will not be sent twice.',
    detail: null,
  },
  tooLong: {
    code: 'processing_too_long',
    message: 'The platform took the post a day ago and has not said what became of it.',
    remedy: 'Look on the platform whether it is there, then say so here.',
    detail: null,
  },
  accountErased: {
    code: 'account_erased',
    message: 'The data of this account was deleted at its owner’s request, and so was the access to it.',
    remedy: 'Nothing more goes out to it. To post there, link the account anew and make a new post.',
    detail: null,
  },
  cannotBeAsked: {
    code: 'account_erased_open',
    message:
      'The data of this account was deleted while the post was going out, so the platform can no longer be asked.',
    remedy: 'Look on the platform whether it is there, then say so here.',
    detail: null,
  },
  openingLost: {
    code: 'opening_unanswered',
    message: 'The platform was asked three times to open the upload, and no usable answer arrived.',
    remedy:
      'Nothing was published. Retry later: each of the three may count as an unfinished post for a day.',
    detail: null,
  },
  neverReady: {
    code: 'never_ready',
    message: 'The platform had the video, but kept answering that it is not ready to publish it.',
    remedy: 'Nothing was published. Retry sends it anew.',
    detail: null,
  },
  tooManyCommits: {
    code: 'commit_without_effect',
    message: 'The platform was asked several times to publish, and says that nothing came of it.',
    remedy: 'Look on the platform whether it is there, then say so here.',
    detail: null,
  },
} as const satisfies Record<string, Reason>

export const PAUSED = { account: 'account_paused', app: 'app_paused' } as const

/** Nothing is wrong: a post that waits because a platform takes only so many. */
export const WAITS = {
  rateLimit: (rate: string): Reason => ({
    code: 'waiting_for_turn',
    message: `Waiting for its turn: ${rate}`,
    remedy: 'It goes out by itself, after the posts that were due before it.',
    detail: null,
  }),
  quota: (platform: string, total: number | null): Reason => ({
    code: 'waiting_for_room',
    message:
      total === null
        ? `Waiting to hear from ${platform} how many posts this account has left.`
        : `Waiting for room: the ${total} posts that ${platform} allows this account within 24 hours are used or on their way.`,
    remedy: 'It goes out by itself as soon as there is room.',
    detail: null,
  }),
  /** `cause`: what the platform answered to another post. */
  paused: (pause: NonNullable<Reason['pause']>, cause: Reason): Reason => ({
    code: PAUSED[pause.of],
    message: `${pause.of === 'account' ? 'This account' : 'Posting from this server'} is paused: ${cause.message}`,
    remedy: 'It goes out by itself after the pause.',
    detail: cause.detail,
    pause,
  }),
  upload: (running: number): Reason => ({
    code: 'waiting_for_upload',
    message: `Waiting for a free upload slot: ${uploads(running)} running.`,
    remedy: 'It goes out by itself.',
    detail: null,
  }),
  uploadOfAccount: {
    code: 'waiting_for_upload',
    message: 'Waiting for the upload before it: an account gets one video at a time.',
    remedy: 'It goes out by itself.',
    detail: null,
  },
  /** `inS`: when it is expected to begin; null: unknown. */
  uplink: (running: number, inS: number | null): Reason => ({
    code: 'waiting_for_upload',
    message: `Waiting for the connection: ${uploads(running)} running, and with one more they would not end in time.${
      inS === null ? '' : ` Expected to begin in ${roughly(inS)}.`
    }`,
    remedy: 'It goes out by itself. Smaller videos go out sooner.',
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
  message: `This video has ${inMillions(bytes)} MB, and the connection of this server sends about ${inMillions(bytesPerS * 8)} Mbit/s: it does not arrive within the ${Math.round(lifeS / 60)} minutes that are given.`,
  remedy: 'Use a smaller file, or a faster connection, and try again.',
  detail: null,
})

const inMillions = (amount: number): string =>
  amount >= 10_000_000 ? String(Math.round(amount / 1_000_000)) : (amount / 1_000_000).toFixed(1)

/** Whether a reason is one of those: then nobody has to do anything. */
export const isWaiting = ({ code }: Reason): boolean =>
  code === 'waiting_for_turn' ||
  code === 'waiting_for_room' ||
  code === 'waiting_for_upload' ||
  code === PAUSED.account ||
  code === PAUSED.app
