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

/** The files of this tab, with what returns their locks. */
const own = new Map<string, () => void>()
onDraftsCleared((exceptUid) => {
  // After a lost session the same user's uploads go on, and read them.
  if (exceptUid === null) void removeOwn()
})

/** A file of the browser's own disk space for this site; null: the browser has none, or offers it to other pages only. */
export async function createFixedFile(): Promise<FixedFile | null> {
  const folder = await openFolder({ create: true })
  if (folder === null) return null
  const name = crypto.randomUUID()
  own.set(name, await takeLock(lockOf(name)))
  try {
    return await openFile(folder, name)
  } catch (error) {
    await remove(folder, name)
    throw error
  }
}

async function openFile(folder: FileSystemDirectoryHandle, name: string): Promise<FixedFile> {
  const handle = await folder.getFileHandle(name, { create: true })
  const disk = await handle.createWritable()
  return {
    writable: new WritableStream({
      write: (chunk) => disk.write(chunk),
      close: () => disk.close(),
      abort: (reason) => disk.abort(reason),
    }),
    read: () => handle.getFile(),
    remove: async () => {
      // A file that is open for writing cannot be removed; this one may be closed already.
      await disk.abort().catch(() => undefined)
      await remove(folder, name)
    },
  }
}

/** Resolves with what returns the lock. It ends with the tab at the latest. */
const takeLock = (name: string): Promise<() => void> =>
  new Promise((granted, refused) => {
    const hold = () => new Promise<void>((unlock) => granted(unlock))
    navigator.locks.request(name, hold).catch(refused)
  })

/** Deletes what tabs that are gone have left behind. */
export async function removeAbandonedFiles(): Promise<void> {
  const folder = await openFolder()
  if (folder === null) return
  // The files before the locks: a file that another tab begins meanwhile is not among them.
  const names: string[] = []
  for await (const name of folder.keys()) names.push(name)
  const { held = [] } = await navigator.locks.query()
  const used = new Set(held.map(({ name }) => name))
  for (const name of names) if (!used.has(lockOf(name))) await remove(folder, name)
}

async function removeOwn(): Promise<void> {
  const folder = await openFolder()
  for (const name of own.keys()) if (folder !== null) await remove(folder, name)
}

async function remove(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  // It may be gone, or still be read.
  await folder.removeEntry(name).catch(() => undefined)
  own.get(name)?.()
  own.delete(name)
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
