import { z } from 'zod'
import { UploadId } from '#contract/ids.ts'
import { UPLOAD_KEPT_DAYS } from '#contract/limits.ts'
import { fnv1a, SEEDS } from '#web/lib/fnv1a.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { readItem, removeItem, writeItem } from '#web/lib/storage.ts'
import { UPLOADS_PREFIX } from '#web/lib/storage-keys.ts'

// Uploads are remembered across reloads and tabs. tus-js-client's own store would keep file names after a
// log-out, recognise a file by its modification time, and hang where the browser's storage is full.

/** The ends of a video have its index and its last pictures: in practice they differ between two videos of one name and size. */
const END_BYTES = 1_048_576

/**
 * Recognises a file that is chosen again, also after a reload: its name, its size, its first and its last bytes.
 * The modification time does not count: phones change it whenever the same video is chosen.
 * @throws where the file cannot be read any more
 */
export async function computeFingerprint(file: File): Promise<string> {
  const ends = [file.slice(0, END_BYTES), file.slice(Math.max(0, file.size - END_BYTES))]
  const parts = [new TextEncoder().encode(`${file.size} ${file.name}`)]
  for (const end of ends) parts.push(new Uint8Array(await end.arrayBuffer()))
  return [...parts.flatMap((bytes) => SEEDS.map((seed) => fnv1a(bytes, seed))), file.size]
    .map((part) => part.toString(16))
    .join('-')
}

/** False once the file was changed, moved or removed since it was chosen. */
export const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

/** In the browser's storage, for all tabs. It survives a lost session; a fingerprint reveals nothing of the file. */
const KnownUpload = z.object({
  fingerprint: z.string(),
  uploadId: UploadId,
  at: z.number(),
  /** Whose video it becomes: the id of its place. */
  place: z.string().default(''),
})
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

export const findRememberedUpload = (uid: string, fingerprint: string): UploadId | null =>
  read(uid).find((one) => one.fingerprint === fingerprint)?.uploadId ?? null

/** The uploads which the same file, chosen again in this browser, would continue, with the places that they began for. */
export const knownUploads = (uid: string): ReadonlyMap<UploadId, string> =>
  new Map(read(uid).map(({ uploadId, place }) => [uploadId, place]))

export const rememberUpload = (uid: string, upload: Omit<KnownUpload, 'at'>): void =>
  write(uid, [
    { ...upload, at: serverNow() },
    ...read(uid).filter(({ fingerprint }) => fingerprint !== upload.fingerprint),
  ])

export const forgetUpload = (uid: string, uploadId: UploadId): void =>
  write(
    uid,
    read(uid).filter((one) => one.uploadId !== uploadId),
  )

/** Tabs tell each other about an upload that another one may be sending or watching. */
const Message = z.object({ uploadId: UploadId, what: z.enum(['taken', 'paused', 'cancelled']) })
export type TabMessage = z.infer<typeof Message>

/** Null: the browser has none, or refuses it where site data is blocked. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel('uploads')
  } catch {
    return null
  }
}

/** One channel for each running upload: the page's own are told too. Without one the server keeps tabs apart. */
export function openTabMessages(onMessage: (message: TabMessage) => void) {
  const channel = openChannel()
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = Message.safeParse(data)
    if (message.success) onMessage(message.data)
  })
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
    tell: (message: TabMessage) => channel?.postMessage(message),
    close: () => channel?.close(),
  }
}
