import type { Readable } from 'node:stream'
import { DataStore, Upload } from '@tus/server'
import type { User } from '#contract/users.ts'
import { displayFilename } from '../http/filename.ts'
import { refuseNul } from '../http/parse.ts'
import { assertRoom } from '../videos/quota.ts'
import { finishUpload, type UploadDeps } from './finish-upload.ts'
import {
  deleteUpload,
  findUpload,
  insertUpload,
  offsetOf,
  renewUpload,
  UPLOAD_KEPT_MS,
  type UploadRow,
} from './store.ts'

/** The uploads of one user, as the tus library wants them. Made for one request. */
export class UserUploads extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'expiration', 'termination']
  readonly #deps: UploadDeps
  readonly #user: User
  #created: string | null = null
  /** The video that this request finished. */
  videoId: number | null = null

  constructor(deps: UploadDeps, user: User) {
    super()
    this.#deps = deps
    this.#user = user
  }

  override async create(upload: Upload): Promise<Upload> {
    const { db, storage, quotaBytes, now } = this.#deps
    const size = upload.size ?? 0
    const metadata = upload.metadata ?? {}
    refuseNul(metadata)
    const storage_key = await storage.parts.begin()
    let kept = false
    try {
      await db.transaction().execute(async (trx) => {
        await assertRoom(trx, { userId: this.#user.user_id, bytes: size, quotaBytes })
        const created = {
          upload_id: upload.id,
          user_id: this.#user.user_id,
          storage_key,
          filename: displayFilename(metadata['filename']),
          metadata,
          size,
        }
        return insertUpload(trx, created, now())
      })
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
    const offset = await offsetOf(this.#deps.storage, row)
    if (row.video_id === null && offset === row.size) this.videoId = await finishUpload(this.#deps, row)
    return new Upload({
      id,
      size: row.size,
      offset,
      metadata: metadataOf(row),
      // The library counts the time until expiry from here.
      creation_date: new Date(row.expires_at.getTime() - UPLOAD_KEPT_MS).toISOString(),
    })
  }

  override async write(body: Readable, id: string, offset: number): Promise<number> {
    const { db, storage, now } = this.#deps
    const row = await this.#find(id)
    if (offset === row.size) return offset
    const size = await storage.parts.append(row.storage_key, body, { offset, maxBytes: row.size })
    if (size > offset) await renewUpload(db, id, now())
    if (size === row.size) this.videoId = await finishUpload(this.#deps, row)
    return size
  }

  override getExpiration(): number {
    return UPLOAD_KEPT_MS
  }

  #find(id: string): Promise<UploadRow> {
    return findUpload(this.#deps.db, this.#user.user_id, id, this.#deps.now())
  }
}

/** As the client sent it at creation. */
const metadataOf = (row: UploadRow) => row.metadata as Record<string, string | null>
