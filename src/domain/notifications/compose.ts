import type { Reason } from '#contract/deliveries.ts'
import type { NotificationKind } from '#contract/notifications.ts'
import { WEBHOOK_RETRY_DAYS } from '#contract/limits.ts'
import { waitText } from '#contract/posts.ts'
import type { Blocked, DeliveryState } from '../delivery/state.ts'

export type Trouble = Exclude<NotificationKind, 'access_ending' | 'webhook_off'>
/** Trouble that every post to the account shares. */
type AccountTrouble = 'link_again' | 'limit'
type PostTrouble = Exclude<Trouble, AccountTrouble>

/** The trouble to notify the user of; null: none. */
export function findTrouble(state: DeliveryState): Trouble | null {
  switch (state.kind) {
    case 'failed':
      return state.settled === null ? state.kind : null
    case 'unconfirmed':
      return state.kind
    case 'blocked':
      return BY_CAUSE[state.cause]
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'published':
    case 'in_inbox':
    case 'cancelled':
      return null
  }
}

const BY_CAUSE: Readonly<Record<Blocked['cause'], Trouble | null>> = {
  account: 'link_again',
  limit: 'limit',
  missed: 'missed',
  restored: 'restored',
  // The user paused it.
  paused: null,
}

/** Trouble that may end by itself is not notified at once. */
export const mayHeal = (trouble: Trouble): boolean => trouble === 'unconfirmed' || trouble === 'limit'

/** Trouble of an account is said once for the account, not for each of its posts. */
export const concernsAccount = (kind: NotificationKind): kind is AccountTrouble | 'access_ending' =>
  kind === 'link_again' || kind === 'limit' || kind === 'access_ending'

export type TroubledDelivery = {
  readonly deliveryId: number
  readonly trouble: PostTrouble
  /** The account's name, as `@northwind`. */
  readonly account: string
  readonly platform: string
  readonly reason: Reason
  readonly attempt: number
  /** Epoch ms. */
  readonly goesOutAt: number | null
}

/** `facts` identify the cause, see `isNews`. */
export type NotificationContent = {
  readonly kind: NotificationKind
  readonly title: string
  readonly message: string
  readonly facts: readonly string[]
}

/**
 * A post is news with any new fact, such as another account that failed. An account is not while any fact remains: more
 * posts that wait for the same cause only change its words.
 */
export const isNews = ({ kind, facts }: NotificationContent, known: readonly string[]): boolean =>
  concernsAccount(kind)
    ? !facts.some((fact) => known.includes(fact))
    : !facts.every((fact) => known.includes(fact))

/** Most serious first: the title of a post with several troubles names the first one. */
const BY_WEIGHT = ['failed', 'unconfirmed', 'restored', 'missed'] as const satisfies PostTrouble[]

const HAPPENED: Readonly<Record<PostTrouble, string>> = {
  failed: 'Failed',
  unconfirmed: 'Not confirmed',
  restored: 'Held after a restore',
  missed: 'Missed its time',
}

/** Number of reasons quoted in full; the post's page has all of them. */
const REASONS_MAX = 3

/** One notification per post, however many of its accounts are in trouble. @param accounts how many the post goes to */
export function composeForPost(
  troubled: readonly TroubledDelivery[],
  accounts: number,
): NotificationContent | null {
  const kind = BY_WEIGHT.find((one) => troubled.some(({ trouble }) => trouble === one))
  if (kind === undefined) return null
  const worst = troubled.filter(({ trouble }) => trouble === kind)
  return {
    kind,
    title: `${HAPPENED[kind]} on ${countAccounts(worst, accounts)}`,
    message: listReasons(troubled),
    facts: troubled.map(toFact),
  }
}

/** Another attempt or time makes a new fact. */
const toFact = ({ deliveryId, trouble, attempt, goesOutAt }: TroubledDelivery): string =>
  [deliveryId, trouble, attempt, goesOutAt ?? ''].join(':')

function countAccounts(worst: readonly TroubledDelivery[], accounts: number): string {
  const [first] = worst
  return worst.length === 1 && first ? formatAccount(first) : `${worst.length} of ${accounts} accounts`
}

const formatAccount = ({ account, platform }: TroubledDelivery): string => `${account} (${platform})`

const toSentences = ({ message, remedy }: Reason): string => `${message} ${remedy}`.trim()

function listReasons(troubled: readonly TroubledDelivery[]): string {
  const sorted = BY_WEIGHT.flatMap((kind) => troubled.filter(({ trouble }) => trouble === kind))
  const groups = Map.groupBy(sorted, ({ reason }) => toSentences(reason))
  const [only] = groups.keys()
  if (groups.size === 1 && only !== undefined) return only
  const shown = [...groups]
    .slice(0, REASONS_MAX)
    .map(([text, of]) => `${of.map(formatAccount).join(', ')}: ${text}`)
  const left = groups.size - shown.length
  return [...shown, ...(left > 0 ? [`And ${left} more ${left === 1 ? 'reason' : 'reasons'}.`] : [])].join(
    '\n',
  )
}

type TroubledAccount =
  | {
      readonly kind: 'link_again'
      readonly reason: string
      readonly linkedAt: Date
      readonly waiting: number
    }
  | {
      readonly kind: 'limit'
      /** The posts that wait for it, or the first of them. */
      readonly deliveries: readonly Pick<TroubledDelivery, 'deliveryId' | 'goesOutAt' | 'reason'>[]
      readonly waiting: number
    }
  | { readonly kind: 'access_ending'; readonly endsAt: Date; readonly timeZone: string }

/** @param account its name */
export function composeForAccount(account: string, trouble: TroubledAccount): NotificationContent {
  switch (trouble.kind) {
    case 'link_again':
      return {
        kind: 'link_again',
        title: `${account} must be linked again${waitNote(trouble.waiting)}`,
        message: trouble.reason,
        facts: [`linked:${trouble.linkedAt.toISOString()}`],
      }
    case 'limit': {
      const { deliveries, waiting } = trouble
      const reasons = [...new Set(deliveries.map(({ reason }) => toSentences(reason)))]
      return {
        kind: 'limit',
        title: `${account} has reached a limit${waitNote(waiting)}`,
        message: reasons.slice(0, REASONS_MAX).join('\n'),
        facts: deliveries.map(({ deliveryId, goesOutAt }) => `limit:${deliveryId}:${goesOutAt ?? ''}`),
      }
    }
    case 'access_ending': {
      const { endsAt, timeZone } = trouble
      const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long' }).format(endsAt)
      return {
        kind: 'access_ending',
        title: `Link ${account} again by ${day}`,
        message: `Reelay's access to this account ends on ${day}, and posts after that have to wait. Link it again before then so that nothing is interrupted.`,
        facts: [`ends:${endsAt.toISOString()}`],
      }
    }
  }
}

/** @param offAt when it was switched off */
export function composeForWebhook(offAt: Date): NotificationContent {
  return {
    kind: 'webhook_off',
    title: 'This webhook was switched off',
    message: `Nothing was delivered for ${WEBHOOK_RETRY_DAYS} days. Once its address works, turn the webhook on again in the settings and send what it missed.`,
    facts: [`off:${offAt.toISOString()}`],
  }
}

const waitNote = (posts: number): string => (posts === 0 ? '' : ` · ${waitText(posts)}`)

/** The beginning of a post's text, on one line. */
export function toSubject(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const signs = Array.from(line)
  if (signs.length === 0) return 'A post without a caption'
  return signs.length > SUBJECT_CHARS ? `${signs.slice(0, SUBJECT_CHARS - 1).join('')}…` : line
}
const SUBJECT_CHARS = 80
