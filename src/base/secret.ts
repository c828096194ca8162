import { createHash, randomBytes } from 'node:crypto'

// What we give out to be brought back once or for a while: a refresh token, a mailed code, the state of a link, the address of
// a video. 256 bits that cannot be guessed; only the hash is kept, so that a copy of the database opens nothing.

/** 43 characters that may stand in an address. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()
export const looksLikeSecret = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
