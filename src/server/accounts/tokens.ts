import { z } from 'zod'
import type { Platform, Tokens } from '#platforms/kit/platform.ts'
import type { Encrypter } from '#base/encryption.ts'

export const encryptTokens = (encrypter: Encrypter, tokens: Tokens): Buffer =>
  encrypter.encrypt(JSON.stringify(tokens))

/** Spreads the refreshes of idle accounts that were linked in the same hour. */
export const SPREAD = 0.1

export const accessColumns = (encrypter: Encrypter, platform: Platform, tokens: Tokens) => ({
  tokens: encryptTokens(encrypter, tokens),
  refresh_due_at: new Date(earlier(tokens.issuedAt, platform.idleRefreshAt(tokens))),
  access_ends_at: new Date(tokens.refreshExpiresAt),
  refresh_leased_until: null,
  refresh_failures: 0,
})

const earlier = (from: number, at: number): number => at - Math.random() * SPREAD * Math.max(at - from, 0)

export const decryptTokens = (encrypter: Encrypter, encrypted: Buffer): Tokens =>
  StoredTokens.parse(JSON.parse(encrypter.decrypt(encrypted)))

const StoredTokens = z.object({
  accessToken: z.string(),
  accessExpiresAt: z.number(),
  refreshToken: z.string().nullable(),
  refreshExpiresAt: z.number(),
  issuedAt: z.number(),
})
