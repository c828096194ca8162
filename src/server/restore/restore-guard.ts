import { sql } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import {
  compareFingerprints,
  type DatabaseFacts,
  Fingerprint,
  findReadableFacts,
  hasNewFacts,
  mergeFingerprints,
  readFileFact,
} from './fingerprint.ts'
import { decideRestored } from './decide-restored.ts'
import { countHeldPosts, holdBatch, type HoldDeps, startOfHold } from './hold-posts.ts'
import { type Marks, readMarks, writeMark } from './marks.ts'

/** The operator's statement about the data: `moved`, and nothing was posted from another copy; `restored`, although nothing shows it. */
export type Statement = 'moved' | 'restored'

export type RestoreGuard = {
  /** Call it before anything uses the data. @returns a text for the operator; null: nothing was noticed */
  start(says: Statement | null): Promise<string | null>
  /** Call it before each claim: a database may be restored under running processes. */
  beforeClaim(): Promise<void>
  /** The reason why nothing is claimed now, as a sentence; null: claims go on. */
  waitsFor(): string | null
  /** Call it after each claimed piece of work: marks are written at most once a second. */
  noteWork(): void
  /** Writes the last mark. */
  stop(): Promise<void>
}

type GuardDeps = HoldDeps & {
  readonly db: Db
  readonly log: Logger
  readonly folders: readonly string[]
  /** A file of the embedded cluster that is created once and written often; null: an external database. */
  readonly clusterFile: string | null
}

const MARK_APART_MS = 1000

/** Detects restored or copied data, and then holds everything that would otherwise be published twice. */
export function createRestoreGuard(deps: GuardDeps): RestoreGuard {
  const { db, log, folders } = deps
  let sources: Promise<Sources> | null = null
  /** The largest mark that this process saw. */
  let seen: SeenMark | null = null
  let hasWorked = false
  let markedAt = -Infinity
  let waitsFor: string | null = null

  const openSources = async (): Promise<Sources> => ({
    facts: await findReadableFacts(db),
    files: deps.clusterFile === null ? null : await readFileFact(deps.clusterFile),
    marks: await readMarks(folders),
  })

  const check = async (says: Statement | null): Promise<RestoreFinding | null> => {
    sources ??= openSources().catch((error: unknown) => {
      sources = null
      throw error
    })
    const known = await sources
    // Read before the statement: another claim of this process may write a mark before its answer arrives.
    const seenBefore = seen
    const found = await readCheck(db, known, 'none')
    const isDecided = says === null && found.fingerprint !== null && found.isComplete
    const why = whyRestored(found, known.marks, seenBefore)
    const noticed =
      isDecided && why.length === 0
        ? null
        : await holdAndDecide({
            known,
            seen: seenBefore,
            says,
            suspected: { databaseId: found.databaseId, why },
          })
    const { databaseId, mark } = noticed ?? found
    seen = { databaseId, mark: seen?.databaseId === databaseId ? Math.max(mark, seen.mark) : mark }
    return noticed?.why ? noticed : null
  }

  const holdAndDecide = async (about: Suspicion): Promise<RestoreFinding> => {
    const progress = startOfHold(deps.now())
    for (;;) {
      const noticed = await db.transaction().execute(async (trx) => {
        const one = await readRestored(trx, about)
        const mustHold = one.isRestored && about.says !== 'moved'
        if (mustHold && (await holdBatch(trx, deps, progress))) return null
        return decide(trx, deps, about.says, one)
      })
      if (noticed !== null) return noticed
      waitsFor = HOLDING
    }
  }

  /** Records the reason to wait until the check has ended. */
  const checkAsClaim = async (): Promise<RestoreFinding | null> => {
    try {
      const noticed = await check(null)
      waitsFor = null
      return noticed
    } catch (error) {
      waitsFor = error instanceof BeingRestored ? BEING_RESTORED : null
      throw error
    }
  }

  const mark = async (): Promise<void> => {
    hasWorked = false
    markedAt = performance.now()
    const row = await db
      .updateTable('restore_check')
      .set((eb) => ({ mark: eb('mark', '+', 1) }))
      .returning(['database_id', 'mark'])
      .executeTakeFirst()
    if (!row) throw new BeingRestored()
    // A lower mark belongs to data restored at this moment, and the next check must detect that.
    if (seen !== null && seen.databaseId === row.database_id && row.mark <= seen.mark) return
    seen = { databaseId: row.database_id, mark: row.mark }
    await writeMark(folders, seen, log)
  }

  return {
    async start(says) {
      const noticed = await check(says)
      await mark()
      if (says !== 'moved') return noticed && describe(noticed)
      const { decided, missed } = await decideRestored(deps, null, 'moved')
      return `Taken as moved. Of what was held before, ${decided - missed} go out at their times and ${missed} have missed them, which is left to their users.`
    },
    async beforeClaim() {
      const noticed = await checkAsClaim()
      if (noticed) log.warn(describe(noticed))
      if (hasWorked && performance.now() - markedAt >= MARK_APART_MS) await mark()
    },
    waitsFor: () => waitsFor,
    noteWork() {
      hasWorked = true
    },
    async stop() {
      if (hasWorked) await mark()
    },
  }
}

/** Everything that a check compares with the stored row. */
type Sources = { readonly facts: DatabaseFacts; readonly files: string | null; readonly marks: Marks }
type SeenMark = { readonly databaseId: string; readonly mark: number }
type Check = SeenMark & {
  readonly fingerprint: Fingerprint | null
  readonly now: Fingerprint
  readonly isComplete: boolean
}

const CheckRow = z.object({
  database_id: z.string(),
  mark: z.number(),
  fingerprint: Fingerprint.nullable(),
  now: Fingerprint.omit({ files: true }),
  has_keys: z.boolean(),
})

const BEING_RESTORED = 'The database is being restored: nothing goes out before that has ended.'
const HOLDING = 'The data were restored or copied: nothing goes out before all posts are held.'

class BeingRestored extends Error {
  constructor() {
    super(BEING_RESTORED)
  }
}

/**
 * Reads the stored row and the present facts in one statement, so that a concurrent restore is seen as before or after.
 * @throws during a running restore: `pg_restore` creates the tables' keys after filling all of them
 */
async function readCheck(db: Db, { facts, files }: Sources, lock: 'none' | 'update'): Promise<Check> {
  const { rows } = await sql`
    select database_id, mark, fingerprint,
      jsonb_build_object('system', ${facts.system}, 'timeline', ${facts.timeline}, 'database', ${facts.database}, 'table', ${facts.table}) as now,
      exists (select from pg_index where indrelid = to_regclass('deliveries') and indisprimary) as has_keys
    from restore_check ${lock === 'update' ? sql`for update` : sql``}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new BeingRestored()
  const { database_id: databaseId, mark, fingerprint, now, has_keys: hasKeys } = CheckRow.parse(row)
  if (!hasKeys) throw new BeingRestored()
  const current = { ...now, files }
  const isComplete = fingerprint !== null && !hasNewFacts(fingerprint, current)
  return { databaseId, mark, fingerprint, now: current, isComplete }
}

/** The reasons why the data are not the last ones seen here, in words; empty: they are. */
function whyRestored(check: Check, marks: Marks, seen: SeenMark | null): string[] {
  const { databaseId, mark, fingerprint, now } = check
  const lastSeen = Math.max(marks.get(databaseId) ?? 0, seen?.databaseId === databaseId ? seen.mark : 0)
  // Includes data from before this check existed, if a database was seen since.
  const isOlder = lastSeen > mark || (fingerprint === null && marks.size > 0)
  return [
    ...(isOlder ? ['older than what was here last'] : []),
    ...(fingerprint === null ? [] : compareFingerprints(fingerprint, now)),
  ]
}

/** `why: null`: the data are the last ones seen here. */
type RestoreFinding = SeenMark & { readonly why: string | null; readonly held: number }

/** The last finding of a process. */
type Suspicion = {
  readonly known: Sources
  readonly seen: SeenMark | null
  readonly says: Statement | null
  readonly suspected: { readonly databaseId: string; readonly why: readonly string[] }
}

/**
 * Locks the row, so that one process at a time holds or decides. A decision gives the database another id: until then a
 * suspicion stays, even if other processes' marks have hidden its reason.
 */
async function readRestored(trx: Db, { known, seen, says, suspected }: Suspicion) {
  const found = await readCheck(trx, known, 'update')
  const stands = suspected.why.length > 0 && suspected.databaseId === found.databaseId
  const why = stands ? suspected.why : whyRestored(found, known.marks, seen)
  return { found, why, isRestored: says === 'restored' || why.length > 0 }
}

/** The first process decides; the others find the decision. */
async function decide(
  trx: Db,
  deps: GuardDeps,
  says: Statement | null,
  { found, why, isRestored }: Awaited<ReturnType<typeof readRestored>>,
): Promise<RestoreFinding> {
  const fingerprint = JSON.stringify(mergeFingerprints(isRestored ? null : found.fingerprint, found.now))
  const { databaseId, mark } = found
  if (!isRestored) {
    await trx.updateTable('restore_check').set({ fingerprint }).execute()
    return { databaseId, mark, why: null, held: 0 }
  }
  const held = says === 'moved' ? 0 : await countHeldPosts(trx)
  const row = await trx
    .updateTable('restore_check')
    .set({
      database_id: sql<string>`gen_random_uuid()`,
      mark: 0,
      fingerprint,
      ...(says === 'moved' ? {} : { noticed_at: new Date(deps.now()) }),
    })
    .returning(['database_id', 'mark'])
    .executeTakeFirstOrThrow()
  // A database without posts that is seen for the first time is no copy.
  const isNew = found.fingerprint === null && held === 0 && says === null
  const words = why.length > 0 ? why.join(', ') : 'as --restored says'
  return { databaseId: row.database_id, mark: row.mark, why: isNew ? null : words, held }
}

const posts = (count: number): string => (count === 1 ? '1 post' : `${count} posts`)

const describe = ({ why, held }: RestoreFinding): string =>
  `These data were restored or copied (${why}): ${posts(held)} ${held === 1 ? 'is' : 'are'} held, since ${held === 1 ? 'it' : 'they'} may have been posted ` +
  `while this copy did not know. ${held === 1 ? 'Its user decides' : 'Their users decide'} about each in the queue. ` +
  'If the data were only moved, and no other copy has run since: stop this server and start it once with "npm start -- --moved".'
