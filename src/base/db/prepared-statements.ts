import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'

/** Longer statements list or count rows; their best plan depends on the values. */
const MAX_CHARS = 1500
/** A connection keeps its prepared statements, and the texts of statements with lists of values are unlimited in number. */
const MAX_STATEMENTS = 100
/** PostgreSQL refuses such a prepared statement after a migration added a column. */
const ALL_COLUMNS = /(select|returning) \*|\.\*/

const longTexts = new Set<string>()

/** Prepares a statement although it is long. */
export const prepareLong = (text: string): void => void longTexts.add(text)

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
