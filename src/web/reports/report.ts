import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { Month, type Report, type ReportNumbers, type ReportPost } from '#contract/reports.ts'
import { counted as countOf } from '#web/lib/amounts.ts'
import { monthName } from '#web/lib/moments.ts'

/** "October 2026": of a month as `2026-10`. */
export const monthTitle = (month: string): string => `${monthOnly(month)} ${month.slice(0, 4)}`

/** "October" */
export const monthOnly = (month: string): string => monthName(`${month}-01`)

/** The month that is `by` months later, or earlier if negative. */
export function addMonths(month: string, by: number): string {
  const [year = 0, nth = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, nth - 1 + by)).toISOString().slice(0, 7)
}

/** Its first and last day, as `2026-10-01`. */
export function monthSpan(month: string): { from: string; to: string } {
  const end = new Date(Date.parse(`${addMonths(month, 1)}-01`) - 86_400_000)
  return { from: `${month}-01`, to: end.toISOString().slice(0, 10) }
}

/** The month of an address; the one before `present` if it names none, or one that has not begun. */
export function monthOfAddress(asked: string | null, present: string): string {
  const month = Month.safeParse(asked).data
  return month === undefined || month > present ? addMonths(present, -1) : month
}

export const isEmpty = ({ numbers }: Report): boolean => numbers.live === 0

type Total = ReportNumbers['likes']

/** One number of the report, in the words that stand for it. */
export type Figure = {
  readonly key: string
  readonly label: string
  /** The label is a platform's name. */
  readonly platform: PlatformId | null
  readonly value: string
  /** "12 of 14 posts counted"; null: all of them are. */
  readonly counted: string | null
  /** "36 in September" */
  readonly before: string
  /** "12 more (+33%)"; null: there is nothing to compare. */
  readonly difference: string | null
}

/** The numbers of a month beside those of the month before; views and followers gained are one for each platform. */
export function summarizeReport({ month, numbers, last_month: last }: Report) {
  const earlier = monthOnly(addMonths(month, -1))
  const count = (what: 'live' | 'videos', label: string): Figure => ({
    key: what,
    label,
    platform: null,
    value: amount(numbers[what]),
    counted: null,
    before: `${amount(last[what])} in ${earlier}`,
    difference: differenceOf(numbers[what], last[what]),
  })
  const total = (what: 'comments' | 'likes', label: string) =>
    totalFigure({ key: what, label, platform: null }, numbers[what], last[what], earlier)
  const byPlatform = (what: 'views' | 'followers_gained', label: string) =>
    PLATFORM_IDS.flatMap((platform) => {
      const [now, before] = [numbers, last].map((of) => of[what].find((one) => one.platform === platform))
      if (now === undefined && before === undefined) return []
      // Without the permission nobody tells the followers gained, and there is nothing to show.
      if (what === 'followers_gained' && !now?.counted && !before?.counted) return []
      return [
        totalFigure({ key: `${what} ${platform}`, label, platform }, now ?? NONE, before ?? NONE, earlier),
      ]
    })
  return {
    posts: [count('videos', 'Videos'), count('live', 'Posts that went live')],
    views: byPlatform('views', 'Views'),
    answers: [total('likes', 'Likes'), total('comments', 'Comments')],
    followers: byPlatform('followers_gained', 'Followers gained'),
  }
}

const NONE: Total = { value: 0, counted: 0, of: 0 }

function totalFigure(
  named: Pick<Figure, 'key' | 'label' | 'platform'>,
  now: Total,
  before: Total,
  earlier: string,
): Figure {
  const isComparable = now.counted > 0 && before.counted > 0
  return {
    ...named,
    value: now.of === 0 ? 'No posts' : now.counted === 0 ? 'Not known' : amount(now.value),
    counted: countedText(now),
    before: beforeText(before, earlier),
    difference: isComparable ? differenceOf(now.value, before.value) : null,
  }
}

const countedText = ({ counted, of }: Total): string | null =>
  counted < of ? `${amount(counted)} of ${countOf(of, 'post')} counted` : null

function beforeText(before: Total, earlier: string): string {
  if (before.of === 0) return `No posts in ${earlier}`
  if (before.counted === 0) return `Not known for ${earlier}`
  const partly = countedText(before)
  return `${amount(before.value)} in ${earlier}${partly === null ? '' : `, ${partly}`}`
}

/** "12 more (+33%)", "3 fewer (−8%)", "No change"; without a percentage after 0. */
export function differenceOf(now: number, before: number): string {
  if (now === before) return 'No change'
  const words = now > before ? `${amount(now - before)} more` : `${amount(before - now)} fewer`
  if (before === 0) return words
  const percent = Math.round((Math.abs(now - before) / before) * 100)
  return percent === 0 ? words : `${words} (${now > before ? '+' : '−'}${amount(percent)}%)`
}

export const amount = (value: number): string => value.toLocaleString('en')

/** "2.1× usual"; null: it is not known what is usual. */
export function againstUsual({ views, usual }: ReportPost): string | null {
  if (views.value === null || usual === null || usual <= 0) return null
  const times = views.value / usual
  return `${times >= 10 ? amount(Math.round(times)) : (Math.round(times * 10) / 10).toFixed(1)}× usual`
}

const CAPTION_SHOWN_CHARS = 160

/** The start of a caption, cut between words. */
export function captionStart(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  if (flat.length <= CAPTION_SHOWN_CHARS) return flat
  const cut = flat.slice(0, CAPTION_SHOWN_CHARS)
  const end = cut.lastIndexOf(' ')
  // No space for long in Japanese, say; half a surrogate pair is no character.
  const start = end > CAPTION_SHOWN_CHARS / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')
  return `${start}…`
}
