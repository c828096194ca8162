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
type Named = keyof typeof NAMES
const METRICS = Object.keys(NAMES) as Named[] // its own keys

/** Meta retires names in waves, so a refused one is left out; a refusal may also be Meta's mistake, so not for ever. */
const REFUSED_FOR_MS = 86_400_000

type Deps = {
  readonly config: InstagramConfig
  readonly now: () => number
}

/** Metrics that Meta refused while others worked, and until when (epoch ms) they are left out. */
type Refused = Map<Named, number>

export function results({ config, now }: Deps): Results {
  const refused: Refused = new Map()
  return {
    scopes: RESULTS_SCOPES,
    idsPerCall: 1,
    read: (job) => read({ config, now, refused }, job),
  }
}

type Reading = Deps & { readonly refused: Refused }

async function read(deps: Reading, job: ResultsJob): Promise<ResultsOutcome> {
  const posts = new Map<string, Numbers>()
  for (const id of job.postIds) {
    const told = await readPost(deps, job, id)
    if (told.kind === 'told') posts.set(id, told.numbers)
    else if (told.kind !== 'gone') return told
  }
  return { kind: 'read', posts }
}

type Told =
  | { readonly kind: 'told'; readonly numbers: Numbers }
  | { readonly kind: 'gone' }
  | Exclude<ResultsOutcome, { kind: 'read' }>

/** One unknown metric fails the whole call, so it is asked again without the one that is named, else for each by itself. */
async function readPost(deps: Reading, job: ResultsJob, id: string): Promise<Told> {
  const wanted = METRICS.filter((metric) => (deps.refused.get(metric) ?? 0) <= deps.now())
  for (let asked = wanted; ;) {
    const answer = await insights(deps, job, id, asked)
    if (answer.ok) {
      remember(deps, wanted, asked)
      return { kind: 'told', numbers: numbersOf(answer.value) }
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
async function readEach(deps: Reading, job: ResultsJob, id: string, wanted: readonly Named[]): Promise<Told> {
  const worked: Named[] = []
  const refusals: Refusal[] = []
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
    refusals.push(answer)
  }
  const [first] = refusals
  if (worked.length > 0 || first === undefined) {
    remember(deps, wanted, worked)
    return { kind: 'told', numbers }
  }
  const withheld = refusals.find(({ error }) => error?.code !== 100)
  return withheld === undefined ? unreadable(first) : { ...unreadable(withheld), kind: 'not_allowed' }
}

type Refusal = Extract<Graph<unknown>, { ok: false }>

function remember({ refused, now }: Reading, wanted: readonly Named[], worked: readonly Named[]): void {
  for (const metric of wanted) {
    if (!worked.includes(metric)) refused.set(metric, now() + REFUSED_FOR_MS)
  }
}

/**
 * 100/33 says both that a post is gone and that a permission is missing. The post itself and `/me` can be read without that for
 * insights: if the post can, it is the permission; if only `/me` can, the post is deleted or archived.
 */
async function whyMissing(deps: Reading, job: ResultsJob, id: string, answer: Refusal): Promise<Told> {
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
  metrics: readonly Named[],
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
        const told = data.find(({ name }) => name === NAMES[metric])
        return [metric, told?.values?.[0]?.value ?? told?.total_value?.value]
      }),
    ),
  )

/** Both forms of the message were seen (2026-09-10); a third, "The value must be a valid insights metric", names none. */
function refusedBy({ code, message }: GraphError, asked: readonly Named[]): Named | undefined {
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

const unreadable = ({ error, failure }: Refusal): Extract<Told, { kind: 'unreadable' }> => ({
  kind: 'unreadable',
  failure: failureBy(RESULTS_RULES, error, failure),
})
