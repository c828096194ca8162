import { createHash } from 'node:crypto'
import { type Compilable, type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { PoolClient } from 'pg'
import type { Db } from './open.ts'

/** The name of each statement to prepare, by its text. */
const names = new Map<string, string>()

/**
 * A statement that Kysely compiles once and each connection of ours prepares once. `build` is called with placeholders, so it may
 * pass its parameters on as values, and do nothing else with them. It must name its columns: PostgreSQL refuses a prepared `*`
 * after a migration added one.
 */
export function prepared<P extends readonly unknown[], R>(
  build: (db: Db, ...parameters: P) => Compilable<R>,
): (db: Db, ...parameters: P) => Promise<R[]> {
  let made: ReturnType<Compilable<R>['compile']> | undefined
  const places = Array.from({ length: build.length - 1 }, (_, i) => Symbol(`parameter ${i}`))
  const make = (db: Db) => {
    const query = build(db, ...(places as unknown as P)).compile() // Kysely takes any value
    if (!places.every((place) => query.parameters.includes(place)))
      throw new Error(`A parameter of a prepared statement is not in it: ${query.sql}`)
    giveName(query.sql)
    return query
  }
  return async (db, ...given) => {
    const query = (made ??= make(db))
    const values = new Map<unknown, unknown>(places.map((place, i) => [place, given[i]]))
    const parameters = query.parameters.map((one) => (values.has(one) ? values.get(one) : one))
    return (await db.executeQuery<R>({ ...query, parameters })).rows
  }
}

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
 * `executeNamed` with one plan, in a transaction. It comes last there, or before what finds its rows by indexes: the rest is
 * planned in the same way.
 */
export async function executeWithOnePlan<R>(trx: Db, statement: RawBuilder<R>): Promise<R[]> {
  await forceOnePlan.execute(trx)
  return executeNamed(trx, statement)
}

/** One long read, planned once for each connection. */
export const readWithOnePlan = <R>(db: Db, statement: RawBuilder<R>): Promise<R[]> =>
  db.transaction().execute((trx) => executeWithOnePlan(trx, statement))

/**
 * A statement that each connection of ours prepares once, although it is compiled anew each time: one of which parts depend on what is
 * asked. Otherwise as `prepared`: one plan must serve all values, by an index for each part, and it must name its columns. Its texts
 * must be few: a connection that has used one keeps up to 1.4 MB for it.
 */
export async function executeNamed<R>(
  db: Db,
  statement: { compile(db: Db): CompiledQuery<R> },
): Promise<R[]> {
  const query = statement.compile(db)
  giveName(query.sql)
  return (await db.executeQuery<R>(query)).rows
}

function giveName(text: string): void {
  if (!names.has(text))
    names.set(text, `reelay_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`)
}

/** Lets a connection send the statements of `prepared` under their names, which a pooler in transaction mode would mix up. */
export function nameStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const named = (first: unknown, ...rest: unknown[]) => {
    const name = typeof first === 'string' && rest.length === 1 ? names.get(first) : undefined
    return name === undefined ? query(first, ...rest) : query({ name, text: first, values: rest[0] })
  }
  client.query = named as PoolClient['query'] // one signature for its eight
}
