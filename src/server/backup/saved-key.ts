import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { StartError } from '#base/start-error.ts'
import { isMissingError } from '../storage/disk-files.ts'

const Saved = z.object({ salt: z.base64(), iv: z.base64(), tag: z.base64(), encrypted: z.base64() })

const CIPHER = 'aes-256-gcm'
/** A guess at the passphrase costs a tenth of a second and 128 MB. */
const SCRYPT = { N: 131_072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const fileOf = (root: string) => path.join(root, 'secret-key.json')
const bytesOf = (text: string) => Buffer.from(text, 'base64')

/** Saves the server's secret beside its backups, encrypted by a passphrase. */
export async function saveKey(root: string, secret: string, passphrase: string): Promise<void> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv(CIPHER, scryptSync(passphrase, salt, 32, SCRYPT), iv)
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()])
  const saved = { salt, iv, tag: cipher.getAuthTag(), encrypted }
  const text = Object.fromEntries(
    Object.entries(saved).map(([name, bytes]) => [name, bytes.toString('base64')]),
  )
  await writeFile(fileOf(root), JSON.stringify(text), { mode: 0o600, flush: true })
}

/** null: none was saved. @throws StartError for another passphrase */
export async function readSavedKey(root: string, passphrase: string): Promise<string | null> {
  const text = await readFile(fileOf(root), 'utf8').catch((error: unknown) => {
    if (isMissingError(error)) return null
    throw error
  })
  if (text === null) return null
  const { salt, iv, tag, encrypted } = Saved.parse(JSON.parse(text))
  const decipher = createDecipheriv(CIPHER, scryptSync(passphrase, bytesOf(salt), 32, SCRYPT), bytesOf(iv))
  decipher.setAuthTag(bytesOf(tag))
  try {
    return Buffer.concat([decipher.update(bytesOf(encrypted)), decipher.final()]).toString()
  } catch (cause) {
    throw new StartError('BACKUP_PASSPHRASE is not the one with which the key was saved.', { cause })
  }
}
