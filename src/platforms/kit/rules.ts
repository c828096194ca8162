import type { Stopped } from '#domain/delivery/failure.ts'
import type { FailureRule } from './failure-rule.ts'

export const LATER = 'Retry later.'
export const AGAIN = 'Retry to send it again.'
export const OPERATOR = 'Ask the person who runs this server'
export const LINK_AGAIN = 'Link the account again on the Accounts screen.'
export const BUG = `${OPERATOR} to report this as a bug in Reelay.`

export const rejected = (message: string, remedy: string, againInS?: readonly number[]): FailureRule =>
  againInS === undefined
    ? { kind: 'rejected', message, remedy }
    : { kind: 'rejected', message, remedy, againInS }

/** The text, the settings or the file is refused: sent again as it is, it is refused again. */
export const contentRefused = (
  message: string,
  remedy: string,
  againInS?: readonly number[],
): FailureRule => ({
  ...rejected(message, remedy, againInS),
  needs_change: true,
})

export const throttled = (
  retryAfterS: number,
  limit: boolean,
  message: string,
  remedy = LATER,
): FailureRule => ({ kind: 'throttled', retryAfterS, limit, message, remedy })

export const account = (expired: boolean, message: string, remedy = LINK_AGAIN): FailureRule => ({
  kind: 'account',
  expired,
  message,
  remedy,
})

export const unreachable = (message: string): FailureRule => ({ kind: 'unreachable', message, remedy: LATER })

export const stopping = (stops: Stopped, rule: FailureRule): FailureRule =>
  rule.kind === 'throttled' || rule.kind === 'rejected' ? { ...rule, stops } : rule
