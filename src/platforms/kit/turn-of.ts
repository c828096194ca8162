import type { Failure } from '#domain/delivery/failure.ts'

/** `us`: Reelay goes on by itself, after these seconds; `day`: it waits for an allowance; the rest needs somebody. */
export type Turn = 'us' | 'us, then link' | 'link' | 'user' | 'operator' | 'day'

/** Whose turn it is after a failure, for the tests that hold the tables of failures against a platform's own lists. */
export function turnOf(failure: Failure): { turn: Turn | 'nobody knows'; seconds: readonly number[] } {
  switch (failure.kind) {
    case 'unreachable':
      return { turn: 'us', seconds: [] }
    case 'throttled':
      return {
        turn: failure.limit ? 'day' : 'us',
        seconds: [failure.retryAfterS, ...(failure.laterS ?? [])],
      }
    case 'account':
      return { turn: failure.expired ? 'us, then link' : 'link', seconds: [] }
    case 'rejected': {
      if (failure.againInS !== undefined) return { turn: 'us', seconds: failure.againInS }
      const forOperator = failure.reason.remedy.startsWith('Ask who runs this server')
      return { turn: forOperator ? 'operator' : 'user', seconds: [] }
    }
    case 'unexpected':
      return { turn: 'nobody knows', seconds: [] }
  }
}
