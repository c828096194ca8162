import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'

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
