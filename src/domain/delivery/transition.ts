import { waitBeforeCheck, waitBeforeInboxCheck } from './backoff.ts'
import type { Failure } from './failure.ts'
import { type Reason, REASONS, withRemedy } from './reasons.ts'
import type {
  Attempted,
  Blocked,
  DeliveryEvent,
  DeliveryState,
  Failed,
  InInbox,
  Preparing,
  Processing,
  Published,
  Scheduled,
  Session,
  Unconfirmed,
} from './state.ts'

/** `wakeAt` (epoch ms): when a worker must act on it next; null: never. */
export type Step =
  | { readonly to: DeliveryState; readonly wakeAt: number | null }
  | { readonly refused: string }

export type StateOf<K extends DeliveryState['kind']> = Extract<DeliveryState, { kind: K }>
export type EventOf<T extends DeliveryEvent['type']> = Extract<DeliveryEvent, { type: T }>

/** `firstChecksS`: the platform's first waits between questions whether a post is live. */
export type Context = { readonly now: number; readonly firstChecksS: readonly number[] }

export type Transition<K extends DeliveryState['kind'], T extends DeliveryEvent['type']> = (
  state: StateOf<K>,
  event: EventOf<T>,
  context: Context,
) => Step

export type TransitionsOf<K extends DeliveryState['kind']> = {
  readonly [T in DeliveryEvent['type']]?: Transition<K, T>
}

export const refuse = (state: DeliveryState, event: DeliveryEvent): Step => ({
  refused: `"${event.type}" cannot happen to a delivery that is "${state.kind}"`,
})

export const stepTo = (to: DeliveryState, wakeAt: number): Step => ({ to, wakeAt })

export const preparing = (
  { attempt, repeats }: Attempted,
  change: Partial<Omit<Preparing, 'kind' | keyof Attempted>> = {},
): Preparing => ({
  kind: 'preparing',
  attempt,
  repeats,
  session: null,
  sent: 0,
  tries: 0,
  lostOpenings: 0,
  commits: 0,
  notReady: 0,
  renewed: false,
  reason: null,
  ...change,
})

/** Continues the session and keeps its count of commits. */
export const backToPreparing = (
  state: Attempted & { readonly commits: number },
  session: Session,
): Preparing => preparing(state, { session, commits: state.commits })

type AtPlatform = Attempted &
  Pick<Processing, 'session' | 'since' | 'commits'> & { readonly restored?: boolean }

export const processing = (
  { attempt, repeats, session, since, commits }: AtPlatform,
  { now, firstChecksS }: Context,
): Step =>
  stepTo(
    { kind: 'processing', attempt, repeats, session, since, checks: 0, commits, reason: null },
    now + waitBeforeCheck(0, 0, firstChecksS) * 1000,
  )

const asUnconfirmed = (
  { attempt, repeats, session, since, commits, restored = false }: AtPlatform,
  reason: Reason,
  checks = 0,
): Unconfirmed => ({
  kind: 'unconfirmed',
  attempt,
  repeats,
  session,
  since,
  checks,
  commits,
  reason,
  answer: null,
  restored,
})

/** `askAt` (epoch ms): when to check with the platform. */
export const unconfirmed = (state: AtPlatform, reason: Reason, askAt: number): Step =>
  stepTo(asUnconfirmed(state, reason), askAt)

/** The platform can no longer be asked, so the user must say whether the post is live. */
export const leaveToUser = (state: AtPlatform & { readonly checks?: number }): Step => ({
  to: asUnconfirmed(state, REASONS.cannotBeAsked, state.checks),
  wakeAt: null,
})

export function published(
  { attempt, repeats, session }: Attempted & { readonly session: Session | null },
  { postId, url }: Pick<Published, 'postId' | 'url'>,
  now: number,
  afterAll = false,
): Step {
  const to = {
    kind: 'published',
    attempt,
    repeats,
    at: now,
    session,
    postId,
    url,
    afterAll,
  } as const
  return { to, wakeAt: null }
}

/** `checks`: questions so far whether it was posted. */
export function inInbox(
  { attempt, repeats, session }: Attempted & { readonly session: Session },
  at: number,
  now: number,
  checks = 0,
): Step {
  const to: InInbox = { kind: 'in_inbox', attempt, repeats, at, session, checks }
  const waitS = waitBeforeInboxCheck(checks)
  return { to, wakeAt: waitS === null ? null : now + waitS * 1000 }
}

export const failed = ({ attempt, repeats }: Attempted, reason: Failed['reason'], now: number): Step => ({
  to: { kind: 'failed', attempt, repeats, at: now, reason, settled: null },
  wakeAt: null,
})

export const blocked = (
  { attempt, repeats }: Attempted,
  held: Pick<Blocked, 'cause' | 'reason'> & Partial<Pick<Blocked, 'until' | 'dueAt' | 'earlier'>>,
): Step => ({
  to: { kind: 'blocked', attempt, repeats, until: null, dueAt: null, earlier: null, ...held },
  wakeAt: held.until ?? null,
})

/** The counters of an automatic fresh start. */
export const repeated = ({ attempt, repeats }: Attempted): Attempted => ({
  attempt: attempt + 1,
  repeats: repeats + 1,
})

/** A fresh start by the user's decision: repeats before it no longer count. */
export const startedAgain = (state: Failed | Blocked | Unconfirmed, now: number): Scheduled => ({
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

/** The reason of a failure that is tried again: the user has nothing to do. */
export const reasonWhileRepeated = ({ reason }: Pick<Failure, 'reason'>): Reason =>
  withRemedy(reason, 'repeated')

/** A platform's remedy is meant for a call that may be made again; here it may not, and the platform is asked. */
export const reasonWhileAsked = (reason: Reason): Reason => withRemedy(reason, 'asked')
