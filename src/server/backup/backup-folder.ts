import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { StartError } from '#base/start-error.ts'
import { isMissingError, syncFolder } from '../storage/disk-files.ts'
import { openDisk } from '../storage/disk.ts'
import type { Storage } from '../storage/storage.ts'
import { Manifest } from './manifest.ts'

const MANIFEST = 'manifest.json'
/** The end of the name of one that is being made or deleted. */
const UNFINISHED = '.unfinished'
/** Named by their time, so that their order is that of their names. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/

/** The name of a backup that is made at this time. */
export const nameAt = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // a manifest that was cut
  }
}

/** The backups of one server: `backups/TIME`, each with its tables, and `media`, whose files they share. */
export type BackupFolder = {
  readonly media: Storage
  /** The complete ones, oldest first. */
  list(): Promise<string[]>
  /** @throws StartError where it is missing or is no manifest of ours */
  readManifest(name: string): Promise<Manifest>
  /** Sends the rows through `counted` into `rows`. */
  readTable(name: string, table: string, counted: Transform, rows: Writable): Promise<void>
  delete(name: string): Promise<void>
  /** Begins a backup, which is listed once it is complete. Remains of one that was killed are removed. */
  begin(now: Date): Promise<NewBackup>
}

export type NewBackup = {
  readonly name: string
  /** @param counted what the rows go through before they are compressed */
  writeTable(table: string, rows: Readable, counted: Transform): Promise<void>
  readTable(table: string, counted: Transform, rows: Writable): Promise<void>
  /** Makes it complete and durable. */
  finish(manifest: Manifest): Promise<void>
}

/** @throws StartError where the folder cannot be used */
export async function openBackupFolder(root: string): Promise<BackupFolder> {
  const backups = path.join(root, 'backups')
  await mkdir(backups, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new StartError(`The folder ${root} cannot be written: fix its permissions, or name another.`, {
      cause,
    })
  })
  const media = await openDisk(path.join(root, 'media'))
  const tableFile = (name: string, table: string) => path.join(backups, name, `${table}.copy.gz`)
  const readTable: BackupFolder['readTable'] = (name, table, counted, rows) =>
    pipeline(createReadStream(tableFile(name, table)), createGunzip(), counted, rows)
  return {
    media,
    list: async () => (await readdir(backups)).filter((name) => NAME.test(name)).toSorted(),
    async readManifest(name) {
      const file = path.join(backups, name, MANIFEST)
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (isMissingError(error)) throw new StartError(`There is no backup ${name} in ${root}.`)
        throw error
      })
      const manifest = Manifest.safeParse(jsonOf(text))
      if (!manifest.success)
        throw new StartError(`${file} is not a backup that this version reads: use the version that made it.`)
      return manifest.data
    },
    readTable,
    async delete(name) {
      const unfinished = path.join(backups, `${name}${UNFINISHED}`)
      await rename(path.join(backups, name), unfinished)
      await rm(unfinished, { recursive: true, force: true })
    },
    async begin(now) {
      const name = nameAt(now)
      await media.sweep()
      for (const left of await readdir(backups))
        if (left.endsWith(UNFINISHED)) await rm(path.join(backups, left), { recursive: true })
      const unfinished = `${name}${UNFINISHED}`
      await mkdir(path.join(backups, unfinished), { mode: 0o700 })
      return {
        name,
        writeTable: (table, rows, counted) =>
          pipeline(
            rows,
            counted,
            createGzip(),
            createWriteStream(tableFile(unfinished, table), { mode: 0o600, flush: true }),
          ),
        readTable: (...of) => readTable(unfinished, ...of),
        async finish(manifest) {
          const file = await open(path.join(backups, unfinished, MANIFEST), 'wx', 0o600)
          try {
            await file.writeFile(JSON.stringify(manifest))
            await file.sync()
          } finally {
            await file.close()
          }
          await rename(path.join(backups, unfinished), path.join(backups, name))
          await syncFolder(backups)
        },
      }
    },
  }
}
