import type { Failure } from '#domain/delivery/failure.ts'
import { OPERATOR } from './rules.ts'

/** Reelay retries, refreshes access or waits for a quota automatically; the rest needs a person. */
export type NextAction = 'retry' | 'refresh or relink' | 'relink' | 'wait for quota' | 'user' | 'operator'

/** For tests that compare our failure tables with a platform's lists. `seconds`: the waits before each retry. */
export function nextActionAfter(failure: Failure): {
  action: NextAction | 'unknown'
  seconds: readonly number[]
} {
  switch (failure.kind) {
    case 'unreachable':
      return { action: 'retry', seconds: [] }
    case 'throttled':
      return {
        action: failure.limit ? 'wait for quota' : 'retry',
        seconds: [failure.retryAfterS, ...(failure.laterS ?? [])],
      }
    case 'account':
      return { action: failure.expired ? 'refresh or relink' : 'relink', seconds: [] }
    case 'rejected': {
      if (failure.againInS !== undefined) return { action: 'retry', seconds: failure.againInS }
      const forOperator = failure.reason.remedy.startsWith(OPERATOR)
      return { action: forOperator ? 'operator' : 'user', seconds: [] }
    }
    case 'unexpected':
      return { action: 'unknown', seconds: [] }
  }
}
