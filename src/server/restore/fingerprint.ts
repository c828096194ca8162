import { stat } from 'node:fs/promises'
import { type RawBuilder, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import { systemCode } from '#base/system.ts'

/** What a restore or a copy of the data cannot carry along. `null`: it cannot be read here. */
export const Fingerprint = z.object({
  /** Of the cluster, made by `initdb`. */
  system: z.string().nullable(),
  /** Of the write-ahead log: another one after a recovery to a point in time, and after a failover. */
  timeline: z.string().nullable(),
  /** The database's number in its cluster. */
  database: z.string().nullable(),
  /** The number of the table of deliveries in its database. */
  table: z.string().nullable(),
  /** When a file of the embedded cluster was made. */
  files: z.string().nullable(),
})
export type Fingerprint = z.infer<typeof Fingerprint>

/** For the log: what is another one than it was. */
const WORDS: Readonly<Record<keyof Fingerprint, string>> = {
  system: 'another PostgreSQL cluster',
  timeline: 'another timeline of the cluster',
  database: 'another database of the cluster',
  table: 'other tables',
  files: 'other files',
}

/** What differs, in words. What could not be read at one of the two times is not compared. */
export function compareFingerprints(before: Fingerprint, now: Fingerprint): string[] {
  return Object.entries(WORDS).flatMap(([key, words]) => {
    const fact = key as keyof Fingerprint // a key of the table above
    const differs = before[fact] !== null && now[fact] !== null && before[fact] !== now[fact]
    return differs ? [words] : []
  })
}

/** The facts that are known now, and of the others what was known before. */
export const mergeFingerprints = (before: Fingerprint | null, now: Fingerprint): Fingerprint => ({
  system: now.system ?? before?.system ?? null,
  timeline: now.timeline ?? before?.timeline ?? null,
  database: now.database ?? before?.database ?? null,
  table: now.table ?? before?.table ?? null,
  files: now.files ?? before?.files ?? null,
})

/** A fact can be read that could not be read before. */
export const hasNewFacts = (before: Fingerprint, now: Fingerprint): boolean =>
  JSON.stringify(mergeFingerprints(now, before)) !== JSON.stringify(mergeFingerprints(null, before))

/** As parts of a statement, since the same statement reads what was stored. */
export type DatabaseFacts = Readonly<Record<Exclude<keyof Fingerprint, 'files'>, RawBuilder<unknown>>>

/** The facts that this database lets our role read: some servers allow or have only a few. */
export async function findReadableFacts(db: Db): Promise<DatabaseFacts> {
  const readable = async (fact: RawBuilder<unknown>): Promise<RawBuilder<unknown>> =>
    (await isReadable(db, fact)) ? fact : sql`null`
  return {
    system: await readable(sql`(select system_identifier::text from pg_control_system())`),
    timeline: await readable(sql`left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`),
    database: sql`(select oid::text from pg_database where datname = current_database())`,
    table: sql`to_regclass('deliveries')::oid::text`,
  }
}

/** SQLSTATE: no permission, no such function, not supported, not in this state. */
const UNREADABLE = ['42501', '42883', '0A000', '55000']

async function isReadable(db: Db, fact: RawBuilder<unknown>): Promise<boolean> {
  try {
    await sql`select ${fact}`.execute(db)
    return true
  } catch (error) {
    if (error instanceof DatabaseError && UNREADABLE.includes(error.code ?? '')) return false
    throw error
  }
}

/**
 * When this file was made, which a copy of it cannot take along. `null`: it is not there, or its file system does not tell.
 * Inode numbers are compared only where a copy may keep that time: on Linux a restart can change them.
 */
export async function readFileFact(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === null) throw error
    return null
  })
  // Where the system does not tell when a file was made, Node gives 0, or when it was changed last.
  if (found === null || found.birthtimeNs === 0n || found.birthtimeNs === found.ctimeNs) return null
  return process.platform === 'linux' ? `${found.birthtimeNs}` : `${found.ino} ${found.birthtimeNs}`
}
