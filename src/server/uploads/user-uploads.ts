import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { DataStore, Upload } from '@tus/server'
import { displayFilename } from '../http/filename.ts'
import { refuseBrokenText } from '../http/parse.ts'
import { Problem } from '#base/problem.ts'
import { assertDiskRoom } from '../storage/disk-room.ts'
import type { Asker } from '../videos/facts.ts'
import { assertRoom } from '../videos/quota.ts'
import { finishUpload, type UploadDeps } from './finish-upload.ts'
import {
  deleteUpload,
  findUpload,
  insertUpload,
  readOffset,
  renewUpload,
  UPLOAD_KEPT_MS,
  type UploadRow,
} from './store.ts'

export const EXTENSIONS = ['creation', 'creation-with-upload', 'expiration', 'termination']

export type Creation = {
  /** The header Upload-Metadata. */
  readonly metadata: string
  /** Creates an upload as a call, of which a user may run few at once; uploads themselves may be many. */
  readonly asCall: <T>(create: () => Promise<T>) => Promise<T>
}

/** The tus library's store for the uploads of one user, made for one request. */
export class UserUploads extends DataStore {
  override extensions = EXTENSIONS
  readonly #deps: UploadDeps
  readonly #asker: Asker
  readonly #asCall: Creation['asCall']
  #created: string | null = null
  /** The video that this request finished. */
  videoId: number | null = null
  /** The header Upload-Metadata: of this request, which creates an upload, or of the upload that was asked for. */
  metadata: string

  constructor(deps: UploadDeps, asker: Asker, { metadata, asCall }: Creation) {
    super()
    this.#deps = deps
    this.#asker = asker
    this.metadata = metadata
    this.#asCall = asCall
  }

  override async create(upload: Upload): Promise<Upload> {
    const { db, storage, quotaBytes, now } = this.#deps
    const size = upload.size ?? 0
    const filename = readFilename(this.metadata)
    await assertDiskRoom(storage, size)
    const storage_key = await storage.parts.begin()
    let kept = false
    try {
      await this.#asCall(() =>
        db.transaction().execute(async (trx) => {
          await assertRoom(trx, { userId: this.#asker.userId, bytes: size, quotaBytes })
          const created = {
            upload_id: upload.id,
            user_id: this.#asker.userId,
            storage_key,
            filename: displayFilename(filename),
            upload_metadata: this.metadata,
            size,
          }
          return insertUpload(trx, created, now())
        }),
      )
      kept = true
      this.#created = upload.id
      return upload
    } finally {
      if (!kept) await storage.delete(storage_key)
    }
  }

  /** An upload whose address its client was never told cannot be resumed, and would only take room. */
  async removeUntold(): Promise<void> {
    if (this.#created !== null && this.videoId === null) await this.#delete(this.#created)
  }

  /** A finished upload's video stays. */
  override async remove(id: string): Promise<void> {
    await this.#find(id)
    await this.#delete(id)
  }

  async #delete(id: string): Promise<void> {
    const key = await deleteUpload(this.#deps.db, id)
    if (key !== null) await this.#deps.storage.delete(key)
  }

  /** Finishes what a crash left unfinished, because the client has no bytes left to send. */
  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#find(id)
    const offset = await readOffset(this.#deps.storage, row)
    if (row.video_id === null && offset === row.size)
      this.videoId = await finishUpload(this.#deps, row, this.#asker)
    this.metadata = row.upload_metadata
    return new Upload({
      id,
      size: row.size,
      offset,
      // The library counts the time until expiry from here.
      creation_date: new Date(row.expires_at.getTime() - UPLOAD_KEPT_MS).toISOString(),
    })
  }

  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const { db, storage, now } = this.#deps
    const row = await this.#find(id)
    if (offset === row.size) return offset
    await assertDiskRoom(storage, row.size - offset)
    const size = await storage.parts.append(row.storage_key, body, { offset, maxBytes: row.size })
    if (size > offset) await renewUpload(db, id, now())
    if (size === row.size) this.videoId = await finishUpload(this.#deps, row, this.#asker)
    return size
  }

  override getExpiration(): number {
    return UPLOAD_KEPT_MS
  }

  #find(id: string): Promise<UploadRow> {
    return findUpload(this.#deps.db, this.#asker.userId, id, this.#deps.now())
  }
}

/**
 * Reads the file's name from an Upload-Metadata header that the library has checked.
 * @throws Problem malformed where it is not UTF-8, which a lenient decoder would replace without a word
 */
function readFilename(metadata: string): string | undefined {
  const [, encoded] =
    metadata
      .split(',')
      .map((pair) => pair.split(' '))
      .find(([key]) => key === 'filename') ?? []
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) throw new Problem('malformed', 'The filename in Upload-Metadata is not UTF-8.')
  const filename = bytes.toString()
  refuseBrokenText({ filename })
  return filename
}
