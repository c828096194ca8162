import type { BlockedCause, DeliveryAction, Reason } from '#contract/deliveries.ts'
import { REASONS } from './reasons.ts'
import type { DeliveryState, Failed, Settled } from './state.ts'
import { isWaiting } from './waiting.ts'

/** The part of a delivery's display that follows from its state alone. */
export type DeliveryView = {
  readonly reason: Reason | null
  readonly cause: BlockedCause | null
  readonly settled: Settled | null
  /** While it is unconfirmed. Times are epoch ms. */
  readonly open: {
    readonly since: number
    readonly checks: number
    readonly answer: { readonly at: number; readonly message: string } | null
  } | null
  readonly actions: readonly DeliveryAction[]
  readonly url: string | null
  /** Bytes that the platform has taken; null while there is nothing to tell, as where it fetches the video itself. */
  readonly sent: number | null
  /** While it is missed or held after a restore: when it was to go out; epoch ms. */
  readonly plannedAt: number | null
  /** Epoch ms. */
  readonly publishedAt: number | null
  /** While it is in the inbox of the account's owner; epoch ms. */
  readonly inInboxAt: number | null
}

export const EMPTY_VIEW: DeliveryView = {
  reason: null,
  cause: null,
  settled: null,
  open: null,
  actions: [],
  url: null,
  sent: null,
  plannedAt: null,
  publishedAt: null,
  inInboxAt: null,
}

export function view(state: DeliveryState): DeliveryView {
  switch (state.kind) {
    case 'scheduled':
      return { ...EMPTY_VIEW, reason: state.reason, actions: ['cancel'] }
    case 'preparing':
      return {
        ...EMPTY_VIEW,
        reason: state.reason,
        actions: state.commits === 0 ? ['cancel'] : [],
        sent: state.sent > 0 ? state.sent : null,
      }
    case 'committing':
    case 'cancelled':
      return EMPTY_VIEW
    case 'processing':
      return { ...EMPTY_VIEW, reason: state.reason }
    case 'published':
      return { ...EMPTY_VIEW, url: state.url, publishedAt: state.at }
    case 'in_inbox':
      return { ...EMPTY_VIEW, inInboxAt: state.at }
    case 'failed':
      return viewFailed(state)
    case 'blocked':
      return {
        ...EMPTY_VIEW,
        reason: state.reason,
        cause: state.cause,
        plannedAt: state.cause === 'missed' || state.cause === 'restored' ? state.dueAt : null,
        actions:
          state.reason.code === REASONS.restoredPlanned.code
            ? ['resume_planned', 'retry', 'cancel']
            : ACTIONS_WHILE_BLOCKED[state.cause],
      }
    case 'unconfirmed':
      return {
        ...EMPTY_VIEW,
        reason: state.reason,
        open: { since: state.since, checks: state.checks, answer: state.answer },
        actions: ['resolve_live', 'resolve_not_live'],
      }
  }
}

function viewFailed({ reason, settled }: Failed): DeliveryView {
  if (settled === null) return { ...EMPTY_VIEW, reason, actions: ['retry', 'dismiss'] }
  return {
    ...EMPTY_VIEW,
    settled,
    reason: { ...reason, remedy: SETTLED_TEXTS[settled.kind] },
    actions: settled.kind === 'dismissed' ? ['retry'] : [],
  }
}

/** Replaces the remedy of a settled failure. */
const SETTLED_TEXTS: Readonly<Record<Settled['kind'], string>> = {
  dismissed: 'It was dismissed, so there is nothing to do.',
  replaced: 'A newer post has replaced it, so there is nothing to do.',
}

const ACTIONS_WHILE_BLOCKED: Readonly<Record<BlockedCause, readonly DeliveryAction[]>> = {
  account: ['link_again', 'cancel'],
  limit: ['retry', 'cancel'],
  missed: ['retry', 'cancel'],
  // Resuming lets it go out.
  paused: ['cancel'],
  restored: ['resolve_live', 'retry', 'cancel'],
}

/** A line of the timeline. */
export function describe(state: DeliveryState): string {
  switch (state.kind) {
    case 'scheduled':
      return state.reason ? again(state.reason) : 'Waiting for its time.'
    case 'preparing':
      if (state.reason) return again(state.reason)
      return state.session ? 'Sending the video.' : 'Starting the upload.'
    case 'committing':
      return 'Publishing.'
    case 'processing':
      return 'The platform has the post and is processing it.'
    case 'published':
      if (state.url) return 'Live, and its link is known.'
      return state.afterAll ? 'It turned out to be live, so it was not sent again.' : 'Live.'
    case 'in_inbox':
      return "Sent to the account's inbox as a draft, to be posted from there."
    case 'failed':
      return state.settled === null ? state.reason.message : SETTLED_LINES[state.settled.kind]
    case 'blocked':
    case 'unconfirmed':
      return state.reason.message
    case 'cancelled':
      return 'Cancelled.'
  }
}

const SETTLED_LINES: Readonly<Record<Settled['kind'], string>> = {
  dismissed: 'Dismissed.',
  replaced: 'Replaced by a newer post.',
}

const again = (reason: Reason): string =>
  isWaiting(reason) ? reason.message : `${reason.message} Reelay tries again automatically.`
