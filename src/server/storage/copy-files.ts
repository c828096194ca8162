import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Storage } from './storage.ts'

export type CopyReport = {
  readonly copied: number
  /** They were there already, with the same bytes. */
  readonly same: number
  /** Uploads that are not finished: they begin anew. */
  readonly unfinished: number
}

/**
 * Copies all files to another storage, under their keys, and reads each of them back. It may be stopped and called again.
 * @throws Error where what was read back differs
 */
export async function copyFiles(from: Storage, to: Storage): Promise<CopyReport> {
  const report = { copied: 0, same: 0, unfinished: 0 }
  for await (const { key } of from.list()) {
    const size = (await from.stat(key))?.size
    if (size === undefined) {
      report.unfinished += 1
      continue
    }
    const sha256 = await hashOf(from, key, size)
    if ((await to.stat(key))?.size === size && (await hashOf(to, key, size)) === sha256) {
      report.same += 1
      continue
    }
    await to.delete(key)
    await to.put(size === 0 ? Readable.from([]) : await from.read(key, 0, size - 1), { maxBytes: size, key })
    if ((await hashOf(to, key, size)) !== sha256)
      throw new Error(`${key} was read back with other bytes than were copied. Run the command again.`)
    report.copied += 1
  }
  return report
}

async function hashOf(storage: Storage, key: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  if (size === 0) return hash.digest('hex')
  for await (const chunk of (await storage.read(key, 0, size - 1)) as AsyncIterable<Buffer>)
    hash.update(chunk)
  return hash.digest('hex')
}
