import type { Logger } from 'pino'
import type { Failure } from '#domain/delivery/failure.ts'
import { type Found, takeReading } from '#domain/results/reading.ts'
import { isMarkDue } from '#domain/results/schedule.ts'
import type { Platform, ResultsOutcome, Usage } from '#platforms/kit/platform.ts'
import type { Bus } from '../db/bus.ts'
import { callWithAccess, type NoAccess } from '../deliveries/account-access.ts'
import type { DeliveryWorkerDeps } from '../deliveries/worker/worker.ts'
import { startClaimLoop } from '../lease/claim-loop.ts'
import { findCooldowns } from '../rate-limit/circuit-breaker.ts'
import { reserveCall } from '../rate-limit/reserve-call.ts'
import {
  claimReaders,
  type DueResult,
  listDueResults,
  nextReaderAt,
  type Reader,
  removeScopes,
  saveReadings,
  stopReading,
} from './store.ts'

type ResultsDeps = DeliveryWorkerDeps & { readonly log: Logger; readonly bus: Pick<Bus, 'onWake'> }

/** Nobody waits for a number, so that a few at a time are enough. */
const AT_A_TIME = 2
const LEASE_MS = 180_000
const CALL_MS = 90_000
const MINUTE_MS = 60_000
const FAILED_RETRY_MS = 15 * MINUTE_MS
/** From this part of an allowance on, the rest is left to the posts. */
const BUSY_PERCENT = 50
const BUSY_MS = 60 * MINUTE_MS

/** Reads the numbers of live posts, an account at a time, until it is stopped. It never changes a delivery. */
export function startResultsWorker(
  deps: ResultsDeps,
  { pollMs }: { readonly pollMs: number },
): { stop(): Promise<void> } {
  const { db, log, now } = deps
  return startClaimLoop<Reader>(deps, {
    what: 'results',
    pollMs,
    async *claim(running) {
      yield* await claimReaders(db, {
        now: now(),
        leaseMs: LEASE_MS,
        limit: AT_A_TIME - running().length,
      })
    },
    work: (reader, stopping) =>
      readAccount(deps, reader, stopping).catch((error: unknown) => {
        const { accountId } = reader
        log.error(
          { err: error, account: accountId },
          `results of account ${accountId} not read: retried when its lease ends`,
        )
      }),
    nextAt: () => nextReaderAt(db, now()),
  })
}

async function readAccount(deps: ResultsDeps, reader: Reader, stopping: AbortSignal): Promise<void> {
  const { db, now } = deps
  if (!reader.linked) {
    await stopReading(db, reader)
    return
  }
  const platform = deps.platforms[reader.platform]
  const most = platform?.results.idsPerCall ?? 1
  const near = await listDueResults(db, reader.accountId, now(), 2 * most)
  const due = near
    .filter(({ nextAt, liveAt }) => nextAt <= now() || !isMarkDue(liveAt, nextAt))
    .slice(0, most)
  const isAnyDue = due.some(({ nextAt }) => nextAt <= now())
  const posts = isAnyDue ? due : []
  const read = platform ? await readPosts(deps, { reader, platform, posts }, stopping) : NOT_ASKED
  if (stopping.aborted) return
  const at = now()
  const readings = posts.flatMap((post) => {
    const found = read.found(post)
    return found === null ? [] : [{ deliveryId: post.deliveryId, ...takeReading(post, found, at) }]
  })
  await saveReadings(db, reader, readings, { now: at, notBefore: at + read.waitMs })
}

/** What was found of each post; null: nothing was asked. `waitMs`: until the account is read again. */
type Read = { readonly found: (post: DueResult) => Found | null; readonly waitMs: number }

const NOT_ASKED: Read = { found: () => null, waitMs: FAILED_RETRY_MS }

async function readPosts(
  deps: ResultsDeps,
  asked: { readonly reader: Reader; readonly platform: Platform; readonly posts: readonly DueResult[] },
  stopping: AbortSignal,
): Promise<Read> {
  const { reader, platform, posts } = asked
  const { accountId } = reader
  const postIds = posts.flatMap(({ postId }) => postId ?? [])
  if (!platform.results.scopes.every((scope) => reader.scopes.includes(scope))) return NOT_ALLOWED
  if (postIds.length === 0) return { found: () => ({ kind: 'no_id' }), waitMs: 0 }
  const waitMs = await waitForPosts(deps, platform, accountId)
  if (waitMs > 0) return { found: () => null, waitMs }
  const usages: Usage[] = []
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(CALL_MS)])
  const outcome = await callWithAccess(
    deps,
    accountId,
    (account) =>
      platform.results.read({
        account,
        postIds,
        scopes: reader.scopes,
        signal,
        onUsage: (usage) => usages.push(usage),
      }),
    failureOf,
  )
  const busyMs = usages.some(({ accountPercent }) => (accountPercent ?? 0) >= BUSY_PERCENT) ? BUSY_MS : 0
  return judge(deps, asked, outcome, busyMs)
}

/** While calls run short, what is left of them is for posts. */
async function waitForPosts(deps: ResultsDeps, platform: Platform, accountId: number): Promise<number> {
  const now = deps.now()
  const call = { platform: platform.id, call: 'results', now } as const
  // One that has ended waits for a post to try it, perhaps for days.
  const running = (await findCooldowns(deps.db, call, accountId)).filter(({ until }) => until > now)
  if (running.length > 0) return Math.max(MINUTE_MS, ...running.map(({ until }) => until - now))
  const request = { platform, accountId, call: 'results', delivery: null, now } as const
  const reservation = await reserveCall(deps.db, request)
  return reservation.kind === 'wait' ? Math.max(MINUTE_MS, reservation.until - now) : 0
}

const failureOf = (outcome: ResultsOutcome | NoAccess): Failure | null =>
  'failure' in outcome ? outcome.failure : null

const NOT_ALLOWED: Read = { found: () => ({ kind: 'not_allowed' }), waitMs: 0 }

async function judge(
  deps: ResultsDeps,
  { reader, platform }: { readonly reader: Reader; readonly platform: Platform },
  outcome: ResultsOutcome | NoAccess,
  busyMs: number,
): Promise<Read> {
  if ('ok' in outcome) return afterFailure(outcome.failure)
  switch (outcome.kind) {
    case 'read':
      if (outcome.withheld) await noteWithheld(deps, reader, outcome.withheld)
      return {
        found: ({ postId }) => {
          if (postId === null) return { kind: 'no_id' }
          const numbers = outcome.posts.get(postId)
          return numbers === undefined ? { kind: 'absent' } : { kind: 'numbers', numbers }
        },
        waitMs: busyMs,
      }
    case 'not_allowed':
      await removeScopes(deps.db, reader, platform.results.scopes)
      return NOT_ALLOWED
    case 'unreadable':
      return afterFailure(outcome.failure)
  }
}

async function noteWithheld(
  { db, log }: ResultsDeps,
  reader: Reader,
  { failure, lostScopes }: NonNullable<Extract<ResultsOutcome, { kind: 'read' }>['withheld']>,
): Promise<void> {
  if (lostScopes.length > 0) {
    await removeScopes(db, reader, lostScopes)
    return
  }
  const { code, message, remedy } = failure.reason
  log.warn({ account: reader.accountId, code }, `some results not read: ${message} ${remedy}`)
}

function afterFailure(failure: Failure): Read {
  switch (failure.kind) {
    case 'account':
      // One that must be linked again reports nothing until then.
      return failure.expired ? NOT_ASKED : NOT_ALLOWED
    case 'throttled':
      return { found: () => null, waitMs: Math.max(failure.retryAfterS * 1000, FAILED_RETRY_MS) }
    // It may be about these posts alone: others go on.
    case 'unreachable':
      return { found: () => ({ kind: 'failed' }), waitMs: FAILED_RETRY_MS }
    case 'rejected':
    case 'unexpected':
      return { found: () => ({ kind: 'failed' }), waitMs: 0 }
  }
}
