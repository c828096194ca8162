import type { Reason } from '#contract/deliveries.ts'
import {
  FIRST_CHECKS_S,
  PROCESSING_MAX_S,
  waitAfterLostOpening,
  waitAfterUnexpected,
  waitAfterUnreachable,
  waitBeforeCheck,
  waitBeforeCommitAgain,
  waitBeforeLastLook,
  waitBeforeLocate,
  waitWhileNotReady,
} from './backoff.ts'
import type { Failure } from './failure.ts'
import type {
  Attempted,
  Blocked,
  Committing,
  DeliveryEvent,
  DeliveryState,
  Failed,
  Preparing,
  Processing,
  Published,
  Scheduled,
  Session,
  Unconfirmed,
} from './state.ts'
import { ANSWERS, REASONS, REPEATED } from './reasons.ts'

/** `wakeAt` (epoch ms): when somebody must look at it next; null: nobody needs to. */
export type Step =
  | { readonly to: DeliveryState; readonly wakeAt: number | null }
  | { readonly refused: string }

/** Fresh starts that happen without the user: enough for a bad day, not enough to annoy a platform. */
const MAX_REPEATS = 5
/** Between a session that cannot go on and the next question about it. */
const UNCONFIRMED_AGAIN_S = 60
/** How soon to try for one's turn again while another post of the account is at its irreversible call. */
const CROWDED_S = 3

/**
 * The one place that moves a delivery. Pure: the same state, event and time give the same answer. An event that does
 * not fit the state is refused, and changes nothing.
 *
 * No way leads from `committing` or `unconfirmed` to a new session unless the platform itself said that nothing was or
 * will be published (`refused`, `rejected`), or the user did (`resolve`).
 */
export function step(
  state: DeliveryState,
  event: DeliveryEvent,
  now: number,
  firstChecksS: readonly number[] = FIRST_CHECKS_S,
): Step {
  switch (event.type) {
    case 'due':
      return onDue(state, now)
    case 'postponed':
      return onPostponed(state, event)
    case 'opened':
    case 'progress':
    case 'setback':
    case 'ready':
    case 'crowded':
      return state.kind === 'preparing' ? whilePreparing(state, event, now) : misfit(state, event)
    case 'accepted':
    case 'live':
    case 'not_ready':
    case 'refused':
    case 'unanswered':
    case 'unsent':
    case 'interrupted':
    case 'pending':
    case 'uncommitted':
    case 'rejected':
    case 'unreadable':
      return onPlatformWord(state, event, now, firstChecksS)
    case 'located':
      return state.kind === 'published' ? onLocated(state, event, now) : misfit(state, event)
    case 'relink':
      return onRelink(state, event.reason, now)
    case 'erased':
      return onErased(state, now)
    case 'cancel':
    case 'retry':
    case 'resolve':
    case 'linked_again':
      return onUser(state, event, now)
  }
}

type Of<T extends DeliveryEvent['type']> = Extract<DeliveryEvent, { type: T }>

function onDue(state: DeliveryState, now: number): Step {
  if (state.kind === 'scheduled') {
    return go(
      {
        kind: 'preparing',
        attempt: state.attempt,
        repeats: state.repeats,
        session: null,
        sent: 0,
        tries: 0,
        lostOpenings: 0,
        commits: 0,
        notReady: 0,
        renewed: false,
        reason: null,
      },
      now,
    )
  }
  if (state.kind === 'blocked' && state.cause === 'limit') {
    return go({ ...again(state, now), repeats: state.repeats }, now)
  }
  return { refused: `nothing is due in "${state.kind}"` }
}

/** Where the user has been told of something weightier than a wait, that stays. */
function onPostponed(state: DeliveryState, event: Of<'postponed'>): Step {
  switch (state.kind) {
    case 'scheduled':
    case 'preparing':
      return go({ ...state, reason: event.reason }, event.until)
    case 'processing':
    case 'unconfirmed':
    case 'published':
      return go(state, event.until)
    case 'committing':
    case 'failed':
    case 'blocked':
    case 'cancelled':
      return misfit(state, event)
  }
}

function whilePreparing(
  state: Preparing,
  event: Of<'opened' | 'progress' | 'setback' | 'ready' | 'crowded'>,
  now: number,
): Step {
  switch (event.type) {
    case 'opened':
      // Never in the place of another.
      if (state.session !== null) return misfit(state, event)
      return go({ ...state, session: event.session, sent: 0, lostOpenings: 0, reason: null }, now)
    case 'progress':
      if (state.session === null) return misfit(state, event)
      return go(
        { ...state, session: event.session, sent: event.sent, tries: 0, reason: null },
        now + event.waitS * 1000,
      )
    case 'setback':
      return state.commits === 0
        ? afterFailure(state, event.failure, event.session, now)
        : whileContested(state, event.failure, event.session ?? state.session, now)
    case 'crowded':
      return go(state, now + CROWDED_S * 1000)
    case 'ready':
      if (state.session === null) return misfit(state, event)
      // Each is made only after the platform said that the one before had no effect.
      if (state.commits > 0 && waitBeforeCommitAgain(state.commits) === null) {
        return unconfirmedAgain(state, event.session, REASONS.tooManyCommits, now)
      }
      return go(
        {
          kind: 'committing',
          attempt: state.attempt,
          repeats: state.repeats,
          session: event.session,
          since: now,
          commits: state.commits + 1,
          tries: state.tries,
          notReady: state.notReady,
          renewed: state.renewed,
        },
        now,
      )
  }
}

/**
 * The platform was asked to publish, and has said since that nothing came of it, yet not that nothing will: this very
 * session goes on, or the matter stays open. It never makes room for another.
 */
function whileContested(state: Preparing, failure: Failure, session: Session | null, now: number): Step {
  if (session === null) throw new Error('A session that was committed is gone.')
  if (failure.kind === 'account' && failure.gone) return leftToUser({ ...state, session, since: now })
  const waitS = waitWhileContested(state, failure)
  if (waitS === null) return unconfirmedAgain(state, session, beingAsked(failure.reason), now)
  return go({ ...state, session, tries: state.tries + 1, reason: whileRepeated(failure) }, now + waitS * 1000)
}

function waitWhileContested(state: Preparing, failure: Failure): number | null {
  switch (failure.kind) {
    case 'unreachable':
      return waitAfterUnreachable(state.tries, false)
    case 'unexpected':
      return waitAfterUnexpected(state.tries)
    case 'throttled':
      return waitWhileThrottled(state, failure)
    case 'account':
    case 'rejected':
      return null
  }
}

type Throttled = Extract<Failure, { kind: 'throttled' }>

/** The platform's word the first time; then what it takes if that was not enough. */
const waitWhileThrottled = ({ tries }: Preparing, { retryAfterS, laterS = [] }: Throttled): number =>
  tries === 0 ? retryAfterS : (laterS[Math.min(tries, laterS.length) - 1] ?? retryAfterS)

/** Counted no further than its waits go: being told to wait is nothing that must end. */
const triesOfThrottled = ({ tries }: Preparing, { laterS = [] }: Throttled): number =>
  Math.max(tries, Math.min(tries + 1, laterS.length))

/** Asked again after a while only: asking at once is what led here. */
const unconfirmedAgain = (
  state: Preparing,
  session: Session,
  reason: Unconfirmed['reason'],
  now: number,
): Step =>
  go(
    {
      kind: 'unconfirmed',
      attempt: state.attempt,
      repeats: state.repeats,
      session,
      since: now,
      checks: 0,
      commits: state.commits,
      reason,
      answer: null,
    },
    now + UNCONFIRMED_AGAIN_S * 1000,
  )

/** Nothing is public yet, and the platform has not been asked to make it so: any way on is safe. */
function afterFailure(state: Preparing, failure: Failure, session: Session | null, now: number): Step {
  const retryAfter = (waitS: number | null, tries: number): Step => {
    const dead = session === null && state.session !== null
    if (waitS === null || (dead && state.repeats >= MAX_REPEATS)) return failed(state, failure.reason, now)
    const next = { ...state, session, tries, reason: whileRepeated(failure) }
    return go(
      dead ? { ...next, ...repeated(state), sent: 0, commits: 0, notReady: 0 } : next,
      now + waitS * 1000,
    )
  }
  if (state.session === null && 'mayHaveOpened' in failure && failure.mayHaveOpened) {
    return afterLostOpening(state, failure, now)
  }
  switch (failure.kind) {
    case 'unreachable':
      return retryAfter(waitAfterUnreachable(state.tries, state.session === null), state.tries + 1)
    case 'unexpected':
      return retryAfter(waitAfterUnexpected(state.tries), state.tries + 1)
    case 'throttled':
      return failure.limit
        ? blocked(state, 'limit', now + failure.retryAfterS * 1000, failure)
        : retryAfter(waitWhileThrottled(state, failure), triesOfThrottled(state, failure))
    case 'account':
      return afterLostAccess(state, failure, now)
    case 'rejected':
      return afterRejection(state, failure, now)
  }
}

function afterLostOpening(state: Preparing, failure: Failure, now: number): Step {
  const lostOpenings = state.lostOpenings + 1
  const waitS = waitAfterLostOpening(lostOpenings)
  if (waitS !== null) {
    return go({ ...state, lostOpenings, reason: whileRepeated(failure) }, now + waitS * 1000)
  }
  const { message, detail } = failure.reason
  return failed(state, { ...REASONS.openingLost, detail: detail ?? message }, now)
}

/** The platform's definite no: a fresh start where it documents that one may succeed, else the user's turn. */
function afterRejection(
  state: Attempted,
  failure: Extract<Failure, { kind: 'rejected' }>,
  now: number,
): Step {
  const waitS = failure.againInS?.[state.repeats]
  if (waitS === undefined || state.repeats >= MAX_REPEATS) return failed(state, failure.reason, now)
  const dueAt = now + waitS * 1000
  return go(
    { kind: 'scheduled', ...repeated(state), dueAt, reason: whileRepeated(failure), earlier: null },
    dueAt,
  )
}

const afterLostAccess = (
  state: Attempted,
  failure: Extract<Failure, { kind: 'account' }>,
  now: number,
): Step => (failure.gone ? failed(state, failure.reason, now) : blocked(state, 'account', null, failure))

/** Nothing was or will be published from the session: what is left to decide is who acts next. */
function afterDefiniteNo(state: Processing | Unconfirmed, failure: Failure, now: number): Step {
  switch (failure.kind) {
    case 'rejected':
      return afterRejection(state, failure, now)
    case 'throttled': {
      const reason = failure.limit ? failure.reason : whileRepeated(failure)
      return blocked(state, 'limit', now + failure.retryAfterS * 1000, { ...failure, reason })
    }
    case 'account':
      return afterLostAccess(state, failure, now)
    case 'unreachable':
    case 'unexpected':
      return failed(state, failure.reason, now)
  }
}

type Word = Of<
  | 'accepted'
  | 'live'
  | 'not_ready'
  | 'refused'
  | 'unanswered'
  | 'unsent'
  | 'interrupted'
  | 'pending'
  | 'uncommitted'
  | 'rejected'
  | 'unreadable'
>

function onPlatformWord(state: DeliveryState, event: Word, now: number, first: readonly number[]): Step {
  switch (state.kind) {
    case 'committing':
      return onCommitAnswer(state, event, now, first)
    case 'processing':
    case 'unconfirmed':
      return onCheckAnswer(state, event, now, first)
    case 'scheduled':
      return onLastLook(state, event, now, first)
    case 'preparing':
    case 'published':
    case 'failed':
    case 'blocked':
    case 'cancelled':
      return misfit(state, event)
  }
}

/**
 * The user said of the session before that nothing came of it. Where the platform says that it is there, or has it and works
 * on it, nothing is sent again; whatever else it says, the user's word stands.
 */
function onLastLook(state: Scheduled, event: Word, now: number, first: readonly number[]): Step {
  const { earlier } = state
  if (earlier === null) return misfit(state, event)
  if (event.type === 'live') {
    const { to, wakeAt } = published({ ...state, session: earlier.session }, event, now)
    return { to: { ...to, afterAll: true }, wakeAt }
  }
  if (event.type === 'unreadable') {
    const waitS = waitBeforeLastLook(earlier.looks)
    if (waitS === null) return onDue(state, now)
    const dueAt = now + waitS * 1000
    return go({ ...state, dueAt, earlier: { ...earlier, looks: earlier.looks + 1 } }, dueAt)
  }
  // One that has been at work for too long was the user's to answer.
  if (event.type !== 'accepted' || hasTakenTooLong(earlier.since, now)) return misfit(state, event)
  return go(
    {
      kind: 'processing',
      attempt: state.attempt,
      repeats: state.repeats,
      session: event.session,
      since: earlier.since,
      checks: 0,
      commits: 1,
      reason: null,
    },
    now + waitBeforeCheck(0, 0, first) * 1000,
  )
}

/** A post that a platform has been at for so long is the user's to answer. */
export const hasTakenTooLong = (since: number, now: number): boolean => now - since > PROCESSING_MAX_S * 1000

/** What waits and what prepares is held at once. What may be at the platform goes on, and is asked about once that can be done. */
function onRelink(state: DeliveryState, reason: Reason, now: number): Step {
  const held = (attempt: number, dueAt: number | null, earlier: Scheduled['earlier']): Step => ({
    to: {
      kind: 'blocked',
      attempt,
      repeats: state.repeats,
      cause: 'account',
      until: null,
      dueAt,
      reason,
      earlier,
    },
    wakeAt: null,
  })
  switch (state.kind) {
    case 'scheduled':
      return held(state.attempt, state.dueAt, state.earlier)
    case 'preparing':
      if (state.commits === 0) return held(state.attempt, null, null)
      break
    case 'blocked':
      if (state.cause === 'limit') return held(state.attempt + 1, state.until ?? now, state.earlier)
      break
    case 'committing':
    case 'processing':
    case 'published':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      break
  }
  return { refused: `a delivery that is "${state.kind}" is not held for its account` }
}

/** What may be at the platform is the user's to answer; what waited for the account waits in vain. */
function onErased(state: DeliveryState, now: number): Step {
  switch (state.kind) {
    case 'blocked':
      return failed(state, REASONS.accountErased, now)
    case 'preparing':
      if (state.commits === 0 || state.session === null) break
      return leftToUser({ ...state, session: state.session, since: now })
    case 'processing':
    case 'unconfirmed':
      return leftToUser(state)
    case 'scheduled':
    case 'committing':
    case 'published':
    case 'failed':
    case 'cancelled':
      break
  }
  return { refused: `a delivery that is "${state.kind}" is not ended with the data of its account` }
}

/** Nobody can be asked any more. */
const leftToUser = (
  state: Attempted & Pick<Unconfirmed, 'session' | 'since' | 'commits'> & { readonly checks?: number },
): Step => ({
  to: {
    kind: 'unconfirmed',
    attempt: state.attempt,
    repeats: state.repeats,
    session: state.session,
    since: state.since,
    checks: state.checks ?? 0,
    commits: state.commits,
    reason: REASONS.cannotBeAsked,
    answer: null,
  },
  wakeAt: null,
})

function onCommitAnswer(state: Committing, event: Word, now: number, first: readonly number[]): Step {
  switch (event.type) {
    case 'accepted':
      return go(
        {
          kind: 'processing',
          attempt: state.attempt,
          repeats: state.repeats,
          session: event.session,
          since: now,
          checks: 0,
          commits: state.commits,
          reason: null,
        },
        now + waitBeforeCheck(0, 0, first) * 1000,
      )
    case 'live':
      return published(state, event, now)
    case 'not_ready':
      return onNotReady(state, event, now)
    case 'refused':
      return afterFailure(
        // A throttled call says nothing about the post; any other refusal counts, so that no session is tried for ever.
        {
          ...backToPreparing(state, state.session),
          commits: state.commits - (event.failure.kind === 'throttled' ? 1 : 0),
        },
        event.failure,
        event.session,
        now,
      )
    case 'unanswered':
      return unconfirmed(
        { ...state, session: event.session ?? state.session },
        beingAsked(event.failure.reason),
        now,
      )
    case 'unsent':
      return onUnsent(state, event.failure, now)
    case 'interrupted':
      return unconfirmed(state, REASONS.interrupted, now)
    case 'pending':
    case 'uncommitted':
    case 'rejected':
    case 'unreadable':
      return misfit(state, event)
  }
}

/**
 * Not executed, by the platform's own word: it does not count as a commit. After the last of such calls the platform is asked
 * read-only before anything ends.
 */
function onNotReady(state: Committing, event: Of<'not_ready'>, now: number): Step {
  const notReady = state.notReady + 1
  const commits = state.commits - 1
  const waitS = waitWhileNotReady(notReady)
  if (waitS === null) {
    return unconfirmed({ ...state, session: event.session, commits }, beingAsked(event.reason), now)
  }
  return go(
    {
      ...backToPreparing(state, event.session),
      commits,
      notReady,
      renewed: event.renewed,
      reason: { ...event.reason, remedy: REPEATED },
    },
    now + waitS * 1000,
  )
}

/** Nothing went out, so that it is as if it had not been decided: an earlier call of the session stays what it was. */
function onUnsent(state: Committing, failure: Failure | null, now: number): Step {
  const before: Preparing = {
    ...backToPreparing(state, state.session),
    commits: state.commits - 1,
    notReady: state.notReady,
    renewed: state.renewed,
    tries: state.tries,
  }
  if (failure === null) return go(before, now)
  return before.commits === 0
    ? afterFailure(before, failure, state.session, now)
    : whileContested(before, failure, state.session, now)
}

function onCheckAnswer(
  state: Processing | Unconfirmed,
  event: Word,
  now: number,
  first: readonly number[],
): Step {
  const elapsedS = (now - state.since) / 1000
  // What is unconfirmed was asked about at once, before its first wait.
  const waits = state.kind === 'unconfirmed' ? state.checks : state.checks + 1
  const next = now + waitBeforeCheck(elapsedS, waits, first) * 1000
  switch (event.type) {
    case 'live':
      return published(state, event, now)
    case 'accepted':
      // One that has been at work for too long stays the user's to answer.
      if (state.kind === 'unconfirmed' && elapsedS > PROCESSING_MAX_S) {
        return go(asked(state, event.session, ANSWERS.working, now), next)
      }
      if (state.kind === 'unconfirmed') {
        const { attempt, repeats, since, commits } = state
        return go(
          {
            kind: 'processing',
            attempt,
            repeats,
            session: event.session,
            since,
            checks: 0,
            commits,
            reason: null,
          },
          now + waitBeforeCheck(0, 0, first) * 1000,
        )
      }
      return stillWorking({ ...state, session: event.session, reason: null }, elapsedS, next, now)
    case 'pending':
      if (state.kind === 'unconfirmed') return go(asked(state, event.session, ANSWERS.pending, now), next)
      return stillWorking({ ...state, session: event.session, reason: null }, elapsedS, next, now)
    case 'unreadable': {
      if (event.failure.kind === 'account' && event.failure.gone) return leftToUser(state)
      // The question failed, which proves nothing about the post.
      const allowed = event.failure.kind === 'throttled' ? now + event.failure.retryAfterS * 1000 : now
      const later = Math.max(next, allowed)
      if (state.kind === 'unconfirmed') {
        return go(asked(state, state.session, event.failure.reason.message, now), later)
      }
      return stillWorking({ ...state, reason: beingAsked(event.failure.reason) }, elapsedS, later, now)
    }
    case 'uncommitted': {
      // Every call was refused as not ready, and the platform confirms that none had an effect.
      if (state.kind === 'unconfirmed' && state.commits === 0) {
        return failed(state, REASONS.neverReady, now)
      }
      const waitS = waitBeforeCommitAgain(state.commits)
      if (state.kind === 'unconfirmed' && waitS === null) {
        return go(asked(state, event.session, ANSWERS.uncommitted, now), next)
      }
      return go(backToPreparing(state, event.session), now + (waitS ?? 0) * 1000)
    }
    case 'rejected':
      return afterDefiniteNo(state, event.failure, now)
    case 'not_ready':
    case 'refused':
    case 'unanswered':
    case 'unsent':
    case 'interrupted':
      return misfit(state, event)
  }
}

const asked = (state: Unconfirmed, session: Session, message: string, now: number): Unconfirmed => ({
  ...state,
  session,
  checks: state.checks + 1,
  answer: { at: now, message },
})

function stillWorking(state: Processing, elapsedS: number, next: number, now: number): Step {
  if (elapsedS > PROCESSING_MAX_S) return unconfirmed(state, state.reason ?? REASONS.tooLong, now)
  return go({ ...state, checks: state.checks + 1 }, next)
}

function onLocated(state: Published, event: Of<'located'>, now: number): Step {
  const to: Published = {
    ...state,
    postId: event.postId ?? state.postId,
    url: event.url ?? state.url,
    locates: state.locates + 1,
  }
  const waitS = event.complete ? null : waitBeforeLocate(to.locates)
  return { to, wakeAt: waitS === null ? null : now + waitS * 1000 }
}

function onUser(
  state: DeliveryState,
  event: Of<'cancel' | 'retry' | 'resolve' | 'linked_again'>,
  now: number,
): Step {
  switch (event.type) {
    case 'cancel':
      // Once `committing` is saved the call may be out, and nobody can take it back.
      return state.kind === 'scheduled' ||
        state.kind === 'blocked' ||
        (state.kind === 'preparing' && state.commits === 0)
        ? { to: { kind: 'cancelled', attempt: state.attempt, repeats: state.repeats, at: now }, wakeAt: null }
        : { refused: `a delivery that is "${state.kind}" cannot be cancelled` }
    case 'retry':
      return state.kind === 'failed' || (state.kind === 'blocked' && state.cause === 'limit')
        ? go(again(state, now), now)
        : { refused: `a delivery that is "${state.kind}" cannot be tried again` }
    case 'resolve':
      if (state.kind !== 'unconfirmed')
        return { refused: `a delivery that is "${state.kind}" needs no answer` }
      if (event.outcome === 'live') return published(state, { postId: null, url: null }, now)
      // It cannot be sent again either.
      return state.reason.code === REASONS.cannotBeAsked.code
        ? failed(state, REASONS.accountErased, now)
        : go(again(state, now), now)
    case 'linked_again':
      if (state.kind === 'blocked' && state.cause === 'account') return linkedAgain(state, now)
      if (state.kind === 'processing' || state.kind === 'unconfirmed' || state.kind === 'preparing')
        return go(state, now)
      return { refused: `a delivery that is "${state.kind}" does not wait for its account` }
  }
}

/** Nobody has to do anything. */
function whileRepeated(failure: Failure): Reason {
  const meanwhile = failure.kind === 'unreachable' ? failure.meanwhile : undefined
  return { ...failure.reason, remedy: meanwhile ?? REPEATED }
}

/** What a platform's table says of a failure is meant for a call that may be made again. Here nothing is, and the user should know. */
const beingAsked = (reason: Reason): Reason => ({ ...reason, remedy: REASONS.interrupted.remedy })

const go = (to: DeliveryState, wakeAt: number): Step => ({ to, wakeAt })
const misfit = (state: DeliveryState, event: DeliveryEvent): Step => ({
  refused: `"${event.type}" cannot happen to a delivery that is "${state.kind}"`,
})

/** A fresh start by itself. */
const repeated = ({ attempt, repeats }: Attempted): Attempted => ({
  attempt: attempt + 1,
  repeats: repeats + 1,
})

/** A fresh start by the user's decision: what happened by itself before it no longer counts. */
const again = (state: Failed | Blocked | Unconfirmed, now: number): Scheduled => ({
  kind: 'scheduled',
  attempt: state.attempt + 1,
  repeats: 0,
  dueAt: now,
  reason: null,
  earlier: earlierOf(state),
})

function earlierOf(state: Failed | Blocked | Unconfirmed): Scheduled['earlier'] {
  switch (state.kind) {
    case 'failed':
      return null
    case 'blocked':
      return state.earlier
    case 'unconfirmed':
      return { session: state.session, since: state.since, looks: 0 }
  }
}

/** What had not begun keeps its time, which may be yet to come. */
function linkedAgain(state: Blocked, now: number): Step {
  if (state.dueAt === null) return go(again(state, now), now)
  const dueAt = Math.max(state.dueAt, now)
  return go({ ...again(state, now), attempt: state.attempt, dueAt }, dueAt)
}

const backToPreparing = (state: Committing | Processing | Unconfirmed, session: Session): Preparing => ({
  kind: 'preparing',
  attempt: state.attempt,
  repeats: state.repeats,
  session,
  sent: 0,
  tries: 0,
  lostOpenings: 0,
  commits: state.commits,
  notReady: 0,
  renewed: false,
  reason: null,
})

const failed = (state: Attempted, reason: Failed['reason'], now: number): Step => ({
  to: { kind: 'failed', attempt: state.attempt, repeats: state.repeats, at: now, reason },
  wakeAt: null,
})

const blocked = (
  state: Attempted,
  cause: Blocked['cause'],
  until: number | null,
  failure: Failure,
): Step => ({
  to: {
    kind: 'blocked',
    attempt: state.attempt,
    repeats: state.repeats,
    cause,
    until,
    dueAt: null,
    reason: failure.reason,
    earlier: null,
  },
  wakeAt: until,
})

/** Asked at once: most often the platform can tell what its lost answer would have said. */
const unconfirmed = (state: Committing | Processing, reason: Unconfirmed['reason'], now: number): Step =>
  go(
    {
      kind: 'unconfirmed',
      attempt: state.attempt,
      repeats: state.repeats,
      session: state.session,
      since: state.since,
      checks: 0,
      commits: state.commits,
      reason,
      answer: null,
    },
    now,
  )

function published(
  state: Attempted & { readonly session: Session },
  post: { readonly postId: string | null; readonly url: string | null },
  now: number,
): { readonly to: Published; readonly wakeAt: number } {
  const to: Published = {
    kind: 'published',
    attempt: state.attempt,
    repeats: state.repeats,
    at: now,
    session: state.session,
    postId: post.postId,
    url: post.url,
    locates: 0,
    afterAll: false,
  }
  return { to, wakeAt: now }
}
