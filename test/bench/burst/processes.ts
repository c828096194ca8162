import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'

/** What a process and all that it started have used. `cpuS`: those that ended included. */
export type Usage = { readonly cpuS: number; readonly pssMb: number }

const TICKS_PER_S = 100

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

/** By `/proc`: PSS counts a page that several processes share once in all. */
export async function usageOf(roots: readonly number[]): Promise<Usage> {
  const stats = await allProcesses()
  const wanted = new Set(roots)
  // A parent may have a higher number than its children once the numbers have come round.
  for (let before = 0; before < wanted.size;) {
    before = wanted.size
    for (const { pid, parent } of stats) if (wanted.has(parent)) wanted.add(pid)
  }
  let [cpuS, pssMb] = [0, 0]
  for (const { pid, ticks } of stats) {
    if (!wanted.has(pid)) continue
    cpuS += ticks / TICKS_PER_S
    pssMb += await pssOf(pid)
  }
  return { cpuS, pssMb }
}

type Stat = { readonly pid: number; readonly parent: number; readonly ticks: number }

async function allProcesses(): Promise<Stat[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const stats = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
      if (text === null) return [] // it has ended
      // proc(5): the name stands in brackets and may hold anything; fields 4 and 14 to 17 come after it.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      return [{ pid, parent: Number(fields[1]), ticks }]
    }),
  )
  return stats.flat()
}

async function pssOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return (Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024) / 1e6
}
