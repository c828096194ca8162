import { UploadId } from '#contract/ids.ts'
import type { Upload } from '#contract/uploads.ts'
import type { Handlers } from '../http/mount.ts'
import type { Asker } from '../videos/facts.ts'
import { findVideoIfKept } from '../videos/store.ts'
import { finishUpload, type UploadDeps } from './finish-upload.ts'
import type { UploadLocks } from './locks.ts'
import { findUpload, listOpenUploads, readOffset, UPLOAD_KEPT_MS, type UploadRow } from './store.ts'

type Deps = UploadDeps & { readonly uploadLocks: UploadLocks }

export const uploadRoutes = (deps: Deps): Handlers<'getUpload' | 'listUploads'> => ({
  listUploads: async ({ user }) => {
    const rows = await listOpenUploads(deps.db, user.user_id, deps.now())
    const items = await Promise.all(rows.map((row) => shownIfKept(deps, row)))
    return { items: items.filter((item) => item !== null) }
  },

  getUpload: async ({ user, params, ip, gone }) => {
    const { uploadId } = params
    const asker = { userId: user.user_id, ip, gone }
    const row = await findUpload(deps.db, user.user_id, uploadId, deps.now())
    const offset = await readOffset(deps.storage, row)
    const videoId = row.video_id ?? (offset === row.size ? await finishIfFree(deps, row, asker) : null)
    return {
      upload_id: uploadId,
      filename: row.filename,
      size: row.size,
      offset,
      expires_at: row.expires_at.toISOString(),
      video: videoId === null ? null : await findVideoIfKept(deps.db, user.user_id, videoId),
    } satisfies Upload
  },
})

/** Null: its file was deleted meanwhile, or all of it has arrived. */
async function shownIfKept({ storage }: Deps, row: UploadRow) {
  const offset = await storage.parts.size(row.storage_key)
  if (offset === null || offset === row.size) return null
  return {
    upload_id: UploadId.parse(row.upload_id),
    filename: row.filename,
    size: row.size,
    offset,
    expires_at: row.expires_at.toISOString(),
    received_at: new Date(row.expires_at.getTime() - UPLOAD_KEPT_MS).toISOString(),
  }
}

/** Null: the request that sent the last bytes is finishing it. */
async function finishIfFree(deps: Deps, row: UploadRow, asker: Asker): Promise<number | null> {
  const release = await deps.uploadLocks.tryAcquire(row.upload_id)
  if (!release) return null
  try {
    return await finishUpload(deps, row, asker)
  } finally {
    await release()
  }
}
