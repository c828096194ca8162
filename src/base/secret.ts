import { createHash, randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { systemCode } from './system-error.ts'

// Secrets that callers bring back: refresh tokens, mailed codes, states of a link, addresses of videos. They have 256
// random bits; only the hash is stored, so a copy of the database opens nothing.

export const newSecret = (): string => randomBytes(32).toString('base64url')
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const looksLikeSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/**
 * Reads the secret in this file, or creates one that only our account may read. The file is written aside and linked, so
 * that two concurrent first starts agree on one.
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return null
  })
  if (known !== null) return known.trim()
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${newSecret()}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}
