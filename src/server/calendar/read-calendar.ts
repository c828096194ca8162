import type { Calendar, CalendarDraft, CalendarPost, CalendarStatus } from '#contract/planning/calendar.ts'
import type { FreeSlot } from '#contract/planning/schedules.ts'
import { DELIVERY_STATES, type DeliveryStatus } from '#contract/deliveries.ts'
import { CALENDAR_POSTS_MAX, CALENDAR_SLOTS_MAX } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { addDays, knownZone, startOfDay } from '#domain/schedule/days.ts'
import { instantOf, localAt, minutesAfter } from '#domain/schedule/schedule.ts'
import { slotInstant } from '#domain/schedule/slots.ts'
import { findAccount, ownsBrand } from '../accounts/store.ts'
import { toFreeSlots } from '../schedules/free-slots.ts'
import { posterUrl } from '../videos/video.ts'
import { type DraftRow, type PostRow, readCalendarRows } from './store.ts'

type Whose = { readonly user_id: number; readonly timezone: string }

type Days = {
  readonly from: string
  readonly days: number
  readonly timezone?: string | undefined
  readonly brandId?: number | undefined
  readonly accountId?: number | undefined
  readonly status?: CalendarStatus | undefined
  /** Epoch ms. */
  readonly now: number
}

/**
 * Reads a user's calendar in one snapshot.
 * @throws Problem not_found for a brand or account that is not the user's
 */
export async function readCalendar(db: Db, user: Whose, asked: Days): Promise<Calendar> {
  const timezone = asked.timezone ?? knownZone(user.timezone)
  const { brandId, accountId, status } = asked
  const scope = {
    userId: user.user_id,
    from: startOfDay(asked.from, timezone),
    to: startOfDay(addDays(asked.from, asked.days), timezone),
    brandId,
    accountId,
  }
  if (brandId !== undefined && !(await ownsBrand(db, user.user_id, brandId))) throw notFound('brand')
  if (accountId !== undefined) await findAccount(db, user.user_id, accountId)
  const states = status === undefined ? SHOWN : STATES[status]
  const isWhole = status === undefined && accountId === undefined
  const rows = await readCalendarRows(db, {
    ...scope,
    states,
    limit: CALENDAR_POSTS_MAX + 1,
    hasDrafts: status === undefined || status === 'draft',
    hasSlots: isWhole,
  })
  const posts = joinNear(rows.posts.slice(0, CALENDAR_POSTS_MAX), timezone).map(toPost)
  const free = { ...scope, now: asked.now, limit: CALENDAR_SLOTS_MAX + 1 }
  const slots = rows.slots === null ? [] : toFreeSlots(rows.slots, free)
  return {
    timezone,
    posts: posts.filter((post) => states.includes(post.status)),
    drafts: rows.drafts.flatMap((row) => toDraft(row, scope)).toSorted((a, b) => a.at.localeCompare(b.at)),
    slots: withoutTaken(slots.slice(0, CALENDAR_SLOTS_MAX), rows.posts),
    more: rows.posts.length > CALENDAR_POSTS_MAX,
    more_slots: slots.length > CALENDAR_SLOTS_MAX,
  }
}

type Span = PostRow & { readonly lastAt: number }

/** Times of a post on one day that are closer to each other than this are shown as one. */
const NEAR_MS = 3_600_000

function joinNear(rows: readonly PostRow[], zone: string): Span[] {
  const isNear = (one: number, next: number) =>
    next - one < NEAR_MS && localAt(one, zone).slice(0, 10) === localAt(next, zone).slice(0, 10)
  const spans: Span[] = []
  const latest = new Map<number, number>()
  for (const row of rows) {
    const nth = latest.get(row.post_id)
    const before = nth === undefined ? undefined : spans[nth]
    if (nth !== undefined && before !== undefined && isNear(before.lastAt, row.at)) {
      spans[nth] = join(before, row)
    } else {
      latest.set(row.post_id, spans.length)
      spans.push({ ...row, lastAt: row.at })
    }
  }
  return spans
}

const join = (one: Span, next: PostRow): Span => ({
  ...one,
  lastAt: next.at,
  brand_ids: [...new Set([...one.brand_ids, ...next.brand_ids])],
  platforms: [...one.platforms, ...next.platforms],
  states: [...one.states, ...next.states],
  held_for: one.held_for ?? next.held_for,
  // null: none is scheduled.
  paused: one.paused === null ? next.paused : one.paused && next.paused !== false,
  movable: one.movable || next.movable,
})

/** Without slots at which the brand has a post that was given its time by hand or by another schedule. */
function withoutTaken(slots: FreeSlot[], posts: readonly PostRow[]): FreeSlot[] {
  const taken = new Set(posts.flatMap(({ brand_ids, at }) => brand_ids.map((id) => `${id} ${toMinute(at)}`)))
  return slots.filter(({ brand_id, at }) => !taken.has(`${brand_id} ${toMinute(Date.parse(at))}`))
}

const toMinute = (at: number): number => Math.floor(at / 60_000)

const SHOWN = DELIVERY_STATES.filter((state) => state !== 'cancelled')

const STATES: Readonly<Record<CalendarStatus, readonly DeliveryStatus[]>> = {
  draft: [],
  scheduled: ['scheduled'],
  publishing: ['preparing', 'committing', 'processing'],
  published: ['published'],
  in_inbox: ['in_inbox'],
  unconfirmed: ['unconfirmed'],
  held: ['blocked'],
  failed: ['failed'],
  cancelled: ['cancelled'],
}

/** A post to several accounts shows the first of these that one of them has. */
const FIRST_SHOWN: readonly (DeliveryStatus | 'settled')[] = [
  'failed',
  'unconfirmed',
  'blocked',
  'committing',
  'processing',
  'preparing',
  'scheduled',
  'in_inbox',
  'published',
  'settled',
  'cancelled',
]

function toPost(row: Span): CalendarPost {
  const first = FIRST_SHOWN.find((state) => row.states.includes(state))
  if (first === undefined) throw new Error(`Post ${row.post_id} has no delivery in a state we know.`)
  const settled = first === 'settled'
  const status = settled ? 'failed' : first
  return {
    post_id: row.post_id as CalendarPost['post_id'], // ids come out of the database unbranded
    version: row.version,
    timezone: row.timezone,
    at: new Date(row.at).toISOString(),
    last_at: new Date(row.lastAt).toISOString(),
    post_at: new Date(row.publish_at ?? minutesAfter(row.at, -row.after_minutes)).toISOString(),
    text: row.text,
    poster_url: posterUrl(row.poster_token),
    brand_id: (row.brand_ids.length === 1 ? row.brand_ids[0] : null) as CalendarPost['brand_id'],
    marks: toMarks(row.platforms),
    slot: slotOf(row.schedule_id, row.slot_local, row.timezone),
    status,
    settled,
    held_for: status === 'blocked' ? row.held_for : status === 'scheduled' && row.paused ? 'paused' : null,
    fixed: row.movable ? null : settled ? SETTLED : WHY_FIXED[status],
  }
}

const SETTLED = 'It failed, and was dismissed or replaced by a newer post.'
const GOING_OUT = 'It is going out, so its time can no longer be changed.'
const WHY_FIXED: Readonly<Record<DeliveryStatus, string>> = {
  scheduled: GOING_OUT,
  preparing: GOING_OUT,
  committing: GOING_OUT,
  processing: GOING_OUT,
  blocked: 'It has already started going out, so its time can no longer be changed.',
  unconfirmed: 'It may already be live, so its time can no longer be changed.',
  published: 'It is published.',
  in_inbox: "It is in the account owner's inbox.",
  failed: 'It failed when it went out. Retry or duplicate it.',
  cancelled: 'It was cancelled.',
}

function toDraft(row: DraftRow, { from, to }: { from: number; to: number }): CalendarDraft[] {
  const at = instantOf(row.local, knownZone(row.timezone))
  if (at === null || at < from || at >= to) return []
  return [
    {
      draft_id: row.draft_id,
      version: row.version,
      publish_at: { local: row.local, timezone: row.timezone },
      at: new Date(at).toISOString(),
      text: row.text,
      poster_url: posterUrl(row.poster_token),
      brand_id: row.brand_id as CalendarDraft['brand_id'], // unbranded in the database
      marks: toMarks(row.platforms),
      slot: slotOf(row.schedule_id, row.local, row.timezone),
    },
  ]
}

const slotOf = (
  scheduleId: number | null,
  local: string | null,
  timezone: string | null,
): CalendarPost['slot'] =>
  scheduleId === null || local === null || timezone === null
    ? null
    : {
        schedule_id: scheduleId as FreeSlot['schedule_id'], // unbranded in the database
        local,
        timezone,
        at: new Date(slotInstant(local, knownZone(timezone))).toISOString(),
      }

function toMarks(platforms: PostRow['platforms']): CalendarPost['marks'] {
  const counts = new Map<PostRow['platforms'][number], number>()
  for (const platform of platforms) counts.set(platform, (counts.get(platform) ?? 0) + 1)
  return [...counts].map(([platform, accounts]) => ({ platform, accounts }))
}
