import type { DraftContent } from '#contract/drafts.ts'
import type { ScheduleId } from '#contract/ids.ts'
import type { ZonedTime } from '#contract/posts.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { localDaysLater } from '#domain/schedule/days.ts'
import { composeReducer, type ComposeAction, type ComposeState } from '#web/composer/compose-state.ts'
import { coverOf, OPTION_PANELS, withCover } from '#web/platforms/option-panels.tsx'

/** One of the drafts that are planned together. */
export type PlanRow = ComposeState & { readonly draftId: string }

export type PlanAction =
  | { readonly type: 'row'; readonly draftId: string; readonly action: ComposeAction }
  | { readonly type: 'all'; readonly action: ComposeAction }
  | { readonly type: 'time'; readonly timing: Timing }
  | { readonly type: 'add'; readonly rows: readonly PlanRow[] }
  | { readonly type: 'take out'; readonly draftId: string }

/** When the posts go out, in the order of their rows. */
export type Timing =
  | { readonly kind: 'slots'; readonly scheduleId: ScheduleId }
  /** `every`: days from one to the next. */
  | { readonly kind: 'daily'; readonly start: ZonedTime; readonly every: number }
  | { readonly kind: 'single' }

export function planReducer(rows: readonly PlanRow[], action: PlanAction): readonly PlanRow[] {
  switch (action.type) {
    case 'row':
      return rows.map((row) => (row.draftId === action.draftId ? changed(row, action.action) : row))
    case 'all':
      return rows.map((row) => keepCover(row, changed(row, action.action)))
    case 'time': {
      const { timing } = action
      if (timing.kind === 'single') return rows
      return rows.map((row, at) => changed(row, { type: 'plan', plan: planOf(timing, at) }))
    }
    case 'add':
      return [...rows, ...action.rows]
    case 'take out':
      return rows.filter(({ draftId }) => draftId !== action.draftId)
  }
}

/** A row that an action leaves as it is stays the same object, so that it is neither saved nor checked again. */
function changed(row: PlanRow, action: ComposeAction): PlanRow {
  const next = composeReducer(row, action)
  const isSame = JSON.stringify(next.content) === JSON.stringify(row.content)
  return isSame ? row : { ...next, draftId: row.draftId }
}

/** The options that all posts share do not bring one post's cover to the others. */
function keepCover({ content: before }: PlanRow, after: PlanRow): PlanRow {
  const { platform_options: options } = after.content
  if (options === before.platform_options) return after
  return {
    ...after,
    content: { ...after.content, platform_options: coverFrom(options, before.platform_options) },
  }
}

type PlatformOptions = DraftContent['platform_options']

/** The options of another post without what belongs to its video. */
export const withoutCover = (options: PlatformOptions): PlatformOptions => coverFrom(options, {})

/** Options with the cover and the own pictures of others. */
function coverFrom(options: PlatformOptions, others: PlatformOptions): PlatformOptions {
  const covered = withCover(options, coverOf(others))
  const entries = PLATFORM_IDS.filter((id) => options[id] !== undefined).map((id) => {
    const { pictureId, withPicture } = OPTION_PANELS[id]
    const picture = pictureId(others[id] ?? null)
    return [id, { ...(withPicture?.(covered[id], picture) ?? covered[id]) }] as const
  })
  return Object.fromEntries(entries)
}

type Plan = Pick<DraftContent, 'publish_at' | 'schedule'>

const planOf = (timing: Exclude<Timing, { kind: 'single' }>, at: number): Plan =>
  timing.kind === 'slots'
    ? { publish_at: null, schedule: { schedule_id: timing.scheduleId, place: 'next' } }
    : { publish_at: { ...timing.start, local: localDaysLater(timing.start.local, at * timing.every) } }

/** How the posts are planned already, for instance before a reload. */
export function readTiming(contents: readonly Plan[]): Timing {
  const [first, second] = contents
  if (first === undefined) return { kind: 'single' }
  const { publish_at: start, schedule } = first
  const guess = ((): Timing => {
    if (schedule?.place === 'next') return { kind: 'slots', scheduleId: schedule.schedule_id }
    if (start === null) return { kind: 'single' }
    const every = APART.find((days) => second?.publish_at?.local === localDaysLater(start.local, days))
    return every === undefined ? { kind: 'single' } : { kind: 'daily', start, every }
  })()
  if (guess.kind === 'single') return guess
  const isPlanned = contents.every(({ publish_at, schedule: place }, at) => {
    const plan = planOf(guess, at)
    return JSON.stringify([plan.publish_at, plan.schedule]) === JSON.stringify([publish_at, place])
  })
  return isPlanned ? guess : { kind: 'single' }
}

/** Days from one post to the next that can be chosen. */
export const DAYS_APART_MAX = 30
const APART = Array.from({ length: DAYS_APART_MAX }, (_, i) => i + 1)
