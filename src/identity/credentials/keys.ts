import { createLocalJWKSet, errors, importJWK } from 'jose'
import type { CryptoKey, JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Db } from '#base/db/open.ts'
import { keepFresh } from '#base/ttl-cache.ts'
import type { Sealer } from '#base/encryption.ts'
import { StartError } from '#base/start-error.ts'
import { ALGORITHM, rotateKeys } from './key-rotation.ts'

/**
 * The keys as they stand in the database, whoever changes them there: `key-rotation.ts`, in any process. None is told of a change. Each reads
 * them again when what it knows is a few seconds old, and when a token names a key that it does not know.
 */
export type Keys = {
  /** The key that signs now. */
  signing(): Promise<SigningKey>
  /** Every public key by which a token that is out may be checked, or will be. */
  published(): Promise<JSONWebKeySet>
  readonly getKey: JWTVerifyGetKey
}

export type SigningKey = { readonly kid: string; readonly privateKey: CryptoKey }

/** How long a process may go on with the keys it knows: a key that was withdrawn is refused everywhere after it. */
export const KEYS_GOOD_FOR_MS = 2_000
/** Strangers may name as many keys as they like: they are looked for together, so many milliseconds apart. */
const LOOKS_APART_MS = 250

export type KeyDeps = {
  readonly db: Db
  readonly sealer: Sealer
  /** Epoch ms. */
  readonly now: () => number
}

/**
 * Opens the keys, making the first one where there is none.
 * @throws StartError when `SECRET_KEY` is not the one that sealed them.
 */
export async function openKeys(deps: KeyDeps): Promise<Keys> {
  if ((await readKeys(deps.db)) === null) await rotateKeys(deps, { kind: 'begin' })
  const keys = keepFresh(
    async () => {
      const found = await readKeys(deps.db)
      if (!found) throw new Error('There is no signing key.')
      return found
    },
    { goodForMs: KEYS_GOOD_FOR_MS, restMs: LOOKS_APART_MS },
  )
  let opened: SigningKey | null = null
  const signing = async (): Promise<SigningKey> => {
    const { current } = await keys.recent()
    if (opened?.kid !== current.kid) {
      opened = { kid: current.kid, privateKey: await openPrivate(deps.sealer, current.private_jwk) }
    }
    return opened
  }
  await signing()
  return {
    signing,
    published: async () => (await keys.recent()).published,
    async getKey(header, token) {
      const { kid } = header
      // Ours always names its key. Without a name the one key that there is would do, until there are two.
      if (kid === undefined) throw new errors.JWKSNoMatchingKey()
      const recent = await keys.recent()
      const known = recent.kids.has(kid) ? recent : await keys.anew()
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

type Known = {
  readonly current: { readonly kid: string; readonly private_jwk: Buffer }
  readonly kids: ReadonlySet<string>
  readonly published: JSONWebKeySet
  readonly find: JWTVerifyGetKey
}

async function readKeys(db: Db): Promise<Known | null> {
  const rows = await db.selectFrom('identity_keys').selectAll().orderBy('created_at', 'desc').execute()
  const current = rows.find((row) => row.state === 'current')
  if (!current) return null
  const published = { keys: rows.map((row) => PublicJwk.parse(row.public_jwk)) }
  const kids = new Set(rows.map(({ kid }) => kid))
  return { current, kids, published, find: createLocalJWKSet(published) }
}

const PrivateJwk = z.looseObject({ kty: z.literal('RSA'), n: z.string(), e: z.string(), d: z.string() })

async function openPrivate(sealer: Sealer, sealed: Buffer): Promise<CryptoKey> {
  const privateKey = await importJWK(unseal(sealer, sealed), ALGORITHM)
  if (privateKey instanceof Uint8Array) throw new Error('The signing key is not an RSA key.')
  return privateKey
}

function unseal(sealer: Sealer, sealed: Buffer) {
  try {
    return PrivateJwk.parse(JSON.parse(sealer.open(sealed)))
  } catch (cause) {
    throw new StartError(
      "SECRET_KEY is not the one that sealed this database's signing key: set that one, or put it after the new one, with a comma between.",
      { cause },
    )
  }
}
