import type { Counters } from '../kit/audience.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { badRequest, californianDate, json, refuseScope, type Caller } from './answers.ts'
import { channelId, readScope, type Video, type YouTube } from './state.ts'

export const reportParameters = [
  'ids',
  'startDate',
  'endDate',
  'metrics',
  'dimensions',
  'filters',
  'sort',
  'maxResults',
  'startIndex',
]

/** What the report of a video may ask for. */
const metrics: Record<string, (counters: Counters) => number> = {
  views: ({ views }) => views ?? 0,
  likes: ({ likes }) => likes ?? 0,
  comments: ({ comments }) => comments ?? 0,
  shares: ({ shares }) => shares ?? 0,
  subscribersGained: ({ followers_gained }) => followers_gained ?? 0,
  averageViewDuration: ({ average_watch_ms }) => Math.round((average_watch_ms ?? 0) / 1000),
  estimatedMinutesWatched: ({ total_watch_ms }) => Math.floor((total_watch_ms ?? 0) / 60_000),
}

const videosMax = 500

/**
 * `GET /v2/reports`, a row for each video of a list that it names. Other kinds of reports are refused here, and the order of the
 * checks is our assumption.
 */
export function queryReport(youtube: YouTube, call: Call, { creator, query }: Caller): Answer {
  // "API requests to this method now require access to the youtube.readonly scope."
  const missing = refuseScope(youtube, call.request, readScope)
  if (missing !== null) return missing
  const wrong = (message: string): Answer => badRequest(youtube, 'badRequest', message, 'global')
  const owner = query.get('ids')
  if (owner !== 'channel==MINE' && owner !== `channel==${channelId(creator.username)}`)
    return wrong('The ids parameter must name a channel of the user.')
  const [start, end] = [query.get('startDate') ?? '', query.get('endDate') ?? '']
  if (!isDay(start) || !isDay(end) || start > end)
    return wrong('startDate and endDate must be days in order.')
  const names = splitNames(query.get('metrics'))
  const ids = splitNames(/^video==(.+)$/.exec(query.get('filters') ?? '')?.[1])
  const isKnown = names.length > 0 && names.every((name) => Object.hasOwn(metrics, name))
  if (!isKnown || query.get('dimensions') !== 'video' || ids.length === 0 || ids.length > videosMax)
    return wrong('The query is not supported.')
  const videos = ids.flatMap((id) => youtube.videos.get(id) ?? [])
  const rows = videos
    .filter(({ username }) => username === creator.username && call.fault?.fault !== 'not_found')
    .flatMap((video) => toRow(youtube, video, { start, end, names }))
  return json(200, {
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      { name: 'video', columnType: 'DIMENSION', dataType: 'STRING' },
      ...names.map((name) => ({ name, columnType: 'METRIC', dataType: 'INTEGER' })),
    ],
    ...(rows.length > 0 && { rows }),
  })
}

const splitNames = (list: string | null | undefined): string[] => [
  ...new Set((list ?? '').split(',').filter((name) => name !== '')),
]

/** From the first day to the last one that is in reports. A video that nobody watched in that time has no row. */
function toRow(
  youtube: YouTube,
  video: Video,
  { start, end, names }: { start: string; end: string; names: string[] },
): (string | number)[][] {
  const reported = youtube.clock.now() - youtube.settings.get().youtube_reports_delay_ms
  const from = startOfDay(start)
  const until = Math.min(startOfDay(californianDate.format(reported)), startOfDay(dayAfter(end)))
  if (until <= Math.max(from, video.created_at)) return []
  const before = from > video.created_at ? youtube.audience.count('youtube', video, from) : null
  const counters = youtube.audience.count('youtube', video, until)
  const values = names.map((name) => {
    const value = metrics[name]?.(counters) ?? 0
    return name === 'averageViewDuration' || before === null ? value : value - (metrics[name]?.(before) ?? 0)
  })
  const watched = (counters.views ?? 0) - (before?.views ?? 0)
  return watched > 0 ? [[video.id, ...values]] : []
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** Midnight in California, 7 or 8 hours after that of UTC (epoch ms). */
function startOfDay(day: string): number {
  const summer = Date.parse(`${day}T07:00:00Z`)
  return californianDate.format(summer) === day ? summer : summer + 3_600_000
}
