/** Avoids repeating the log line when a list is polled. */
const reported = new Set<string>()
const REPORTED_MAX = 1_000

/** Logs, once per process, a row that this version cannot read. */
export function warnOfUnreadable(what: string, id: number, error: unknown): void {
  const name = `${what} ${id}`
  if (reported.has(name) || reported.size >= REPORTED_MAX) return
  reported.add(name)
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300)
  process.emitWarning(`${name}: the stored record cannot be read: ${why}`, { code: 'UNREADABLE_ROW' })
}
