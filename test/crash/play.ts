import { setTimeout as pause } from 'node:timers/promises'
import { control, inboxDrafts, livePosts, platformCalls } from '../support/test-server.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'
import { checkOutcome, type Counts, noCounts, type ReportedDelivery } from './checker.ts'
import { steady, type Lane } from './lane.ts'
import type { Action, Scenario } from './scenario/scenario.ts'
import { isQuiet, isSettled, REFUSAL, setStage, type Row, type Stage } from './stage.ts'
import type { WorkerProcess } from './processes/workers.ts'

export type RunResult = {
  readonly scenario: Scenario
  /** The broken laws in words; empty: none. */
  readonly broken: readonly string[]
  readonly counts: Counts
  /** Time on the lane's clock between the services' return and the end of all deliveries, or their wait for the user. */
  readonly recoveryS: number
  readonly timeline: readonly string[]
}

/** The promise, on the lane's clock, counted from the return of all services. */
const RECOVERY_S = 300
/** How long trouble may last before the services return, on the lane's clock. */
const TROUBLE_S = 1_800
/** How long Reelay may then look for a public first comment, on the lane's clock. */
const COMMENTS_S = 7_200
/** Time that a worker sleeps, on the lane's and on the machine's clock. */
const SLEEP = { laneMs: 1_500_000, machineMs: 15_000 }
/** On the machine's clock; a longer run is stuck. */
const PATIENCE_MS = 180_000
/** The lane's clock moves in steps of at most this, so that shorter waits end in order. */
const STEP_MS = 60_000
/** Interval of checks on deliveries in progress, on the machine's clock. */
const LOOK_MS = 40

type Run = {
  readonly stage: Stage
  readonly pool: WorkerPool
  readonly counts: Counts
  readonly broken: string[]
  readonly until: number
  /** Deliveries that the API has reported as not going out. */
  readonly givenUp: Set<number>
  readonly unlinked: Set<number>
  readonly hidden: Set<number>
  /** Time without any running process, on the lane's clock. */
  awayMs: number
}

/** Plays one scenario in five acts: trouble, recovery, the user, first comments, the verdict. */
export async function play(lane: Lane, scenario: Scenario): Promise<RunResult> {
  // The first calls may use a connection to a process that the previous run killed.
  const stage = await steady(() => setStage(lane, scenario))
  const run: Run = {
    stage,
    pool: await createWorkerPool(stage),
    counts: noCounts(),
    broken: [],
    until: Date.now() + PATIENCE_MS,
    givenUp: new Set(),
    unlinked: new Set(),
    hidden: new Set(),
    awayMs: 0,
  }
  let recoveryS = 0
  try {
    await trouble(run)
    recoveryS = await recovery(run)
    await theUser(run)
    await theComments(run)
  } catch (error) {
    run.broken.push(error instanceof Error ? error.message : String(error))
  }
  await verdict(run)
  await tidy(run)
  return { scenario, broken: run.broken, counts: run.counts, recoveryS, timeline: stage.timeline }
}

async function trouble(run: Run): Promise<void> {
  const { stage, pool } = run
  const { practiceUrl } = stage.lane
  for (const one of stage.scenario.events) {
    if (one.type !== 'fault') continue
    const { platform, call, fault, times, after } = one
    await control(practiceUrl, 'POST', '/_control/faults', { platform, call, fault, times, after, ms: 200 })
  }
  await stage.post()
  run.counts.deliveries = stage.posts.length * stage.scenario.accounts.length
  await playUntil(run, isQuiet, TROUBLE_S, async () => {
    return pool.waiting() === 0 && (await faultsLeft(stage)).length === 0
  })
  const given = stage.scenario.events.reduce((sum, one) => sum + (one.type === 'fault' ? one.times : 0), 0)
  const left = (await faultsLeft(stage)).filter(({ fault }) => fault !== 'hold')
  run.counts.faults = given - left.reduce((sum, { times }) => sum + times, 0)
  await control(practiceUrl, 'DELETE', '/_control/faults')
  pool.dismiss()
  for (const worker of stage.lane.workers()) worker.tell({ type: 'set_clock', byMs: 0 })
  stage.note('the services are back')
}

async function recovery(run: Run): Promise<number> {
  const { stage, broken } = run
  const backAt = stage.lane.now()
  const waitS = askedForS(stage.scenario) + backOffS(stage.scenario) + apartS(stage.scenario)
  if (!(await playUntil(run, isSettled, RECOVERY_S + waitS))) {
    for (const row of await stage.look()) {
      if (isSettled(row) || wasSentAway(run, row)) continue
      if (row.state === 'unconfirmed' && (await mayStayOpen(run, row))) continue
      broken.push(`delivery ${row.id} is still "${row.state}" ${RECOVERY_S} s after all services were back`)
    }
  }
  return (stage.lane.now() - backAt) / 1000
}

/** Acts as the user; afterwards everything that was not given up must be live. */
async function theUser(run: Run): Promise<void> {
  const { stage, broken } = run
  for (const index of run.hidden) await stage.change(index, { private: false })
  for (let round = 0; round < 3; round++) {
    const open = (await stage.look()).filter((row) => !isDone(run, row))
    if (open.length === 0) return
    await sitOut(run, open)
    for (const row of open) await remedy(run, row)
    await playUntil(run, isSettled, RECOVERY_S)
  }
  for (const row of await stage.look()) {
    if (!isDone(run, row)) broken.push(`delivery ${row.id} is lost: "${row.state}" whatever its user does`)
  }
}

/** Existing comments are found, and failed ones are added after a retry, if the account is linked and the post known. */
async function theComments(run: Run): Promise<void> {
  const { stage, broken } = run
  if (!stage.scenario.firstComments) return
  for (let round = 0; round < 3; round++) {
    const live = await livePosts(stage.lane)
    const found = (row: Row) =>
      live.some(({ comments = [] }) => comments.some(({ text }) => text === stage.commentOf(row)))
    const isOver = (row: Row) =>
      isQuiet(row) && (row.comment?.state !== 'unconfirmed' || row.comment.wakeAt === null || !found(row))
    await playUntil(run, isOver, COMMENTS_S)
    const failed = (await stage.look()).filter((row) => mayHaveComment(run, row) && waitsForUser(row))
    if (failed.length === 0) return
    if (round === 2)
      broken.push(...failed.map(({ id }) => `the first comment of delivery ${id} is never added`))
    for (const { id, account, relink } of failed) {
      if (relink) await stage.link(account)
      stage.note(`the user retries the first comment of delivery ${id}`)
      await stage.asUser('POST', `/deliveries/${id}/follow-ups/first_comment/retry`)
    }
  }
}

/** It failed, or is checked only after its user asks. */
const waitsForUser = ({ comment }: Row): boolean =>
  comment?.state === 'failed' || (comment?.state === 'unconfirmed' && comment.wakeAt === null)

/** A first comment can be added: the user did nothing against it, and the platform names the post. */
const mayHaveComment = ({ unlinked }: Run, { account, deleted, comment }: Row): boolean =>
  !unlinked.has(account) && !deleted && comment?.reason !== 'post_id_unknown'

async function verdict(run: Run): Promise<void> {
  const { stage, broken, counts } = run
  const { lane } = stage
  // Waits for the platforms' work, so that nothing becomes live after the verdict.
  for (let tries = 0; tries < 100; tries++) {
    const pending = (await control(lane.practiceUrl, 'GET', '/_control/pending')) as unknown[]
    if (pending.length === 0) break
    await stage.advance(5_000)
  }
  const reported = (await stage.look()).map((row): ReportedDelivery => {
    const { platform, creator } = stage.account(row.account)
    return {
      id: row.id,
      platform,
      creator,
      text: stage.textOf(row),
      state: row.state,
      isDraft: stage.isDraft(row),
      givenUp: run.givenUp.has(row.id),
      replaces: stage.replaced.get(row.postId) ?? null,
      comment: reportedComment(stage, row),
    }
  })
  if (reported.length !== counts.deliveries) broken.push('deliveries have vanished')
  counts.published = reported.filter(({ state }) => state === 'published').length
  counts.givenUp = run.givenUp.size
  counts.drafts = reported.filter(({ state }) => state === 'in_inbox').length
  counts.comments = reported.filter(({ state, comment }) => state === 'published' && comment !== null).length
  counts.commented = reported.filter(({ comment }) => comment?.state === 'done').length
  const [live, calls, strays] = [await livePosts(lane), await platformCalls(lane), await lane.strays()]
  const drafts = await inboxDrafts(lane)
  broken.push(...checkOutcome({ reported, live, drafts, calls, sha256: stage.sample.sha256, strays }))
}

function reportedComment(stage: Stage, row: Row): ReportedDelivery['comment'] {
  const text = stage.commentOf(row)
  return text === null ? null : { text, state: row.comment?.state ?? null, dropped: row.deleted }
}

async function tidy({ stage, pool, broken }: Run): Promise<void> {
  const { lane, timeline } = stage
  if (broken.length > 0) {
    timeline.push('-- what the users were told', ...(await stage.told()))
    const calls = await platformCalls(lane)
    timeline.push('-- what the platforms were asked', ...calls.map((one) => JSON.stringify(one)))
    timeline.push('-- what the processes printed', lane.takeLog())
    // A sleeping or stopped worker must not enter another run.
    for (const worker of lane.workers()) await pool.kill(worker)
  }
  await stage.clear()
  for (const worker of lane.workers().slice(1)) await worker.stop()
}

/** Plays until `done` holds for every delivery, the lane's clock has moved by `limitS`, or `enough`. @returns true if everything is done */
async function playUntil(
  run: Run,
  done: (row: Row) => boolean,
  limitS: number,
  enough: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  const { stage, pool } = run
  const played = () => stage.lane.now() - run.awayMs
  const end = played() + limitS * 1000
  for (;;) {
    await pool.staff()
    if (await pool.happen((action, worker) => perform(run, action, worker))) continue
    if (!(await goOn(stage, done))) return true
    if (played() > end || (await enough())) return false
    if (Date.now() > run.until) throw new Error(`The run is stuck: ${JSON.stringify(await stage.look())}`)
  }
}

/** Lets due work run, or moves the clock to the next due work. @returns false when everything is done */
async function goOn(stage: Stage, done: (row: Row) => boolean): Promise<boolean> {
  const open = (await stage.look()).filter((row) => !done(row))
  if (open.length === 0) return false
  const now = stage.lane.now()
  const next = Math.min(
    ...open.flatMap(({ wakeAt, followUpAt }) => [wakeAt ?? Infinity, followUpAt ?? Infinity]),
  )
  const isIdle = next > now && open.every(({ leased }) => !leased)
  if (isIdle && next < Infinity) await stage.advance(Math.min(next - now + 1, STEP_MS))
  else await pause(LOOK_MS)
  return true
}

async function perform(run: Run, action: Action, worker: WorkerProcess | null): Promise<void> {
  const { stage, pool, counts } = run
  const { lane } = stage
  const sleeper = worker ?? lane.workers()[0]
  stage.note(`${action.type}${'account' in action ? ` of account ${action.account}` : ''}`)
  if (action.type.startsWith('kill')) counts.kills += 1
  else counts.actions += 1
  switch (action.type) {
    case 'kill':
      for (const one of worker ? [worker] : lane.workers()) await pool.kill(one)
      if (action.awayS === 0) return
      stage.note(`nothing runs for ${action.awayS} s`)
      run.awayMs += action.awayS * 1000
      return stage.advance(action.awayS * 1000)
    case 'freeze':
      if (sleeper === undefined) return
      return pool.freeze(sleeper, () => meanwhile(run))
    case 'kill_web':
      return lane.restartWeb()
    case 'kill_platforms':
      return lane.restartPlatforms()
    case 'cut_database':
      return steady(() => lane.cutDatabase())
    case 'restart_database':
      return lane.restartDatabase()
    case 'clock_jump':
      return lane.workers().forEach((one) => one.tell({ type: 'set_clock', byMs: action.byS * 1000 }))
    case 'second_worker':
      return pool.startAnother()
    case 'make_private':
      run.hidden.add(action.account)
      return stage.change(action.account, { private: true })
    case 'revoke_access':
      return stage.disconnect(action.account)
    case 'unlink':
      run.unlinked.add(action.account)
      return stage.unlink(action.account)
    case 'delete_post':
      return deletePosts(run)
    case 'edit':
      return void run.broken.push(...(await stage.edit(action.account)))
    case 'resend':
      for (const row of await stage.look()) if (row.account === action.account) await resend(run, row)
      return
    case 'cancel':
    case 'dismiss':
    case 'retry':
      for (const row of await stage.look()) {
        if (row.account !== action.account) continue
        const status = await stage.asUser('POST', `/deliveries/${row.id}/${action.type}`)
        if (action.type === 'cancel' && status === 200) run.givenUp.add(row.id)
        if (action.type === 'dismiss' && status === 200) counts.dismissed += 1
      }
  }
}

/** The work of another worker while the first one sleeps. */
async function meanwhile({ stage }: Run): Promise<void> {
  const [from, until] = [stage.lane.now(), Date.now() + SLEEP.machineMs]
  while (stage.lane.now() - from < SLEEP.laneMs && Date.now() < until) {
    if (!(await goOn(stage, isSettled))) return
  }
}

async function deletePosts({ stage, givenUp }: Run): Promise<void> {
  for (const { id } of stage.posts) {
    const before = (await stage.look()).filter(({ postId }) => postId === id)
    if ((await stage.asUser('DELETE', `/posts/${id}`)) !== 204) continue
    for (const row of before) if (row.state !== 'published' && row.state !== 'in_inbox') givenUp.add(row.id)
  }
}

async function remedy(run: Run, row: Row): Promise<void> {
  const { stage, counts, broken } = run
  if (row.relink) {
    stage.note(`the user links account ${row.account} again`)
    counts.linkedAgain += 1
    await stage.link(row.account)
  } else if (row.state === 'failed' || row.state === 'blocked') {
    await answerFailure(run, row)
  } else if (row.state === 'unconfirmed') {
    if (!(await mayStayOpen(run, row)))
      broken.push(`delivery ${row.id} is unconfirmed though its platform can tell`)
    counts.unconfirmed += 1
    const isThere = stage.isDraft(row) ? await isInInbox(stage, row) : await isLive(stage, row)
    stage.note(`the user says that delivery ${row.id} is ${isThere ? '' : 'not '}there`)
    const outcome = isThere ? (stage.isDraft(row) ? 'in_inbox' : 'live') : 'not_live'
    await stage.asUser('POST', `/deliveries/${row.id}/resolve`, { outcome, ...KNOWING })
  }
}

/** All posts of a run share one video, so the API asks for a confirmation. */
const KNOWING = { confirm_repeat: true } as const

async function answerFailure(run: Run, row: Row): Promise<void> {
  const { stage, counts } = run
  const retry = (body: object = {}) => stage.asUser('POST', `/deliveries/${row.id}/retry`, body)
  const { failures } = stage.scenario
  const does = row.state === 'failed' ? failures : 'retry'
  stage.note(`the user answers for delivery ${row.id}: ${does}`)
  switch (does) {
    case 'retry':
      counts.triedAgain += 1
      await retry(KNOWING)
      return
    case 'dismiss':
      counts.dismissed += 1
      await stage.asUser('POST', `/deliveries/${row.id}/dismiss`)
      return
    case 'resend':
      if ((await resend(run, row)) !== 201) await resend(run, row, true)
      // Another tab still shows the failure and its button.
      if ((await retry(KNOWING)) !== 409)
        run.broken.push(`delivery ${row.id} is retried although a newer post has replaced it`)
      return
    case 'both': {
      const [retried, resent] = await Promise.all([retry(), resend(run, row)])
      if (retried === 200) counts.triedAgain += 1
      if (retried === 200 && resent === 201)
        run.broken.push(`delivery ${row.id} is retried and sent again, and nobody was asked`)
      // Both got the question about another post of the account.
      if (retried !== 200 && resent !== 201) await resend(run, row, true)
    }
  }
}

async function resend({ stage, counts }: Run, row: Row, isConfirmed = false): Promise<number> {
  const status = await stage.resend(row, isConfirmed)
  stage.note(`delivery ${row.id}, "${row.state}", is sent again: ${status}`)
  if (status !== 201) return status
  counts.sentAgain += 1
  counts.deliveries += 1
  return status
}

async function isLive(stage: Stage, row: Row): Promise<boolean> {
  const { creator } = stage.account(row.account)
  const live = await livePosts(stage.lane)
  return live.some(({ account, text }) => account === creator && text === stage.textOf(row))
}

/** Drafts look alike: it exists if there is one more than other deliveries report. */
async function isInInbox(stage: Stage, row: Row): Promise<boolean> {
  const { creator } = stage.account(row.account)
  const found = (await inboxDrafts(stage.lane)).filter(({ account }) => account === creator)
  const others = (await stage.look()).filter(
    ({ account, state }) => account === row.account && state === 'in_inbox',
  )
  return found.length > others.length
}

const isDone = ({ givenUp, unlinked }: Run, { id, state, account, settled }: Row): boolean =>
  settled ||
  state === 'published' ||
  state === 'in_inbox' ||
  state === 'cancelled' ||
  givenUp.has(id) ||
  (unlinked.has(account) && state !== 'unconfirmed')

/** A throttled Instagram call reports that an hour's calls are used up: none is made for five minutes. */
const askedForS = ({ events }: Scenario): number =>
  events.some((one) => one.type === 'fault' && one.platform === 'instagram' && one.fault === 'status_429')
    ? 300
    : 0

/** After five fruitless last chunks in a row the next is sent after 5 minutes, after six after 15: docs/decisions/0005. */
function backOffS({ events }: Scenario): number {
  const lost = events.reduce(
    (sum, one) => sum + (one.type === 'fault' && one.call === 'final_chunk' ? one.times : 0),
    0,
  )
  if (lost < 5) return 0
  return lost === 5 ? 300 : 900
}

/** Until the last account is due. */
const apartS = ({ accounts, apartMinutes }: Scenario): number => (accounts.length - 1) * apartMinutes * 60

/** Instagram took the account's post for spam: its other posts wait for the day that its pages require. */
const wasSentAway = ({ stage }: Run, { state, wakeAt }: Row): boolean =>
  (state === 'preparing' || state === 'scheduled') &&
  (wakeAt ?? 0) > stage.lane.now() + RECOVERY_S * 1000 &&
  stage.scenario.events.some((one) => one.type === 'fault' && one.fault === 'publish_error_but_live')

async function sitOut(run: Run, rows: readonly Row[]): Promise<void> {
  const { stage } = run
  const until = Math.max(0, ...rows.filter((row) => wasSentAway(run, row)).map(({ wakeAt }) => wakeAt ?? 0))
  const waitMs = until - stage.lane.now()
  if (waitMs <= 0) return
  stage.note(`the platform asked for a wait of ${Math.round(waitMs / 1000)} s`)
  run.awayMs += waitMs
  await stage.advance(waitMs)
}

/**
 * Only the user can tell: the upload address, container or access is gone; or the irreversible call was made without effect
 * as often as Meta allows ("at most 3"), including killed workers.
 */
async function mayStayOpen({ stage, unlinked }: Pick<Run, 'stage' | 'unlinked'>, row: Row): Promise<boolean> {
  const wasLongAway = stage.scenario.events.some(
    (one) => one.type === 'action' && one.action.type === 'kill' && one.action.awayS >= 3_600,
  )
  if (wasLongAway || unlinked.has(row.account)) return true
  return stage.account(row.account).platform === 'instagram' && (await stage.timesCommitted(row)) >= 3
}

const faultsLeft = async ({ lane }: Stage) =>
  ((await control(lane.practiceUrl, 'GET', '/_control/faults')) as { fault: string; times: number }[]).filter(
    ({ fault }) => fault !== REFUSAL,
  )
