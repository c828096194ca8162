import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** What belongs to what `npm start` runs, by the command line; the first that fits. */
const PARTS: readonly [part: string, is: RegExp][] = [
  ['npm', /npm-cli\.js|^npm\b|\bnpm start\b/],
  ['shell and launcher', /ready\.mjs/],
  ['readers of videos', /facts-reader\.mjs/],
  ['practice platforms', /practice\.mjs/],
  ['server', /main\.mjs/],
  ['database', /postgres/],
]
const TICKS_PER_S = 100

/** What a process and all that it started have used. `cpuS`: those that ended included. */
export type Usage = { readonly cpuS: number; readonly pssMb: number }

/** By `/proc`, so on Linux only. */
export function usageOf(roots: readonly number[]): Usage {
  const tree = treeOf(roots)
  return {
    cpuS: tree.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_S,
    pssMb: tree.reduce((sum, { pid }) => sum + pssOf(pid), 0),
  }
}

/** Proportional set size in MB of each part of what `npm start` runs. */
export function memoryOf(root: number): Map<string, number> {
  const parts = new Map<string, number>()
  for (const { pid } of treeOf([root])) {
    const command = textOf(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ?? ''
    const part = PARTS.find(([, is]) => is.test(command))?.[0] ?? 'others'
    parts.set(part, (parts.get(part) ?? 0) + pssOf(pid))
  }
  return parts
}

const SAMPLES = 10
const SAMPLE_INTERVAL_MS = 2_000
export const SAMPLED_S = (SAMPLES * SAMPLE_INTERVAL_MS) / 1000

/** The mean of each part over 20 s: an idle server opens and closes connections of the database, 8 MB each. */
export async function meanMemory(
  sample: () => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>,
): Promise<Map<string, number>> {
  const mean = new Map<string, number>()
  for (let i = 0; i < SAMPLES; i++) {
    for (const [part, mb] of await sample()) mean.set(part, (mean.get(part) ?? 0) + mb / SAMPLES)
    await sleep(SAMPLE_INTERVAL_MS)
  }
  return mean
}

export const sumOf = (parts: ReadonlyMap<string, number>): number =>
  [...parts.values()].reduce((sum, mb) => sum + mb, 0)

/** The process that owns the database of this administrator. */
export async function databaseProcess(adminUrl: string): Promise<number> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: string }>(
      "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid",
    )
    return Number(rows[0]?.pid)
  } finally {
    await client.end()
  }
}

type Process = { readonly pid: number; readonly parent: number; readonly ticks: number }

/** The processes and all below them. */
function treeOf(roots: readonly number[]): Process[] {
  const all = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : [],
  )
  const found = all.filter(({ pid }) => roots.includes(pid))
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

function processOf(pid: number): Process | null {
  const stat = textOf(`/proc/${pid}/stat`)
  if (stat === null) return null
  // proc_pid_stat(5): the name stands in brackets and may hold anything. Parent, and utime to cstime, are fields 4 and 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid, parent: Number(fields[1]), ticks }
}

/** Proportional set size in MB: a page that several processes share counts once among them. */
function pssOf(pid: number): number {
  const kB = Number(/^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0)
  return (kB * 1024) / 1e6
}

/** null: it has ended. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
