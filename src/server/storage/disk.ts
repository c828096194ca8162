import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { isAlive, systemCode } from '#base/system.ts'
import { BUFFER_BYTES, NotStored, TooLarge } from './storage.ts'
import type { Storage } from './storage.ts'

const KEY = /^[0-9a-f]{32}$/
/** Bytes between syncs, so that the last sync is short whatever the file's size. */
const SYNC_BYTES = 33_554_432
/** A partial file without a write for this long is abandoned, whichever machine wrote it. */
const ABANDONED_MS = 3_600_000

/**
 * Storage in a folder: finished files in `files`, partial ones in `incoming`, on one file system so that a rename is atomic.
 * Several processes, and machines that share the folder, may use it at once under the same system user.
 */
export async function openDisk(root: string): Promise<Storage> {
  const files = path.join(root, 'files')
  const incoming = path.join(root, 'incoming')
  await mkdir(files, { recursive: true, mode: 0o700 })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  const writer = { host: hostname(), pid: process.pid, instance: randomBytes(4).toString('hex') }

  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new NotStored(key)
    return path.join(files, key)
  }

  return {
    async put(body, { maxBytes, signal }) {
      const key = randomBytes(16).toString('hex')
      const temporary = path.join(incoming, temporaryName(writer, key))
      const handle = await open(temporary, 'wx', 0o600)
      let kept = false
      try {
        const sink = hashingSink(handle, maxBytes)
        await pipeline(body, sink.writable, signal ? { signal } : {})
        await handle.sync()
        await rename(temporary, pathOf(key))
        kept = true
        await syncFolder(files)
        return { key, ...sink.result() }
      } finally {
        await handle.close()
        if (!kept) await rm(temporary, { force: true })
      }
    },

    async read(key, first, last) {
      const handle = await openStored(pathOf(key), key)
      return handle.createReadStream({ start: first, end: last, highWaterMark: BUFFER_BYTES })
    },

    stat: async (key) => (KEY.test(key) ? sizeOf(pathOf(key)) : null),

    async delete(key) {
      await rm(pathOf(key), { force: true })
    },

    async *list() {
      for await (const { name } of await opendir(files)) {
        const found = await stat(pathOf(name)).catch((error: unknown) => {
          if (!isMissing(error)) throw error
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

/** Writes and hashes in parallel, in the order of arrival. */
function hashingSink(handle: FileHandle, maxBytes: number) {
  const hash = createHash('sha256')
  let size = 0
  let synced = 0
  let isSyncing = false
  // The system reports a failed sync only once, so keep the first failure until the end.
  let syncs: Promise<void> = Promise.resolve()
  const syncOn = async (earlier: Promise<void>) => {
    await earlier
    await handle.datasync()
    isSyncing = false
  }
  const take = async (chunks: Buffer[]) => {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (size + bytes > maxBytes) throw new TooLarge(maxBytes)
    const written = writeAll(handle, chunks, size, bytes)
    for (const chunk of chunks) hash.update(chunk)
    await written
    size += bytes
    if (isSyncing || size - synced < SYNC_BYTES) return
    isSyncing = true
    synced = size
    syncs = syncOn(syncs)
    syncs.catch(() => {})
  }
  const takeThen = callbackify(take)
  const writable = new Writable({
    highWaterMark: BUFFER_BYTES,
    write: (chunk: Buffer, _encoding, done) => takeThen([chunk], done),
    // Not in object mode, so every chunk is a Buffer.
    writev: (entries, done) =>
      takeThen(
        entries.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    final: callbackify(() => syncs),
  })
  return { writable, result: () => ({ size, sha256: hash.digest('hex') }) }
}

async function writeAll(handle: FileHandle, chunks: Buffer[], position: number, bytes: number) {
  const { bytesWritten } = await handle.writev(chunks, position)
  if (bytesWritten === bytes) return
  // A short write means a nearly full disk; the next write succeeds or returns the error.
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  const { bytesWritten: more } = await handle.write(rest, 0, rest.length, position + bytesWritten)
  if (more !== rest.length) throw new Error(`The disk took ${bytesWritten + more} of ${bytes} bytes`)
}

/** A rename is durable only once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function openStored(file: string, key: string): Promise<FileHandle> {
  return open(file, 'r').catch((error: unknown) => {
    throw isMissing(error) ? new NotStored(key, { cause: error }) : error
  })
}

async function sizeOf(file: string): Promise<{ size: number } | null> {
  return stat(file).then(
    ({ size }) => ({ size }),
    (error: unknown) => {
      if (isMissing(error)) return null
      throw error
    },
  )
}

const isMissing = (error: unknown) => systemCode(error) === 'ENOENT'

type Writer = { readonly host: string; readonly pid: number; readonly instance: string }

const temporaryName = ({ host, pid, instance }: Writer, key: string) =>
  `${key}.${pid}.${instance}.${host}.part`

/** A restarted container has the same host name and often the same process id, so add a random instance id. */
async function isAbandoned(file: string, name: string, self: Writer): Promise<boolean> {
  const [, pid, instance, ...rest] = name.split('.')
  const host = rest.slice(0, -1).join('.')
  if (host === self.host && Number(pid) === self.pid) return instance !== self.instance
  if (host === self.host && !isAlive(Number(pid))) return true
  const idleMs = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0, // finished or deleted by its process meanwhile
  )
  return idleMs > ABANDONED_MS
}
