import { getAccess, markForRelink } from './accounts/access.ts'
import type { Deps } from './deps.ts'
import { mintMediaLink, mintPictureLink } from './videos/media.ts'
import type { WorkerDeps } from './start-workers.ts'

/** Lifetime of the address from which a platform fetches a video or its cover; every call gets a new one. */
const MEDIA_LINK_TTL_MS = 6 * 3_600_000

/** `crashPoint` lets a test stop the process at named points. */
export function workerDeps(
  { workerDb: db, ...rest }: Deps,
  crashPoint: WorkerDeps['crashPoint'] = async () => {},
): WorkerDeps {
  const deps = { ...rest, db }
  return {
    ...deps,
    crashPoint,
    overdueGraceMs: deps.config.overdueGraceMs,
    getAccess: (accountId, how) => getAccess(deps, accountId, how),
    markForRelink: (accountId, reason, refused) => markForRelink(deps, accountId, reason, refused),
    mediaAddress: async (videoId) =>
      `${deps.config.publicUrl}${await mintMediaLink(deps.db, videoId, MEDIA_LINK_TTL_MS)}`,
    pictureAddress: async (owned) => {
      const path = await mintPictureLink(deps.db, owned, { ttlMs: MEDIA_LINK_TTL_MS, now: deps.now() })
      return path === null ? null : `${deps.config.publicUrl}${path}`
    },
  }
}
