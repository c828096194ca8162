import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'
import { Pool, TypeOverrides, types } from 'pg'
import { nameStatements, ONE_PLAN } from './prepared.ts'
import type { DB } from './tables.ts'

/** The database, or a transaction on it: every store function takes one first. */
export type Db = Kysely<DB>

/** `screenDb`: its connections plan each named statement once. For what the screens open with; behind a pooler the same as `db`. */
export type Databases = { readonly db: Kysely<DB>; readonly screenDb: Kysely<DB> }

const IDLE_IN_TRANSACTION_MS = 15_000

/**
 * A pool of connections as Kysely. `bigint` comes back as number (our ids and byte counts stay far below 2^53; what other
 * systems number is kept as text), `timestamptz` as Date, `jsonb` parsed. Connects at the first query; `db.destroy()` ends it.
 * @param options.pooled a pooler in transaction mode stands between: it refuses settings of a session.
 * @param options.onePlan its connections have `ONE_PLAN`, for statements of `executeNamed`.
 */
export function openDb(
  url: string,
  options: { connections?: number; pooled?: boolean; onePlan?: boolean } = {},
): Kysely<DB> {
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 10_000,
    // A burst leaves twice the memory of a new connection in the database's process.
    maxLifetimeSeconds: 45,
    // No transaction of ours waits for anything but the database. One whose process froze in the middle would otherwise keep
    // its rows locked until it wakes; its connection ends instead, and others take up what it held.
    ...(options.pooled ? {} : { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS }),
    ...(options.onePlan ? { options: optionsOf(ONE_PLAN) } : {}),
    application_name: 'reelay',
    types: parsers(),
  })
  // A connection was cut: the pool drops it, and the next query opens another or fails where someone can answer. Without
  // listeners the whole process would end: the pool tells of idle connections only, one in the hands of a transaction itself.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (!options.pooled) nameStatements(client)
  })
  return new Kysely<DB>({
    dialect: options.pooled ? new PooledDialect({ pool }) : new PostgresDialect({ pool }),
  })
}

const optionsOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Sets in each transaction what a connection of our own has for its whole life. */
class PooledDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }
  override createDriver(): PostgresDriver {
    return new PooledDriver(this.#config)
  }
}
class PooledDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await super.beginTransaction(connection, settings)
    await connection.executeQuery(
      CompiledQuery.raw(`set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`),
    )
  }
}

function parsers(): TypeOverrides {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, parseInt8)
  return overrides
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond 2^53 in a number column: ${text}`)
  return value
}
