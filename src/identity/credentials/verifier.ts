import { createHash } from 'node:crypto'
import { decodeJwt, type JWTHeaderParameters, type JWTVerifyGetKey } from 'jose'
import { CLOCK_TOLERANCE_S, type Claims, type Issuer, verifyIdToken } from './tokens.ts'

/** About 600 bytes each. */
const REMEMBERED_MAX = 5_000

type Key = Awaited<ReturnType<JWTVerifyGetKey>>
type Remembered = {
  readonly claims: Claims
  readonly header: JWTHeaderParameters
  readonly key: Key
  /** Seconds. */
  readonly expires: number
  /** Epoch ms. */
  readonly checkedAt: number
}

/** The sources of our keys read the header alone. */
const NO_JWS = { payload: '', signature: '' }

/**
 * `verifyIdToken` that checks the signature of a token once for as long as its key is the same object: a key that was
 * read again, replaced or withdrawn is another one. Says nothing about revocation, as `verifyIdToken` does not.
 */
export function createVerifier(
  getKey: JWTVerifyGetKey,
  issuer: Issuer,
  max = REMEMBERED_MAX,
): (token: string, now: number) => Promise<Claims | null> {
  // By hash, so that no token lies in memory; the least recently used comes first.
  const remembered = new Map<string, Remembered>()

  const keyOf = async (header: JWTHeaderParameters): Promise<Key> => getKey(header, NO_JWS)
  const verifyAnew = async (token: string, hash: string, now: number): Promise<Claims | null> => {
    let used: Pick<Remembered, 'header' | 'key'> | null = null
    const noteKey: JWTVerifyGetKey = async (header, jws) => {
      const key = await getKey(header, jws)
      used = { header, key }
      return key
    }
    const claims = await verifyIdToken(token, noteKey, issuer, now)
    remembered.delete(hash)
    if (claims === null || used === null) return claims
    const { header, key }: Pick<Remembered, 'header' | 'key'> = used
    remembered.set(hash, { claims, header, key, expires: decodeJwt(token).exp ?? 0, checkedAt: now })
    const [oldest] = remembered.keys()
    if (remembered.size > max && oldest !== undefined) remembered.delete(oldest)
    return claims
  }

  return async (token, now) => {
    const hash = createHash('sha256').update(token).digest('base64')
    const found = remembered.get(hash)
    if (!found || !isInTime(found, now)) return verifyAnew(token, hash, now)
    // A failure says why when the key is asked for again.
    const key = await keyOf(found.header).catch(() => null)
    if (key !== found.key) return verifyAnew(token, hash, now)
    if (remembered.delete(hash)) remembered.set(hash, found)
    return found.claims
  }
}

/** As jose compares. A clock that was set back has all times checked again. */
const isInTime = ({ expires, checkedAt }: Remembered, now: number): boolean =>
  now >= checkedAt && expires > Math.floor(now / 1000) - CLOCK_TOLERANCE_S
