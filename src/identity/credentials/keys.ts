import { createLocalJWKSet, errors, importJWK } from 'jose'
import type { CryptoKey, JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import { ttlCache } from '#base/ttl-cache.ts'
import type { Encrypter } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { ALGORITHM, rotateKeys } from './key-rotation.ts'

/** Signing keys in the database, which any process may rotate. Read again after a few seconds, and when a token names an unknown key. */
export type Keys = {
  signing(): Promise<SigningKey>
  published(): Promise<JSONWebKeySet>
  readonly getKey: JWTVerifyGetKey
}

export type SigningKey = { readonly kid: string; readonly privateKey: CryptoKey }

/** Within this time every process refuses a key that was withdrawn. */
export const KEYS_TTL_MS = 2_000
/** Tokens with invented key ids cause one query per interval in total. */
const REFETCH_INTERVAL_MS = 250

export type KeyDeps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
}

/** Reads the keys, and creates the first one. @throws StartError when `SECRET_KEY` cannot decrypt them. */
export async function openKeys(deps: KeyDeps): Promise<Keys> {
  if ((await readKeys(deps.db)) === null) await rotateKeys(deps, { kind: 'ensure' })
  const keys = ttlCache(
    async () => {
      const found = await readKeys(deps.db)
      if (!found) throw new Error('There is no signing key in the database.')
      return found
    },
    { goodForMs: KEYS_TTL_MS, restMs: REFETCH_INTERVAL_MS },
  )
  let opened: SigningKey | null = null
  const signing = async (): Promise<SigningKey> => {
    const { current } = await keys.get()
    if (opened?.kid !== current.kid) {
      opened = { kid: current.kid, privateKey: await importPrivateKey(deps.encrypter, current.private_jwk) }
    }
    return opened
  }
  await signing()
  return {
    signing,
    published: async () => (await keys.get()).published,
    async getKey(header, token) {
      const { kid } = header
      // Our tokens always name their key. Without `kid`, jose accepts any token while there is only one key.
      if (kid === undefined) throw new errors.JWKSNoMatchingKey()
      const recent = await keys.get()
      const known = recent.kids.has(kid) ? recent : await keys.reload()
      return known.find(header, token)
    },
  }
}

const PublicJwk = z.object({
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal(ALGORITHM),
})

type LoadedKeys = {
  readonly current: { readonly kid: string; readonly private_jwk: Buffer }
  readonly kids: ReadonlySet<string>
  readonly published: JSONWebKeySet
  readonly find: JWTVerifyGetKey
}

async function readKeys(db: Db): Promise<LoadedKeys | null> {
  const rows = await db.selectFrom('identity_keys').selectAll().orderBy('created_at', 'desc').execute()
  const current = rows.find((row) => row.state === 'current')
  if (!current) return null
  const published = { keys: rows.map((row) => PublicJwk.parse(row.public_jwk)) }
  const kids = new Set(rows.map(({ kid }) => kid))
  return { current, kids, published, find: createLocalJWKSet(published) }
}

const PrivateJwk = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string(), d: z.string() })

async function importPrivateKey(encrypter: Encrypter, encrypted: Buffer): Promise<CryptoKey> {
  const privateKey = await importJWK(decryptJwk(encrypter, encrypted), ALGORITHM)
  if (privateKey instanceof Uint8Array) throw new Error('The signing key is not an RSA key.')
  return privateKey
}

function decryptJwk(encrypter: Encrypter, encrypted: Buffer) {
  try {
    return PrivateJwk.parse(JSON.parse(encrypter.decrypt(encrypted)))
  } catch (cause) {
    throw new StartError(
      "SECRET_KEY cannot decrypt this database's signing key. Set the previous secret, alone or after the new one with a comma between.",
      { cause },
    )
  }
}
