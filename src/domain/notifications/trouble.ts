import type { NotificationKind } from '#contract/notifications.ts'
import type { Blocked, DeliveryState } from '../delivery/state.ts'

export type Trouble = Exclude<NotificationKind, 'access_ending'>

/** What a delivery's user is notified of; null: nothing. */
export function troubleOf(state: DeliveryState): Trouble | null {
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
  // Its user did this.
  paused: null,
}
