import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { z } from 'zod'
import { StartError } from '#base/start-error.ts'
import type { Documents } from '../storage/documents.ts'

const Saved = z.object({ salt: z.base64(), iv: z.base64(), tag: z.base64(), encrypted: z.base64() })

const CIPHER = 'aes-256-gcm'
/** A guess at the passphrase costs a tenth of a second and 128 MB. */
const SCRYPT = { N: 131_072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

const NAME = 'secret-key.json'
const fromBase64 = (text: string) => Buffer.from(text, 'base64')

/** Saves the server's secret beside its backups, encrypted by a passphrase. */
export async function saveKey(documents: Documents, secret: string, passphrase: string): Promise<void> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv(CIPHER, scryptSync(passphrase, salt, 32, SCRYPT), iv)
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()])
  const saved = { salt, iv, tag: cipher.getAuthTag(), encrypted }
  const text = Object.fromEntries(
    Object.entries(saved).map(([name, bytes]) => [name, bytes.toString('base64')]),
  )
  await documents.write(NAME, JSON.stringify(text))
}

/** null: none was saved. @throws StartError for another passphrase */
export async function readSavedKey(documents: Documents, passphrase: string): Promise<string | null> {
  const text = await documents.read(NAME)
  if (text === null) return null
  try {
    const { salt, iv, tag, encrypted } = Saved.parse(JSON.parse(text))
    const decipher = createDecipheriv(
      CIPHER,
      scryptSync(passphrase, fromBase64(salt), 32, SCRYPT),
      fromBase64(iv),
    )
    decipher.setAuthTag(fromBase64(tag))
    return Buffer.concat([decipher.update(fromBase64(encrypted)), decipher.final()]).toString()
  } catch (cause) {
    throw new StartError(
      'The saved key cannot be read: BACKUP_PASSPHRASE is not the one with which it was saved, or its file is damaged.',
      { cause },
    )
  }
}
