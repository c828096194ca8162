import { randomBytes } from 'node:crypto'
import { Server, type Lock } from '@tus/server'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { UPLOADS_PATH } from '#contract/uploads.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { User } from '#contract/users.ts'
import { refusal } from '../http/parse.ts'
import type { BodyStream } from './body-stream.ts'
import type { UploadDeps } from './finish-upload.ts'
import type { Release, UploadLocks } from './locks.ts'
import { findUpload } from './store.ts'
import { type Creation, UserUploads } from './user-uploads.ts'

export type ExchangeDeps = UploadDeps & { readonly uploadLocks: UploadLocks }

type Caller = Creation & {
  readonly user: User
  readonly uploadId: string | undefined
  readonly body: BodyStream
  readonly ip: string
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal
}

/** The library's server for one request: its hooks do not pass on who asks. */
export function startExchange(deps: ExchangeDeps, caller: Caller) {
  const { user, uploadId, body, ip, gone } = caller
  const uploads = new UserUploads(deps, { userId: user.user_id, ip, gone }, caller)
  const exchange = { uploads, wasDisplaced: false, failure: null as unknown }
  const onWanted = () => {
    exchange.wasDisplaced = true
    body.end()
  }
  const server = new Server({
    path: UPLOADS_PATH,
    datastore: uploads,
    maxSize: VIDEO_MAX_BYTES,
    relativeLocation: true,
    generateUrl: (_request, { id }) => `${API_PREFIX}${UPLOADS_PATH}/${id}`,
    namingFunction: () => randomBytes(16).toString('hex'),
    getFileIdFromRequest: () => uploadId,
    // Nobody else knows a new upload's address yet.
    locker:
      uploadId === undefined
        ? NO_LOCKS
        : { newLock: (id) => toLock(deps.uploadLocks, id, { gone, onWanted }) },
    // Before the lock, which disturbs whoever has it.
    onIncomingRequest: async (_request, id) => {
      if (uploadId !== undefined) await findUpload(deps.db, user.user_id, id, deps.now())
    },
    onUploadCreate: async (_request, { size }) => {
      if (size === 0) throw refusal('invalid', { file: [TEXTS.fileEmpty] })
      return {}
    },
    onResponseError: (_request, error) => {
      exchange.failure = error
      return { status_code: 500, body: '' } // thrown and answered above
    },
  })
  return Object.assign(exchange, { server })
}

function toLock(locks: UploadLocks, id: string, by: Parameters<UploadLocks['acquire']>[1]): Lock {
  let release: Release | null = null
  return {
    lock: async () => {
      release = await locks.acquire(id, by)
    },
    unlock: async () => release?.(),
  }
}
const NO_LOCKS = { newLock: (): Lock => ({ lock: async () => {}, unlock: async () => {} }) }
