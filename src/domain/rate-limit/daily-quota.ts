/** Posts of a day that are used, as the platform reported at `at`. `total: null`: it did not say. */
export type QuotaReport = { readonly used: number; readonly total: number | null; readonly at: number }

/** Posts that the report cannot include: those in flight, and those published since. */
export type OwnPosts = { readonly inFlight: number; readonly publishedSince: number }

const QUERY_AGAIN_MS = 300_000
const QUERY_WHILE_FULL_MS = 3_600_000
/** Our own posts use up the rest: some may fail and free their place. */
const QUERY_WHILE_FILLING_MS = 60_000
/** While one worker queries the platform, the others wait for its answer. */
const QUERYING_MS = 30_000

/** `query`: ask the platform; nobody else asks before `queryAt`. */
export type QuotaDecision =
  | { readonly kind: 'free' }
  | { readonly kind: 'query'; readonly queryAt: number }
  | { readonly kind: 'full'; readonly until: number; readonly total: number | null }

/** Decides if one more post may start. `queryAt`: the next time the platform may be asked. */
export function checkQuota(
  report: QuotaReport | null,
  queryAt: number | null,
  own: OwnPosts,
  now: number,
): QuotaDecision {
  if (queryAt === null || queryAt <= now) return { kind: 'query', queryAt: now + QUERYING_MS }
  if (report === null) return { kind: 'full', until: queryAt, total: null }
  const used = report.used + own.publishedSince + own.inFlight
  if (report.total === null || used < report.total) return { kind: 'free' }
  const soon = report.at + QUERY_WHILE_FILLING_MS
  const until = report.used < report.total && soon > now ? Math.min(soon, queryAt) : queryAt
  return { kind: 'full', until, total: report.total }
}

export const nextQuotaQueryAt = ({ used, total, at }: QuotaReport): number =>
  at + (total !== null && used >= total ? QUERY_WHILE_FULL_MS : QUERY_AGAIN_MS)
