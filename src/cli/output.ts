import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'

/** Controls, and marks that reorder text: names and captions come from strangers, and a terminal obeys what it prints. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** One line that a terminal can show. */
export const clean = (text: string): string => text.replaceAll(/[\r\n\t]+/g, ' ').replaceAll(UNSAFE, '')

const escapeUnsafe = (json: string): string =>
  json.replaceAll(UNSAFE, (char) =>
    char === '\n' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The only thing on the standard output with `--json`. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${escapeUnsafe(JSON.stringify(value, null, 2))}\n`)
}

export const print = (line: string): void => {
  process.stdout.write(`${clean(line)}\n`)
}

/** For what is not the answer: progress, notes and refusals. */
export const note = (line: string): void => {
  process.stderr.write(`${clean(line)}\n`)
}

/** A table with a title for each column, or a sentence where it is empty. */
export function printList(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): void {
  if (rows.length === 0) print(none)
  else printTable([titles, ...rows])
}

/** Columns beside each other; the last one may be as long as it is. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const cleaned = rows.map((row) => row.map(clean))
  const widths = (cleaned[0] ?? []).map((_, i) => Math.max(...cleaned.map((row) => widthOf(row[i] ?? ''))))
  for (const row of cleaned)
    print(
      row
        .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
        .join('  ')
        .trimEnd(),
    )
}

const graphemes = new Intl.Segmenter()
const widthOf = (text: string): number => [...graphemes.segment(text)].length

const UNITS = ['B', 'kB', 'MB', 'GB']
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}

/** "Thu, 24 Dec 2026, 18:30 Europe/Lisbon" */
export function formatTime(at: string | Date, timezone: string | null): string {
  const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(at))
  return `${time} ${zone}`
}

/** A line of text that is replaced while something goes on; nothing where standard error is no terminal. */
let shown = ''
export const progressLine = {
  show(text: string): void {
    if (!process.stderr.isTTY || text === shown) return
    process.stderr.write(`\r\x1b[K${clean(text)}`)
    shown = text
  },
  clear(): void {
    if (shown !== '') process.stderr.write('\r\x1b[K')
    shown = ''
  },
}

const WORDS: Partial<Record<Delivery['status'], string>> = {
  preparing: 'sending',
  committing: 'publishing',
  processing: 'processing on the platform',
  in_inbox: 'in the inbox',
  blocked: 'held',
}

/** A delivery's account, state and reason or address, as a person reads them. */
export function describeDelivery(
  delivery: Delivery,
  timezone: string | null,
): [account: string, status: string, more: string] {
  const { status, url, reason, due_at, open_outcome: open } = delivery
  const why = reason === null ? '' : `${reason.message} ${reason.remedy}`
  const waits = due_at !== null && status === 'scheduled' ? formatTime(due_at, timezone) : ''
  const asked = open?.answer ?? ''
  return [accountOnPlatform(delivery), WORDS[status] ?? status, url ?? (why || asked || waits)]
}
