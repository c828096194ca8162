import { z } from 'zod'
import type { Metric } from '#contract/platforms/index.ts'
import { toNumbers } from '../kit/numbers.ts'
import type { Numbers } from '#domain/results/reading.ts'
import type { Results, ResultsJob, ResultsOutcome } from '../kit/platform.ts'
import type { InstagramConfig } from './api/config.ts'
import { failureBy, type GraphError } from './api/failures.ts'
import { RESULTS_RULES } from './api/results-rules.ts'
import { type Graph, graph, Insights } from './api/wire.ts'
import { RESULTS_SCOPES } from './oauth.ts'

/** Media insights (2026-06-18): Meta's names for reels, the only kind that Reelay posts. Its times are milliseconds, as public code reads them. */
const NAMES = {
  views: 'views',
  reach: 'reach',
  likes: 'likes',
  comments: 'comments',
  shares: 'shares',
  saves: 'saved',
  average_watch_ms: 'ig_reels_avg_watch_time',
  total_watch_ms: 'ig_reels_video_view_total_time',
} as const satisfies Partial<Record<Metric, string>>
type ReelMetric = keyof typeof NAMES
const METRICS = Object.keys(NAMES) as ReelMetric[] // its own keys

/**
 * Meta retires names in waves, so one that it refuses for several posts is left out for a day. A single post may lack it for reasons
 * of its own, and a refusal may be Meta's mistake.
 */
const REFUSED_POSTS = 3
const REFUSED_FOR_MS = 86_400_000

type Deps = {
  readonly config: InstagramConfig
  readonly now: () => number
}

/** Metrics that Meta refused while others worked: for which posts since it last worked, and when (epoch ms) the last time. */
type Refusals = Map<ReelMetric, { readonly postIds: ReadonlySet<string>; readonly at: number }>

export function results({ config, now }: Deps): Results {
  const refusals: Refusals = new Map()
  return {
    scopes: RESULTS_SCOPES,
    idsPerCall: 1,
    read: (job) => read({ config, now, refusals }, job),
  }
}

type Reading = Deps & { readonly refusals: Refusals }

async function read(deps: Reading, job: ResultsJob): Promise<ResultsOutcome> {
  const posts = new Map<string, Numbers>()
  for (const id of job.postIds) {
    const outcome = await readPost(deps, job, id)
    if (outcome.kind === 'numbers') posts.set(id, outcome.numbers)
    else if (outcome.kind !== 'gone') return outcome
  }
  return { kind: 'read', posts }
}

type PostOutcome =
  | { readonly kind: 'numbers'; readonly numbers: Numbers }
  | { readonly kind: 'gone' }
  | Exclude<ResultsOutcome, { kind: 'read' }>

/** One unknown metric fails the whole call, so it is asked again without the one that is named, else for each by itself. */
async function readPost(deps: Reading, job: ResultsJob, id: string): Promise<PostOutcome> {
  const wanted = METRICS.filter((metric) => !isLeftOut(deps, metric))
  for (let asked = wanted; ;) {
    const answer = await insights(deps, job, id, asked)
    if (answer.ok) {
      remember(deps, id, { worked: asked, refused: wanted.filter((metric) => !asked.includes(metric)) })
      return { kind: 'numbers', numbers: numbersOf(answer.value) }
    }
    const { error } = answer
    if (isMissing(error)) return whyMissing(deps, job, id, answer)
    if (!isRefusal(error)) return unreadable(answer)
    const named = refusedBy(error, asked)
    const rest = named === undefined ? [] : asked.filter((metric) => metric !== named)
    if (rest.length === 0) return readEach(deps, job, id, wanted)
    asked = rest
  }
}

/** If no metric works even alone it is the permission, else it was the metric (seen, 2026-09-10). */
async function readEach(
  deps: Reading,
  job: ResultsJob,
  id: string,
  wanted: readonly ReelMetric[],
): Promise<PostOutcome> {
  const worked: ReelMetric[] = []
  const refusals: { readonly metric: ReelMetric; readonly answer: Refusal }[] = []
  let numbers: Numbers = {}
  for (const metric of wanted) {
    const answer = await insights(deps, job, id, [metric])
    if (answer.ok) {
      worked.push(metric)
      numbers = { ...numbers, ...numbersOf(answer.value) }
      continue
    }
    if (isMissing(answer.error)) return whyMissing(deps, job, id, answer)
    if (!isRefusal(answer.error)) return unreadable(answer)
    refusals.push({ metric, answer })
  }
  const [first] = refusals
  if (worked.length > 0 || first === undefined) {
    const refused = refusals.filter(({ answer }) => answer.error?.code === 100).map(({ metric }) => metric)
    remember(deps, id, { worked, refused })
    return { kind: 'numbers', numbers }
  }
  const withheld = refusals.find(({ answer }) => answer.error?.code !== 100)
  return withheld === undefined
    ? unreadable(first.answer)
    : { ...unreadable(withheld.answer), kind: 'not_allowed' }
}

type Refusal = Extract<Graph<unknown>, { ok: false }>

function remember(
  { refusals, now }: Reading,
  postId: string,
  { worked, refused }: { readonly worked: readonly ReelMetric[]; readonly refused: readonly ReelMetric[] },
): void {
  for (const metric of worked) refusals.delete(metric)
  for (const metric of refused) {
    const postIds = refusals.get(metric)?.postIds ?? []
    refusals.set(metric, { postIds: new Set([...postIds, postId]), at: now() })
  }
}

function isLeftOut({ refusals, now }: Reading, metric: ReelMetric): boolean {
  const refusal = refusals.get(metric)
  return refusal !== undefined && refusal.postIds.size >= REFUSED_POSTS && now() < refusal.at + REFUSED_FOR_MS
}

/**
 * 100/33 says both that a post is gone and that a permission is missing. The post itself and `/me` can be read without that for
 * insights: if the post can, it is the permission; if only `/me` can, the post is deleted or archived.
 */
async function whyMissing(deps: Reading, job: ResultsJob, id: string, answer: Refusal): Promise<PostOutcome> {
  const post = await node(deps, job, `/${encodeURIComponent(id)}`)
  if (post.ok) return { ...unreadable(answer), kind: 'not_allowed' }
  if (!isMissing(post.error)) return unreadable(post)
  const me = await node(deps, job, '/me')
  return me.ok ? { kind: 'gone' } : unreadable(me)
}

const insights = (
  { config }: Reading,
  { account, signal, onUsage }: ResultsJob,
  id: string,
  metrics: readonly ReelMetric[],
): Promise<Graph<Insights>> =>
  graph(
    config,
    {
      method: 'GET',
      path: `/${encodeURIComponent(id)}/insights`,
      query: { metric: metrics.map((metric) => NAMES[metric]).join(',') },
      bearer: account.accessToken,
      signal,
      onUsage,
    },
    Insights,
  )

const node = (
  { config }: Reading,
  { account, signal, onUsage }: ResultsJob,
  path: string,
): Promise<Graph<unknown>> =>
  graph(
    config,
    { method: 'GET', path, query: { fields: 'id' }, bearer: account.accessToken, signal, onUsage },
    z.object({}),
  )

/** "it will return an empty data set instead of 0": what is not in the answer was not told. */
const numbersOf = ({ data }: Insights): Numbers =>
  toNumbers(
    Object.fromEntries(
      METRICS.map((metric) => {
        const insight = data.find(({ name }) => name === NAMES[metric])
        return [metric, insight?.values?.[0]?.value ?? insight?.total_value?.value]
      }),
    ),
  )

/** Both forms of the message were seen (2026-09-10); a third, "The value must be a valid insights metric", names none. */
function refusedBy({ code, message }: GraphError, asked: readonly ReelMetric[]): ReelMetric | undefined {
  if (code !== 100) return undefined
  const named = /support the (\w+) metric/i.exec(message)?.[1]
  if (named !== undefined) return asked.find((metric) => NAMES[metric] === named)
  const place = /\bmetric\[(\d+)\]/i.exec(message)?.[1]
  return place === undefined ? undefined : asked[Number(place)]
}

const isMissing = (error: GraphError | null): boolean => error?.code === 100 && error.subcode === 33

/** Of the metrics or the permission, of which the code alone does not tell. */
const isRefusal = (error: GraphError | null): error is GraphError =>
  error !== null && (error.code === 100 || error.code === 10 || (error.code >= 200 && error.code <= 299))

const unreadable = ({ error, failure }: Refusal): Extract<PostOutcome, { kind: 'unreadable' }> => ({
  kind: 'unreadable',
  failure: failureBy(RESULTS_RULES, error, failure),
})
