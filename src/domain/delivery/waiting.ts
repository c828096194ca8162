import type { Reason } from '#contract/deliveries.ts'

/** Codes of reasons with which nothing is wrong: the delivery goes out by itself, or once its user resumes it. */
export const WAITING = {
  turn: 'waiting_for_turn',
  room: 'waiting_for_room',
  upload: 'waiting_for_upload',
  late: 'waiting_late',
  pausedByUser: 'paused',
  userDisabled: 'user_disabled',
  accountPaused: 'account_paused',
  appPaused: 'app_paused',
} as const

/** Nobody has to do anything. The web app asks this too, so it stands apart from the texts. */
export const isWaiting = ({ code }: Pick<Reason, 'code'>): boolean =>
  Object.values<string>(WAITING).includes(code)
