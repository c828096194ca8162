import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'

/** A full disk still takes an empty file, and one that compresses takes a file of zeros. */
const PROBE_BYTES = 4096

export async function probeDisk(folder: string): Promise<void> {
  const file = path.join(folder, `.probe-${hostname()}-${process.pid}`)
  try {
    await writeFile(file, randomBytes(PROBE_BYTES), { mode: 0o600, flush: true })
  } finally {
    await rm(file, { force: true })
  }
}
