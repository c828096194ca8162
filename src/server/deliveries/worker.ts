import type { Logger } from 'pino'
import type { DeliveryEvent } from '#domain/delivery/state.ts'
import { step, type Step } from '#domain/delivery/step.ts'
import { createBell } from '#base/wake-signal.ts'
import type { Bus } from '../db/bus.ts'
import { deadlineIn, OVER } from '#base/deadline.ts'
import type { Sealer } from '#base/encryption.ts'
import { nextEvent, type PublishDeps } from './publish.ts'
import {
  claimDue,
  freeSlot,
  nextWakeAt,
  slotOf,
  type Claimed,
  type ClaimRequest,
  type Slot,
} from './claim.ts'
import { createLineMeter, type LineMeter } from './line.ts'
import { explainSlowLine, uploadFacts, type UploadFacts } from './upload-facts.ts'
import { openClaim, release, renewLease, save, type Claim, type Saved } from './store.ts'

export type WorkerDeps = PublishDeps & {
  /** How fast this process's uploads go out. */
  readonly line?: LineMeter
  readonly sealer: Sealer
  readonly bus: Bus
  readonly log: Logger
}

export type Worker = {
  /** Takes nothing new, ends repeatable calls, begins no irreversible one, and waits for those that are out. */
  stop(): Promise<void>
}

/** A dead worker is noticed when its lease ends and the next poll finds that: well within a minute. */
export type Pace = {
  readonly leaseMs: number
  readonly renewMs: number
  readonly pollMs: number
  /** What one process does at a time. Uploads take up to an hour each, and have slots of their own. */
  readonly slots: { readonly calls: number; readonly uploads: number }
}
export const PACE: Pace = {
  leaseMs: 30_000,
  renewMs: 10_000,
  pollMs: 5_000,
  slots: { calls: 32, uploads: 16 },
}

/** A delivery that this process works on. */
type Job = {
  readonly slot: Slot
  readonly userId: number
  readonly startedAt: number
  readonly facts: UploadFacts
  readonly bytes: number
  bytesLeft: number
}

/** Works off what is due until it is stopped. Any number of these may run, on any number of machines. */
export function startWorker(deps: WorkerDeps, pace: Pace = PACE): Worker {
  const stopping = new AbortController()
  const running = new Map<Promise<void>, Job>()
  const line = deps.line ?? createLineMeter()
  const facts = uploadFacts(deps.platforms)
  const bell = createBell()
  const unsubscribe = deps.bus.onWake(bell.ring)

  const loop = async () => {
    while (!stopping.signal.aborted) {
      // The one catch of the worker: whatever broke, the lease of what it held runs out and the delivery is taken up again.
      await round().catch((error: unknown) => {
        deps.log.error({ err: error }, 'the worker stumbled; it goes on')
        return bell.wait(pace.pollMs)
      })
    }
  }

  const start = (claimed: Claimed) => {
    const { row, slot, bytes } = claimed
    const job: Job = { slot, userId: row.user_id, startedAt: deps.now(), facts, bytes, bytesLeft: bytes }
    const storage = line.count(deps.storage, (sent) => (job.bytesLeft = Math.max(job.bytesLeft - sent, 0)))
    const run = async () =>
      deliver({ ...deps, storage, line }, pace, openClaim(row, deps.sealer), job, stopping.signal)
    const done = run()
      .catch((error: unknown) => {
        deps.log.error({ err: error, delivery: row.delivery_id }, 'a delivery stumbled; it is taken up again')
        return freeSlot(deps.db, row)
      })
      .catch((error: unknown) => deps.log.warn({ err: error }, 'could not free a slot; its lease ends it'))
      .finally(() => {
        running.delete(done)
        bell.ring()
      })
    running.set(done, job)
  }

  const request = (): ClaimRequest => {
    const jobs = [...running.values()]
    const now = deps.now()
    return {
      now,
      leaseMs: pace.leaseMs,
      push: facts.push,
      pull: facts.pull,
      calls: {
        slots: pace.slots.calls,
        heldBy: jobs.filter(({ slot }) => slot === 'call').map(({ userId }) => userId),
      },
      uploads: {
        slots: pace.slots.uploads,
        running: jobs
          .filter(({ slot }) => slot === 'upload')
          .map(({ userId, bytesLeft, startedAt }) => ({
            userId,
            bytesLeft,
            elapsedS: Math.max(now - startedAt, 0) / 1000,
          })),
        line: { bytesPerS: line.bytesPerS(), isMeasured: line.isMeasured(), lifeS: facts.lifeS },
      },
    }
  }

  const round = async () => {
    let count = 0
    for await (const claimed of claimDue(deps.db, request)) {
      for (const one of claimed) start(one)
      count += claimed.length
    }
    if (count > 0) return
    const next = await nextWakeAt(deps.db, request())
    const waitMs = next === null ? pace.pollMs : Math.min(pace.pollMs, Math.max(next - deps.now(), 10))
    await bell.wait(waitMs)
  }

  const ended = loop()
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      bell.ring()
      await ended
      await Promise.all(running.keys())
    },
  }
}

/** What a call that we ended ourselves may look like where no harm is done by making it again. */
const OUR_DOING: ReadonlySet<DeliveryEvent['type']> = new Set(['setback', 'due', 'unreadable'])

/** Whether what comes next is done in the slot that was claimed. */
const fits = (job: Job, { state, platform }: Claim): boolean =>
  slotOf({ state: state.kind, platform }, job.facts.push) === job.slot

/** Takes one delivery as far as it goes now: call, decide, save, until it must wait. */
async function deliver(
  deps: WorkerDeps & { readonly line: LineMeter },
  pace: Pace,
  first: Claim,
  job: Job,
  stopping: AbortSignal,
): Promise<void> {
  const hold = holdLease(deps, pace, first)
  await deps.probe(`claimed ${first.state.kind}`)
  try {
    let savedCommit = false
    let hasLeave = false
    while (hold.claim.wakeAt !== null && hold.claim.wakeAt <= deps.now()) {
      if (stopping.aborted && !savedCommit) break
      // The next step needs a slot of the other kind: it is released, to be claimed for one.
      if (!savedCommit && !fits(job, hold.claim)) break
      const { claim } = hold
      const call = hold.beginCall(stopping)
      const then: (() => Promise<void>)[] = []
      let overtaken: 'changed' | 'lost' | null = null
      const came = await nextEvent(deps, claim, {
        signal: call.signal,
        mayCommit: () => {
          if (!savedCommit) return 'elsewhere'
          return hold.isFresh() && !stopping.aborted ? 'yes' : 'no'
        },
        hasLeave,
        afterwards: (work) => then.push(work),
        report: async (progress) => {
          if (overtaken !== null) return
          const saved = await move({ type: 'progress', ...progress, waitS: 0 })
          if (saved === 'saved') return
          overtaken = saved
          call.abort()
        },
      })
      const event = explainSlowLine(came, { ...job, line: deps.line })
      // Our own stopping is not the platform's setback.
      if (stopping.aborted && OUR_DOING.has(event.type)) break
      const saved = overtaken ?? (await moveOrTell(event))
      for (const work of then) await work()
      if (saved === 'lost') return
      savedCommit = saved === 'saved' && hold.claim.state.kind === 'committing'
      hasLeave = saved === 'saved' && event.type === 'due' && hold.claim.state.kind === 'preparing'
    }
  } finally {
    hold.end()
  }
  await release(deps.db, hold.claim)

  /** That a post is live is true whatever the user has done meanwhile, and keeps it from being sent again. */
  async function moveOrTell(event: DeliveryEvent): Promise<'saved' | 'changed' | 'lost'> {
    const saved = await move(event)
    const { kind } = hold.claim.state
    const stillTrue =
      saved === 'changed' && event.type === 'live' && (kind === 'scheduled' || kind === 'unconfirmed')
    return stillTrue ? move(event) : saved
  }

  async function move(event: DeliveryEvent): Promise<'saved' | 'changed' | 'lost'> {
    const habits = deps.platforms[hold.claim.platform]?.capabilities.firstChecksS
    return keep(step(hold.claim.state, event, deps.now(), habits))
  }

  async function keep(result: Step): Promise<'saved' | 'changed' | 'lost'> {
    if ('refused' in result) throw new Error(result.refused)
    const { to, wakeAt } = result
    await deps.probe(`before save ${to.kind}`)
    const saved = await hold.save({ state: to, wakeAt })
    await deps.probe(`after save ${to.kind}`)
    if (saved === 'crowded') return move({ type: 'crowded' })
    if (saved === 'erased') return keep(step(to, { type: 'erased' }, deps.now()))
    return saved === 'linked' ? keep(step(to, { type: 'linked_again' }, deps.now())) : saved
  }
}

/** Renews the lease while a delivery is worked on, and ends the call in progress once it is lost or the user moved the delivery. */
function holdLease(deps: WorkerDeps, pace: Pace, first: Claim) {
  let claim = first
  let saving = false
  let call = new AbortController()
  // Reckoned from before the request, so that ours ends no later than the database's.
  let lease = deadlineIn(pace.leaseMs)

  const renew = async () => {
    const { version } = claim
    const next = deadlineIn(pace.leaseMs)
    const renewal = await renewLease(deps.db, claim, pace.leaseMs)
    lease = renewal.held ? next : OVER
    if (!renewal.held) return call.abort()
    const movedByUs = saving || claim.version !== version
    if (!movedByUs && renewal.version !== version) call.abort()
  }
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      deps.log.warn({ err: error, delivery: claim.deliveryId }, 'could not renew a lease')
      if (lease.isOver()) call.abort()
    })
  }, pace.renewMs)

  return {
    get claim() {
      return claim
    },
    beginCall(stopping: AbortSignal) {
      const own = new AbortController()
      call = own
      return { signal: AbortSignal.any([own.signal, stopping]), abort: () => own.abort() }
    },
    /** Far enough from the lease's end that nobody else can have taken the delivery up before our next call is out. */
    isFresh: () => !lease.isOver(pace.leaseMs / 2),
    async save(to: Omit<Parameters<typeof save>[3], 'leaseMs'>): Promise<Saved['kind']> {
      saving = true
      const next = deadlineIn(pace.leaseMs)
      try {
        const saved = await save(deps.db, deps.sealer, claim, { ...to, leaseMs: pace.leaseMs })
        if (saved.kind === 'saved') lease = next
        if (saved.kind === 'saved' || saved.kind === 'changed') claim = saved.claim
        return saved.kind
      } finally {
        saving = false
      }
    },
    end: () => clearInterval(timer),
  }
}
