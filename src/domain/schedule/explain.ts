import { localAt, readLocal } from './schedule.ts'

/** Explains a wall clock that a clock change skips or repeats; null: it exists once. */
export function explainLocal(local: string, timeZone: string): string | null {
  const found = readLocal(local, timeZone)
  if (found === null || found.kind === 'plain') return null
  const [day, time] = [formatDay(local), local.slice(11)]
  if (found.kind === 'repeated') return `${time} happens twice on ${day}; the first is used.`
  const used = localAt(found.at, timeZone)
  const onDay = formatDay(used) === day ? '' : ` on ${formatDay(used)}`
  return `${time} does not exist on ${day}; ${used.slice(11)}${onDay} is used.`
}

const formatDay = (local: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    Date.parse(`${local.slice(0, 10)}T00:00Z`),
  )
