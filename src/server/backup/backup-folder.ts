import { access, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable, type Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { StartError } from '#base/start-error.ts'
import { openDocuments, type Documents } from '../storage/documents.ts'
import { openStorage, type StorageConfig } from '../storage/open-storage.ts'
import { NotStored, type Storage } from '../storage/storage.ts'
import { readWholeFile } from '../storage/whole-file.ts'
import { Manifest } from './manifest.ts'

/** Named by their time, so that their order is that of their names. */
const NAME = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.json$/

/** The name of a backup that is made at this time. */
export const nameAt = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`

const manifestOf = (name: string) => `backups/${name}.json`

/**
 * The backups of one server, in a folder or a bucket: `backups/TIME.json` says what each consists of, and `content` has the files and
 * tables of all of them. A backup is there once its manifest is.
 */
export type BackupFolder = {
  /** Its address, for people. */
  readonly place: string
  readonly content: Storage
  readonly documents: Documents
  /** Oldest first. */
  list(): Promise<string[]>
  /** @throws StartError where it is missing or is no manifest of ours */
  readManifest(name: string): Promise<Manifest>
  writeManifest(name: string, manifest: Manifest): Promise<void>
  /** Its content stays. */
  delete(name: string): Promise<void>
  /** Stores rows, compressed. @param counted what they go through before @returns the key */
  writeTable(rows: Readable, counted: Transform): Promise<string>
  /** Sends the rows through `counted` into `rows`. */
  readTable(key: string, counted: Transform, rows: Writable): Promise<void>
}

export const describePlace = (config: StorageConfig): string =>
  'dir' in config ? config.dir : `s3://${config.bucket}/${config.prefix}`

/** @param create false: a folder that is missing is an error, because its disk may not be mounted. @throws StartError where it cannot be used */
export async function openBackupFolder(
  config: StorageConfig,
  { create = true }: { readonly create?: boolean } = {},
): Promise<BackupFolder> {
  const place = describePlace(config)
  if ('dir' in config)
    await (create ? mkdir(config.dir, { recursive: true, mode: 0o700 }) : access(config.dir)).catch(
      (cause: unknown) => {
        throw new StartError(
          `The folder ${place} cannot be ${create ? 'written' : 'found'}: fix it, or name another.`,
          { cause },
        )
      },
    )
  const content = await openStorage(
    'dir' in config
      ? { dir: path.join(config.dir, 'content') }
      : { ...config, prefix: `${config.prefix}content/` },
  )
  const documents = await openDocuments(config)
  return {
    place,
    content,
    documents,
    list: async () =>
      (await documents.list('backups')).flatMap((name) => NAME.exec(name)?.[1] ?? []).toSorted(),
    async readManifest(name) {
      const text = await documents.read(manifestOf(name))
      if (text === null) throw new StartError(`There is no backup ${name} in ${place}.`)
      const manifest = Manifest.safeParse(jsonOf(text))
      if (!manifest.success)
        throw new StartError(
          `The backup ${name} in ${place} is none that this version reads: use the version that made it.`,
        )
      return manifest.data
    },
    writeManifest: (name, manifest) => documents.write(manifestOf(name), JSON.stringify(manifest)),
    delete: (name) => documents.delete(manifestOf(name)),
    async writeTable(rows, counted) {
      const { key } = await pipeline(rows, counted, createGzip(), (zipped: AsyncIterable<Buffer>) =>
        content.put(Readable.from(zipped), { maxBytes: Number.POSITIVE_INFINITY }),
      )
      return key
    },
    async readTable(key, counted, rows) {
      const size = (await content.stat(key))?.size
      if (size === undefined) throw new NotStored(key)
      await pipeline(await readWholeFile(content, key, size), createGunzip(), counted, rows)
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // a manifest that was cut
  }
}
