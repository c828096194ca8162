import { sql } from 'kysely'
import { COUNTED } from '#contract/platforms/index.ts'
import type { Report, ReportNumbers, ReportPost } from '#contract/reports.ts'
import { compareToUsual } from '#domain/results/compare.ts'
import { sumByPlatform, sumKnown } from '#domain/results/sum.ts'
import { knownZone, startOfDay } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import {
  ACCOUNT,
  type CellRow,
  isWanted,
  joinMark,
  listUsual,
  URL_OF_RESULT,
  findUsualFor,
  describeResult,
} from '../results/read.ts'
import { posterUrl } from '../videos/video.ts'
import type { findBrand } from './store.ts'

type Brand = NonNullable<Awaited<ReturnType<typeof findBrand>>>

/** The age of which all numbers are. */
const AGE = '7d'
/** More posts of a month than these are not looked at. */
const RESULTS_MAX = 5000

/** What the brand did in a month of its zone, against the one before. */
export async function readReport(
  db: Db,
  brand: Brand,
  { month, note, now }: { readonly month: string; readonly note: string; readonly now: number },
): Promise<Report> {
  const timezone = knownZone(brand.timezone)
  const before = monthBefore(month)
  const [rows, rowsBefore] = [
    await listOfMonth(db, brand, month, timezone),
    await listOfMonth(db, brand, before, timezone),
  ]
  const usual = await listUsual(db, [...new Set(rows.map(({ account_id }) => account_id))], AGE)
  const compared = rows
    .flatMap((row) => {
      const { value } = describeResult(row, AGE, now).views
      const median = findUsualFor(row, usual)
      return value === null || median === null || median === 0 ? [] : [{ row, times: value / median, median }]
    })
    .toSorted((one, other) => other.times - one.times)
  const best = compared.find(({ times }) => times > 1)
  const weakest = compared.findLast(({ times }) => times < 1)
  const show = (one: (typeof compared)[number] | undefined) => (one ? toPost(one.row, one.median, now) : null)
  return {
    brand_title: brand.title,
    month,
    timezone,
    note,
    numbers: sumUp(rows, now),
    last_month: sumUp(rowsBefore, now),
    best: show(best),
    weakest: show(weakest),
  }
}

type Row = CellRow & { video_id: number; text: string; poster_token: string | null; url: string | null }

async function listOfMonth(db: Db, brand: Brand, month: string, timezone: string): Promise<Row[]> {
  const from = startOfDay(`${month}-01`, timezone)
  const before = startOfDay(`${monthAfter(month)}-01`, timezone)
  const { rows } = await sql<Row>`
    select r.delivery_id, r.post_id, r.live_at, r.gone_at, m.read_at, m.missing, m.numbers, ${ACCOUNT},
      p.video_id, d.text, s.token as poster_token, ${URL_OF_RESULT} as url
    from results r join accounts a on a.account_id = r.account_id join deliveries d on d.delivery_id = r.delivery_id
      join posts p on p.post_id = r.post_id left join posters s on s.video_id = p.video_id ${joinMark(AGE)}
    where ${isWanted({ userId: brand.user_id, brandThen: brand.brand_id, from, before })}
    order by r.live_at desc limit ${RESULTS_MAX}`.execute(db)
  return rows
}

function sumUp(rows: readonly Row[], now: number): ReportNumbers {
  const told = rows.map((row) => ({ row, values: describeResult(row, AGE, now) }))
  const sum = (metric: 'likes' | 'comments') => sumKnown(told.map(({ values }) => values[metric].value))
  const byPlatform = (metric: 'views' | 'followers_gained') =>
    sumByPlatform(
      told.flatMap(({ row: { platform }, values }) =>
        COUNTED[platform].includes(metric) ? [{ platform, value: values[metric].value }] : [],
      ),
    )
  return {
    videos: new Set(rows.map(({ video_id }) => video_id)).size,
    live: rows.length,
    views: byPlatform('views'),
    likes: sum('likes'),
    comments: sum('comments'),
    followers_gained: byPlatform('followers_gained'),
  }
}

function toPost(row: Row, usual: number, now: number): ReportPost {
  const { views } = describeResult(row, AGE, now)
  return {
    post_id: row.post_id as ReportPost['post_id'], // ids come out of the database unbranded
    platform: row.platform,
    username: row.username,
    display_name: row.display_name,
    text: row.text,
    poster_url: posterUrl(row.poster_token),
    url: row.url,
    live_at: row.live_at.toISOString(),
    views,
    usual,
    band: compareToUsual(views.value, usual),
  }
}

const monthAfter = (month: string): string => monthsLater(month, 1)
const monthBefore = (month: string): string => monthsLater(month, -1)
function monthsLater(month: string, months: number): string {
  const day = new Date(`${month}-01T00:00:00Z`)
  day.setUTCMonth(day.getUTCMonth() + months)
  return day.toISOString().slice(0, 7)
}
