import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Failure } from './failure.ts'
import { REASONS } from './reasons.ts'
import { type DeliveryEvent, type DeliveryState, initial, type Session } from './state.ts'
import { step } from './step.ts'

// What holds whatever happens to a delivery, in whatever order. Beside the state runs what the test itself knows: whether
// an irreversible call may have had an effect of which no definite word has come.

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000
const reason = { code: 'c', message: 'm', remedy: 'r', detail: null }

const FAILURES: readonly Failure[] = [
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

type World = {
  readonly state: DeliveryState
  readonly now: number
  /** A post may have come of an irreversible call, or may yet. */
  readonly open: boolean
  /** The same, before the call that is being made now. */
  readonly openBefore: boolean
  /** The session that the last irreversible call was made in. */
  readonly committed: string | null
}

/** What a platform may answer about the session that it was asked about; `opened` alone brings another. */
const EVENTS = {
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
  rescheduled: () => ({ type: 'rescheduled', dueAt: NOW + DAY_MS }),
  edited: () => ({ type: 'edited' }),
  resolve_live: () => ({ type: 'resolve', outcome: 'live' }),
  resolve_in_inbox: () => ({ type: 'resolve', outcome: 'in_inbox' }),
  resolve_not_live: () => ({ type: 'resolve', outcome: 'not_live' }),
  linked_again: () => ({ type: 'linked_again', freeAt: NOW }),
  missed: () => ({ type: 'missed', reason }),
  paused: () => ({ type: 'paused', reason }),
  resumed: () => ({ type: 'resumed', dueAt: NOW + 400 * DAY_MS, reason: null }),
} as const satisfies Record<string, (session: Session, failure: Failure, fresh: Session) => DeliveryEvent>

type EventName = keyof typeof EVENTS
const NAMES = Object.keys(EVENTS) as EventName[] // keys of the const object above

/** Places in a delivery's life: its states, and what makes a difference within them. */
const PLACES = [
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
  'blocked by limit',
  'blocked by account',
  'missed',
  'paused',
  'blocked, doubted',
  'unconfirmed',
  'cancelled',
] as const
type Place = (typeof PLACES)[number]

function placeOf(state: DeliveryState): Place {
  switch (state.kind) {
    case 'scheduled':
      return state.earlier === null ? 'scheduled' : 'scheduled, doubted'
    case 'preparing':
      if (state.session === null) return 'preparing, not opened'
      return state.commits === 0 ? 'preparing' : 'preparing, contested'
    case 'committing':
      return state.commits === 1 ? 'committing' : 'committing, contested'
    case 'blocked':
      if (state.earlier !== null) return 'blocked, doubted'
      if (state.cause === 'missed' || state.cause === 'paused') return state.cause
      return state.cause === 'limit' ? 'blocked by limit' : 'blocked by account'
    case 'in_inbox':
      return 'in inbox'
    case 'processing':
    case 'published':
    case 'failed':
    case 'unconfirmed':
    case 'cancelled':
      return state.kind
  }
}

/** The session that a platform would be asked about. */
function sessionOf(state: DeliveryState): Session | null {
  if ('earlier' in state) return state.earlier?.session ?? null
  return 'session' in state ? state.session : null
}
const idOf = (session: Session | null): string | null =>
  session === null ? null : JSON.stringify(session['id'])

/** One thing that happens: `fits` picks among what may happen here, else among everything. */
type Chance = {
  readonly pick: number
  readonly fits: boolean
  readonly failure: Failure
  readonly laterMs: number
}
const chance: fc.Arbitrary<Chance> = fc.record({
  pick: fc.noBias(fc.nat(10_000)),
  fits: fc.noBias(fc.integer({ min: 1, max: 8 })).map((n) => n > 1),
  failure: fc.constantFrom(...FAILURES),
  laterMs: fc.oneof(fc.nat(60_000), fc.nat(3_600_000), fc.nat(3 * DAY_MS)),
})

/** What ends, holds or moves a delivery comes seldom, or nothing else would be reached. */
const ENDERS: readonly EventName[] = [
  'cancel',
  'relink',
  'erased',
  'live',
  'in_inbox',
  'resolve_live',
  'resolve_in_inbox',
  'rejected',
  'refused',
  'refused_dead',
  'rescheduled',
  'edited',
]

function happening(world: World, { pick, fits, failure }: Chance, n: number): DeliveryEvent {
  const current = sessionOf(world.state) ?? { id: 'nobody knows it' }
  const eventOf = (name: EventName): DeliveryEvent => EVENTS[name](current, failure, { id: `session ${n}` })
  const usual = NAMES.filter((name) => pick % 8 === 0 || !ENDERS.includes(name))
  const fitting = fits ? usual.filter((name) => 'to' in step(world.state, eventOf(name), world.now)) : NAMES
  const among = fitting.length > 0 ? fitting : NAMES
  return eventOf(among[pick % among.length] ?? 'due')
}

/** What the test knows after an event that was taken. */
function known(
  world: World,
  event: DeliveryEvent,
  to: DeliveryState,
): Pick<World, 'open' | 'openBefore' | 'committed'> {
  const { open, openBefore, committed } = world
  switch (event.type) {
    case 'ready':
      return to.kind === 'committing'
        ? { open: true, openBefore: open, committed: idOf(to.session) }
        : { open, openBefore, committed }
    // This call had no effect. Of those before it in the session that says nothing.
    case 'unsent':
    case 'not_ready':
      return { open: openBefore, openBefore, committed }
    // The platform's definite no, the user's word, or the end.
    case 'refused':
    case 'rejected':
    case 'resolve':
    case 'live':
    case 'in_inbox':
      return { open: false, openBefore: false, committed }
    case 'due':
    case 'postponed':
    case 'opened':
    case 'progress':
    case 'setback':
    case 'crowded':
    case 'accepted':
    case 'unanswered':
    case 'interrupted':
    case 'pending':
    case 'uncommitted':
    case 'unreadable':
    case 'relink':
    case 'erased':
    case 'cancel':
    case 'retry':
    case 'rescheduled':
    case 'edited':
    case 'linked_again':
    case 'missed':
    case 'paused':
    case 'resumed':
      if (open || to.kind !== 'processing') return { open, openBefore, committed }
      // The platform has what the user had said is not there.
      return { open: true, openBefore: true, committed: idOf(to.session) }
  }
}

/** Quicker than `expect`, of which some hundred thousand would be made. */
function must(holds: boolean, law: string): void {
  if (!holds) throw new Error(law)
}

const ON_THE_WAY: readonly DeliveryState['kind'][] = ['preparing', 'committing', 'processing', 'unconfirmed']

function checkLaws(world: World, event: DeliveryEvent, to: DeliveryState, wakeAt: number | null): void {
  const from = world.state
  const { open, committed } = known(world, event, to)
  if (open) {
    must(
      ON_THE_WAY.includes(to.kind),
      'an unknown outcome ends by the word of the platform or of the user only',
    )
    must(idOf(sessionOf(to)) === committed, 'an unknown outcome keeps its session')
  }
  if (open && world.open) {
    must(to.attempt === from.attempt, 'an unknown outcome leads to no other attempt')
    must(committed === world.committed, 'an unknown outcome leads to no other session')
  }
  must(
    to.kind !== 'committing' || event.type === 'ready',
    'the irreversible call is decided on in one way only',
  )
  const saysLive = event.type === 'live' || (event.type === 'resolve' && event.outcome === 'live')
  must(to.kind !== 'published' || from.kind === 'published' || saysLive, 'nothing is live without a word')
  const saysInInbox = event.type === 'in_inbox' || (event.type === 'resolve' && event.outcome === 'in_inbox')
  must(to.kind !== 'in_inbox' || from.kind === 'in_inbox' || saysInInbox, 'no draft arrives without a word')
  must(from.kind !== 'in_inbox' || to.attempt === from.attempt, 'a draft that arrived is not sent again')
  must(to.kind !== 'cancelled' || !world.open, 'what may be live is not cancelled')
  must(
    hasItsTime(to, wakeAt, world.now),
    'what waits has a time at which somebody looks, and nothing else has',
  )
  must(event.type !== 'postponed' || to.kind === from.kind, 'who is held stays where they are')
  must(to.attempt === from.attempt || to.attempt === from.attempt + 1, 'attempts count up, one by one')
  const isChange = event.type === 'rescheduled' || event.type === 'edited'
  must(
    !isChange || (sessionOf(from) === null && ['scheduled', 'blocked'].includes(from.kind)),
    'only what has not started is changed',
  )
  const isDecision = ['retry', 'resolve', 'linked_again', 'rescheduled'].includes(event.type)
  must(
    event.type !== 'missed' || from.attempt === to.attempt,
    'what is held because it is late was not begun by that',
  )
  must(
    event.type !== 'paused' || to.kind === 'blocked' || (to.kind === 'preparing' && to.commits > 0),
    'a pause blocks all but a session that was committed',
  )
  must(to.repeats <= 5, 'what starts afresh by itself does so a bounded number of times')
  must(to.repeats >= from.repeats || isDecision, 'only a decision of the user begins the count anew')
  must(from.kind !== 'blocked' || to.repeats <= from.repeats, 'waiting for a limit is no repeat')
  must(mayLeave(from, event, to), 'an end stays, and only its owner ends the waiting for an account')
}

function hasItsTime(to: DeliveryState, wakeAt: number | null, now: number): boolean {
  switch (to.kind) {
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
      return wakeAt !== null && wakeAt >= now
    case 'unconfirmed':
      if (to.reason.code === REASONS.cannotBeAsked.code && wakeAt === null) return true
      return wakeAt !== null && wakeAt >= now
    case 'blocked':
      return to.cause === 'limit' || to.cause === 'paused'
        ? wakeAt !== null && wakeAt >= now
        : wakeAt === null
    case 'published':
    case 'failed':
    case 'cancelled':
      return wakeAt === null
    case 'in_inbox':
      return wakeAt === null || wakeAt >= now
  }
}

const WAYS_OUT: Record<'account' | 'missed' | 'paused', readonly DeliveryEvent['type'][]> = {
  account: ['linked_again', 'erased', 'cancel'],
  // Only its user lets it go out.
  missed: ['retry', 'erased', 'cancel'],
  paused: ['paused', 'resumed', 'missed', 'relink', 'erased', 'cancel'],
}

function mayLeave(from: DeliveryState, event: DeliveryEvent, to: DeliveryState): boolean {
  switch (from.kind) {
    case 'published':
    case 'cancelled':
      return false
    case 'in_inbox':
      if (to.kind === 'in_inbox') return to.at === from.at && to.session === from.session
      return to.kind === 'published'
        ? event.type === 'live'
        : event.type === 'rejected' && to.kind === 'failed'
    case 'failed':
      return event.type === 'retry'
    case 'blocked':
      if (event.type === 'rescheduled' || event.type === 'edited')
        return from.cause !== 'account' || to.kind === 'blocked'
      return from.cause === 'limit' || WAYS_OUT[from.cause].includes(event.type)
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'unconfirmed':
      return true
  }
}

/** One world in every place, so that each is tried often, however seldom it is reached. */
const session = { id: 'session' }
const counts = { checks: 0, commits: 1, tries: 0, lostOpenings: 0, sent: 0, notReady: 0 }
const sofar = { attempt: 1, repeats: 0, session, since: NOW, ...counts, renewed: false, reason: null }
const earlier = { session, since: NOW, looks: 0 }
const blocked = {
  kind: 'blocked',
  attempt: 1,
  repeats: 0,
  until: null,
  dueAt: null,
  reason,
  earlier: null,
} as const
const STARTS: Record<Place, { readonly state: DeliveryState; readonly open: boolean }> = {
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
      session,
      postId: null,
      url: null,
      afterAll: false,
    },
    open: false,
  },
  'in inbox': {
    state: { kind: 'in_inbox', attempt: 1, repeats: 0, at: NOW, session, checks: 0 },
    open: false,
  },
  failed: { state: { kind: 'failed', attempt: 1, repeats: 0, at: NOW, reason }, open: false },
  'blocked by limit': { state: { ...blocked, cause: 'limit', until: NOW }, open: false },
  'blocked by account': { state: { ...blocked, cause: 'account' }, open: false },
  missed: { state: { ...blocked, cause: 'missed', dueAt: NOW }, open: false },
  paused: { state: { ...blocked, cause: 'paused', dueAt: NOW, until: NOW }, open: false },
  'blocked, doubted': {
    state: { ...blocked, cause: 'account', attempt: 2, repeats: 0, dueAt: NOW, earlier },
    open: false,
  },
  unconfirmed: { state: { ...sofar, kind: 'unconfirmed', reason, answer: null }, open: true },
  cancelled: { state: { kind: 'cancelled', attempt: 1, repeats: 0, at: NOW }, open: false },
}

function worldAt(place: Place): World {
  const { state, open } = STARTS[place]
  return {
    state,
    now: NOW,
    open,
    openBefore: place === 'committing, contested',
    committed: open ? idOf(session) : null,
  }
}

/** What the test makes of an event: null where it was refused. */
function after(world: World, event: DeliveryEvent): World | null {
  const result = step(world.state, event, world.now)
  if ('refused' in result) return null
  checkLaws(world, event, result.to, result.wakeAt)
  return { ...world, state: result.to, ...known(world, event, result.to) }
}

it('holds in every place of a life, whatever happens there and whatever failed', () => {
  const taken = new Set<string>()
  for (const place of PLACES) {
    for (const name of NAMES) {
      for (const failure of FAILURES) {
        const world = worldAt(place)
        expect(placeOf(world.state)).toBe(place)
        const event = EVENTS[name](sessionOf(world.state) ?? { id: 'any' }, failure, { id: 'fresh' })
        const next = after(world, event)
        if (next) taken.add(`${place} + ${name} -> ${placeOf(next.state)}`)
      }
    }
  }
  expect(taken.size, 'ways from one place to another').toBeGreaterThan(80)
})

it('holds whatever happens, in whatever order', () => {
  const reached = new Map<string, number>()
  // Half of the lives begin at their beginning.
  const start = fc.oneof(fc.constant<Place>('scheduled'), fc.constantFrom(...PLACES))
  fc.assert(
    fc.property(start, fc.array(chance, { minLength: 10, maxLength: 40 }), (place, chances) => {
      let world = worldAt(place)
      for (const [n, one] of chances.entries()) {
        world = { ...world, now: world.now + one.laterMs }
        world = after(world, happening(world, one, n)) ?? world
        const here = placeOf(world.state)
        if (place === 'scheduled') reached.set(here, (reached.get(here) ?? 0) + 1)
      }
    }),
    { numRuns: 5_000, seed: 1 },
  )
  // Or it would hold for want of trying: none of them is where a life begins.
  expect(PLACES.filter((place) => (reached.get(place) ?? 0) < 3)).toEqual([])
})
