import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { DB } from '#server/db/tables.ts'

const PlanNode = z.looseObject({
  'Relation Name': z.string().optional(),
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

/** Rows of `table` that PostgreSQL looks at to answer the query. */
export async function readsOf(db: Kysely<DB>, table: string, query: RawBuilder<unknown>): Promise<number> {
  const explained = sql<{ 'QUERY PLAN': unknown }>`explain (analyze, timing off, format json) ${query}`
  const { rows } = await explained.execute(db)
  const [{ Plan: top }] = Plan.parse(rows[0]?.['QUERY PLAN'])
  const scans = nodesOf(top).filter((node) => node['Relation Name'] === table)
  return scans.reduce((total, node) => total + rowsOf(node), 0)
}

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + node['Rows Removed by Filter'] + node['Rows Removed by Index Recheck']) *
  node['Actual Loops']

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...node.Plans.flatMap(nodesOf)]
