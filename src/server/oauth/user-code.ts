import { randomInt } from 'node:crypto'
import type { Encrypter } from '#base/encryption.ts'

/** Consonants only: no code is a word, and none has a 0 or an O (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const HALF = 4

/** Such as BCDF-GHJK: 34 bits, which last ten minutes and are guessed only by users, a few at a time. */
export function newUserCode(): string {
  const letters = Array.from({ length: 2 * HALF }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
}

/** The same for all ways to type it. */
export const userCodeMac = (encrypter: Encrypter, typed: string): Buffer =>
  encrypter.mac(`user code ${typed.toUpperCase().replace(/[^A-Z]/g, '')}`)
