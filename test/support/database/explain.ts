import { CompiledQuery, Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import { escapeLiteral, Pool } from 'pg'
import { z } from 'zod'
import { forceOnePlan } from '#base/db/one-plan.ts'
import { isPrepared } from '#base/db/prepared-statements.ts'
import type { Db } from '#base/db/open.ts'
import type { DB } from '#base/db/tables.ts'

const PlanNode = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Plan Rows': z.number(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  'Rows Removed by Join Filter': z.number().default(0),
  get Plans() {
    return z.array(PlanNode).default([])
  },
})
type PlanNode = z.infer<typeof PlanNode>
const Plan = z.tuple([z.object({ Plan: PlanNode })])

/** A table scan of an executed plan: the rows read, and those that the planner expected. */
export type Scan = {
  readonly kind: string
  readonly table: string
  readonly rows: number
  readonly expected: number
}

/** `hasGenericPlan`: one plan for all values was forced. */
type SentQuery = CompiledQuery & { readonly hasGenericPlan?: boolean }

/** Gives `work` its own connections; `queries` collects the statements that contain `part`. */
export async function withRecordedQueries(
  connectionString: string | undefined,
  part: string,
  work: (db: Db, queries: SentQuery[]) => Promise<void>,
): Promise<void> {
  const queries: SentQuery[] = []
  let hasGenericPlan = false
  const pool = new Pool({ connectionString, max: 1 })
  // The database may be dropped while this idle connection still closes.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.sql.includes('force_generic_plan')) hasGenericPlan = true
      else if (query.sql === 'commit') hasGenericPlan = false
      else if (query.sql.includes(part)) queries.push({ ...query, hasGenericPlan })
    },
  })
  try {
    await work(db, queries)
  } finally {
    await db.destroy()
  }
}

export async function explainScans(db: Db, query: SentQuery): Promise<Scan[]> {
  return (await explained(db, query)).flatMap((node) => {
    const table = node['Relation Name']
    if (table === undefined) return []
    return [{ kind: node['Node Type'], table, rows: countRows(node), expected: node['Plan Rows'] }]
  })
}

/** Row pairs that joins compare in vain, with the plan for all values. */
export async function countComparisons(db: Db, query: RawBuilder<unknown>): Promise<number> {
  const nodes = await explained(db, { ...query.compile(db), hasGenericPlan: true })
  return nodes.reduce((total, node) => total + node['Rows Removed by Join Filter'] * node['Actual Loops'], 0)
}

async function explained(db: Db, query: SentQuery): Promise<PlanNode[]> {
  const isRepeated = query.parameters.length > 0 && isPrepared(query.sql)
  const rows = await (query.hasGenericPlan || isRepeated ? explainPrepared(db, query) : explainSql(db, query))
  const [{ Plan: top }] = Plan.parse(rows[0]?.['QUERY PLAN'])
  return listNodes(top)
}

type ExplainRow = { 'QUERY PLAN': unknown }
const EXPLAIN = 'explain (analyze, timing off, format json)'
/** PostgreSQL plans a prepared statement this often for its values, then decides about one plan for all values. */
const PLANNED_FOR_VALUES = 5

const explainSql = async (db: Db, query: CompiledQuery): Promise<ExplainRow[]> =>
  (await db.executeQuery<ExplainRow>(CompiledQuery.raw(`${EXPLAIN} ${query.sql}`, [...query.parameters])))
    .rows

const explainPrepared = (db: Db, query: SentQuery): Promise<ExplainRow[]> =>
  db.transaction().execute(async (trx) => {
    if (query.hasGenericPlan) await forceOnePlan.execute(trx)
    await sql`prepare asked as ${sql.raw(query.sql)}`.execute(trx)
    const values = query.parameters.map((one) => escapeLiteral(toText(one)))
    const asks = sql.raw(`execute asked (${values.join(', ')})`)
    if (!query.hasGenericPlan) for (let n = 0; n < PLANNED_FOR_VALUES; n++) await asks.execute(trx)
    const { rows } = await sql<ExplainRow>`${sql.raw(EXPLAIN)} ${asks}`.execute(trx)
    await sql`deallocate asked`.execute(trx)
    return rows
  })

function toText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.join(',')}}`
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Rows of `table` that the query reads, with the plan for all values where one is forced. */
export async function countReads(
  db: Db,
  table: string,
  query: RawBuilder<unknown>,
  { hasGenericPlan = false } = {},
): Promise<number> {
  const scans = await explainScans(db, { ...query.compile(db), hasGenericPlan })
  return sumRows(scans.filter((scan) => scan.table === table))
}

export const sumRows = (scans: readonly Scan[]): number => scans.reduce((total, { rows }) => total + rows, 0)

const countRows = (node: PlanNode): number =>
  (node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck']) *
  node['Actual Loops']

const listNodes = (node: PlanNode): PlanNode[] => [node, ...node.Plans.flatMap(listNodes)]
