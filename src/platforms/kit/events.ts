import type { DeliveryEvent, Session } from '#domain/delivery/state.ts'
import type { Result } from '#domain/delivery/failure.ts'
import type { CheckOutcome, CommitOutcome, SendOutcome } from './platform.ts'

export const eventOfOpen = (opened: Result<Session>): DeliveryEvent =>
  opened.ok
    ? { type: 'opened', session: opened.value }
    : { type: 'setback', failure: opened.failure, session: null }

export function eventOfSend(outcome: SendOutcome): DeliveryEvent {
  switch (outcome.kind) {
    case 'ready':
      return { type: 'ready', session: outcome.session }
    case 'wait':
      return { type: 'progress', session: outcome.session, sent: outcome.sent, waitS: outcome.afterS }
    case 'setback':
      return { type: 'setback', failure: outcome.failure, session: outcome.session }
  }
}

export function eventOfCommit(outcome: CommitOutcome): DeliveryEvent {
  switch (outcome.kind) {
    case 'accepted':
      return { type: 'accepted', session: outcome.session }
    case 'live':
      return { type: 'live', postId: outcome.postId, url: outcome.url }
    case 'not_ready':
      return {
        type: 'not_ready',
        session: outcome.session,
        reason: outcome.failure.reason,
        renewed: false,
      }
    case 'refused':
      return { type: 'refused', failure: outcome.failure, session: outcome.session }
    case 'unsent':
      return { type: 'unsent', failure: outcome.failure }
    case 'unanswered':
      return { type: 'unanswered', failure: outcome.failure, session: outcome.session ?? null }
  }
}

export function eventOfCheck(outcome: CheckOutcome): DeliveryEvent {
  switch (outcome.kind) {
    case 'live':
      return { type: 'live', postId: outcome.postId, url: outcome.url }
    case 'in_inbox':
    case 'accepted':
    case 'pending':
    case 'uncommitted':
      return { type: outcome.kind, session: outcome.session }
    case 'rejected':
    case 'unreadable':
      return { type: outcome.kind, failure: outcome.failure }
  }
}
