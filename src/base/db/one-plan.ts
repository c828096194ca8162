import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'
import { prepareLong } from './prepared-statements.ts'

/**
 * Makes prepared statements use one plan for all values, by indexes. Without the values the planner expects an average user
 * and would sort all rows of a larger one.
 */
const ONE_PLAN = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  // As on a disk without moving parts: else an index whose order fits the table's looks better than the one that finds the rows.
  random_page_cost: '1.1',
}

export const forceOnePlan: RawBuilder<unknown> = sql`select ${sql.join(
  Object.entries(ONE_PLAN).map(([name, value]) => sql`set_config(${sql.lit(name)}, ${sql.lit(value)}, true)`),
)}`

/**
 * Runs a long statement with one plan per connection, like the rest of its transaction. Every part must use an index
 * whatever its values are; name the columns, and have few texts: a connection keeps up to 1.4 MB for each.
 */
export async function executeWithOnePlan<R>(trx: Db, statement: RawBuilder<R>): Promise<R[]> {
  await forceOnePlan.execute(trx)
  const query = statement.compile(trx)
  prepareLong(query.sql)
  return (await trx.executeQuery(query)).rows
}

export const readWithOnePlan = <R>(db: Db, statement: RawBuilder<R>): Promise<R[]> =>
  db.transaction().execute((trx) => executeWithOnePlan(trx, statement))
