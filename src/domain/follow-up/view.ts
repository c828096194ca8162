import type { FollowUp } from '#contract/deliveries.ts'
import { type Reason, REPEATED } from '../delivery/reasons.ts'
import { isWaiting } from '../delivery/waiting.ts'
import type { AsAskedState } from './as-asked.ts'
import type { CommentState } from './comment-state.ts'
import { type FollowUpRecord, needsAttentionSince } from './follow-up.ts'
import type { LinkState } from './link.ts'
import { FOLLOW_UP_REASONS, UNCONFIRMED_REMEDY } from './reasons.ts'
import type { SettingState } from './setting.ts'

type FollowUpView = Omit<FollowUp, 'kind' | 'needs_attention'>

export function viewFollowUp(record: FollowUpRecord): FollowUp {
  const seen = viewRecord(record)
  const needs_attention = needsAttentionSince(record) !== null
  return {
    kind: record.kind,
    ...seen,
    needs_attention,
    actions: needs_attention ? [...seen.actions, 'dismiss'] : seen.actions,
  }
}

function viewRecord({ kind, state }: FollowUpRecord): FollowUpView {
  switch (kind) {
    case 'first_comment':
      return viewComment(state)
    case 'public_link':
      return viewLink(state)
    case 'comments_off':
      return viewSetting(state, COMMENTS_OFF)
    case 'cover':
      return viewSetting(state, COVER)
    case 'as_asked':
      return viewAsAsked(state)
  }
}

function viewComment(state: CommentState): FollowUpView {
  switch (state.kind) {
    case 'waiting':
      return { status: state.kind, ...waiting(state.reason), actions: [] }
    case 'commenting':
      return { status: state.kind, message: 'Adding the first comment.', remedy: null, actions: [] }
    case 'done':
      return { status: state.kind, message: 'First comment added.', remedy: null, actions: [] }
    case 'failed':
      return viewFailed(state)
    case 'unconfirmed':
      return {
        status: state.kind,
        message: `The first comment may not have been added. ${state.reason.message}`,
        remedy: state.asking ? UNCONFIRMED_REMEDY.asking : UNCONFIRMED_REMEDY.over,
        actions: state.asking ? [] : ['retry'],
      }
  }
}

const viewFailed = ({ reason: { message, remedy } }: { readonly reason: Reason }): FollowUpView => ({
  status: 'failed',
  message,
  remedy,
  actions: ['retry'],
})

function waiting(reason: Reason | null): Pick<FollowUpView, 'message' | 'remedy'> {
  if (reason === null) return { message: 'The first comment will be added next.', remedy: null }
  if (reason.code === FOLLOW_UP_REASONS.postUnknown.code) {
    return {
      message: 'The first comment will be added once the platform says which post it belongs to.',
      remedy: null,
    }
  }
  return isWaiting(reason)
    ? { message: reason.message, remedy: null }
    : { message: reason.message, remedy: REPEATED }
}

function viewLink(state: LinkState): FollowUpView {
  switch (state.kind) {
    case 'waiting':
      return {
        status: state.kind,
        message: 'The platform has not shared the link to the post yet.',
        remedy: 'Reelay keeps asking the platform for up to 30 days.',
        actions: [],
      }
    case 'done': {
      const message =
        state.url === null ? 'The platform has no link to this post.' : 'Link to the post found.'
      return { status: state.kind, message, remedy: null, actions: [] }
    }
    case 'failed':
      return viewFailed(state)
  }
}

type SettingWords = { readonly next: string; readonly notYet: string; readonly done: string }

const COMMENTS_OFF: SettingWords = {
  next: 'Comments will be turned off next.',
  notYet: 'Comments are still on.',
  done: 'Comments are off.',
}
const COVER: SettingWords = {
  next: 'The thumbnail will be set next.',
  notYet: 'The thumbnail is not set yet.',
  done: 'The thumbnail is set.',
}

function viewSetting(state: SettingState, { next, notYet, done }: SettingWords): FollowUpView {
  switch (state.kind) {
    case 'waiting':
      return state.reason === null
        ? { status: state.kind, message: next, remedy: null, actions: [] }
        : {
            status: state.kind,
            message: `${notYet} ${state.reason.message}`,
            remedy: isWaiting(state.reason) ? null : REPEATED,
            actions: [],
          }
    case 'done':
      return { status: state.kind, message: done, remedy: null, actions: [] }
    case 'failed':
      return viewFailed(state)
  }
}

function viewAsAsked(state: AsAskedState): FollowUpView {
  switch (state.kind) {
    case 'waiting':
      return {
        status: state.kind,
        message: 'Reelay looks now and then whether the post is as you asked.',
        remedy: null,
        actions: [],
      }
    case 'done': {
      const message = state.seen
        ? 'A week after it went live, the post is as you asked.'
        : 'Reelay could not look whether the post is as you asked.'
      return { status: state.kind, message, remedy: null, actions: [] }
    }
    case 'failed':
      return viewFailed(state)
  }
}

export function describeFollowUp(record: FollowUpRecord): string | null {
  const { message, remedy } = viewRecord(record)
  if (record.kind === 'public_link') {
    const { state } = record
    // Most links come with the first answer, so it needs no line.
    if (state.kind === 'waiting') return state.asks === 0 ? null : message
    return state.kind === 'done' && state.url === null ? null : message
  }
  // A post that is as asked needs no line.
  if (record.kind === 'as_asked') return record.state.kind === 'failed' ? message : null
  if (record.kind === 'comments_off' || record.kind === 'cover') return message
  const { state } = record
  switch (state.kind) {
    case 'waiting':
      if (state.reason === null) return message
      return `First comment: ${message}${remedy === null ? '' : ` ${remedy}`}`
    case 'failed':
      return `First comment: ${message}`
    case 'commenting':
    case 'done':
    case 'unconfirmed':
      return message
  }
}
