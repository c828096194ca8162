/**
 * Many deliveries that are due in the same second, against the practice platforms: how long until the last has started and until
 * all are live, what each process and the database spend, which statements the worker sends most, what a second worker brings, and how long one user's post waits behind another's thousands. `npm run bench -- burst [accounts] [turns] [backlog]`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Measurement, report } from '../report.ts'
import { openStage, type Part, PARTS, type Stage, type Use } from './stage.ts'

const accounts = Number(process.argv[2] ?? 1000)
const turns = Number(process.argv[3] ?? 1)
const backlog = Number(process.argv[4] ?? 10_000)
const ACCOUNTS_OF_EACH = 10
const LEAD_MS = 5000
const SETTLED_MS = 60_000
const PATIENCE_MS = 600_000
/** Users of one account each, whose posts come behind the backlog. */
const LATE = 2
/** How long platforms take for a call, where a second worker is to help. */
const ANSWER_MS = 1000
/** Statements that are listed. */
const TOP = 30

type Burst = {
  readonly startedS: number
  readonly liveS: number
  readonly used: Use
}

const stage = await openStage(accounts + ACCOUNTS_OF_EACH + LATE)
try {
  await measure()
} finally {
  await stage.stop()
}

async function measure(): Promise<void> {
  const people: number[] = []
  for (let i = 0; i < accounts; i += ACCOUNTS_OF_EACH)
    people.push(await stage.seedPerson(stage.creators.slice(i, Math.min(i + ACCOUNTS_OF_EACH, accounts))))
  const bursts: { one: Burst; two: Burst }[] = []
  for (let turn = 0; turn < turns; turn++) {
    await stage.setWorkers(1)
    const one = await burst(stage, people)
    await stage.setWorkers(2)
    bursts.push({ one, two: await burst(stage, people) })
  }
  await stage.setAnswerMs(ANSWER_MS)
  const slow: { one: Burst; two: Burst }[] = []
  for (let turn = 0; turn < turns; turn++) {
    const found: Burst[] = []
    for (const workers of [1, 2]) {
      await stage.setWorkers(workers)
      found.push(await burst(stage, people))
    }
    const [one, two] = found
    if (one && two) slow.push({ one, two })
  }
  await stage.setAnswerMs(0)
  await stage.setWorkers(1)
  const lateS = await delayBehindBacklog(stage)
  const rows = [...rowsOf(bursts), ...slowRows(slow), fairnessRow(lateS)]
  const about = `${accounts} deliveries to ${accounts} accounts of ${people.length} users, half of them on each platform, due in the same second; videos of 150 kB; ${turns} turns. Server, worker, database and practice platforms run on the same processors. Floor: the same with one worker. The database does not sync.`
  console.log(
    `Statements of the worker, for each delivery:\n${bursts.map(({ one }) => topOf(one)).join('\n\n')}`,
  )
  report({ name: 'burst', about, rows })
}

async function burst(on: Stage, people: readonly number[]): Promise<Burst> {
  const before = await on.use()
  const dueAt = Date.now() + LEAD_MS
  const ids = await on.schedule(people, 1, dueAt)
  for (;;) {
    await sleep(1000)
    const { rest } = await on.db
      .selectFrom('deliveries')
      .select((eb) => eb.fn.countAll<number>().as('rest'))
      .where('delivery_id', 'in', ids)
      .where('state', '!=', 'published')
      .executeTakeFirstOrThrow()
    if (rest === 0) break
    if (Date.now() > dueAt + PATIENCE_MS) throw new Error(`${rest} of ${ids.length} deliveries are not live.`)
  }
  const after = await on.use()
  await followedUp(on)
  return {
    startedS: ((await lastInto(on, ids, 'preparing')) - dueAt) / 1000,
    liveS: ((await lastInto(on, ids, 'published')) - dueAt) / 1000,
    used: minus(after, before),
  }
}

/** When the last of them came into the state, each by its first event: it prepares in steps, and its link comes after it is live. */
async function lastInto(on: Stage, ids: readonly number[], state: string): Promise<number> {
  const firsts = on.db
    .selectFrom('delivery_events')
    .select((eb) => eb.fn.min('at').as('at'))
    .where('delivery_id', 'in', ids)
    .where('state', '=', state)
    .groupBy('delivery_id')
  const { at } = await on.db
    .selectFrom(firsts.as('firsts'))
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirstOrThrow()
  return at.getTime()
}

/** How late the single posts of two users start, on one platform each, that fall due in the middle of another's backlog. */
async function delayBehindBacklog(on: Stage): Promise<number[]> {
  const rest = on.creators.slice(accounts)
  const busy = await on.seedPerson(rest.slice(0, ACCOUNTS_OF_EACH))
  const late = []
  for (const creator of rest.slice(ACCOUNTS_OF_EACH)) late.push(await on.seedPerson([creator]))
  const dueAt = Date.now() + LEAD_MS
  await on.schedule([busy], Math.ceil(backlog / ACCOUNTS_OF_EACH), dueAt)
  const lateAt = dueAt + 2 * LEAD_MS
  const ids = await on.schedule(late, 1, lateAt)
  const starts = new Map<number, number>()
  while (starts.size < ids.length) {
    if (Date.now() > lateAt + PATIENCE_MS) throw new Error('A post behind the backlog has not started.')
    await sleep(500)
    const events = await on.db
      .selectFrom('delivery_events')
      .select(['delivery_id', 'at'])
      .where('delivery_id', 'in', ids)
      .where('state', '=', 'preparing')
      .execute()
    for (const { delivery_id, at } of events) starts.set(delivery_id, (at.getTime() - lateAt) / 1000)
  }
  return [...starts.values()]
}

/** A burst ends when the links of its posts were looked up, a minute after each was published. Then accounts take posts again, too. */
async function followedUp(on: Stage): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (;;) {
    const { rest } = await on.db
      .selectFrom('follow_ups')
      .select((eb) => eb.fn.countAll<number>().as('rest'))
      .where('wake_at', '<', new Date(Date.now() + 2 * SETTLED_MS))
      .executeTakeFirstOrThrow()
    if (rest === 0) return
    if (Date.now() > giveUpAt) throw new Error(`${rest} posts are not followed up.`)
    await sleep(1000)
  }
}

function minus(after: Use, before: Use): Use {
  const of = (part: Part) => ({
    cpuS: after[part].cpuS - before[part].cpuS,
    pssMb: after[part].pssMb,
    statements: Object.fromEntries(
      Object.entries(after[part].statements).map(([text, count]) => [
        text,
        count - (before[part].statements[text] ?? 0),
      ]),
    ),
  })
  return {
    worker: of('worker'),
    server: of('server'),
    database: of('database'),
    'practice platforms': of('practice platforms'),
  }
}

function countOf(part: Use[Part]): number {
  return Object.values(part.statements).reduce((sum, count) => sum + count, 0)
}

/** The statements that the worker sends most, with how often for each delivery. */
function topOf({ used }: Burst): string {
  const byCount = Object.entries(used.worker.statements).toSorted(([, a], [, b]) => b - a)
  return byCount
    .slice(0, TOP)
    .map(
      ([text, count]) =>
        `${(count / accounts).toFixed(2).padStart(8)}  ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)}`,
    )
    .join('\n')
}

function rowsOf(bursts: readonly { readonly one: Burst; readonly two: Burst }[]): Measurement[] {
  const of = (value: (burst: Burst) => number) => ({
    floor: bursts.map(({ one }) => value(one)),
    ours: bursts.map(({ two }) => value(two)),
  })
  const one = (value: (burst: Burst) => number) => of(value).floor
  return [
    { what: 'last one starts', unit: 's', ours: one(({ startedS }) => startedS), promise: { atMost: 60 } },
    { what: 'all are live', unit: 's', ours: one(({ liveS }) => liveS) },
    {
      what: 'last one starts, with a second worker',
      unit: 's',
      ...of(({ startedS }) => startedS),
    },
    { what: 'all are live, with a second worker', unit: 's', ...of(({ liveS }) => liveS) },
    {
      what: 'statements of worker and server',
      unit: 'a delivery',
      ours: one(({ used }) => (countOf(used.worker) + countOf(used.server)) / accounts),
    },
    ...PARTS.map((part) => ({
      what: `processor time of the ${part}`,
      unit: 'ms a delivery',
      ours: one(({ used }) => (used[part].cpuS * 1000) / accounts),
    })),
  ]
}

/** Platforms that make the worker wait, as real ones do: two processors are not what a second worker would have to share. */
function slowRows(bursts: readonly { readonly one: Burst; readonly two: Burst }[]): Measurement[] {
  const what = `last one starts, calls of ${ANSWER_MS} ms, with a second worker`
  const [floor, ours] = [bursts.map(({ one }) => one.startedS), bursts.map(({ two }) => two.startedS)]
  return [{ what, unit: 's', floor, ours, promise: { atMost: 0.65 } }]
}

function fairnessRow(lateS: readonly number[]): Measurement {
  const what = `a post behind ${backlog} of another user`
  return { what, unit: 's late', ours: [Math.max(...lateS)], promise: { atMost: 10 } }
}
