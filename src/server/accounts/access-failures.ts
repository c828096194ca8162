import type { Failure } from '#domain/delivery/failure.ts'
import { ACCESS_REASONS, REASONS } from '#domain/delivery/reasons.ts'

/**
 * Explains a failure to a waiting user in one or two sentences. Remedies of temporary failures speak of posts, which wait
 * automatically; waiting a moment does not help against a daily limit.
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

/** The data was deleted at the owner's request. */
export const ACCOUNT_ERASED: Failure = {
  kind: 'account',
  expired: false,
  gone: true,
  reason: REASONS.accountErased,
}

/** Another call tried this refresh in vain, or takes longer than any platform does. */
export const NOT_RENEWED: Failure = { kind: 'unreachable', reason: ACCESS_REASONS.notRenewed }
