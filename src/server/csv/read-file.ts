import { parse } from 'csv-parse/sync'
import { IMPORT_CELLS_MAX, IMPORT_LINES_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { IMPORT_COLUMNS, type ImportColumn, type ImportError } from '#contract/planning/csv.ts'
import { cutText } from '#contract/well-formed.ts'
import { readText } from './formulas.ts'

/** The line's number, and its cells without surrounding white space. */
export type FileLine = { readonly line: number; readonly cells: Readonly<Record<ImportColumn, string>> }

export type File = { readonly lines: readonly FileLine[]; readonly errors: readonly ImportError[] }

/** No valid cell is longer; without a limit one lost quote would make the rest of the file a caption. */
const LINE_MAX_CHARS = 20_000
/** Empty lines count too, which bounds the time. */
const RECORDS_MAX = 4 * IMPORT_LINES_MAX
const SEPARATORS = [',', ';', '\t'] as const
/** Names that spreadsheets may use for a column. */
const OTHER_NAMES: ReadonlyMap<string, ImportColumn> = new Map([['timezone', 'zone']])
const UNKNOWN_SHOWN = 5

export function readFile(csv: string): File {
  const text = csv.replaceAll(/\r\n?/g, '\n')
  if (hasTooManyCells(text)) return failed(1, TOO_MANY_CELLS)
  const { records, errors } = readRecords(text)
  const [head, ...rows] = records
  if (!head) return failed(1, errors[0]?.message ?? TEXTS.fileEmpty)
  const names = head.cells.map(findColumn)
  const unknown = head.cells.filter((cell, i) => cell !== '' && names[i] === null)
  if (unknown.length > 0) return failed(head.line, unknownColumns(unknown))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0) return failed(head.line, missingColumns(missing))
  const named = names.filter((name) => name !== null)
  if (new Set(named).size < named.length) return failed(head.line, 'Name each column once.')
  if (rows.length > IMPORT_LINES_MAX) {
    const line = rows[IMPORT_LINES_MAX]?.line ?? head.line
    return failed(line, `A file may have up to ${IMPORT_LINES_MAX} posts. Split it into several.`)
  }
  if (rows.length === 0 && errors.length === 0) return failed(head.line, 'This file has no posts.')
  const lost = new Map(rows.flatMap((row) => findUnnamedCell(row, names)))
  return {
    lines: rows.filter(({ line }) => !lost.has(line)).map((row) => toLine(row, names)),
    errors: [...errors, ...[...lost].map(([line, message]) => fileError(line, message))],
  }
}

/** Finds a filled cell below no column name: content meant for another column must not be dropped silently. */
function findUnnamedCell({ line, cells }: Row, names: readonly (ImportColumn | null)[]): [number, string][] {
  const at = cells.findIndex((cell, i) => cell !== '' && (names[i] ?? null) === null)
  if (at === -1) return []
  return [[line, at < names.length ? noName(at + 1) : tooManyCells(cells.length, names.length)]]
}

const REQUIRED = IMPORT_COLUMNS.filter((name) => name !== 'zone' && name !== 'spread')

type Row = { readonly line: number; readonly cells: readonly string[] }

/** Lines with content, and where the file breaks off. */
function readRecords(csv: string): { records: Row[]; errors: ImportError[] } {
  const errors: ImportError[] = []
  let next = 1
  const records: Row[] = []
  const delimiter = findSeparator(csv)
  // An empty line stays, so that the others keep their numbers.
  parse(csv.replace(SEPARATOR_LINE, ''), {
    bom: true,
    delimiter,
    // Trims before a quote; a tab separator would be trimmed with the cell that it ends.
    trim: delimiter !== '\t',
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LINE_MAX_CHARS,
    to: RECORDS_MAX,
    skip_records_with_error: true,
    on_skip: () => {
      errors.push(fileError(next, 'A quotation mark opens here and is never closed.'))
      return undefined
    },
    on_record: (record: string[], { lines }) => {
      const cells = record.map((cell) => cell.trim())
      if (cells.some((cell) => cell !== '')) records.push({ line: next, cells })
      next = lines + 1
      return null
    },
  })
  return { records, errors }
}

/** Tells Excel the file's separator. A spreadsheet that saves the file again adds quotes and empty cells. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([^"\n])"?[,;\t]*(?=\n|$)/i

/** The separator between the column names; spreadsheets write semicolons in countries with decimal commas. */
function findSeparator(csv: string): string {
  const declared = SEPARATOR_LINE.exec(csv)?.[1]
  if (declared !== undefined) return declared
  const [head = ''] = csv.trimStart().split('\n', 1)
  const counts = SEPARATORS.map((one) => head.split(one).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Counts everything the parser could read as the end of a cell, also within quotes. */
function hasTooManyCells(csv: string): boolean {
  const separator = findSeparator(csv)
  let at = -1
  for (let cells = 1; cells <= IMPORT_CELLS_MAX; cells += 1) {
    at = csv.indexOf(separator, at + 1)
    if (at === -1) return false
  }
  return true
}

const TOO_MANY_CELLS = `A file may have up to ${IMPORT_CELLS_MAX} cells. Split it into several.`

function findColumn(cell: string): ImportColumn | null {
  const name = cell.toLowerCase()
  return OTHER_NAMES.get(name) ?? IMPORT_COLUMNS.find((column) => column === name) ?? null
}

function toLine({ line, cells }: Row, names: readonly (ImportColumn | null)[]): FileLine {
  const cell = (name: ImportColumn) => readText(cells[names.indexOf(name)] ?? '').trim()
  return {
    line,
    cells: {
      caption: cell('caption'),
      video: cell('video'),
      accounts: cell('accounts'),
      time: cell('time'),
      zone: cell('zone'),
      spread: cell('spread'),
    },
  }
}

const fileError = (line: number, message: string): ImportError => ({ line, column: null, message })
const failed = (line: number, message: string): File => ({ lines: [], errors: [fileError(line, message)] })

const list = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names)

const unknownColumns = (cells: readonly string[]): string =>
  `The first line must name the columns: ${list(IMPORT_COLUMNS)}. ${list(cells.slice(0, UNKNOWN_SHOWN).map((cell) => `“${cutText(cell, 40)}”`))} ${cells.length === 1 ? 'is not one of' : 'are not among'} them.`

const missingColumns = (names: readonly string[]): string =>
  `The first line must name the columns. ${list(names)} ${names.length === 1 ? 'is' : 'are'} missing.`

const noName = (column: number): string =>
  `There is something in column ${column}, which has no name in the first line.`

const tooManyCells = (cells: number, names: number): string =>
  `This line has ${cells} cells, and there are ${names} columns. Put a caption with commas in quotes.`
