/** Rows that were reported, so that a list that is asked for every minute does not repeat itself. */
const reported = new Set<string>()
const REPORTED_MAX = 1_000

/** Tells the operator, once per process, of a row that this version cannot read; its list goes on without it. */
export function warnOfUnreadable(what: string, id: number, error: unknown): void {
  const name = `${what} ${id}`
  if (reported.has(name) || reported.size >= REPORTED_MAX) return
  reported.add(name)
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300)
  process.emitWarning(`${name}: the stored record cannot be read: ${why}`, { code: 'UNREADABLE_ROW' })
}
