import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Failure } from './failure.ts'
import { REASONS } from './reasons.ts'
import type { DeliveryEvent, DeliveryState, Session } from './state.ts'
import { step } from './step.ts'
import {
  DAY_MS,
  type EventName,
  EVENTS,
  everyEvent,
  FAILURES,
  NAMES,
  NOW,
  type Place,
  placeOf,
  PLACES,
  SESSION,
  sessionOf,
  STARTS,
} from './testing/every-event.ts'

// These laws hold whatever happens to a delivery, in whatever order. Beside the state runs what the test itself knows: if
// an irreversible call may have had an effect of which no definite word has come.

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

/** Events that end, hold or move a delivery come seldom, or nothing else would be reached. */
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
    case 'dismiss':
    case 'replaced':
    case 'rescheduled':
    case 'edited':
    case 'linked_again':
    case 'missed':
    case 'paused':
    case 'resumed':
    case 'held':
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
  must(
    event.type !== 'held' ||
      (to.kind === 'blocked' && to.cause === 'restored') ||
      (to.kind === 'unconfirmed' && to.restored),
    'after a restore what had not ended is held, or only asked about',
  )
  must(
    from.kind !== 'unconfirmed' || !from.restored || mayLeaveRestored(event, to),
    'what is asked about after a restore leads to no other attempt without its user',
  )
  must(
    mayLeave(from, event, to),
    'an end stays, a replaced failure most of all, and only its owner ends the waiting for an account',
  )
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

const WAYS_OUT: Record<'account' | 'missed' | 'paused' | 'restored', readonly DeliveryEvent['type'][]> = {
  account: ['linked_again', 'erased', 'cancel', 'held'],
  // Only its user lets it go out.
  missed: ['retry', 'erased', 'cancel', 'held'],
  paused: ['paused', 'resumed', 'missed', 'relink', 'erased', 'cancel', 'held'],
  // Nothing goes out by itself from data that were restored or copied.
  restored: ['retry', 'resolve', 'paused', 'resumed', 'missed', 'erased', 'cancel'],
}

function mayLeaveRestored(event: DeliveryEvent, to: DeliveryState): boolean {
  if (event.type === 'resolve') return true
  if (to.kind === 'unconfirmed') return to.restored
  return (
    to.kind === 'published' || to.kind === 'in_inbox' || (to.kind === 'blocked' && to.cause === 'restored')
  )
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
      if (to.kind === 'failed') return to.at === from.at && to.reason === from.reason && to.settled !== null
      return event.type === 'retry' && from.settled?.kind !== 'replaced'
    case 'blocked':
      if (event.type === 'rescheduled' || event.type === 'edited')
        return (from.cause !== 'account' && from.cause !== 'restored') || to.kind === 'blocked'
      return from.cause === 'limit' || WAYS_OUT[from.cause].includes(event.type)
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'unconfirmed':
      return true
  }
}

function worldAt(place: Place): World {
  const { state, open } = STARTS[place]
  return {
    state,
    now: NOW,
    open,
    openBefore: place === 'committing, contested',
    committed: open ? idOf(SESSION) : null,
  }
}

/** null: the event was refused. */
function after(world: World, event: DeliveryEvent): World | null {
  const result = step(world.state, event, world.now)
  if ('refused' in result) return null
  checkLaws(world, event, result.to, result.wakeAt)
  return { ...world, state: result.to, ...known(world, event, result.to) }
}

it('holds in every place of a life, whatever happens there and whatever failed', () => {
  for (const place of PLACES) expect(placeOf(worldAt(place).state)).toBe(place)
  const taken = new Set<string>()
  for (const { place, name, event } of everyEvent()) {
    const next = after(worldAt(place), event)
    if (next) taken.add(`${place} + ${name} -> ${placeOf(next.state)}`)
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
