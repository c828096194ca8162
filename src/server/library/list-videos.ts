import { type RawBuilder, sql } from 'kysely'
import { searchWords } from '#contract/search.ts'
import type { Video, VideoSort } from '#contract/videos.ts'
import { knownZone, parseDayRange } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { ownsBrand } from '../accounts/store.ts'
import { selectVideos, videosWithDetails } from '../videos/store.ts'
import { toVideo } from '../videos/video.ts'

export type VideoList = {
  readonly search?: string | undefined
  readonly tag?: string | undefined
  readonly brand_id?: number | undefined
  readonly use?: 'unused' | 'used' | undefined
  /** The moments between which they were added (epoch ms). */
  readonly from?: number | undefined
  readonly before?: number | undefined
  readonly size?: number | undefined
  readonly sort: VideoSort
  readonly cursor?: string | undefined
  readonly limit: number
}

const ORDERS = {
  newest: { column: 'created_at', direction: 'desc' },
  oldest: { column: 'created_at', direction: 'asc' },
  name: { column: 'search_name', direction: 'asc' },
  largest: { column: 'size', direction: 'desc' },
} as const satisfies Record<VideoSort, { column: Column; direction: 'asc' | 'desc' }>
type Column = 'created_at' | 'search_name' | 'size'

/** The cursor's value of the sorted column: times in microseconds, which JavaScript dates lack. */
const VALUES = {
  created_at: sql<string>`(extract(epoch from videos.created_at) * 1000000)::bigint::text`,
  search_name: sql<string>`videos.search_name`,
  size: sql<string>`videos.size::text`,
} as const satisfies Record<Column, RawBuilder<string>>

type ListOf = { readonly user_id: number; readonly timezone: string }
/** Days are those of the user's zone. */
type ListQuery = Omit<VideoList, 'from' | 'before'> & {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** @throws Problem not_found for another user's brand; malformed for an invalid cursor */
export async function listVideos(
  db: Db,
  { user_id: userId, timezone }: ListOf,
  { from, to, ...query }: ListQuery,
): Promise<{ videos: Video[]; next_cursor: string | null }> {
  if (query.brand_id !== undefined && !(await ownsBrand(db, userId, query.brand_id))) throw notFound('brand')
  const list: VideoList = { ...query, ...parseDayRange({ from, to }, knownZone(timezone)) }
  const { limit, sort } = list
  const rows = await pageQuery(db, userId, list).execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    videos: page.map(toVideo),
    next_cursor: rows.length > limit && last ? formatCursor(sort, last) : null,
  }
}

export function pageQuery(db: Db, userId: number, list: VideoList) {
  const { column, direction } = ORDERS[list.sort]
  return videosWithDetails(db, userId)
    .innerJoin(placesQuery(db, userId, list).as('places'), 'places.video_id', 'videos.video_id')
    .select('places.value')
    .orderBy(`videos.${column}`, direction)
    .orderBy('videos.video_id', direction)
}

/**
 * The ids of a page, and one more if there is one. Separate from the page's query: the cost of the videos' details would
 * make the planner ignore the order.
 */
export function placesQuery(db: Db, userId: number, list: VideoList) {
  const { column, direction } = ORDERS[list.sort]
  return selectVideos(db, userId)
    .select(['videos.video_id', VALUES[column].as('value')])
    .orderBy(`videos.${column}`, direction)
    .orderBy('videos.video_id', direction)
    .where(sql<boolean>`${sql.join(conditions(userId, list), sql` and `)}`)
    .limit(sql.lit(list.limit + 1)) // a parameter would hide from a prepared plan how few rows it reads
}

function conditions(userId: number, list: VideoList): RawBuilder<unknown>[] {
  const all = [sql`true`]
  for (const word of searchWords(list.search ?? '')) {
    // Words are normalized: a fullwidth `％` became a `%`.
    const literal = word.replaceAll(/[\\%_]/g, String.raw`\$&`)
    const pattern = sql`'%' || lower(${literal}) || '%'`
    all.push(sql`(videos.search_name like ${pattern} or videos.video_id in (
      select t.video_id from video_tags t where t.user_id = ${userId} and t.key like ${pattern}))`)
  }
  if (list.tag !== undefined)
    all.push(sql`videos.video_id in (select t.video_id from video_tags t
      where t.user_id = ${userId} and t.key = lower(normalize(${list.tag}, NFKC)))`)
  if (list.brand_id !== undefined)
    all.push(sql`videos.video_id in (select v.video_id from videos v where v.brand_id = ${list.brand_id}
      union all select b.video_id from posted_brands b where b.brand_id = ${list.brand_id})`)
  if (list.use === 'unused') all.push(sql`not ${isUsed(userId)}`)
  if (list.use === 'used') all.push(isUsed(userId))
  if (list.from !== undefined) all.push(sql`videos.created_at >= ${new Date(list.from)}`)
  if (list.before !== undefined) all.push(sql`videos.created_at < ${new Date(list.before)}`)
  if (list.size !== undefined) all.push(sql`videos.size = ${list.size}`)
  if (list.cursor !== undefined) all.push(after(list.sort, list.cursor))
  return all
}

/** A post or a draft uses it. The order makes it read the first post from `posts_of_video`. */
export const isUsed = (userId: number): RawBuilder<unknown> =>
  sql`((select p.post_id from posts p where p.video_id = videos.video_id and p.deleted_at is null
      order by p.created_at limit 1) is not null
    or videos.video_id in (select d.video_id from drafts d
      where d.user_id = ${userId} and d.video_id is not null and d.deleted_at is null))`

type PageEntry = { readonly video_id: number; readonly value: string }

const formatCursor = (sort: VideoSort, { video_id, value }: PageEntry): string =>
  `${sort}.${video_id}.${Buffer.from(value).toString('base64url')}`

function after(sort: VideoSort, cursor: string): RawBuilder<unknown> {
  const [, ofSort, id, encoded = ''] = /^([a-z]+)\.(\d{1,15})\.([\w-]*)$/.exec(cursor) ?? []
  if (ofSort !== sort || id === undefined) throw badCursor()
  const { column, direction } = ORDERS[sort]
  const beyond = direction === 'asc' ? sql`>` : sql`<`
  const value = parseCursorValue(column, Buffer.from(encoded, 'base64url').toString())
  return sql`(${sql.ref(`videos.${column}`)}, videos.video_id) ${beyond} (${value}, ${Number(id)}::bigint)`
}

/** @throws Problem malformed */
function parseCursorValue(column: Column, text: string): RawBuilder<unknown> {
  if (column === 'search_name') {
    if (text.includes('\0')) throw badCursor()
    return sql`${text}::text`
  }
  if (!/^\d{1,16}$/.test(text)) throw badCursor()
  return column === 'size'
    ? sql`${text}::bigint`
    : sql`('epoch'::timestamptz + ${text}::bigint * interval '1 microsecond')`
}

const badCursor = () => new Problem('malformed', 'This cursor is not one of ours.')
