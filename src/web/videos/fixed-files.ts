import { onDraftsCleared } from '#web/lib/form-drafts.ts'

export type FixedFile = {
  readonly writable: WritableStream<FileSystemWriteChunkType>
  /** Resolves once the stream is closed. */
  readonly read: () => Promise<File>
  /** Also while it is being written. */
  readonly remove: () => Promise<void>
}

const FOLDER = 'fixed videos'
/** A tab holds the lock of its files while it lives, so that another one does not delete them. */
const lockOf = (name: string) => `${FOLDER} ${name}`

const own = new Set<string>()
onDraftsCleared(() => void removeOwn())

/** A file of the browser's own disk space for this site; null: the browser has none, or offers it to other pages only. */
export async function createFixedFile(): Promise<FixedFile | null> {
  const folder = await openFolder({ create: true })
  if (folder === null) return null
  const name = crypto.randomUUID()
  own.add(name)
  await holdLock(lockOf(name))
  const handle = await folder.getFileHandle(name, { create: true })
  const disk = await handle.createWritable()
  return {
    writable: new WritableStream({ write: (chunk) => disk.write(chunk), close: () => disk.close() }),
    read: () => handle.getFile(),
    remove: async () => {
      // A file that is open for writing cannot be removed; this one may be closed already.
      await disk.abort().catch(() => undefined)
      await remove(folder, name)
    },
  }
}

/** Until the tab is closed. */
const holdLock = (name: string): Promise<void> =>
  new Promise((granted, refused) => {
    const hold = () => {
      granted()
      return new Promise(() => undefined)
    }
    navigator.locks.request(name, hold).catch(refused)
  })

/** Deletes what tabs that are gone have left behind. */
export async function removeAbandonedFiles(): Promise<void> {
  const folder = await openFolder()
  if (folder === null) return
  const { held = [] } = await navigator.locks.query()
  const used = new Set(held.map(({ name }) => name))
  const abandoned: string[] = []
  for await (const name of folder.keys()) if (!used.has(lockOf(name))) abandoned.push(name)
  for (const name of abandoned) await remove(folder, name)
}

async function removeOwn(): Promise<void> {
  const folder = await openFolder()
  for (const name of own) if (folder !== null) await remove(folder, name)
}

async function remove(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  own.delete(name)
  // It may be gone, or still be read.
  await folder.removeEntry(name).catch(() => undefined)
}

/** In bytes. null: the browser offers this page no disk space. */
export async function roomOnDisk(): Promise<number | null> {
  if ((await openFolder({ create: true })) === null) return null
  const { quota = 0, usage = 0 } = await navigator.storage.estimate()
  return quota - usage
}

/** Safari before 26 writes in workers only. */
const canWrite = (): boolean =>
  'FileSystemFileHandle' in globalThis && 'createWritable' in FileSystemFileHandle.prototype

/** Both exist on secure pages only; a private window may refuse. */
async function openFolder({ create } = { create: false }): Promise<FileSystemDirectoryHandle | null> {
  if (!('storage' in navigator) || !('locks' in navigator) || !canWrite()) return null
  const root = await navigator.storage.getDirectory().catch(() => null)
  return root && root.getDirectoryHandle(FOLDER, { create }).catch(() => null)
}
