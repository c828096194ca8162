import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { FailureCourse, KnownFailure } from '#contract/help.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { counted } from '#web/lib/amounts.ts'

/** Failures with the same consequence. */
export type FailureGroup = {
  readonly title: string
  /** The status of a post with such a failure; null: it concerns no post. */
  readonly status: DeliveryStatus | null
  readonly says: string
  readonly courses: readonly FailureCourse[]
}

/** The most important for users first. */
export const FAILURE_GROUPS: readonly FailureGroup[] = [
  {
    title: 'You decide',
    status: 'failed',
    says: 'The post is not live, so Retry in the queue is safe. First do what the entry says, or it will fail again.',
    courses: ['needs_you'],
  },
  {
    title: 'The account must be linked again',
    status: 'blocked',
    says: 'The post is not live. It goes out automatically once the account is linked again.',
    courses: ['needs_link', 'renewed'],
  },
  {
    title: 'A limit was reached',
    status: 'blocked',
    says: 'The post is not live. It goes out automatically once the limit allows it; Retry in the queue tries sooner.',
    courses: ['waits'],
  },
  {
    title: 'Its time has passed',
    status: 'blocked',
    says: 'The post is not live, and nothing happens until you decide: publish it now, or choose another time in the queue.',
    courses: ['missed'],
  },
  {
    title: 'After a restore',
    status: 'blocked',
    says: "The server was restored from a backup or copied, so Reelay can't know what was posted since. Look at the account, then say in the queue that the post is live, or publish it.",
    courses: ['restored'],
  },
  {
    title: 'Reelay tries again automatically',
    status: 'scheduled',
    says: "The post is not live yet. There's nothing to do unless it ends as Failed.",
    courses: ['tries_again'],
  },
  {
    title: 'Reelay is still checking',
    status: 'unconfirmed',
    says: "The post may be live. Reelay keeps checking with the platform and won't send it twice. If you see the post there, say so in the queue.",
    courses: ['is_asked'],
  },
  {
    title: 'While linking an account',
    status: null,
    says: 'No account was linked. Nothing else changed.',
    courses: ['not_linked'],
  },
  {
    title: 'Before a video is sent',
    status: null,
    says: 'Upload shows it next to the file. Nothing was sent to a platform.',
    courses: ['not_taken', 'warned'],
  },
]

/** The failures whose texts, codes or platform names contain every word. */
export function search(failures: readonly KnownFailure[], words: string): KnownFailure[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return failures.filter((failure) => {
    const text = textOf(failure)
    return wanted.every((word) => text.includes(word))
  })
}

const textOf = ({ message, remedy, codes }: KnownFailure): string =>
  [message, remedy, ...codes.flatMap((of) => [PLATFORM_NAMES[of.platform], ...of.codes])]
    .join('\n')
    .toLowerCase()

export function namesCode({ codes }: KnownFailure, words: string): boolean {
  const wanted = words.trim().toLowerCase()
  return wanted !== '' && codes.some((of) => of.codes.some((code) => code.toLowerCase().includes(wanted)))
}

/** A failure's retries or other peculiarity within its group; null: none. */
export function courseNote({ course, waits_s, gives_up }: KnownFailure): string | null {
  switch (course) {
    case 'renewed':
      return 'Reelay first renews the access automatically. The post is held only if that fails.'
    case 'warned':
      return 'Only a warning: you can post the video as it is.'
    case 'waits':
      return `Tried again after ${waits_s.map(spelledOut).join(', ')}.`
    case 'tries_again':
      return triesNote(waits_s, gives_up)
    case 'not_taken':
    case 'not_linked':
    case 'needs_you':
    case 'needs_link':
    case 'missed':
    case 'restored':
    case 'is_asked':
      return null
  }
}

/** Up to this many retries are listed one by one. */
const LISTED_RETRIES_MAX = 3

function triesNote(waitsS: readonly number[], givesUp: boolean): string {
  if (!givesUp) return `Tried again every ${waitsS.map(spelledOut).join(', ')}, until it works.`
  if (waitsS.length <= LISTED_RETRIES_MAX)
    return `Tried again after ${waitsS.map(spelledOut).join(', then ')}. Then the post fails.`
  const whole = waitsS.reduce((sum, wait) => sum + wait, 0)
  return `Tried ${waitsS.length} more times within about ${spelledOut(whole)}. Then the post fails.`
}

/** Rounded: "65 seconds", "5 minutes", "24 hours". */
export function spelledOut(seconds: number): string {
  if (seconds < 120 && seconds % 60 !== 0) return counted(seconds, 'second')
  if (seconds < 3600) return counted(Math.round(seconds / 60), 'minute')
  return counted(Math.round(seconds / 3600), 'hour')
}
