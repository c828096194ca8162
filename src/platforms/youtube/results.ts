import { type Metric, COUNTED_IF_ALLOWED } from '#contract/platforms/index.ts'
import type { Failure } from '#domain/delivery/failure.ts'
import type { Numbers, Withheld } from '#domain/results/reading.ts'
import { type FailureRule, toFailure } from '../kit/failure-rule.ts'
import { Count, toNumbers } from '../kit/numbers.ts'
import type { Results, ResultsJob, ResultsOutcome } from '../kit/platform.ts'
import type { Deps } from './api/config.ts'
import { ANALYTICS_RULES, RESULTS_RULES } from './api/failures.ts'
import { googleDay } from './api/quota-day.ts'
import { api, Report, type Video, Videos } from './api/wire.ts'
import { RESULTS_SCOPES } from './oauth.ts'

/** `videos.list`: at most 50 ids. Reports take 500. */
const IDS_PER_CALL = 50

/** Counts need no further permission: `youtube.readonly` is granted with every link. */
export const results = (deps: Deps): Results => ({
  scopes: [],
  idsPerCall: IDS_PER_CALL,
  read: (job) => read(deps, job),
})

async function read(deps: Deps, job: ResultsJob): Promise<ResultsOutcome> {
  if (job.postIds.length === 0) return { kind: 'read', posts: new Map() }
  const counts = await readCounts(deps, job)
  if (counts.kind !== 'read') return counts
  const ids = [...counts.posts.keys()]
  if (ids.length === 0) return counts
  if (!RESULTS_SCOPES.every((scope) => job.scopes.includes(scope))) return withhold(counts, 'not_allowed')
  const report = await readReport(deps, job, ids)
  if (!('failure' in report)) {
    const posts = new Map([...counts.posts].map(([id, numbers]) => [id, { ...numbers, ...report.get(id) }]))
    return { kind: 'read', posts }
  }
  const { failure, isScopeMissing } = report
  return isScopeMissing
    ? { ...withhold(counts, 'not_allowed'), withheld: { failure, lostScopes: RESULTS_SCOPES } }
    : { ...withhold(counts, 'missed'), withheld: { failure, lostScopes: [] } }
}

type Read = Extract<ResultsOutcome, { kind: 'read' }>

const withhold = ({ posts }: Read, why: Withheld): Read => {
  const reasons = Object.fromEntries(COUNTED_IF_ALLOWED.youtube.map((metric) => [metric, why]))
  return { kind: 'read', posts: new Map([...posts].map(([id, numbers]) => [id, { ...numbers, ...reasons }])) }
}

/** `videos.list`, 1 unit (discovery document of 2026-09-24). A count is absent if it is hidden or switched off. */
async function readCounts(deps: Deps, job: ResultsJob): Promise<ResultsOutcome> {
  const answer = await api(
    deps,
    {
      method: 'GET',
      path: '/youtube/v3/videos',
      query: { part: 'statistics,status', id: job.postIds.join(',') },
      bearer: job.account.accessToken,
      signal: job.signal,
    },
    Videos,
  )
  if (!answer.ok) {
    const failure = reword(RESULTS_RULES, answer.failure)
    return failure === null
      ? { kind: 'unreadable', failure: answer.failure }
      : { kind: 'not_allowed', failure }
  }
  const shown = answer.value.items.filter((video) => job.postIds.includes(video.id) && isThere(video))
  return {
    kind: 'read',
    posts: new Map(
      shown.map(({ id, statistics }) => [
        id,
        toNumbers({
          views: statistics?.viewCount,
          likes: statistics?.likeCount,
          comments: statistics?.commentCount,
        }),
      ]),
    ),
  }
}

/** The channel's own private videos are there. What YouTube took down may still be listed for its owner. */
const isThere = ({ status }: Video): boolean =>
  !['rejected', 'deleted', 'failed'].includes(status?.uploadStatus ?? '')

/** Metrics (YouTube Analytics): minutes and seconds. */
const COLUMNS = {
  shares: { name: 'shares', times: 1 },
  followers_gained: { name: 'subscribersGained', times: 1 },
  average_watch_ms: { name: 'averageViewDuration', times: 1000 },
  total_watch_ms: { name: 'estimatedMinutesWatched', times: 60_000 },
} as const satisfies Partial<Record<Metric, { name: string; times: number }>>

/** Both dates are required; no video is older than YouTube. */
const FIRST_DAY = '2005-02-14'

type FailedReport = { readonly failure: Failure; readonly isScopeMissing: boolean }

/**
 * Reports: Query. The report ends with the last day of which YouTube knows every metric, two or three days ago; a video of which it
 * knows nothing has no row. Its quota is not that of the Data API.
 */
async function readReport(
  deps: Deps,
  { account, signal }: ResultsJob,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Numbers> | FailedReport> {
  const answer = await api(
    deps,
    {
      method: 'GET',
      baseUrl: deps.config.analyticsUrl,
      path: '/v2/reports',
      query: {
        ids: 'channel==MINE',
        startDate: FIRST_DAY,
        endDate: googleDay(deps.now()),
        metrics: Object.values(COLUMNS)
          .map(({ name }) => name)
          .join(','),
        dimensions: 'video',
        filters: `video==${ids.join(',')}`,
      },
      bearer: account.accessToken,
      signal,
    },
    Report,
  )
  if (answer.ok) return toNumbersByVideo(answer.value)
  const { code } = answer.failure.reason
  return {
    failure: reword(ANALYTICS_RULES, answer.failure) ?? answer.failure,
    isScopeMissing: RESULTS_RULES[code] !== undefined,
  }
}

/** "Applications must use the header row to determine the ordering of the columns" (Data Model). */
function toNumbersByVideo({ columnHeaders, rows }: Report): ReadonlyMap<string, Numbers> {
  const columnOf = (name: string) => columnHeaders.findIndex((header) => header.name === name)
  const count = (row: readonly unknown[], { name, times }: (typeof COLUMNS)[keyof typeof COLUMNS]) => {
    const value = Count.parse(row[columnOf(name)])
    return value === undefined ? undefined : value * times
  }
  return new Map(
    rows.map((row) => [
      String(row[columnOf('video')]),
      toNumbers({
        shares: count(row, COLUMNS.shares),
        followers_gained: count(row, COLUMNS.followers_gained),
        average_watch_ms: count(row, COLUMNS.average_watch_ms),
        total_watch_ms: count(row, COLUMNS.total_watch_ms),
      }),
    ]),
  )
}

function reword(rules: Readonly<Record<string, FailureRule>>, { reason }: Failure): Failure | null {
  const rule = rules[reason.code]
  return rule === undefined ? null : toFailure(reason.code, rule, reason.detail)
}
