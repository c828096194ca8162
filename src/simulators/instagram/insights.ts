import type { Counters } from '../kit/audience.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import {
  authenticate,
  dialect,
  invalidParameter,
  json,
  missingObject,
  readParameters,
} from './graph/answers.ts'
import { pathId } from './publish.ts'
import { countInsightCall } from './state/insight-calls.ts'
import { basicScope, findShown, insightsScope, type Instagram, type Post } from './state/state.ts'

/** What is told of a reel. `reels_skip_rate` is a percentage. */
const reelMetrics: Record<string, (counters: Counters) => number | null> = {
  views: ({ views }) => views,
  reach: ({ reach }) => reach,
  likes: ({ likes }) => likes,
  comments: ({ comments }) => comments,
  shares: ({ shares }) => shares,
  saved: ({ saves }) => saves,
  reposts: ({ shares }) => shares && Math.floor(shares / 4),
  total_interactions: ({ likes, comments, shares, saves }) =>
    (likes ?? 0) + (comments ?? 0) + (shares ?? 0) + (saves ?? 0),
  ig_reels_avg_watch_time: ({ average_watch_ms }) => average_watch_ms,
  ig_reels_video_view_total_time: ({ total_watch_ms }) => total_watch_ms,
  reels_skip_rate: ({ average_watch_ms }) => average_watch_ms && 31.25,
}

/** Of other kinds of media, or only where a reel was shared to Facebook. */
const unfitMetrics = [
  'follows',
  'profile_visits',
  'profile_activity',
  'navigation',
  'replies',
  'link_clicks',
  'crossposted_views',
  'facebook_views',
]

/** `GET /{media}/insights?metric=a,b`: one metric that is refused fails the whole call. The order of the checks is our assumption. */
export async function insights(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, basicScope)
  if ('status' in caller) return caller
  const id = pathId(call.request)
  const settings = instagram.settings.get()
  const { username } = caller.creator
  if (countInsightCall(instagram, username) > settings.instagram_insights_per_hour)
    return dialect(instagram).throttled()
  // The page says 100/33, and answers said 10.
  const withheld = settings.instagram_insights_refusal === 'missing' ? missingObject(id) : null
  const allowed = authenticate(instagram, call.request, parameters, insightsScope)
  if ('status' in allowed) return withheld ?? allowed
  const post = findShown(instagram, id)
  if (call.fault?.fault === 'not_found' || post?.username !== username) return missingObject(id)
  const names = (parameters.get('metric') ?? '').split(',').map((name) => name.trim())
  if (names.every((name) => name === '')) return invalidParameter('(#100) The parameter metric is required')
  return refusedMetric(instagram, names) ?? json(200, { data: toInsights(instagram, post, names) })
}

function refusedMetric(instagram: Instagram, names: string[]): Answer | null {
  const { instagram_retired_metrics, instagram_metric_refusal } = instagram.settings.get()
  const retired = instagram_retired_metrics.split(',').map((name) => name.trim())
  const known = [...Object.keys(reelMetrics), ...unfitMetrics].filter((name) => !retired.includes(name))
  const strange = names.findIndex((name) => !known.includes(name))
  const unfit = names.find((name) => unfitMetrics.includes(name))
  if (strange < 0 && unfit === undefined) return null
  if (instagram_metric_refusal === 'unnamed')
    return invalidParameter('(#100) The value must be a valid insights metric')
  if (strange >= 0)
    return invalidParameter(
      `(#100) metric[${strange}] must be one of the following values: ${known.join(', ')}`,
    )
  return invalidParameter(
    `(#100) The Media Insights API does not support the ${unfit} metric for this media product type.`,
  )
}

/** Late, and empty until then. A metric without a value is left out, also where it would be 0. */
function toInsights(instagram: Instagram, post: Post, names: string[]): object[] {
  const at = instagram.clock.now() - instagram.settings.get().instagram_insights_delay_ms
  if (at < post.created_at) return []
  const counters = instagram.audience.count('instagram', post, at)
  return [...new Set(names)].flatMap((name) => {
    const value = reelMetrics[name]?.(counters) ?? 0
    if (value === 0) return []
    return [
      {
        name,
        period: 'lifetime',
        values: [{ value }],
        title: name,
        description: `Practice numbers of ${name}.`,
        id: `${post.id}/insights/${name}/lifetime`,
      },
    ]
  })
}
