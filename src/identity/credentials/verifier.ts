import { createHash } from 'node:crypto'
import { decodeJwt, type JWTHeaderParameters, type JWTVerifyGetKey } from 'jose'
import { CLOCK_TOLERANCE_S, type Claims, type Issuer, verifyIdToken } from './tokens.ts'

/** About 600 bytes each. */
const REMEMBERED_MAX = 5_000

type Key = Awaited<ReturnType<JWTVerifyGetKey>>
type VerifiedToken = {
  readonly claims: Claims
  readonly header: JWTHeaderParameters
  readonly key: Key
  readonly expires: number
  readonly checkedAt: number
}

/** Our key sources read only the header. */
const NO_JWS = { payload: '', signature: '' }

/**
 * Verifies ID tokens, and a token's signature only once while its key is the same object: a key that was read again or replaced is another
 * object. Like `verifyIdToken`, it does not check revocation.
 */
export function createIdTokenVerifier(
  getKey: JWTVerifyGetKey,
  issuer: Issuer,
  max = REMEMBERED_MAX,
): (token: string, now: number) => Promise<Claims | null> {
  // Keyed by hash, so that no token stays in memory; the least recently used entry comes first.
  const remembered = new Map<string, VerifiedToken>()

  const findKey = async (header: JWTHeaderParameters): Promise<Key> => getKey(header, NO_JWS)
  const verifyAnew = async (token: string, hash: string, now: number): Promise<Claims | null> => {
    let used: Pick<VerifiedToken, 'header' | 'key'> | null = null
    const noteKey: JWTVerifyGetKey = async (header, jws) => {
      const key = await getKey(header, jws)
      used = { header, key }
      return key
    }
    const claims = await verifyIdToken(token, noteKey, issuer, now)
    remembered.delete(hash)
    if (claims === null || used === null) return claims
    const { header, key }: Pick<VerifiedToken, 'header' | 'key'> = used
    remembered.set(hash, { claims, header, key, expires: decodeJwt(token).exp ?? 0, checkedAt: now })
    const [oldest] = remembered.keys()
    if (remembered.size > max && oldest !== undefined) remembered.delete(oldest)
    return claims
  }

  return async (token, now) => {
    const hash = createHash('sha256').update(token).digest('base64')
    const found = remembered.get(hash)
    if (!found || !isInTime(found, now)) return verifyAnew(token, hash, now)
    // A failure is reported when `verifyIdToken` asks for the key again.
    const key = await findKey(found.header).catch(() => null)
    if (key !== found.key) return verifyAnew(token, hash, now)
    if (remembered.delete(hash)) remembered.set(hash, found)
    return found.claims
  }
}

/** The same comparison as jose's. A clock that was set back makes every token be checked again. */
const isInTime = ({ expires, checkedAt }: VerifiedToken, now: number): boolean =>
  now >= checkedAt && expires > Math.floor(now / 1000) - CLOCK_TOLERANCE_S
