import { availableParallelism, cpus, loadavg } from 'node:os'

/** One promise: values of several turns, and of the floor in the same turns. */
export type Measurement = {
  readonly what: string
  readonly unit: string
  /** Missing where a value is promised and not a ratio. */
  readonly floor?: readonly number[]
  readonly ours: readonly number[]
  /** The promise is about the ratio to the floor if there is one, else about the value. */
  readonly promise?:
    | { readonly atLeast: number }
    /** Applies to the median of the turns, or to each of them. */
    | { readonly atMost: number; readonly inEveryTurn?: true }
}

export type Report = { readonly name: string; readonly about: string; readonly rows: readonly Measurement[] }

const HEAD = ['What', 'Floor', 'Ours', 'Ratio', 'Promise', 'Kept'] as const

/** Prints the table, and fails the process where a promise is broken. `npm run bench` also gets the figures. */
export function report(it: Report): void {
  console.log(`${it.about}\n${machine()}\n`)
  console.log(table(it.rows))
  if (it.rows.some((row) => isKept(row) === false)) process.exitCode = 1
  process.send?.(it)
}

export const machine = (): string => {
  const load = loadavg().map((one) => one.toFixed(1))
  return `${availableParallelism()} processors, ${cpus()[0]?.model ?? 'unknown'}; Node ${process.version}; load ${load.join(', ')}`
}

/** In Markdown, padded so that a terminal shows it as well. */
export function table(rows: readonly Measurement[]): string {
  const lines = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const text = (line: readonly string[]) =>
    `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [text(HEAD), rule, ...lines.slice(1).map(text)].join('\n')
}

function cellsOf(row: Measurement): string[] {
  const ratios = ratiosOf(row)
  const kept = isKept(row)
  return [
    `${row.what} (${row.unit})`,
    row.floor === undefined ? '–' : spread(row.floor),
    spread(row.ours),
    ratios === null ? '–' : spread(ratios),
    row.promise === undefined
      ? '–'
      : 'atLeast' in row.promise
        ? `≥ ${row.promise.atLeast}`
        : `≤ ${row.promise.atMost}`,
    kept === null ? '–' : kept ? 'kept' : 'BROKEN',
  ]
}

/** null where nothing is promised. */
export function isKept(row: Measurement): boolean | null {
  if (row.promise === undefined) return null
  const values = ratiosOf(row) ?? row.ours
  if ('atLeast' in row.promise) return median(values) >= row.promise.atLeast
  const value = row.promise.inEveryTurn ? Math.max(...values) : median(values)
  return value <= row.promise.atMost
}

/** Turn by turn, so that a slow minute of the machine is in both. */
const ratiosOf = ({ floor, ours }: Measurement): number[] | null =>
  floor === undefined ? null : ours.map((value, i) => value / (floor[i] ?? NaN))

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
}

/** The median, and least to most. */
function spread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const digits = most < 10 ? 2 : most < 100 ? 1 : 0
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`
}
