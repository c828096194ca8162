import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { callbackify } from 'node:util'
import { BUFFER_BYTES, NotStored, TooLarge } from './storage.ts'
import type { Storage } from './storage.ts'

const KEY = /^[0-9a-f]{32}$/
/** A file that nobody has written to for this long belongs to nobody, wherever its process ran. */
const ABANDONED_MS = 3_600_000

/**
 * Storage in a folder: finished files in `files`, those on their way in `incoming`, on one file system so that a rename
 * is atomic. Several processes, and machines that share the folder, may use it at once.
 */
export async function openDisk(root: string): Promise<Storage> {
  const files = path.join(root, 'files')
  const incoming = path.join(root, 'incoming')
  await mkdir(files, { recursive: true })
  await mkdir(incoming, { recursive: true })
  const writer = { host: hostname(), pid: process.pid, instance: randomBytes(4).toString('hex') }

  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new NotStored(key)
    return path.join(files, key)
  }

  return {
    async put(body, { maxBytes, signal }) {
      const key = randomBytes(16).toString('hex')
      const temporary = path.join(incoming, temporaryName(writer, key))
      const handle = await open(temporary, 'wx')
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

    async sweep() {
      for (const name of await readdir(incoming)) {
        const file = path.join(incoming, name)
        if (await isAbandoned(file, name, writer)) await rm(file, { force: true })
      }
    },
  }
}

/**
 * Gathers what comes in one of two buffers while the other is written: the disk and the processor work at the same time,
 * and no piece outlives its arrival, which would make it costly garbage.
 */
function hashingSink(handle: FileHandle, maxBytes: number) {
  const hash = createHash('sha256')
  let [filling, spare] = [Buffer.allocUnsafe(BUFFER_BYTES), Buffer.allocUnsafe(BUFFER_BYTES)]
  let filled = 0
  let position = 0
  let size = 0
  let writing: Promise<void> = Promise.resolve()

  const flush = async () => {
    await writing
    const full = filling.subarray(0, filled)
    writing = writeAll(handle, full, position)
    // Whoever waits for it next hears of its failure; until then it is nobody's unhandled rejection.
    writing.catch(() => {})
    position += filled
    filled = 0
    ;[filling, spare] = [spare, filling]
  }
  /** All of the chunk that there is room for; most chunks fit, and cost no promise. */
  const copy = (chunk: Buffer, from: number): number => {
    const copied = chunk.copy(filling, filled, from)
    filled += copied
    return from + copied
  }
  const copyRest = callbackify(async (chunk: Buffer, from: number) => {
    let taken = from
    do {
      await flush()
      taken = copy(chunk, taken)
    } while (taken < chunk.length)
  })
  const finish = async () => {
    await flush()
    await writing
  }
  const writable = new Writable({
    highWaterMark: BUFFER_BYTES / 4,
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes) return done(new TooLarge(maxBytes))
      hash.update(chunk)
      const taken = copy(chunk, 0)
      if (filled < BUFFER_BYTES) done()
      else copyRest(chunk, taken, done)
    },
    final: callbackify(finish),
  })
  return { writable, result: () => ({ size, sha256: hash.digest('hex') }) }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

/** A rename is safe only once the folder that holds the name is on the medium. */
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

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

type Writer = { readonly host: string; readonly pid: number; readonly instance: string }

const temporaryName = ({ host, pid, instance }: Writer, key: string) =>
  `${key}.${pid}.${instance}.${host}.part`

/** A container that starts again has the same host name and often the same process id: the instance tells them apart. */
async function isAbandoned(file: string, name: string, self: Writer): Promise<boolean> {
  const [, pid, instance, ...rest] = name.split('.')
  const host = rest.slice(0, -1).join('.')
  if (host === self.host && Number(pid) === self.pid) return instance !== self.instance
  if (host === self.host && !isAlive(Number(pid))) return true
  const idleMs = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0, // its process has just finished or swept it
  )
  return idleMs > ABANDONED_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Node has no other way to ask; EPERM means that it lives under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
