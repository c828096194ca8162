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
import { prepareStatements } from './prepared-statements.ts'
import type { DB } from './tables.ts'

/** The database, or a transaction on it: every store function takes one first. */
export type Db = Kysely<DB>

const IDLE_IN_TRANSACTION_MS = 15_000

/**
 * A pool of connections as Kysely: `bigint` as number (our ids and byte counts stay far below 2^53), `timestamptz` as Date,
 * `jsonb` parsed. Connects at the first query; `db.destroy()` ends it. @param options.pooled a pooler in transaction mode
 * stands between and refuses session settings. @param options.statementTimeoutMs fails longer statements; behind a pooler
 * only in transactions.
 */
export function openDb(
  url: string,
  options: { connections?: number; pooled?: boolean; statementTimeoutMs?: number } = {},
): Db {
  const settings = {
    // Our transactions wait only for the database. If a process freezes in the middle of one, its connection ends, so that
    // its row locks are released.
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(options.statementTimeoutMs !== undefined && { statement_timeout: options.statementTimeoutMs }),
  }
  const pool = new Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 10_000,
    // A burst leaves twice the memory of a new connection in the database's process.
    maxLifetimeSeconds: 45,
    ...(options.pooled ? {} : settings),
    application_name: 'reelay',
    types: parsers(),
  })
  // The pool drops a broken connection, and the next query opens another one. Without these listeners the error would end
  // the process: the pool reports idle connections only, a connection in a transaction reports its own.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (!options.pooled) prepareStatements(client)
  })
  return new Kysely<DB>({
    dialect: options.pooled ? new PooledDialect({ pool }, settings) : new PostgresDialect({ pool }),
  })
}

type Settings = Readonly<Record<string, number>>

/** Repeats in each transaction the settings that an unpooled connection has for its whole life. */
class PooledDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #settings: Settings
  constructor(config: PostgresDialectConfig, settings: Settings) {
    super(config)
    this.#config = config
    this.#settings = settings
  }
  override createDriver(): PostgresDriver {
    return new PooledDriver(this.#config, this.#settings)
  }
}
class PooledDriver extends PostgresDriver {
  readonly #set: CompiledQuery
  constructor(config: PostgresDialectConfig, settings: Settings) {
    super(config)
    const all = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${ms}`)
    this.#set = CompiledQuery.raw(all.join('; '))
  }
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await super.beginTransaction(connection, settings)
    try {
      await connection.executeQuery(this.#set)
    } catch (error) {
      // Kysely rolls back only what this method has begun without an error.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined)
      throw error
    }
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
