import { errors, jwtVerify, SignJWT } from 'jose'
import type { JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { ALGORITHM } from './key-rotation.ts'
import type { IdentityUser } from '../store/users.ts'
import type { Keys } from './keys.ts'

export const ID_TOKEN_TTL_S = 3600
/** How far the clocks of two machines may be apart. */
const CLOCK_TOLERANCE_S = 10

/** What a valid ID token says about its user. */
export type Claims = {
  readonly uid: string
  /** A hosted service may have users without one. */
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  /** When the user signed in, in seconds; a refreshed token keeps it. */
  readonly authTime: number
}

/** Whose tokens these are, and for whom. */
export type Issuer = { readonly issuer: string; readonly audience: string }

export type TokenSubject = {
  readonly user: IdentityUser
  /** Seconds. */
  readonly authTime: number
}

/** The claims that Firebase puts into an ID token, so that any verifier made for those reads ours. */
export async function issueIdToken(
  keys: Pick<Keys, 'signing'>,
  whose: Issuer,
  subject: TokenSubject,
  now: number,
): Promise<string> {
  // A sign-in within the second of a password reset counts from the next one on (`validSince`): never before it.
  const issuedAt = Math.max(Math.floor(now / 1000), subject.authTime)
  const { uid, email, email_verified, display_name: name, photo_url: picture } = subject.user
  const { kid, privateKey } = await keys.signing()
  return new SignJWT({
    auth_time: subject.authTime,
    user_id: uid,
    email,
    email_verified,
    ...(name !== null && { name }),
    ...(picture !== null && { picture }),
    firebase: { identities: { email: [email] }, sign_in_provider: 'password' },
  })
    .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
    .setIssuer(whose.issuer)
    .setAudience(whose.audience)
    .setSubject(uid)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ID_TOKEN_TTL_S)
    .sign(privateKey)
}

const Payload = z.object({
  sub: z.string().min(1).max(128),
  auth_time: z.int().positive(),
  email: z.string().min(1).nullable().default(null),
  email_verified: z.boolean().default(false),
  name: z.string().optional(),
})

/**
 * @returns `null` for whatever is not a good token of this issuer now.
 * Rejects only when the keys cannot be had.
 */
export async function readIdToken(
  token: string,
  getKey: JWTVerifyGetKey,
  whose: Issuer,
  now: number,
): Promise<Claims | null> {
  const payload = await verified(token, getKey, whose, now)
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) return null
  const { sub, auth_time, email, email_verified, name } = parsed.data
  if (auth_time > now / 1000 + CLOCK_TOLERANCE_S) return null
  return { uid: sub, email, emailVerified: email_verified, name: name ?? null, authTime: auth_time }
}

async function verified(
  token: string,
  getKey: JWTVerifyGetKey,
  whose: Issuer,
  now: number,
): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, getKey, {
      algorithms: [ALGORITHM],
      issuer: whose.issuer,
      audience: whose.audience,
      requiredClaims: ['sub', 'iat', 'exp', 'auth_time'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    // jose throws its "no". Anything else (the provider's keys did not come) is not the token's fault.
    if (error instanceof errors.JOSEError && badToken.has(error.code)) return null
    throw error
  }
}

const badToken: ReadonlySet<string> = new Set([
  errors.JOSEAlgNotAllowed.code,
  errors.JOSENotSupported.code,
  errors.JWSInvalid.code,
  errors.JWSSignatureVerificationFailed.code,
  errors.JWTInvalid.code,
  errors.JWTExpired.code,
  errors.JWTClaimValidationFailed.code,
  errors.JWKSNoMatchingKey.code,
  errors.JWKSMultipleMatchingKeys.code,
])
