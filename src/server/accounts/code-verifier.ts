import type { Encrypter } from '#base/encryption.ts'

/** RFC 7636: a secret per attempt. It follows from the state, whose hash alone is stored, and from our secret, which no browser has. */
export const codeVerifierOf = (encrypter: Pick<Encrypter, 'mac'>, state: string): string =>
  encrypter.mac(`code verifier ${state}`).toString('base64url')
