import type { Metric } from '#contract/platforms/index.ts'
import type { Band, Measured, MissingReason, ResultsAge } from '#contract/results.ts'
import { formatDuration } from '#web/lib/amounts.ts'

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** "987", "12.3K", "4M" */
export const compact = (value: number): string => COMPACT.format(value)

/** "12,345" */
export const exact = (value: number): string => value.toLocaleString('en')

/** "1 view", "12,345 views" */
export const exactViews = (value: number): string => `${exact(value)} ${value === 1 ? 'view' : 'views'}`

export const METRIC_WORDS: Record<Metric, string> = {
  views: 'Views',
  likes: 'Likes',
  comments: 'Comments',
  shares: 'Shares',
  saves: 'Saves',
  followers_gained: 'Followers gained',
  reach: 'Reach',
  average_watch_ms: 'Average watch',
  total_watch_ms: 'Total watch',
}

/** A value in the words of its metric: "12.3K", "8.4 s", "18 h 58 min". */
export function formatMetric(metric: Metric, value: number): string {
  switch (metric) {
    case 'average_watch_ms':
      return value < 60_000 ? `${Math.round(value / 100) / 10} s` : formatDuration(value / 1000)
    case 'total_watch_ms':
      return value < 1000 ? '0 s' : formatDuration(value / 1000)
    case 'views':
    case 'likes':
    case 'comments':
    case 'shares':
    case 'saves':
    case 'followers_gained':
    case 'reach':
      return compact(value)
  }
}

/** Why there is no number: in a word or two, and as a sentence. */
export const MISSING: Record<MissingReason, { readonly word: string; readonly why: string }> = {
  not_yet: {
    word: 'Not yet',
    why: "The post isn't that old yet, or the platform hasn't reported the number yet.",
  },
  not_allowed: {
    word: 'Not allowed',
    why: "The account hasn't allowed Reelay to read this number, or its access had ended. Link it again to allow it.",
  },
  not_offered: {
    word: 'Not offered',
    why: "The platform doesn't report this number, or hadn't at that age.",
  },
  gone: {
    word: 'Not found',
    why: "The platform didn't show the post: it was deleted, made private, or was under review.",
  },
  unlinked: { word: 'Unlinked', why: 'The account was unlinked by then.' },
  missed: {
    word: 'Not read',
    why: "At that age Reelay was off, couldn't reach the platform, or didn't know the post there yet. The number can't be read later.",
  },
  not_kept: {
    word: 'Not kept',
    why: 'The platform lets apps keep its numbers for 30 days only.',
  },
}

/** Why this one is missing. An answer without a reason is a gap, too. */
export const reasonOf = ({ missing }: Measured): MissingReason => missing ?? 'missed'

const BAND_SIGNS: Record<Band, { readonly sign: string; readonly word: string }> = {
  above: { sign: '▲', word: 'above usual' },
  usual: { sign: '', word: 'usual' },
  below: { sign: '▼', word: 'below usual' },
}

export type BandText = { readonly sign: string; readonly text: string; readonly title: string }

/** How a cell compares with the account's other posts: "2.1× usual"; null: nothing to compare. */
export function bandText(cell: {
  readonly views: Measured
  readonly usual: number | null
  readonly band: Band | null
}): BandText | null {
  const { views, usual, band } = cell
  if (band === null || usual === null || views.value === null) return null
  const { sign, word } = BAND_SIGNS[band]
  const title = `Usual for this account: ${exact(Math.round(usual))}`
  if (band === 'usual') return { sign, text: word, title }
  const times = views.value / usual
  // Nothing is a multiple of none, and a rounded 0 says less than the word.
  const said = Number.isFinite(times) && times >= 0.05 ? `${oneDigit(times)}× usual` : word
  return { sign, text: said, title }
}

const oneDigit = (times: number): string =>
  exact(times < 9.95 ? Math.round(times * 10) / 10 : Math.round(times))

export const AGE_WORDS: Record<ResultsAge, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '28d': '28 days',
  now: 'Now',
}

/** An age of some hours: "1 hour", "24 hours", "7 days", "12 weeks"; between two marks "5 hours", "9 days". */
export function ageText(hours: number): string {
  const whole = Math.round(hours)
  if (whole <= 48) return `${whole} ${whole === 1 ? 'hour' : 'hours'}`
  const days = Math.round(hours / 24)
  return days > 28 && days % 7 === 0 ? `${days / 7} weeks` : `${days} days`
}

/** "just now", "10 minutes ago", "3 hours ago", "2 days ago". `now`: epoch ms. */
export function agoText(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return ago(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? ago(hours, 'hour') : ago(Math.floor(hours / 24), 'day')
}

const ago = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'} ago`
