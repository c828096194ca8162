import type { OverviewDay } from '#contract/overview.ts'
import { dayName } from '#web/lib/moments.ts'

export const sumOf = (days: readonly OverviewDay[], what: 'published' | 'failed'): number =>
  days.reduce((sum, day) => sum + day[what], 0)

/** "3 published, 1 failed", without zero counts. */
export function numbersOf({ published, failed }: Omit<OverviewDay, 'day'>): string {
  const said = [published > 0 && `${published} published`, failed > 0 && `${failed} failed`]
  return said.filter((part) => part !== false).join(', ') || 'nothing'
}

/** The chart as a sentence or two. `days` end with today. */
export function summaryOf(days: readonly OverviewDay[]): string {
  const all = { published: sumOf(days, 'published'), failed: sumOf(days, 'failed') }
  if (all.published + all.failed === 0) return `No posts published or failed in the last ${days.length} days.`
  const best = days.reduce((most, day) => (day.published > most.published ? day : most))
  const today = days.at(-1)?.day ?? best.day
  const most =
    best.published > 0 && best.published < all.published
      ? ` Busiest day: ${inSentence(dayName(best.day, today))}, with ${best.published}.`
      : ''
  return `${capital(numbersOf(all))} in ${days.length} days.${most}`
}

/** "Today" becomes "today"; a date stays as it is. */
const inSentence = (name: string): string => (name.includes(' ') ? name : name.toLowerCase())

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
