import { setImmediate as letOthersRun } from 'node:timers/promises'
import { POSTS_PAGE_DELIVERIES_MAX } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { ResultsAge, ResultsCell, ResultsRow, ResultsWeek } from '#contract/results.ts'
import { compareToUsual } from '#domain/results/compare.ts'
import { DAY_MS } from '#domain/results/schedule.ts'
import { sumByPlatform } from '#domain/results/sum.ts'
import { knownZone, parseDayRange } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { ownsAccount, ownsBrand } from '../accounts/store.ts'
import { posterUrl } from '../videos/video.ts'
import {
  type CellRow,
  listCells,
  listMostViewed,
  listNewest,
  listPostsById,
  listSince,
  listUsual,
  type ResultsFilter,
  type ResultsPlace,
  toResultsAccount,
  findUsualFor,
  describeResult,
} from './read.ts'

type ResultsQuery = {
  readonly brandId?: number | undefined
  readonly platform?: PlatformId | undefined
  readonly accountId?: number | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly timezone?: string | undefined
  readonly age: ResultsAge
}
type Filter = ResultsFilter & { readonly age: ResultsAge }
type Owner = { readonly user_id: number; readonly timezone: string }

/** @throws Problem not_found for a brand or an account that is not the user's */
export async function readFilter(db: Db, user: Owner, asked: ResultsQuery): Promise<Filter> {
  const { brandId, accountId, platform, age } = asked
  const userId = user.user_id
  const zone = knownZone(asked.timezone ?? user.timezone)
  if (brandId !== undefined && !(await ownsBrand(db, userId, brandId))) throw notFound('brand')
  if (accountId !== undefined && !(await ownsAccount(db, userId, accountId))) throw notFound('account')
  return {
    userId,
    brandId,
    accountId,
    platform,
    age,
    ...parseDayRange(asked, zone),
  }
}

/** A page of posts with their views on each account. @throws Problem malformed for a cursor of another list */
export async function listResults(
  db: Db,
  filter: Filter,
  page: { readonly sort: Sort; readonly cursor?: string | undefined; readonly limit: number },
  now: number,
) {
  const after = page.cursor === undefined ? null : readCursor(page.sort, page.cursor)
  const places = await PLACES[page.sort](db, filter, after, page.limit + 1)
  const shown = places.slice(0, fitting(places.slice(0, page.limit)))
  const postIds = shown.map(({ postId }) => postId)
  const [cells, posts] = await Promise.all([listCells(db, filter, postIds), listPostsById(db, postIds)])
  const usual = await listUsual(db, [...new Set(cells.map(({ account_id }) => account_id))], filter.age)
  const byPost = Map.groupBy(cells, ({ post_id }) => post_id)
  const rows = postIds.flatMap((postId): ResultsRow[] => {
    const post = posts.get(postId)
    const ofPost = byPost.get(postId) ?? []
    if (!post) return []
    return [
      {
        // Ids come out of the database unbranded.
        post_id: post.post_id as ResultsRow['post_id'],
        brand_id: post.brand_id as ResultsRow['brand_id'],
        brand_title: post.brand_title,
        text: post.text,
        video: {
          video_id: post.video_id as ResultsRow['video']['video_id'],
          poster_url: posterUrl(post.poster_token),
        },
        live_at: new Date(Math.max(...ofPost.map(({ live_at }) => live_at.getTime()))).toISOString(),
        cells: ofPost.map((row) => toCell(row, filter.age, usual, now)),
      },
    ]
  })
  const accounts = new Map(cells.map((row) => [row.account_id, toResultsAccount(row)]))
  const last = shown.at(-1)
  return {
    rows,
    accounts: [...accounts.values()],
    next_cursor: places.length > shown.length && last ? formatCursor(page.sort, last) : null,
  }
}

function toCell(
  row: CellRow,
  age: ResultsAge,
  last: Awaited<ReturnType<typeof listUsual>>,
  now: number,
): ResultsCell {
  const { views } = describeResult(row, age, now)
  const usual = findUsualFor(row, last)
  return {
    delivery_id: row.delivery_id as ResultsCell['delivery_id'],
    account_id: row.account_id as ResultsCell['account_id'],
    live_at: row.live_at.toISOString(),
    views,
    usual,
    band: compareToUsual(views.value, usual),
  }
}

const SORTS = ['newest', 'views'] as const
type Sort = (typeof SORTS)[number]
const PLACES = { newest: listNewest, views: listMostViewed } as const

/** How many posts of a page fit, for posts to many accounts are large; the first always does. */
function fitting(places: readonly { readonly cells: number }[]): number {
  let cells = 0
  const end = places.findIndex((place) => (cells += place.cells) > POSTS_PAGE_DELIVERIES_MAX)
  return end === -1 ? places.length : Math.max(end, 1)
}

const formatCursor = (sort: Sort, { by, id }: ResultsPlace): string => `${sort} ${by} ${id}`

/** Posts without a number are at -1. */
const CURSORS: Record<Sort, RegExp> = {
  newest: /^newest (\d{1,15}) (\d{1,15})$/,
  views: /^views (-1|\d{1,15}) (\d{1,15})$/,
}

function readCursor(sort: Sort, cursor: string): ResultsPlace {
  const found = CURSORS[sort].exec(cursor)
  if (!found) throw new Problem('malformed', 'The cursor is not one of this list.')
  return { by: Number(found[1]), id: Number(found[2]) }
}

/** The results of a filter one by one, newest post first. Reads only as fast as the consumer. */
export async function* eachResult(
  db: Db,
  filter: Filter,
  track: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<{ readonly row: CellRow; readonly post: PostOf }> {
  let after: ResultsPlace | null = null
  do {
    const place: ResultsPlace | null = after
    const page = await track(async () => {
      const places = await listNewest(db, filter, place, PAGE_POSTS)
      const postIds = places.map(({ postId }) => postId)
      return { places, cells: await listCells(db, filter, postIds), posts: await listPostsById(db, postIds) }
    })
    const byPost = Map.groupBy(page.cells, ({ post_id }) => post_id)
    for (const { postId } of page.places) {
      const post = page.posts.get(postId)
      if (!post) continue
      // A page has up to 50,000 rows, which would otherwise block the event loop.
      await letOthersRun()
      for (const row of byPost.get(postId) ?? []) yield { row, post }
    }
    after = page.places.length < PAGE_POSTS ? null : (page.places.at(-1) ?? null)
  } while (after !== null)
}

const PAGE_POSTS = 50
type PostOf = NonNullable<ReturnType<Awaited<ReturnType<typeof listPostsById>>['get']>>

const WEEK_MS = 7 * DAY_MS
/** More results of a week than these are not looked at. */
const WEEK_RESULTS_MAX = 5000

/** The last 7 days: what went live, its views at 24 hours by platform, and how that compares. */
export async function readWeek(db: Db, userId: number, now: number): Promise<ResultsWeek> {
  const rows = await listSince(db, userId, now - WEEK_MS, WEEK_RESULTS_MAX)
  const usual = await listUsual(db, [...new Set(rows.map(({ account_id }) => account_id))], '24h')
  const old = rows.filter(({ live_at }) => now - live_at.getTime() >= DAY_MS)
  const cells = old.map((row) => ({ platform: row.platform, ...toCell(row, '24h', usual, now) }))
  const compared = cells.filter(({ band }) => band !== null)
  return {
    live: rows.length,
    views: sumByPlatform(cells.map(({ platform, views }) => ({ platform, value: views.value }))).map(
      ({ value, ...sum }) => ({ ...sum, views: value }),
    ),
    above: compared.filter(({ band }) => band === 'above').length,
    compared: compared.length,
  }
}
