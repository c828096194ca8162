import type { Storage } from './storage.ts'
import { hashWholeFile, readWholeFile } from './whole-file.ts'

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
    const sha256 = await hashWholeFile(from, key, size)
    if ((await to.stat(key))?.size === size && (await hashWholeFile(to, key, size)) === sha256) {
      report.same += 1
      continue
    }
    await to.delete(key)
    await to.put(await readWholeFile(from, key, size), { maxBytes: size, key })
    if ((await hashWholeFile(to, key, size)) !== sha256)
      throw new Error(`${key} was read back with other bytes than were copied. Run the command again.`)
    report.copied += 1
  }
  return report
}
