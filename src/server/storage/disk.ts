import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isProcessAlive } from '#base/process-info.ts'
import {
  storagePath,
  isKey,
  isMissingError,
  newKey,
  openStored,
  statStored,
  syncFolder,
} from './disk-files.ts'
import { openDiskParts } from './disk-parts.ts'
import { createRoomCheck, readDiskRoom } from './disk-room.ts'
import { hashingSink } from './hashing-sink.ts'
import { probeDisk } from './probe-disk.ts'
import { BUFFER_BYTES } from './storage.ts'
import type { Storage } from './storage.ts'

/** A partial file without a write for this long is abandoned, whichever machine wrote it. */
const ABANDONED_MS = 3_600_000

/**
 * Stores finished files in `files`, others in `incoming` (one stream) and `partial` (in parts), on one file system so that
 * a rename is atomic. Several processes, also on machines that share the folder, may use it at once under the same system
 * user.
 */
export async function openDisk(root: string): Promise<Storage> {
  const files = path.join(root, 'files')
  const incoming = path.join(root, 'incoming')
  await mkdir(files, { recursive: true, mode: 0o700 })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const partial = path.join(root, 'partial')
  const room = () => readDiskRoom(root)
  const parts = await openDiskParts({ files, partial, room })
  const writer = { host: hostname(), pid: process.pid, instance: randomBytes(4).toString('hex') }

  return {
    async put(body, { maxBytes, signal, key = newKey() }) {
      const temporary = path.join(incoming, temporaryName(writer, key))
      const handle = await open(temporary, 'wx', 0o600)
      let kept = false
      try {
        const hash = createHash('sha256')
        const sink = hashingSink(handle, { hash, maxBytes, assertRoom: createRoomCheck(room) })
        await pipeline(body, sink.writable, signal ? { signal } : {})
        await handle.sync()
        await rename(temporary, storagePath(files, key))
        kept = true
        await syncFolder(files)
        return { key, size: await sink.written(), sha256: hash.digest('hex') }
      } finally {
        await handle.close()
        if (!kept) await rm(temporary, { force: true })
      }
    },

    parts,
    room,
    probe: () => probeDisk(root),

    async read(key, first, last) {
      const handle = await openStored(files, key)
      return handle.createReadStream({ start: first, end: last, highWaterMark: BUFFER_BYTES })
    },

    stat: (key) => statStored(files, key),

    async delete(key) {
      parts.forget(key)
      // In this order, or a file that is renamed meanwhile would stay.
      await rm(storagePath(partial, key), { force: true })
      await rm(storagePath(files, key), { force: true })
    },

    async *list() {
      for (const folder of [partial, files])
        for await (const { name } of await opendir(folder)) {
          // File systems keep files of their own, such as `.nfs…` and `lost+found`.
          if (!isKey(name)) continue
          const found = await stat(storagePath(folder, name)).catch((error: unknown) => {
            if (!isMissingError(error)) throw error
            return null
          })
          if (found) yield { key: name, storedAt: found.mtimeMs }
        }
    },

    async sweep() {
      for (const name of await readdir(incoming)) {
        const file = path.join(incoming, name)
        if (await isAbandoned(file, name, writer)) await rm(file, { force: true })
      }
    },
  }
}

type Writer = { readonly host: string; readonly pid: number; readonly instance: string }

const temporaryName = ({ host, pid, instance }: Writer, key: string) =>
  `${key}.${pid}.${instance}.${host}.part`

/** A restarted container has the same host name and often the same process id, hence the random instance id. */
async function isAbandoned(file: string, name: string, self: Writer): Promise<boolean> {
  const [, pid, instance, ...rest] = name.split('.')
  const host = rest.slice(0, -1).join('.')
  if (host === self.host && Number(pid) === self.pid) return instance !== self.instance
  if (host === self.host && !isProcessAlive(Number(pid))) return true
  const idleMs = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0, // finished or deleted by its process meanwhile
  )
  return idleMs > ABANDONED_MS
}
