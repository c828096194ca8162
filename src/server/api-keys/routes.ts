import type { API } from '#contract/api/api.ts'
import type { Input, Reply } from '#contract/http/endpoint.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import type { Handlers } from '../http/mount.ts'
import { makeApiKey } from './make-key.ts'
import { deleteApiKey, extendApiKey, getApiKey, listApiKeys } from './store.ts'

type Deps = { readonly db: Db; readonly now: () => number }

export const apiKeyRoutes = (
  deps: Deps,
): Handlers<'listApiKeys' | 'createApiKey' | 'extendApiKey' | 'getOwnApiKey' | 'deleteApiKey'> => ({
  listApiKeys: ({ user }) => listApiKeys(deps.db, user.user_id, deps.now()),
  createApiKey: ({ user, body }) => createApiKey(deps, user.user_id, body),
  extendApiKey: async ({ user, params }) => {
    const key = { userId: user.user_id, keyId: params.keyId }
    await extendApiKey(deps.db, key)
    return getApiKey(deps.db, { ...key, now: deps.now() })
  },
  getOwnApiKey: ({ user, key }) => {
    if (key === null) throw new Problem('not_found', 'This call was made without an API key.')
    return getApiKey(deps.db, { userId: user.user_id, keyId: key.keyId, now: deps.now() })
  },
  deleteApiKey: ({ user, params }) => deleteApiKey(deps.db, { userId: user.user_id, keyId: params.keyId }),
})

function createApiKey(
  { db, now: readTime }: Deps,
  userId: number,
  { name, scopes, limited_to, expires_in_days: days }: Input<(typeof API)['createApiKey']>['body'],
): Promise<Reply<(typeof API)['createApiKey']>> {
  return db.transaction().execute(async (trx) => {
    const now = readTime()
    const { keyId, secret } = await makeApiKey(trx, now, {
      userId,
      name,
      scopes,
      limitedTo: limited_to ?? null,
      days,
    })
    return { key: await getApiKey(trx, { userId, keyId, now }), secret }
  })
}
