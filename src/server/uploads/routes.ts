import type { Upload } from '#contract/uploads.ts'
import type { Handlers } from '../http/mount.ts'
import { findVideoIfKept } from '../videos/store.ts'
import { finishUpload, type UploadDeps } from './finish-upload.ts'
import type { UploadLocks } from './locks.ts'
import { findUpload, offsetOf, type UploadRow } from './store.ts'

type Deps = UploadDeps & { readonly uploadLocks: UploadLocks }

export const uploadRoutes = (deps: Deps): Handlers<'getUpload'> => ({
  getUpload: async ({ user, params }) => {
    const { uploadId } = params
    const row = await findUpload(deps.db, user.user_id, uploadId, deps.now())
    const offset = await offsetOf(deps.storage, row)
    const videoId = row.video_id ?? (offset === row.size ? await finishIfFree(deps, row) : null)
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

/** Null: the request that sent the last bytes is finishing it. */
async function finishIfFree(deps: Deps, row: UploadRow): Promise<number | null> {
  const release = await deps.uploadLocks.tryAcquire(row.upload_id)
  if (!release) return null
  try {
    return await finishUpload(deps, row)
  } finally {
    await release()
  }
}
