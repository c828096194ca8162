import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AccountId, PostId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { control, linkAccount, livePosts, platformCalls, QUICK, until } from '../harness.ts'
import { judge, type Expected } from './judge.ts'
import type { Lane } from './lane.ts'
import type { Deed, Happening, Moment, Scenario } from './scenario.ts'
import type { WorkerProcess } from './workers.ts'

/** What came of a run. */
export type Played = {
  readonly scenario: Scenario
  /** The laws that were broken, in words; empty: none. */
  readonly broken: readonly string[]
  readonly counts: Counts
  /** From when the services were back until everything had ended or waited for the user, on the lane's clock. */
  readonly recoveryS: number
  readonly timeline: readonly string[]
}

export type Counts = {
  deliveries: number
  published: number
  /** SIGKILL of any process. */
  kills: number
  /** Answers that were lost, late or wrong. */
  faults: number
  /** Everything else that was done. */
  deeds: number
  /** Deliveries that ended only with the user: linked again, tried again, or answered. */
  unconfirmed: number
  linkedAgain: number
  triedAgain: number
}

/** Of the lane's clock, from when all services are back: the promise. */
const RECOVERY_S = 300
/** The worst that the scenarios can ask for before that, also of the lane's clock. */
const TROUBLE_S = 1_800
/** Of the machine's clock; a run that takes longer is stuck. */
const PATIENCE_MS = 120_000

type DeedHappening = Extract<Happening, { type: 'deed' }>
type Row = {
  readonly id: number
  readonly postId: number
  readonly account: number
  readonly state: string
  readonly cause: string | null
  readonly wakeAt: number | null
  readonly leased: boolean
  /** The account is to be linked again. */
  readonly relink: boolean
}
type Linked = { readonly platform: PlatformId; readonly creator: string; id: AccountId }

/** Plays one scenario to its end and judges it. */
export async function play(lane: Lane, scenario: Scenario): Promise<Played> {
  const begun = Date.now()
  const timeline: string[] = []
  const startedAt = lane.now()
  const note = (text: string) =>
    timeline.push(`${((lane.now() - startedAt) / 1000).toFixed(1).padStart(8)} s  ${text}`)
  const counts: Counts = {
    deliveries: 0,
    published: 0,
    kills: 0,
    faults: 0,
    deeds: 0,
    unconfirmed: 0,
    linkedAgain: 0,
    triedAgain: 0,
  }
  const broken: string[] = []

  // ---- the stage ----

  await lane.clearPlatforms()
  const brand = await (await lane.person()).call('createBrand', { body: { title: `Run ${scenario.run}` } })
  const accounts: Linked[] = []
  for (const { platform, creator } of scenario.accounts) {
    await control(lane.practiceUrl, 'POST', '/_control/accounts', { platform, username: creator })
    accounts.push({ platform, creator, id: await link(platform, creator) })
  }
  const { videoId, sample } = await lane.video(scenario.video)

  async function link(platform: PlatformId, creator: string): Promise<AccountId> {
    const account = await linkAccount(await lane.person(), { platform, brandId: brand.brand_id, creator })
    return account.account_id
  }

  // ---- what is to happen ----

  const deeds = scenario.happenings.filter((one): one is DeedHappening => one.type === 'deed')
  const waiting = new Map(deeds.map((one, id) => [id, one]))
  const holds = new Map<string, number>()
  for (const happening of scenario.happenings) {
    if (happening.type === 'fault') await addFault(happening)
  }
  for (const [id, { when }] of waiting) if (when.on === 'wire') holds.set(await addHold(when), id)

  async function addFault(it: Extract<Happening, { type: 'fault' }>): Promise<void> {
    const { platform, call, fault, times, after } = it
    await control(lane.practiceUrl, 'POST', '/_control/faults', {
      platform,
      call,
      fault,
      times,
      after,
      ms: 200,
    })
  }
  async function addHold({ platform, call, skip }: Extract<Moment, { on: 'wire' }>): Promise<string> {
    const fault = { platform, call, fault: 'hold', after: skip, ms: 10_000 }
    const { id } = (await control(lane.practiceUrl, 'POST', '/_control/faults', fault)) as { id: string }
    return id
  }

  // ---- workers ----

  /** How long nothing ran, on the lane's clock. */
  let awayMs = 0
  const reached: { worker: WorkerProcess; id: number }[] = []

  const ordersNow = () =>
    [...waiting].flatMap(([id, { when }]) =>
      when.on === 'code' ? [{ id, at: when.at, skip: when.skip }] : [],
    )
  const startWorker = async () => {
    const worker = lane.takeWorker()
    worker.onReached((id) => reached.push({ worker, id }))
    await worker.start({ clockMs: lane.clockMs(), orders: ordersNow() })
    note('a worker starts')
  }
  const kill = async (worker: WorkerProcess) => {
    worker.child.kill('SIGKILL')
    worker.child.kill('SIGCONT')
    await worker.ended
    counts.kills += 1
    note('a worker is killed')
    // Its leases run out on the database's clock, which no test can move. Nobody else holds one.
    if (lane.workers().length === 0) await agedLeases()
  }
  const agedLeases = () =>
    steady(() =>
      sql`update deliveries set leased_until = null where leased_until is not null`.execute(lane.db),
    )

  // ---- looking ----

  const posts: { id: PostId; text: string }[] = []
  const look = async (): Promise<Row[]> => {
    const { rows } = await steady(() =>
      sql<Omit<Row, 'account'> & { accountId: number }>`
        select delivery_id as id, post_id as "postId", account_id as "accountId", state, data->>'cause' as cause,
               (extract(epoch from wake_at) * 1000)::float8 as "wakeAt",
               coalesce(leased_until > now(), false) as leased, relink_reason is not null as relink
        from deliveries join accounts using (account_id) where post_id in (${sql.join([0, ...posts.map(({ id }) => id)])}) order by delivery_id`.execute(
        lane.db,
      ),
    )
    return rows.map(({ accountId, ...row }) => ({
      ...row,
      account: owners.get(accountId) ?? -1,
    }))
  }
  const owners = new Map(accounts.map(({ id }, index): [number, number] => [id, index]))

  // ---- deeds ----

  /** What the API promised the user: none of it may become live any more. */
  const givenUp = new Set<number>()
  const unlinked = new Set<number>()
  const restricted = new Set<number>()

  async function perform(deed: Deed, worker: WorkerProcess | null): Promise<'gone' | 'goes on'> {
    note(`${deed.type}${'account' in deed ? ` of account ${deed.account}` : ''}`)
    if (deed.type !== 'kill') counts.deeds += 1
    switch (deed.type) {
      case 'kill':
        for (const one of worker ? [worker] : lane.workers()) await kill(one)
        if (deed.awayS > 0) {
          note(`nothing runs for ${deed.awayS} s`)
          await advance(deed.awayS * 1000)
        }
        return 'gone'
      case 'freeze':
        await freeze(worker)
        return 'goes on'
      case 'kill_web':
        counts.kills += 1
        await lane.restartWeb()
        return 'goes on'
      case 'kill_platforms':
        counts.kills += 1
        await lane.restartPlatforms()
        return 'goes on'
      case 'cut_database':
        await steady(() => lane.cutDatabase())
        return 'goes on'
      case 'restart_database':
        await lane.restartDatabase()
        return 'goes on'
      case 'clock_jump':
        for (const one of lane.workers()) one.tell({ type: 'set_clock', byMs: deed.byS * 1000 })
        return 'goes on'
      case 'second_worker':
        await startWorker()
        return 'goes on'
      case 'make_private':
        await change(deed.account, { private: true })
        restricted.add(deed.account)
        return 'goes on'
      case 'revoke_access':
        await disconnect(deed.account)
        return 'goes on'
      case 'unlink':
        await asUser(`/accounts/${accountOf(deed.account).id}`, 'DELETE')
        unlinked.add(deed.account)
        return 'goes on'
      case 'delete_post':
        await deletePosts()
        return 'goes on'
      case 'cancel':
      case 'retry':
        for (const row of await look()) {
          if (row.account !== deed.account) continue
          const answer = await asUser(`/deliveries/${row.id}/${deed.type}`, 'POST')
          if (deed.type === 'cancel' && answer === 200) givenUp.add(row.id)
        }
        return 'goes on'
    }
  }

  async function deletePosts(): Promise<void> {
    for (const { id } of posts) {
      const before = await look()
      const answer = await asUser(`/posts/${id}`, 'DELETE')
      if (answer !== 204) continue
      for (const row of before) {
        if (row.postId === id && row.state !== 'published') givenUp.add(row.id)
      }
    }
  }

  const accountOf = (index: number): Linked => {
    const account = accounts[index]
    if (account === undefined) throw new Error(`There is no account ${index}.`)
    return account
  }
  async function change(index: number, what: object): Promise<void> {
    const { platform, creator } = accountOf(index)
    await control(lane.practiceUrl, 'POST', '/_control/accounts', { platform, username: creator, ...what })
  }
  async function disconnect(index: number): Promise<void> {
    const { platform, creator } = accountOf(index)
    await control(lane.practiceUrl, 'POST', '/_control/disconnect', { platform, username: creator })
  }
  /** Until the server gives an answer of its own: a person presses again, too. */
  async function asUser(address: string, method: string, body?: object): Promise<number> {
    const user = await lane.person()
    const call = body
      ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      : { method }
    return until(`an answer to ${method} ${address}`, async () => {
      const answer = await user.request(address, call).catch(() => null)
      return answer !== null && answer.status < 500 ? answer.status : null
    })
  }

  /** Asleep until its leases are over and another has had a minute with what it held; then it wakes up and goes on. */
  async function freeze(worker: WorkerProcess | null): Promise<void> {
    const sleeper = worker ?? lane.workers()[0]
    if (sleeper === undefined) return
    sleeper.child.kill('SIGSTOP')
    await pause(QUICK.leaseMs + 100)
    if (lane.workers().length < 2) await startWorker()
    const from = lane.now()
    const enough = Date.now() + 5_000
    while (lane.now() - from < 240_000 && Date.now() < enough) {
      if (!(await goOn(isSettled))) break
    }
    sleeper.child.kill('SIGCONT')
    note('the sleeper wakes up')
  }

  // ---- time ----

  const advance = (ms: number) => steady(() => lane.advance(ms))
  /** Lets what is due be done, or moves the clock to what is due next. False: everything is as `done` says. */
  async function goOn(done: (row: Row) => boolean): Promise<boolean> {
    const rows = await look()
    const open = rows.filter((row) => !done(row))
    if (open.length === 0) return false
    const now = lane.now()
    const next = Math.min(...open.map(({ wakeAt }) => wakeAt ?? Infinity))
    const isIdle = open.every(({ leased, wakeAt }) => !leased && (wakeAt === null || wakeAt > now))
    if (isIdle && next < Infinity) await advance(Math.min(next - now + 1, 60_000))
    else await pause(15)
    return true
  }

  async function happen(): Promise<void> {
    const come = reached.shift()
    if (come !== undefined) {
      const due = waiting.get(come.id)
      waiting.delete(come.id)
      if (due !== undefined && come.worker.isAlive()) {
        note(`at ${words(due.when)}:`)
        // Elsewhere it is not to happen again.
        for (const one of lane.workers())
          if (one !== come.worker) one.tell({ type: 'orders', orders: ordersNow() })
        await perform(due.deed, come.worker)
      }
      come.worker.tell({ type: 'go', id: come.id })
      return
    }
    if (holds.size === 0) return
    const held = (await control(lane.practiceUrl, 'GET', '/_control/holds')) as { id: string }[]
    for (const { id } of held) {
      const due = waiting.get(holds.get(id) ?? -1)
      const index = holds.get(id)
      holds.delete(id)
      if (index !== undefined) waiting.delete(index)
      if (due !== undefined) {
        note(`at ${words(due.when)}:`)
        await perform(due.deed, null)
      }
      await control(lane.practiceUrl, 'DELETE', `/_control/holds/${id}`)
    }
  }

  const staff = async () => {
    for (let missing = scenario.workers - lane.workers().length; missing > 0; missing--) await startWorker()
  }

  /** Plays until `done` is true of every delivery, or the lane's clock has gone so far. */
  async function playUntil(
    done: (row: Row) => boolean,
    limitS: number,
    stop = async () => false,
  ): Promise<boolean> {
    const from = lane.now() - awayMs
    for (;;) {
      await happen()
      await staff()
      if (reached.length > 0) continue
      if (!(await goOn(done))) return true
      if (lane.now() - awayMs - from > limitS * 1000) return false
      if (Date.now() - begun > PATIENCE_MS)
        throw new Error(`The run is stuck: ${JSON.stringify(await look())}`)
      if (await stop()) return false
    }
  }

  // ---- the play ----

  let recoveryS = 0
  try {
    for (let number = 0; number < scenario.posts; number++) {
      const text = `Run ${scenario.run}, post ${number}`
      const { post_id } = await (
        await lane.person()
      ).call('createPost', {
        body: {
          video_id: videoId,
          text,
          targets: accounts.map(({ id }) => ({ account_id: id, options: {} })),
        },
      })
      posts.push({ id: post_id, text })
    }
    counts.deliveries = scenario.posts * accounts.length
    for (const worker of lane.workers()) {
      worker.onReached((id) => reached.push({ worker, id }))
      worker.tell({ type: 'orders', orders: ordersNow() })
    }
    await staff()

    await playUntil(isSettled, TROUBLE_S, async () => waiting.size === 0 && (await faultsLeft()) === 0)
    await calm()
    const backAt = lane.now()
    if (!(await playUntil(isSettled, RECOVERY_S))) await tellLate()
    recoveryS = (lane.now() - backAt) / 1000
    await theUser()
  } catch (error) {
    broken.push(error instanceof Error ? error.message : String(error))
  }
  const expected = await verdict()
  await tidy()
  if (broken.length > 0) await addTimelines()
  counts.published = expected.filter(({ state }) => state === 'published').length
  return { scenario, broken, counts, recoveryS, timeline }

  async function faultsLeft(): Promise<number> {
    const left = (await control(lane.practiceUrl, 'GET', '/_control/faults')) as { fault: string }[]
    return left.length
  }

  /** Everything works again from now on. */
  async function calm(): Promise<void> {
    waiting.clear()
    holds.clear()
    const given = scenario.happenings.reduce((sum, one) => sum + (one.type === 'fault' ? one.times : 0), 0)
    const left = (await control(lane.practiceUrl, 'GET', '/_control/faults')) as {
      fault: string
      times: number
    }[]
    counts.faults = given - left.reduce((sum, one) => sum + (one.fault === 'hold' ? 0 : one.times), 0)
    await control(lane.practiceUrl, 'DELETE', '/_control/faults')
    for (const worker of lane.workers()) {
      worker.tell({ type: 'orders', orders: [] })
      worker.tell({ type: 'set_clock', byMs: 0 })
    }
    for (const { worker, id } of reached.splice(0)) worker.tell({ type: 'go', id })
    note('the services are back')
  }

  async function tellLate(): Promise<void> {
    for (const row of await look()) {
      if (!isSettled(row) && !(row.state === 'unconfirmed' && mayStayOpen(row)))
        broken.push(`delivery ${row.id} is still "${row.state}" ${RECOVERY_S} s after all services were back`)
    }
  }

  /** What only a person can do, is done; then everything that was not given up must be live. */
  async function theUser(): Promise<void> {
    for (const index of restricted) await change(index, { private: false })
    for (let round = 0; round < 3; round++) {
      const open = (await look()).filter((row) => !isDone(row))
      if (open.length === 0) return
      for (const row of open) await remedy(row)
      await playUntil(isSettled, RECOVERY_S)
    }
    for (const row of await look()) {
      if (!isDone(row)) broken.push(`delivery ${row.id} is lost: "${row.state}" whatever its user does`)
    }
  }

  function isDone({ state, id, account }: Row): boolean {
    if (state === 'published' || state === 'cancelled' || givenUp.has(id)) return true
    return unlinked.has(account) && state !== 'unconfirmed'
  }

  async function remedy(row: Row): Promise<void> {
    const { platform, creator } = accountOf(row.account)
    if (row.relink) {
      note(`the user links account ${row.account} again`)
      counts.linkedAgain += 1
      await link(platform, creator)
    } else if (row.state === 'failed' || row.state === 'blocked') {
      note(`the user tries delivery ${row.id} again`)
      counts.triedAgain += 1
      await asUser(`/deliveries/${row.id}/retry`, 'POST')
    } else if (row.state === 'unconfirmed') {
      if (!mayStayOpen(row)) broken.push(`delivery ${row.id} is unconfirmed though its platform can tell`)
      counts.unconfirmed += 1
      const text = posts.find(({ id }) => id === row.postId)?.text
      const isLive = (await livePosts(lane)).some((one) => one.account === creator && one.text === text)
      note(`the user says that delivery ${row.id} is ${isLive ? '' : 'not '}there`)
      await asUser(`/deliveries/${row.id}/resolve`, 'POST', { outcome: isLive ? 'live' : 'not_live' })
    }
  }

  /** Nobody can tell any more: the upload's address ended before its last byte, the container is gone, or so is the access. */
  function mayStayOpen(row: Row): boolean {
    const longAway = scenario.happenings.some(
      (one) =>
        one.type === 'deed' &&
        ((one.deed.type === 'kill' && one.deed.awayS >= 3_600) ||
          (one.deed.type === 'clock_jump' && Math.abs(one.deed.byS) >= 3_600)),
    )
    return longAway || unlinked.has(row.account)
  }

  async function verdict(): Promise<readonly Expected[]> {
    // What the platforms still work on is waited for, so that nothing becomes live after the verdict.
    for (let tries = 0; tries < 100; tries++) {
      const pending = (await control(lane.practiceUrl, 'GET', '/_control/pending')) as unknown[]
      if (pending.length === 0) break
      await advance(5_000)
    }
    const told = (await look()).map((row): Expected => {
      const { platform, creator } = accountOf(row.account)
      const text = posts.find(({ id }) => id === row.postId)?.text ?? ''
      return { id: row.id, platform, creator, text, state: row.state, givenUp: givenUp.has(row.id) }
    })
    if (told.length !== counts.deliveries) broken.push('deliveries have vanished')
    const [live, calls, strays] = [await livePosts(lane), await platformCalls(lane), await lane.strays()]
    broken.push(...judge({ expected: told, live, calls, sha256: sample.sha256, strays }))
    return told
  }

  /** Nothing of this run is to happen in the next one. */
  async function tidy(): Promise<void> {
    const ids = sql.join([0, ...posts.map(({ id }) => id)])
    // A worker that was told the wrong time, or that sleeps, is no start for another run.
    if (broken.length > 0) for (const worker of lane.workers()) await kill(worker)
    await steady(() =>
      sql`update deliveries set wake_at = null, state = 'cancelled', data = '{"attempt":1,"at":0}', version = version + 1
        where post_id in (${ids}) and wake_at is not null`.execute(lane.db),
    )
    for (const worker of lane.workers().slice(1)) await worker.stop()
  }

  async function addTimelines(): Promise<void> {
    const { rows } = await steady(() =>
      sql<{
        text: string
      }>`select format('delivery %s: %s', delivery_id, message) as text from delivery_events
        where delivery_id in (select delivery_id from deliveries where post_id in (${sql.join([0, ...posts.map(({ id }) => id)])}))
        order by event_id`.execute(lane.db),
    )
    timeline.push('-- what the users were told', ...rows.map(({ text }) => text))
    timeline.push(
      '-- what the platforms were asked',
      ...(await platformCalls(lane)).map((one) => JSON.stringify(one)),
      '-- what the processes printed',
      lane.takeLog(),
    )
  }
}

const isOver = ({ state }: Row): boolean =>
  state === 'published' || state === 'failed' || state === 'cancelled'
/** It has ended, or it is the user's turn: to link the account again. */
const isSettled = (row: Row): boolean => isOver(row) || row.relink

const words = (when: Moment): string =>
  when.on === 'code' ? `"${when.at}"` : `the answer to ${when.platform}'s ${when.call}`

/** A query of the test's own, which must not fail because the database was just cut or restarted. */
async function steady<T>(query: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 20_000
  for (;;) {
    try {
      return await query()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(50)
    }
  }
}
