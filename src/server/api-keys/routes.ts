import { API_KEY_START } from '#contract/api-keys.ts'
import type { API } from '#contract/api/api.ts'
import type { Input, Reply } from '#contract/http/endpoint.ts'
import { API_KEYS_MAX } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import type { Handlers } from '../http/mount.ts'
import {
  assertOwn,
  deleteApiKey,
  extendApiKey,
  getApiKey,
  insertApiKey,
  listApiKeys,
  lockHasAllKeys,
} from './store.ts'

type Deps = { readonly db: Db; readonly now: () => number }

/** Characters of the secret that lists show: too few to help guess the other 38. */
const SHOWN_CHARS = 5
const DAY_MS = 86_400_000

export const apiKeyRoutes = (
  deps: Deps,
): Handlers<'listApiKeys' | 'createApiKey' | 'extendApiKey' | 'deleteApiKey'> => ({
  listApiKeys: ({ user }) => listApiKeys(deps.db, user.user_id, deps.now()),
  createApiKey: ({ user, body }) => createApiKey(deps, user.user_id, body),
  extendApiKey: async ({ user, params }) => {
    const key = { userId: user.user_id, keyId: params.keyId }
    await extendApiKey(deps.db, key)
    return getApiKey(deps.db, { ...key, now: deps.now() })
  },
  deleteApiKey: ({ user, params }) => deleteApiKey(deps.db, { userId: user.user_id, keyId: params.keyId }),
})

function createApiKey(
  { db, now: readTime }: Deps,
  userId: number,
  { limited_to: limitedTo, expires_in_days: days, ...asked }: Input<(typeof API)['createApiKey']>['body'],
): Promise<Reply<(typeof API)['createApiKey']>> {
  return db.transaction().execute(async (trx) => {
    if (await lockHasAllKeys(trx, userId))
      throw new Problem('conflict', `You have ${API_KEYS_MAX} API keys. Delete one first.`)
    if (limitedTo) await assertOwn(trx, userId, limitedTo)
    const now = readTime()
    const secret = newSecret()
    const keyId = await insertApiKey(trx, {
      ...asked,
      userId,
      limitedTo: limitedTo ?? null,
      prefix: `${API_KEY_START}${secret.slice(0, SHOWN_CHARS)}`,
      secretHash: secretHash(secret),
      now,
      expiresAt: days === null ? null : now + days * DAY_MS,
    })
    return { key: await getApiKey(trx, { userId, keyId, now }), secret: `${API_KEY_START}${secret}` }
  })
}
