import { calculateJwkThumbprint, createLocalJWKSet, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Db } from '../db/open.ts'
import type { Sealer } from '../seal.ts'
import { StartError } from '../start-error.ts'

export const ALGORITHM = 'RS256'

/** The key that signs, and every public key by which tokens still out may be checked. */
export type Keys = {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly published: JSONWebKeySet
  readonly getKey: JWTVerifyGetKey
}

const PublicJwk = z.object({
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal(ALGORITHM),
})

/**
 * Reads the keys, making the first one where there is none.
 * @throws StartError when `SECRET_KEY` is not the one that sealed them.
 */
export async function loadKeys(db: Db, sealer: Sealer): Promise<Keys> {
  const known = await readKeys(db, sealer)
  if (known) return known
  await makeKey(db, sealer)
  const made = await readKeys(db, sealer)
  if (!made) throw new Error('No signing key, although one was just made.')
  return made
}

async function readKeys(db: Db, sealer: Sealer): Promise<Keys | null> {
  const rows = await db.selectFrom('identity_keys').selectAll().execute()
  const current = rows.find((row) => row.state === 'current')
  if (!current) return null
  const privateKey = await importJWK(openPrivate(sealer, current.private_jwk), ALGORITHM)
  if (privateKey instanceof Uint8Array) throw new Error('The signing key is not an RSA key.')
  const published = { keys: rows.map((row) => PublicJwk.parse(row.public_jwk)) }
  return { kid: current.kid, privateKey, published, getKey: createLocalJWKSet(published) }
}

/** Two processes may come here at once: the index lets one key in, and both then read that one. */
async function makeKey(db: Db, sealer: Sealer): Promise<void> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true })
  const { kty, n, e } = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(pair.publicKey)
  const publicJwk = PublicJwk.parse({ kty, n, e, kid, use: 'sig', alg: ALGORITHM })
  await db
    .insertInto('identity_keys')
    .values({
      kid,
      state: 'current',
      public_jwk: publicJwk,
      private_jwk: sealer.seal(JSON.stringify(await exportJWK(pair.privateKey))),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const PrivateJwk = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string(), d: z.string() })

function openPrivate(sealer: Sealer, sealed: Buffer) {
  try {
    return PrivateJwk.parse(JSON.parse(sealer.open(sealed)))
  } catch (cause) {
    throw new StartError(
      "SECRET_KEY is not the one that sealed this database's signing key: set that one, or put it after the new one, with a comma between.",
      { cause },
    )
  }
}
