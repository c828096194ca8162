import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { PoolClient } from 'pg'
import type { Db } from './open.ts'

/** Longer statements list or count rows; their best plan depends on the values. */
const MAX_CHARS = 1500
/** A connection keeps its prepared statements, and the texts of statements with lists of values are unlimited in number. */
const MAX_STATEMENTS = 100
/** PostgreSQL refuses such a prepared statement after a migration added a column. */
const ALL_COLUMNS = /(select|returning) \*|\.\*/

const longTexts = new Set<string>()

export const isPrepared = (text: string): boolean =>
  longTexts.has(text) || (text.length <= MAX_CHARS && !ALL_COLUMNS.test(text))

/** PostgreSQL parses and plans a prepared statement once per connection instead of at every call. */
export function prepareStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const names = new Map<string, string>()
  const findName = (text: string): string | undefined => {
    if (!names.has(text) && names.size < MAX_STATEMENTS && isPrepared(text)) names.set(text, makeName(text))
    return names.get(text)
  }
  const send = (text: unknown, values: unknown, ...rest: unknown[]) => {
    const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = hasValues && rest.length === 0 ? findName(text) : undefined
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values })
  }
  client.query = send as PoolClient['query'] // one signature for its eight
}

/** The name depends only on the text, or an undeclared pooler could run another statement under it. */
const makeName = (text: string): string =>
  `reelay_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`

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
  longTexts.add(query.sql)
  return (await trx.executeQuery(query)).rows
}

export const readWithOnePlan = <R>(db: Db, statement: RawBuilder<R>): Promise<R[]> =>
  db.transaction().execute((trx) => executeWithOnePlan(trx, statement))
