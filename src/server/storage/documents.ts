import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isMissingError, syncFolder } from './disk-files.ts'
import type { StorageConfig } from './open-storage.ts'

/** Small texts by names such as `backups/TIME.json`. Each is written whole and durably, or not at all. */
export type Documents = {
  /** null: there is none. */
  read(name: string): Promise<string | null>
  /** Replaces one of the same name. */
  write(name: string, text: string): Promise<void>
  /** Succeeds for unknown names. */
  delete(name: string): Promise<void>
  /** The names in a folder, without the folder. */
  list(folder: string): Promise<string[]>
}

export async function openDocuments(config: StorageConfig): Promise<Documents> {
  if ('dir' in config) return documentsOfFolder(config.dir)
  const { openBucket } = await import('./bucket.ts')
  const { write, read, remove, names } = openBucket(config)
  return {
    read: async (name) => (await read(name))?.toString() ?? null,
    write: (name, text) => write(name, Buffer.from(text)),
    delete: remove,
    list: async (folder) =>
      (await Array.fromAsync(names(folder))).map(({ name }) => name.slice(folder.length + 1)),
  }
}

function documentsOfFolder(root: string): Documents {
  const fileOf = (name: string) => path.join(root, name)
  return {
    read: (name) => readFile(fileOf(name), 'utf8').catch(orElse(null)),
    async write(name, text) {
      const folder = path.dirname(fileOf(name))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unfinished = `${fileOf(name)}.${randomBytes(4).toString('hex')}.unfinished`
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
        await rename(unfinished, fileOf(name))
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      } finally {
        await file.close()
      }
      await syncFolder(folder)
    },
    delete: (name) => rm(fileOf(name), { force: true }),
    list: (folder) => readdir(fileOf(folder)).catch(orElse<string[]>([])),
  }
}

const orElse =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (isMissingError(error)) return instead
    throw error
  }
