import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { systemCode } from '#base/system-error.ts'

/** The last marks that this machine saw outside the database, by the database's id. */
export type Marks = ReadonlyMap<string, number>

/**
 * Marks are stored in DATA_DIR, and outside it in case all of DATA_DIR is restored. The outer name derives from DATA_DIR,
 * so that a copy in another folder has its own marks.
 */
export async function markFolders({
  dataDir,
  stateDir,
}: {
  readonly dataDir: string
  readonly stateDir: string | null
}): Promise<string[]> {
  const name = createHash('sha256')
    .update(await realpath(dataDir))
    .digest('hex')
    .slice(0, 16)
  const inside = path.join(dataDir, 'marks')
  return stateDir === null ? [inside] : [inside, path.join(stateDir, 'reelay', 'marks', name)]
}

const NAME = /^[0-9a-f-]{36}$/

/** Unreadable marks are unknown and never stop a start. */
export async function readMarks(folders: readonly string[]): Promise<Marks> {
  const marks = new Map<string, number>()
  for (const folder of folders) {
    for (const id of await readdir(folder).catch(unlessSystem<string[]>([]))) {
      if (!NAME.test(id)) continue
      const mark = Number(await readFile(path.join(folder, id), 'utf8').catch(unlessSystem('')))
      if (Number.isSafeInteger(mark)) marks.set(id, Math.max(mark, marks.get(id) ?? 0))
    }
  }
  return marks
}

/** Written aside and renamed, so that no reader finds an incomplete file. */
export async function writeMark(
  folders: readonly string[],
  { databaseId, mark }: { readonly databaseId: string; readonly mark: number },
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const folder of folders) {
    const draft = path.join(folder, `.${randomUUID()}`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(draft, `${mark}\n`, { mode: 0o600 })
      await rename(draft, path.join(folder, databaseId))
    } catch (error) {
      if (systemCode(error) === null) throw error
      log.warn({ err: error }, `the mark of the database could not be written in ${folder}`)
    }
  }
}

const unlessSystem =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (systemCode(error) === null) throw error
    return instead
  }
