import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

export interface Table<T> {
  get(id: string): T | undefined
  all(): T[]
  ids(): string[]
  put(id: string, value: T): void
  delete(id: string): void
}

/**
 * The platforms' state: in memory, and first in an append-only journal, so that it survives a `kill -9` of this process
 * (not a power cut: nothing is synced).
 */
export interface Store {
  table<T>(name: string): Table<T>
  /** Writes the changes of `work` as one line of the journal: a kill keeps all or none. No rollback when `work` throws. */
  transaction<T>(work: () => T): T
  clear(): void
  compact(): void
}

/** Only our account may read tokens and upload addresses. */
const ours = { mode: 0o600 }

/** A change could not be written to the journal, as on a full disk, and was not made. */
export class CannotWrite extends Error {}

type Change = [table: string, id: string, value: unknown]

export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const journal = openJournal(join(dir, 'journal.jsonl'))
  const tables = new Map<string, Map<string, unknown>>()
  let batch: { changes: Change[]; before: Change[] } | null = null

  const rows = (name: string): Map<string, unknown> => {
    const found = tables.get(name) ?? new Map<string, unknown>()
    tables.set(name, found)
    return found
  }
  const apply = ([name, id, value]: Change): void => {
    if (value === null) rows(name).delete(id)
    else rows(name).set(id, value)
  }
  const write = (change: Change): void => {
    if (batch === null) journal.append([change])
    else {
      batch.changes.push(change)
      batch.before.unshift([change[0], change[1], rows(change[0]).get(change[1]) ?? null])
    }
    apply(change)
  }

  for (const change of journal.read()) apply(change)

  return {
    table: <T>(name: string): Table<T> => ({
      // Only this table writes these rows, so reading returns the type that was put.
      get: (id) => rows(name).get(id) as T | undefined,
      all: () => [...rows(name).values()] as T[],
      ids: () => [...rows(name).keys()],
      put: (id, value) => write([name, id, value]),
      delete: (id) => write([name, id, null]),
    }),
    transaction: (work) => {
      if (batch !== null) return work()
      const { changes, before } = (batch = { changes: [], before: [] })
      try {
        return work()
      } finally {
        batch = null
        try {
          if (changes.length > 0) journal.append(changes)
        } catch (error) {
          before.forEach(apply)
          // oxlint-disable-next-line no-unsafe-finally -- what `work` returned was not made
          throw error
        }
      }
    },
    clear: () => {
      for (const table of tables.values()) table.clear()
      journal.rewrite([])
    },
    compact: () => {
      const changes = [...tables].flatMap(([name, table]) =>
        [...table].map(([id, value]): Change => [name, id, value]),
      )
      journal.compact(changes)
    },
  }
}

interface Journal {
  read(): Change[]
  /** @throws CannotWrite when the line could not be written completely. */
  append(changes: Change[]): void
  rewrite(changes: Change[]): void
  compact(changes: Change[]): void
}

function openJournal(file: string): Journal {
  /** Bytes of complete lines. Anything behind them was torn by a kill or a full disk and never counted. */
  let size = 0
  const dropTorn = (): void => {
    if (existsSync(file)) truncateSync(file, size)
  }
  const rewrite = (changes: Change[]): void => {
    const text = changes.map((change) => `${JSON.stringify([change])}\n`).join('')
    writeFileSync(`${file}.new`, text, ours)
    renameSync(`${file}.new`, file)
    size = Buffer.byteLength(text)
  }
  return {
    read: () => {
      const found = readJournal(file)
      size = found.bytes
      return found.changes
    },
    append: (changes) => {
      const line = `${JSON.stringify(changes)}\n`
      try {
        appendFileSync(file, line, ours)
        size += Buffer.byteLength(line)
      } catch (cause) {
        try {
          dropTorn()
        } catch {
          // The file itself is unreachable, so nothing of the line was written either.
        }
        throw new CannotWrite('The practice platforms cannot write their journal.', { cause })
      }
    },
    rewrite,
    compact: (changes) => {
      try {
        rewrite(changes)
      } catch {
        rmSync(`${file}.new`, { recursive: true, force: true })
        dropTorn()
      }
    },
  }
}

/** The last line may be torn by a kill during its write: it never counted, so skip it. */
function readJournal(file: string): { changes: Change[]; bytes: number } {
  if (!existsSync(file)) return { changes: [], bytes: 0 }
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const lines = whole.split('\n').slice(0, -1)
  // Only this file writes the journal.
  return { changes: lines.flatMap((line) => JSON.parse(line) as Change[]), bytes: Buffer.byteLength(whole) }
}
