import type { FollowUp } from '#contract/deliveries.ts'
import { isWaiting, REPEATED } from '../delivery/reasons.ts'
import { FOLLOW_UP_REASONS, UNCONFIRMED_REMEDY } from './reasons.ts'
import { type FollowUpState, needsAttentionSince } from './state.ts'

/** What a user sees of a follow-up. */
export function viewFollowUp(state: FollowUpState): Omit<FollowUp, 'kind'> {
  const seen = viewState(state)
  const needs_attention = needsAttentionSince(state) !== null
  return { ...seen, needs_attention, actions: needs_attention ? [...seen.actions, 'dismiss'] : seen.actions }
}

function viewState(state: FollowUpState): Omit<FollowUp, 'kind' | 'needs_attention'> {
  switch (state.kind) {
    case 'waiting':
      return { status: state.kind, ...waiting(state.reason), actions: [] }
    case 'commenting':
      return { status: state.kind, message: 'Adding the first comment.', remedy: null, actions: [] }
    case 'done':
      return { status: state.kind, message: 'First comment added.', remedy: null, actions: [] }
    case 'failed': {
      const { message, remedy } = state.reason
      return { status: state.kind, message, remedy, actions: ['retry'] }
    }
    case 'unconfirmed':
      return {
        status: state.kind,
        message: `It is not certain that the first comment is there. ${state.reason.message}`,
        remedy: state.asking ? UNCONFIRMED_REMEDY.asking : UNCONFIRMED_REMEDY.over,
        actions: state.asking ? [] : ['retry'],
      }
  }
}

function waiting(
  reason: Extract<FollowUpState, { kind: 'waiting' }>['reason'],
): Pick<FollowUp, 'message' | 'remedy'> {
  if (reason === null) return { message: 'The first comment is next.', remedy: null }
  if (reason.code === FOLLOW_UP_REASONS.postUnknown.code) {
    return { message: "The first comment waits for the post's id.", remedy: null }
  }
  return isWaiting(reason)
    ? { message: reason.message, remedy: null }
    : { message: reason.message, remedy: REPEATED }
}

/** A line of the timeline. */
export function describeFollowUp(state: FollowUpState): string {
  const { message, remedy } = viewFollowUp(state)
  switch (state.kind) {
    case 'waiting':
    case 'failed':
      return state.reason === null
        ? message
        : `First comment: ${message}${remedy === REPEATED ? ` ${remedy}` : ''}`
    case 'commenting':
    case 'done':
    case 'unconfirmed':
      return message
  }
}
