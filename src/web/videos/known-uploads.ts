import { z } from 'zod'
import { UploadId } from '#contract/ids.ts'
import { UPLOAD_KEPT_DAYS } from '#contract/limits.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { readItem, removeItem, writeItem } from '#web/lib/storage.ts'
import { UPLOADS_PREFIX } from '#web/lib/storage-keys.ts'

// In the browser's storage and for all tabs, so that a file that is chosen again after a reload continues. It survives a lost session;
// a fingerprint reveals nothing of the file.

const KnownUpload = z.object({ fingerprint: z.string(), uploadId: UploadId, at: z.number() })
type KnownUpload = z.infer<typeof KnownUpload>

const KEPT_MS = UPLOAD_KEPT_DAYS * 86_400_000
const KEPT_MAX = 100

const keyOf = (uid: string) => `${UPLOADS_PREFIX} ${uid}`

function read(uid: string): KnownUpload[] {
  const stored = z.array(KnownUpload).safeParse(jsonOf(readItem(keyOf(uid)) ?? ''))
  return (stored.data ?? []).filter(({ at }) => at > serverNow() - KEPT_MS)
}

/** A full storage is no error: the page itself still knows its uploads. */
function write(uid: string, all: readonly KnownUpload[]): void {
  if (all.length > 0) writeItem(keyOf(uid), JSON.stringify(all.slice(0, KEPT_MAX)))
  else removeItem(keyOf(uid))
}

export const findUploadOf = (uid: string, fingerprint: string): UploadId | null =>
  read(uid).find((one) => one.fingerprint === fingerprint)?.uploadId ?? null

/** Whether the same file, chosen again in this browser, continues the upload. */
export const isKnownUpload = (uid: string, uploadId: UploadId): boolean =>
  read(uid).some((one) => one.uploadId === uploadId)

export const rememberUpload = (uid: string, fingerprint: string, uploadId: UploadId): void =>
  write(uid, [
    { fingerprint, uploadId, at: serverNow() },
    ...read(uid).filter((one) => one.fingerprint !== fingerprint),
  ])

export const removeUpload = (uid: string, uploadId: UploadId): void =>
  write(
    uid,
    read(uid).filter((one) => one.uploadId !== uploadId),
  )
