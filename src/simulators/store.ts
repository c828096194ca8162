import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Records of one kind, in the order in which they were first put. */
export interface Table<T> {
  get(id: string): T | undefined
  all(): T[]
  ids(): string[]
  put(id: string, value: T): void
  delete(id: string): void
}

/**
 * What the practice platforms know. It is held in memory and written to an append-only journal before a
 * change counts, so that it survives a `kill -9` of this process (not a power cut: nothing is synced).
 */
export interface Store {
  table<T>(name: string): Table<T>
  /** Makes every change inside `work` one line of the journal: after a kill all of them are there or none. */
  together<T>(work: () => T): T
  /** Forgets everything. */
  clear(): void
  /** Rewrites the journal with what is still true. Only for the one process that owns the folder. */
  compact(): void
}

/** What it holds is nobody else's to read: tokens, and addresses of uploads. */
const ours = { mode: 0o600 }

type Change = [table: string, id: string, value: unknown]

export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'journal.jsonl')
  const tables = new Map<string, Map<string, unknown>>()
  let batch: Change[] | null = null

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
    if (batch === null) appendFileSync(file, `${JSON.stringify([change])}\n`, ours)
    else batch.push(change)
    apply(change)
  }

  for (const change of readJournal(file)) apply(change)

  return {
    table: <T>(name: string): Table<T> => ({
      // Nobody but the same table writes these rows, so what is read back is what was put.
      get: (id) => rows(name).get(id) as T | undefined,
      all: () => [...rows(name).values()] as T[],
      ids: () => [...rows(name).keys()],
      put: (id, value) => write([name, id, value]),
      delete: (id) => write([name, id, null]),
    }),
    together: (work) => {
      if (batch !== null) return work()
      batch = []
      try {
        return work()
      } finally {
        const changes = batch
        batch = null
        if (changes.length > 0) appendFileSync(file, `${JSON.stringify(changes)}\n`, ours)
      }
    },
    clear: () => {
      for (const table of tables.values()) table.clear()
      writeFileSync(file, '', ours)
    },
    compact: () => {
      const lines: string[] = []
      for (const [name, table] of tables) {
        for (const [id, value] of table) lines.push(`${JSON.stringify([[name, id, value]])}\n`)
      }
      writeFileSync(`${file}.new`, lines.join(''), ours)
      renameSync(`${file}.new`, file)
    },
  }
}

/** The last line may be torn by a kill in the middle of its write: it never counted, so it is left out. */
function readJournal(file: string): Change[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  lines.pop()
  // Only this file writes the journal.
  return lines.flatMap((line) => JSON.parse(line) as Change[])
}
