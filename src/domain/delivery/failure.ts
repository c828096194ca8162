import type { Reason } from './reasons.ts'

/**
 * A failed call to a platform, as a value. The kind decides what happens next; users read the reason once nothing happens by
 * itself any more. One table per platform maps its codes to these.
 */
export type Failure =
  /** The platform's definite no. `againInS`: waits before automatic new attempts, if it documents that one may succeed. */
  | {
      readonly kind: 'rejected'
      readonly reason: Reason
      readonly againInS?: readonly number[]
      readonly stops?: Stopped
    }
  /**
   * Not executed; may be repeated after `retryAfterS`, and when that was too soon, after each of `laterS`. `limit`: an
   * allowance of the account is used up, which the user should know.
   */
  | {
      readonly kind: 'throttled'
      readonly reason: Reason
      readonly retryAfterS: number
      readonly laterS?: readonly number[]
      readonly limit: boolean
      readonly stops?: Stopped
    }
  /** No answer, or none of the platform's own: whether the call was executed is unknown. */
  | {
      readonly kind: 'unreachable'
      readonly reason: Reason
      /** `false`: the call never reached the platform. */
      readonly maybeExecuted?: boolean
      readonly mayHaveOpened?: boolean
      readonly openAgainMost?: number
    }
  /** The platform no longer accepts our access. `expired`: a refresh may mend it; otherwise the user must link again. */
  | {
      readonly kind: 'account'
      readonly reason: Reason
      readonly expired: boolean
      /** Its data was deleted: it can never be linked again. */
      readonly gone?: boolean
    }
  /** An answer that we do not know. It is shown, never guessed at. */
  | {
      readonly kind: 'unexpected'
      readonly reason: Reason
      readonly status: number
      /** A session may have been opened that nobody knows and that counts against an allowance: not to be repeated often. */
      readonly mayHaveOpened?: boolean
      /** The most repeats, if fewer than usual. */
      readonly openAgainMost?: number
    }

/**
 * Whom a failure stops beyond the post that met it: every post to the account, or every post through this server's app. Where
 * it says nothing, the post alone. A throttled call that is no used-up allowance stops every call, and not only new posts.
 */
export type Stopped = 'account' | 'app'

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure }

/** The account's data was deleted: it can be neither asked nor posted to. */
export const isAccountGone = (failure: Failure): boolean =>
  failure.kind === 'account' && failure.gone === true

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const fail = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure,
})
