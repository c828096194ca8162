import { stat } from 'node:fs/promises'
import { type RawBuilder, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import { systemCode } from '#base/system-error.ts'

export const Fingerprint = z.object({
  /** The cluster's identifier, made by `initdb`. */
  system: z.string().nullable(),
  /** The write-ahead log's timeline: it changes with a recovery to a point in time, and with a failover. */
  timeline: z.string().nullable(),
  /** The database's number in its cluster. */
  database: z.string().nullable(),
  /** The number of the table `deliveries` in its database. */
  table: z.string().nullable(),
  /** The creation time of a file in the embedded cluster. */
  files: z.string().nullable(),
})
export type Fingerprint = z.infer<typeof Fingerprint>

/** Names of the facts for the log. */
const WORDS: Readonly<Record<keyof Fingerprint, string>> = {
  system: 'another PostgreSQL cluster',
  timeline: 'another timeline of the cluster',
  database: 'another database of the cluster',
  table: 'other tables',
  files: 'other files',
}

/** The differences in words. Facts that were unreadable at either time are not compared. */
export function compareFingerprints(before: Fingerprint, now: Fingerprint): string[] {
  return Object.entries(WORDS).flatMap(([key, words]) => {
    const fact = key as keyof Fingerprint // a key of the table above
    const differs = before[fact] !== null && now[fact] !== null && before[fact] !== now[fact]
    return differs ? [words] : []
  })
}

/** The facts known now, completed by those known before. */
export const mergeFingerprints = (before: Fingerprint | null, now: Fingerprint): Fingerprint => ({
  system: now.system ?? before?.system ?? null,
  timeline: now.timeline ?? before?.timeline ?? null,
  database: now.database ?? before?.database ?? null,
  table: now.table ?? before?.table ?? null,
  files: now.files ?? before?.files ?? null,
})

/** A fact is readable now that was unreadable before. */
export const hasNewFacts = (before: Fingerprint, now: Fingerprint): boolean =>
  JSON.stringify(mergeFingerprints(now, before)) !== JSON.stringify(mergeFingerprints(null, before))

/** SQL expressions, because the statement that compares them reads the stored ones too. */
export type DatabaseFacts = Readonly<Record<Exclude<keyof Fingerprint, 'files'>, RawBuilder<unknown>>>

/** Some servers allow only a few facts, or have no others. */
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
 * The creation time of this file, which a copy on Linux does not keep. Elsewhere a copy may keep it, so the inode number is
 * added; on Linux a restart can change that. `null`: the file is missing, or its file system does not tell.
 */
export async function readFileFact(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === null) throw error
    return null
  })
  // If the system does not know the creation time, Node returns 0 or the time of the last change.
  if (found === null || found.birthtimeNs === 0n || found.birthtimeNs === found.ctimeNs) return null
  return process.platform === 'linux' ? `${found.birthtimeNs}` : `${found.ino} ${found.birthtimeNs}`
}
