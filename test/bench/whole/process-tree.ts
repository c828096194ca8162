import { readdirSync, readFileSync } from 'node:fs'

/** What belongs to what `npm start` runs, by the command line; the first that fits. */
const PARTS: readonly [part: string, is: RegExp][] = [
  ['npm', /npm-cli\.js|^npm\b|\bnpm start\b/],
  ['shell and launcher', /ready\.mjs/],
  ['readers of videos', /facts-reader\.ts/],
  ['practice platforms', /simulators\/main\.ts/],
  ['server', /server\/main\.ts/],
  ['database', /postgres/],
]

type Process = { readonly pid: number; readonly parent: number; readonly command: string }

/** The process and all below it. Linux only. */
export function treeOf(root: number): Process[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : [],
  )
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

function processOf(pid: number): Process | null {
  const stat = textOf(`/proc/${pid}/stat`)
  const command = textOf(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()
  // proc_pid_stat(5): the parent follows the name in parentheses and the state.
  const parent = /\) \S (\d+) /.exec(stat?.slice(stat.lastIndexOf(')')) ?? '')?.[1]
  return parent === undefined || command === undefined ? null : { pid, parent: Number(parent), command }
}

/** null: it has ended. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Proportional set size in MB of each part: a page that several processes share counts once among them. */
export function memoryOf(root: number): Map<string, number> {
  const parts = new Map<string, number>()
  for (const { pid, command } of treeOf(root)) {
    const kB = Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0)
    const part = PARTS.find(([, is]) => is.test(command))?.[0] ?? 'others'
    parts.set(part, (parts.get(part) ?? 0) + (kB * 1024) / 1e6)
  }
  return parts
}

export const sumOf = (parts: ReadonlyMap<string, number>): number =>
  [...parts.values()].reduce((sum, mb) => sum + mb, 0)

/** Seconds of processor time that the tree has used, ended children included. */
export function processorTimeOf(root: number): number {
  const ticks = treeOf(root).flatMap(({ pid }) => {
    const stat = textOf(`/proc/${pid}/stat`)
    // After the name: `state` is the 3rd field, utime, stime, cutime and cstime the 14th to 17th, in hundredths of a second.
    return stat?.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16).map(Number) ?? []
  })
  return ticks.reduce((sum, one) => sum + one, 0) / 100
}
