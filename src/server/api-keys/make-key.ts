import { API_KEY_START, type KeyLimit } from '#contract/api-keys.ts'
import type { KeyScope } from '#contract/http/key-rights.ts'
import { API_KEYS_MAX } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { assertOwn, insertApiKey, lockHasAllKeys } from './store.ts'

/** Characters of the secret that lists show: too few to help guess the other 38. */
const SHOWN_CHARS = 5
const DAY_MS = 86_400_000

/** Until the transaction ends, no other makes a key of the user's. @throws Problem conflict */
export async function assertKeyRoom(trx: Db, userId: number): Promise<void> {
  if (await lockHasAllKeys(trx, userId))
    throw new Problem('conflict', `You have ${API_KEYS_MAX} API keys. Delete one first.`)
}

/** Makes a key in a transaction. The secret is in no other place. @throws Problem conflict, not_found */
export async function makeApiKey(
  trx: Db,
  now: number,
  {
    userId,
    limitedTo,
    days,
    ...asked
  }: {
    readonly userId: number
    readonly name: string
    readonly scopes: readonly KeyScope[]
    readonly limitedTo: KeyLimit | null
    /** null: it does not expire. */
    readonly days: number | null
  },
): Promise<{ readonly keyId: number; readonly secret: string }> {
  await assertKeyRoom(trx, userId)
  if (limitedTo) await assertOwn(trx, userId, limitedTo)
  const secret = newSecret()
  const keyId = await insertApiKey(trx, {
    ...asked,
    userId,
    limitedTo,
    prefix: `${API_KEY_START}${secret.slice(0, SHOWN_CHARS)}`,
    secretHash: secretHash(secret),
    now,
    expiresAt: days === null ? null : now + days * DAY_MS,
  })
  return { keyId, secret: `${API_KEY_START}${secret}` }
}
