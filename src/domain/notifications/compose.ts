import type { Reason } from '#contract/deliveries.ts'
import type { NotificationKind } from '#contract/notifications.ts'
import type { Blocked, DeliveryState } from '../delivery/state.ts'

export type Trouble = Exclude<NotificationKind, 'access_ending'>

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

export type TroubledDelivery = {
  readonly deliveryId: number
  readonly trouble: Trouble
  /** The account's name, as `@northwind`. */
  readonly account: string
  readonly platform: string
  readonly reason: Reason
  readonly attempt: number
  /** Epoch ms. */
  readonly goesOutAt: number | null
}

/** `facts` identify the cause: only a new fact notifies the user again. */
export type NotificationContent = {
  readonly kind: NotificationKind
  readonly title: string
  readonly message: string
  readonly facts: readonly string[]
}

/** Most serious first: the title of a post with several troubles names the first one. */
const BY_WEIGHT = [
  'failed',
  'unconfirmed',
  'restored',
  'missed',
  'link_again',
  'limit',
] as const satisfies Trouble[]

const HAPPENED: Readonly<Record<Trouble, string>> = {
  failed: 'Failed',
  unconfirmed: 'Not confirmed',
  restored: 'Held after a restore',
  missed: 'Missed its time',
  link_again: 'Waits to be linked again',
  limit: 'Held by a limit',
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

function listReasons(troubled: readonly TroubledDelivery[]): string {
  const sorted = BY_WEIGHT.flatMap((kind) => troubled.filter(({ trouble }) => trouble === kind))
  const groups = Map.groupBy(sorted, ({ reason }) => `${reason.message} ${reason.remedy}`.trim())
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

type AccountTrouble =
  | {
      readonly kind: 'link_again'
      readonly reason: string
      readonly linkedAt: Date
      readonly waiting: number
    }
  | { readonly kind: 'access_ending'; readonly endsAt: Date; readonly timeZone: string }

/** @param account its name */
export function composeForAccount(account: string, trouble: AccountTrouble): NotificationContent {
  switch (trouble.kind) {
    case 'link_again':
      return {
        kind: 'link_again',
        title: `Link ${account} again`,
        message: `${trouble.reason} ${waitingText(trouble.waiting)}`.trim(),
        facts: [`linked:${trouble.linkedAt.toISOString()}`],
      }
    case 'access_ending': {
      const { endsAt, timeZone } = trouble
      const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long' }).format(endsAt)
      return {
        kind: 'access_ending',
        title: `Link ${account} again by ${day}`,
        message: `Reelay's access to this account ends on ${day}, and posts after that are held. Link it again before then so that nothing is interrupted.`,
        facts: [`ends:${endsAt.toISOString()}`],
      }
    }
  }
}

function waitingText(posts: number): string {
  if (posts === 0) return ''
  return posts === 1 ? 'One post is waiting for it.' : `${posts} posts are waiting for it.`
}

/** The beginning of a post's text, on one line. */
export function toSubject(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const signs = Array.from(line)
  if (signs.length === 0) return 'A post without text'
  return signs.length > SUBJECT_CHARS ? `${signs.slice(0, SUBJECT_CHARS - 1).join('')}…` : line
}
const SUBJECT_CHARS = 80
