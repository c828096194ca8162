import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, type JWTVerifyGetKey, SignJWT } from 'jose'
import { z } from 'zod'
import { ALGORITHM } from './key-rotation.ts'
import type { IdentityUser } from '../store/users.ts'
import type { Keys } from './keys.ts'

export const ID_TOKEN_TTL_S = 3600
export const CLOCK_TOLERANCE_S = 10

export type Claims = {
  readonly uid: string
  /** A hosted service may have users without one. */
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  /** When the user signed in, in seconds; a refreshed token keeps it. */
  readonly authTime: number
}

export type Issuer = { readonly url: string; readonly audience: string }

export type TokenSubject = {
  readonly user: IdentityUser
  readonly authTime: number
}

/** Uses the claims of Firebase ID tokens, so that verifiers made for those accept ours. */
export async function issueIdToken(
  keys: Pick<Keys, 'signing'>,
  issuer: Issuer,
  subject: TokenSubject,
  now: number,
): Promise<string> {
  // `validSince` of a password reset is the next whole second; `iat` must not be before it.
  const issuedAt = Math.max(Math.floor(now / 1000), subject.authTime)
  const { uid, email, email_verified, display_name: name, photo_url: picture } = subject.user
  const { kid, privateKey } = await keys.signing()
  return (
    new SignJWT({
      auth_time: subject.authTime,
      user_id: uid,
      email,
      email_verified,
      ...(name !== null && { name }),
      ...(picture !== null && { picture }),
      firebase: { identities: { email: [email] }, sign_in_provider: 'password' },
    })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
      .setIssuer(issuer.url)
      .setAudience(issuer.audience)
      .setSubject(uid)
      // Two equal tokens of one second would make the SDK drop its refresh token.
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ID_TOKEN_TTL_S)
      .sign(privateKey)
  )
}

const Payload = z.object({
  sub: z.string().min(1).max(128),
  auth_time: z.int().positive(),
  email: z.string().min(1).nullable().default(null),
  email_verified: z.boolean().default(false),
  name: z.string().optional(),
})

/** @returns `null` when the token is not valid now. @throws when the keys cannot be fetched. */
export async function verifyIdToken(
  token: string,
  getKey: JWTVerifyGetKey,
  issuer: Issuer,
  now: number,
): Promise<Claims | null> {
  const payload = await verifyJwt(token, getKey, issuer, now)
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) return null
  const { sub, auth_time, email, email_verified, name } = parsed.data
  if (auth_time > now / 1000 + CLOCK_TOLERANCE_S) return null
  return { uid: sub, email, emailVerified: email_verified, name: name ?? null, authTime: auth_time }
}

async function verifyJwt(
  token: string,
  getKey: JWTVerifyGetKey,
  issuer: Issuer,
  now: number,
): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(token, getKey, {
      algorithms: [ALGORITHM],
      issuer: issuer.url,
      audience: issuer.audience,
      requiredClaims: ['sub', 'iat', 'exp', 'auth_time'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    // Other errors, such as a failed key fetch, say nothing about the token.
    if (error instanceof errors.JOSEError && BAD_TOKEN_CODES.has(error.code)) return null
    throw error
  }
}

const BAD_TOKEN_CODES: ReadonlySet<string> = new Set([
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
