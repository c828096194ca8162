import { setImmediate as letOthersRun } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { accountName } from '#contract/accounts.ts'
import { DELIVERY_STATES, type Delivery } from '#contract/deliveries.ts'
import type { EXPORT_COLUMNS } from '#contract/planning/csv.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Db } from '#base/db/open.ts'
import { selectDeliveries, toDelivery } from '../deliveries/read.ts'

/** Times are epoch ms; `before` is exclusive. */
export type ExportRequest = {
  readonly userId: number
  readonly brandId: number | null
  readonly from: number | undefined
  readonly before: number | undefined
  readonly timezone: string
}

export type ExportRow = Readonly<Record<(typeof EXPORT_COLUMNS)[number], string>>

/** Posts read at once: with their deliveries a few megabytes at most. */
export const PAGE_POSTS = 50
const ROWS_AT_ONCE = 20

/** One row per delivery, in the order of publication. Reads only as fast as the consumer. @param track runs the read of a page */
export async function* exportRows(
  db: Db,
  request: ExportRequest,
  track: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<ExportRow> {
  const clock = createClock(request.timezone)
  const readPage = async (after: DueTime | null) => {
    const { rows: places } = await placesAfter(request, after).execute(db)
    return { places, rows: await listDeliveries(db, request, places) }
  }
  let after: DueTime | null = null
  do {
    const page = await track(() => readPage(after))
    for (const [nth, row] of page.rows.entries()) {
      // A page has up to 5,000 rows, which would otherwise block the event loop.
      if (nth % ROWS_AT_ONCE === 0) await letOthersRun()
      yield toRow(row, request.timezone, clock)
    }
    after = page.places.length < PAGE_POSTS ? null : (page.places.at(-1) ?? null)
  } while (after !== null)
}

type DueTime = { readonly goes_out_at: Date; readonly post_id: number }

/** Each state returns at most the requested rows, from the index by owner, state and time. */
function placesAfter({ userId, from, before }: ExportRequest, after: DueTime | null): RawBuilder<DueTime> {
  const wanted = [sql`d.user_id = ${userId}`, sql`d.goes_out_at is not null`]
  if (from !== undefined) wanted.push(sql`d.goes_out_at >= ${new Date(from)}`)
  if (before !== undefined) wanted.push(sql`d.goes_out_at < ${new Date(before)}`)
  if (after)
    wanted.push(sql`(d.goes_out_at, d.post_id) > (${after.goes_out_at}::timestamptz, ${after.post_id})`)
  const ofStates = DELIVERY_STATES.map(
    (state) => sql`(select distinct d.goes_out_at, d.post_id from deliveries d
      where d.state = ${state} and ${sql.join(wanted, sql` and `)}
      order by d.goes_out_at, d.post_id limit ${PAGE_POSTS})`,
  )
  return sql<DueTime>`select distinct goes_out_at, post_id from (${sql.join(ofStates, sql` union all `)}) as places
    order by goes_out_at, post_id limit ${PAGE_POSTS}`
}

async function listDeliveries(db: Db, { userId, brandId }: ExportRequest, places: readonly DueTime[]) {
  if (places.length === 0) return []
  const nth = new Map(places.map((place, i) => [toKey(place), i]))
  const all = selectDeliveries(db, userId)
    .innerJoin('brands', 'brands.brand_id', 'accounts.brand_id')
    .select(['brands.title as brand', 'videos.filename'])
    .where(
      'deliveries.post_id',
      'in',
      places.map(({ post_id }) => post_id),
    )
  const rows = await (brandId === null ? all : all.where('accounts.brand_id', '=', brandId)).execute()
  return rows
    .flatMap((row) => {
      const { goes_out_at, post_id } = row
      const place = goes_out_at && nth.get(toKey({ goes_out_at, post_id }))
      return place === undefined || place === null ? [] : [{ row, place }]
    })
    .toSorted((one, other) => one.place - other.place)
    .map(({ row }) => row)
}

type Row = Awaited<ReturnType<typeof listDeliveries>>[number]

function toRow(row: Row, timezone: string, clock: (iso: string) => string): ExportRow {
  const { brand, filename: video, text: caption } = row
  const time = row.goes_out_at === null ? '' : clock(row.goes_out_at.toISOString())
  return { ...toOutcome(toDelivery(row), clock), brand, video, caption, time, zone: timezone }
}

const toKey = ({ goes_out_at, post_id }: DueTime): string => `${goes_out_at.getTime()} ${post_id}`

const toOutcome = (delivery: Delivery, clock: (iso: string) => string) => ({
  post_id: String(delivery.post_id),
  platform: PLATFORM_NAMES[delivery.platform],
  account: accountName(delivery),
  status: delivery.status,
  published_at: delivery.published_at === null ? '' : clock(delivery.published_at),
  link: delivery.url ?? '',
  reason: delivery.reason?.message ?? '',
  remedy: delivery.reason?.remedy ?? '',
})

/** Format `2026-12-24 18:30`, which spreadsheets recognise as a date. */
export function createClock(timeZone: string): (iso: string) => string {
  // Swedish writes dates like ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (iso) => format.format(Date.parse(iso))
}
