import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

/** Encrypts what must not be read from a copy of the database: tokens, upload addresses, private keys. */
export type Sealer = {
  seal(text: string): Buffer
  /** Throws when the bytes were tampered with or sealed by a key that we do not have. */
  open(sealed: Buffer): string
  /** HMAC under the newest secret, for what is only compared and has too few values for a plain hash. */
  mac(text: string): Buffer
  /** What everything that the newest secret sealed begins with. */
  readonly mark: Buffer
}

const KEY_ID_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM. The first secret seals, all of them open: to rotate, put the new one in front of the old.
 * Layout: key id (4 bytes), nonce (12), tag (16), ciphertext.
 */
export function createSealer(secrets: readonly [string, ...string[]]): Sealer {
  const keys = secrets.map((secret) => createHash('sha256').update(`reelay seal ${secret}`).digest())
  const byId = new Map(keys.map((key) => [idOf(key).toString('hex'), key]))
  const [current = Buffer.alloc(0)] = keys // the tuple has at least one

  // Not the key that encrypts.
  const macKey = createHash('sha256').update(`reelay mac ${secrets[0]}`).digest()

  return {
    mark: idOf(current),
    mac: (text) => createHmac('sha256', macKey).update(text).digest(),
    seal(text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current, iv)
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([idOf(current), iv, cipher.getAuthTag(), sealed])
    },
    open(sealed) {
      const key = byId.get(sealed.subarray(0, KEY_ID_BYTES).toString('hex'))
      if (!key) throw new Error('Sealed with a key that is not in SECRET_KEY.')
      const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES)
      const tag = sealed.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, iv)
      decipher.setAuthTag(tag)
      const text = Buffer.concat([
        decipher.update(sealed.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES)),
        decipher.final(),
      ])
      return text.toString('utf8')
    },
  }
}

const idOf = (key: Buffer) => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES)
