import { createHash, randomBytes } from 'node:crypto'

// Secrets that callers bring back: refresh tokens, mailed codes, states of a link, addresses of videos. They have 256
// random bits; only the hash is stored, so a copy of the database opens nothing.

export const newSecret = (): string => randomBytes(32).toString('base64url')
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const looksLikeSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
