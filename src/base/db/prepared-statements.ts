import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { PoolClient } from 'pg'
import type { Db } from './open.ts'

/** Longer statements list or count rows; the best plan for these depends on their values. */
const MAX_CHARS = 1500
/** A connection keeps what it prepared, and texts with lists of values never end. */
const MAX_STATEMENTS = 100
/** PostgreSQL refuses such a prepared statement once a migration has added a column. */
const ALL_COLUMNS = /(select|returning) \*|\.\*/

/** Texts that are prepared although they are long. */
const longTexts = new Set<string>()

/** Whether connections prepare this text, which has parameters. */
export const isPrepared = (text: string): boolean =>
  longTexts.has(text) || (text.length <= MAX_CHARS && !ALL_COLUMNS.test(text))

/** PostgreSQL parses and plans a statement of this connection once, not each time that it is sent. */
export function prepareStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < MAX_STATEMENTS && isPrepared(text)) names.set(text, makeName(text))
    return names.get(text)
  }
  const send = (text: unknown, values: unknown, ...rest: unknown[]) => {
    const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = hasValues && rest.length === 0 ? nameOf(text) : undefined
    return name === undefined ? query(text, values, ...rest) : query({ name, text, values })
  }
  client.query = send as PoolClient['query'] // one signature for its eight
}

/** The same for every connection, or a pooler that nobody declared could run another statement under it. */
const makeName = (text: string): string =>
  `reelay_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`

/**
 * Settings of a transaction: a prepared statement has one plan for all values, read by indexes. Without the values the
 * planner expects an average user, and would read all rows of a larger one to sort them.
 */
const ONE_PLAN = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
}

/** `ONE_PLAN` for the rest of a transaction. */
export const forceOnePlan: RawBuilder<unknown> = sql`select ${sql.join(
  Object.entries(ONE_PLAN).map(([name, value]) => sql`set_config(${sql.lit(name)}, ${sql.lit(value)}, true)`),
)}`

/**
 * A long statement in a transaction, planned once for each connection: it must read every part by an index whatever its values
 * are, name its columns, and have few texts, for a connection keeps up to 1.4 MB for each. The rest of the transaction is planned in the same way.
 */
export async function executeWithOnePlan<R>(trx: Db, statement: RawBuilder<R>): Promise<R[]> {
  await forceOnePlan.execute(trx)
  const query = statement.compile(trx)
  longTexts.add(query.sql)
  return (await trx.executeQuery(query)).rows
}

/** The same for a read by itself. */
export const readWithOnePlan = <R>(db: Db, statement: RawBuilder<R>): Promise<R[]> =>
  db.transaction().execute((trx) => executeWithOnePlan(trx, statement))
