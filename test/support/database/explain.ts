import { CompiledQuery, Kysely, PostgresDialect, type RawBuilder } from 'kysely'
import { Pool } from 'pg'
import { z } from 'zod'
import type { DB } from '#base/db/tables.ts'

const PlanNode = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Plan Rows': z.number(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(PlanNode).default([])
  },
})
type PlanNode = z.infer<typeof PlanNode>
const Plan = z.tuple([z.object({ Plan: PlanNode })])

/** A scan of a table in a plan that was carried out: the rows that PostgreSQL looked at, and those that its planner expected to find. */
export type Scan = {
  readonly kind: string
  readonly table: string
  readonly rows: number
  readonly expected: number
}

/** Gives `work` a connection of its own; `queries` collects the statements that contain `part`. */
export async function withRecordedQueries(
  connectionString: string | undefined,
  part: string,
  work: (db: Kysely<DB>, queries: CompiledQuery[]) => Promise<void>,
): Promise<void> {
  const queries: CompiledQuery[] = []
  const pool = new Pool({ connectionString, max: 1 })
  // The database may be dropped while this connection is still closing.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void (query.sql.includes(part) && queries.push(query)),
  })
  try {
    await work(db, queries)
  } finally {
    await db.destroy()
  }
}

export async function scansOf(db: Kysely<DB>, query: CompiledQuery): Promise<Scan[]> {
  const explain = `explain (analyze, timing off, format json) ${query.sql}`
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': unknown }>(
    CompiledQuery.raw(explain, [...query.parameters]),
  )
  const [{ Plan: top }] = Plan.parse(rows[0]?.['QUERY PLAN'])
  return nodesOf(top).flatMap((node) => {
    const table = node['Relation Name']
    if (table === undefined) return []
    return [{ kind: node['Node Type'], table, rows: rowsOf(node), expected: node['Plan Rows'] }]
  })
}

/** Rows of `table` that PostgreSQL looks at to answer the query. */
export async function readsOf(db: Kysely<DB>, table: string, query: RawBuilder<unknown>): Promise<number> {
  const scans = await scansOf(db, query.compile(db))
  return sumOf(scans.filter((scan) => scan.table === table))
}

export const sumOf = (scans: readonly Scan[]): number => scans.reduce((total, { rows }) => total + rows, 0)

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck']) *
  node['Actual Loops']

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...node.Plans.flatMap(nodesOf)]
