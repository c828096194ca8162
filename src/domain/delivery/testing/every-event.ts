// Every state that a delivery may be in and everything that may happen to it, for tests.
import type { Failure } from '../failure.ts'
import { REASONS } from '../reasons.ts'
import { type DeliveryEvent, type DeliveryState, initial, type Session } from '../state.ts'

export const NOW = Date.UTC(2026, 10, 20, 12)
export const DAY_MS = 86_400_000
const reason = { code: 'c', message: 'm', remedy: 'r', detail: null }

export const FAILURES: readonly Failure[] = [
  { kind: 'rejected', reason },
  { kind: 'rejected', reason, againInS: [300, 1800] },
  { kind: 'unreachable', reason },
  { kind: 'account', reason, expired: false },
  { kind: 'account', reason, expired: true },
  { kind: 'account', reason, expired: false, gone: true },
  { kind: 'throttled', reason, retryAfterS: 60, limit: false },
  { kind: 'throttled', reason, retryAfterS: 3600, limit: true },
  { kind: 'unreachable', reason, mayHaveOpened: true },
  { kind: 'unexpected', reason, status: 418 },
]

/** Every event once. A platform answers about the session that it was asked about; only `opened` brings another. */
export const EVENTS = {
  due: () => ({ type: 'due' }),
  postponed: () => ({ type: 'postponed', until: NOW + 400 * DAY_MS, reason }),
  opened: (_session, _failure, fresh) => ({ type: 'opened', session: fresh }),
  progress: (session) => ({ type: 'progress', session, sent: 10, waitS: 1 }),
  setback: (session, failure) => ({ type: 'setback', failure, session }),
  setback_dead: (_session, failure) => ({ type: 'setback', failure, session: null }),
  ready: (session) => ({ type: 'ready', session }),
  crowded: () => ({ type: 'crowded' }),
  accepted: (session) => ({ type: 'accepted', session }),
  live: () => ({ type: 'live', postId: '1', url: null }),
  in_inbox: (session) => ({ type: 'in_inbox', session }),
  not_ready: (session) => ({ type: 'not_ready', session, reason, renewed: false }),
  refused: (session, failure) => ({ type: 'refused', failure, session }),
  refused_dead: (_session, failure) => ({ type: 'refused', failure, session: null }),
  unanswered: (session, failure) => ({ type: 'unanswered', failure, session }),
  unsent: (_session, failure) => ({ type: 'unsent', failure }),
  stopped: () => ({ type: 'unsent', failure: null }),
  interrupted: () => ({ type: 'interrupted' }),
  pending: (session) => ({ type: 'pending', session }),
  uncommitted: (session) => ({ type: 'uncommitted', session }),
  rejected: (_session, failure) => ({ type: 'rejected', failure }),
  unreadable: (_session, failure) => ({ type: 'unreadable', failure }),
  relink: () => ({ type: 'relink', reason }),
  erased: () => ({ type: 'erased' }),
  cancel: () => ({ type: 'cancel' }),
  retry: () => ({ type: 'retry' }),
  dismiss: () => ({ type: 'dismiss' }),
  replaced: () => ({ type: 'replaced', postId: 9 }),
  rescheduled: () => ({ type: 'rescheduled', dueAt: NOW + DAY_MS }),
  edited: () => ({ type: 'edited' }),
  resolve_live: () => ({ type: 'resolve', outcome: 'live' }),
  resolve_in_inbox: () => ({ type: 'resolve', outcome: 'in_inbox' }),
  resolve_not_live: () => ({ type: 'resolve', outcome: 'not_live' }),
  linked_again: () => ({ type: 'linked_again', freeAt: NOW }),
  missed: () => ({ type: 'missed', reason }),
  paused: () => ({ type: 'paused', reason }),
  resumed: () => ({ type: 'resumed', dueAt: NOW + 400 * DAY_MS, reason: null }),
  held: () => ({ type: 'held' }),
} as const satisfies Record<string, (session: Session, failure: Failure, fresh: Session) => DeliveryEvent>

export type EventName = keyof typeof EVENTS
export const NAMES = Object.keys(EVENTS) as EventName[] // keys of the const object above

/** Places in a delivery's life: its states, and what makes a difference within them. */
export const PLACES = [
  'scheduled',
  'scheduled, doubted',
  'preparing, not opened',
  'preparing',
  'preparing, contested',
  'committing',
  'committing, contested',
  'processing',
  'published',
  'in inbox',
  'failed',
  'failed, dismissed',
  'failed, replaced',
  'blocked by limit',
  'blocked by account',
  'missed',
  'paused',
  'restored',
  'planned and restored',
  'blocked, doubted',
  'unconfirmed',
  'unconfirmed and restored',
  'cancelled',
] as const
export type Place = (typeof PLACES)[number]

export function placeOf(state: DeliveryState): Place {
  switch (state.kind) {
    case 'scheduled':
      return state.earlier === null ? 'scheduled' : 'scheduled, doubted'
    case 'preparing':
      if (state.session === null) return 'preparing, not opened'
      return state.commits === 0 ? 'preparing' : 'preparing, contested'
    case 'committing':
      return state.commits === 1 ? 'committing' : 'committing, contested'
    case 'blocked':
      if (state.cause === 'restored')
        return state.reason.code === REASONS.restoredPlanned.code ? 'planned and restored' : 'restored'
      if (state.earlier !== null) return 'blocked, doubted'
      if (state.cause === 'missed' || state.cause === 'paused') return state.cause
      return state.cause === 'limit' ? 'blocked by limit' : 'blocked by account'
    case 'in_inbox':
      return 'in inbox'
    case 'failed':
      return state.settled === null ? 'failed' : `failed, ${state.settled.kind}`
    case 'unconfirmed':
      return state.restored ? 'unconfirmed and restored' : 'unconfirmed'
    case 'processing':
    case 'published':
    case 'cancelled':
      return state.kind
  }
}

/** The session that a platform would be asked about. */
export function sessionOf(state: DeliveryState): Session | null {
  if ('earlier' in state) return state.earlier?.session ?? null
  return 'session' in state ? state.session : null
}
/** One world in every place, so that each is tried often, however seldom it is reached. */
export const SESSION = { id: 'session' }
const counts = { checks: 0, commits: 1, tries: 0, lostOpenings: 0, sent: 0, notReady: 0 }
const sofar = {
  attempt: 1,
  repeats: 0,
  session: SESSION,
  since: NOW,
  ...counts,
  renewed: false,
  reason: null,
}
const earlier = { session: SESSION, since: NOW, looks: 0 }
const blocked = {
  kind: 'blocked',
  attempt: 1,
  repeats: 0,
  until: null,
  dueAt: null,
  reason,
  earlier: null,
} as const
const failed = { kind: 'failed', attempt: 1, repeats: 0, at: NOW, reason, settled: null } as const
export const STARTS: Record<Place, { readonly state: DeliveryState; readonly open: boolean }> = {
  scheduled: { state: initial(NOW), open: false },
  'scheduled, doubted': {
    state: { kind: 'scheduled', attempt: 2, repeats: 0, dueAt: NOW, reason: null, earlier },
    open: false,
  },
  'preparing, not opened': { state: { ...sofar, kind: 'preparing', session: null, commits: 0 }, open: false },
  preparing: { state: { ...sofar, kind: 'preparing', commits: 0 }, open: false },
  'preparing, contested': { state: { ...sofar, kind: 'preparing' }, open: true },
  committing: { state: { ...sofar, kind: 'committing' }, open: true },
  'committing, contested': { state: { ...sofar, kind: 'committing', commits: 2 }, open: true },
  processing: { state: { ...sofar, kind: 'processing' }, open: true },
  published: {
    state: {
      kind: 'published',
      attempt: 1,
      repeats: 0,
      at: NOW,
      session: SESSION,
      postId: null,
      url: null,
      afterAll: false,
    },
    open: false,
  },
  'in inbox': {
    state: { kind: 'in_inbox', attempt: 1, repeats: 0, at: NOW, session: SESSION, checks: 0 },
    open: false,
  },
  failed: { state: failed, open: false },
  'failed, dismissed': { state: { ...failed, settled: { kind: 'dismissed', at: NOW } }, open: false },
  'failed, replaced': {
    state: { ...failed, settled: { kind: 'replaced', at: NOW, postId: 8 } },
    open: false,
  },
  'blocked by limit': { state: { ...blocked, cause: 'limit', until: NOW }, open: false },
  'blocked by account': { state: { ...blocked, cause: 'account' }, open: false },
  missed: { state: { ...blocked, cause: 'missed', dueAt: NOW }, open: false },
  paused: { state: { ...blocked, cause: 'paused', dueAt: NOW, until: NOW }, open: false },
  restored: {
    state: { ...blocked, cause: 'restored', dueAt: NOW, reason: REASONS.restored, earlier },
    open: false,
  },
  'planned and restored': {
    state: { ...blocked, cause: 'restored', dueAt: NOW + DAY_MS, reason: REASONS.restoredPlanned },
    open: false,
  },
  'blocked, doubted': {
    state: { ...blocked, cause: 'account', attempt: 2, repeats: 0, dueAt: NOW, earlier },
    open: false,
  },
  unconfirmed: {
    state: { ...sofar, kind: 'unconfirmed', reason, answer: null, restored: false },
    open: true,
  },
  'unconfirmed and restored': {
    state: { ...sofar, kind: 'unconfirmed', reason, answer: null, restored: true },
    open: true,
  },
  cancelled: { state: { kind: 'cancelled', attempt: 1, repeats: 0, at: NOW }, open: false },
}

/** Every event in every place, after every failure. */
export const everyEvent = (): { place: Place; name: EventName; event: DeliveryEvent }[] =>
  PLACES.flatMap((place) =>
    NAMES.flatMap((name) =>
      FAILURES.map((failure) => {
        const asked = sessionOf(STARTS[place].state) ?? { id: 'any' }
        return { place, name, event: EVENTS[name](asked, failure, { id: 'fresh' }) }
      }),
    ),
  )
