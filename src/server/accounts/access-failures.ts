import type { Failure } from '#domain/delivery/failure.ts'
import { ACCESS_REASONS, REASONS } from '#domain/delivery/reasons.ts'

/**
 * A failure of a call that a user waits for, in a sentence or two. Remedies of passing faults speak of posts, which wait by
 * themselves; a moment does not help against a daily limit.
 */
export function explain(failure: Failure): string {
  const { message, remedy } = failure.reason
  switch (failure.kind) {
    case 'rejected':
    case 'account':
      return `${message} ${remedy}`
    case 'throttled':
      return failure.limit ? message : `${message} ${SOON}`
    case 'unreachable':
    case 'unexpected':
      return `${message} ${SOON}`
  }
}

const SOON = 'Try again in a moment.'

export const relinkFailure = (message: string): Failure => ({
  kind: 'account',
  expired: false,
  reason: { code: 'relink', message, remedy: 'Link the account again.', detail: null },
})

export const UNLINKED: Failure = { kind: 'account', expired: false, reason: ACCESS_REASONS.unlinked }

/** Its data was deleted at its owner's request. */
export const ERASED: Failure = { kind: 'account', expired: false, gone: true, reason: REASONS.accountErased }

/** Another call tried in vain for this one, too, or has been at it for longer than any platform takes. */
export const NOT_RENEWED: Failure = { kind: 'unreachable', reason: ACCESS_REASONS.notRenewed }
