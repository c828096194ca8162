import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** For data that must stay secret in a copy of the database: tokens, upload addresses, private keys. */
export type Encrypter = {
  encrypt(text: string): Buffer
  /** Throws when the bytes were tampered with, or encrypted by an unknown key. */
  decrypt(encrypted: Buffer): string
  /** HMAC under the newest secret, for values that are only compared and too few for a plain hash. */
  mac(text: string): Buffer
  hasKeyOf(encrypted: Buffer): boolean
  /** The first bytes of everything that the newest secret encrypted. */
  readonly mark: Buffer
}

const KEY_ID_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM. The first secret encrypts, all of them decrypt: to rotate, put the new one in front of the old.
 * Layout: key id (4 bytes), nonce (12), tag (16), ciphertext.
 */
export function createEncrypter(secrets: readonly [string, ...string[]]): Encrypter {
  const keys = secrets.map((secret) => createHash('sha256').update(`reelay seal ${secret}`).digest())
  const byId = new Map(keys.map((key) => [keyId(key).toString('hex'), key]))
  const [current = Buffer.alloc(0)] = keys // the tuple has at least one

  // Separate from the encrypting key.
  const macKey = createHash('sha256').update(`reelay mac ${secrets[0]}`).digest()

  const findKey = (encrypted: Buffer) => byId.get(encrypted.subarray(0, KEY_ID_BYTES).toString('hex'))
  return {
    mark: keyId(current),
    hasKeyOf: (encrypted) => findKey(encrypted) !== undefined,
    mac: (text) => createHmac('sha256', macKey).update(text).digest(),
    encrypt(text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current, iv)
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([keyId(current), iv, cipher.getAuthTag(), encrypted])
    },
    decrypt(encrypted) {
      const key = findKey(encrypted)
      if (!key) throw new Error('Encrypted with a key that is not in SECRET_KEY.')
      const iv = encrypted.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES)
      const tag = encrypted.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, iv)
      decipher.setAuthTag(tag)
      const text = Buffer.concat([
        decipher.update(encrypted.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ])
      return text.toString('utf8')
    },
  }
}

const keyId = (key: Buffer) => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES)
