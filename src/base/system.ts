import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

// What the operating system is asked in more than one place.

/** What the operating system calls the error, such as `ENOENT`; `null` when it is no system error. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Whether any process has this id now. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Node has no other way to ask; EPERM means that it lives under another user.
    return systemCode(error) === 'EPERM'
  }
}

/**
 * The secret in this file: 256 bits, made once, that only our account may read. Written aside and linked, so that two first
 * starts at once agree on one.
 */
export async function ownSecret(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return null
  })
  if (known !== null) return known.trim()
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}
