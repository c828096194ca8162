import { AUTHORIZATION_CODE_S, DEVICE_CODE_S } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { assertKeyRoom } from '../api-keys/make-key.ts'
import { assertOwn, readScopes } from '../api-keys/store.ts'
import { createCounter } from '../http/counter.ts'
import type { Handlers } from '../http/mount.ts'
import type { Config } from '../runtime/config.ts'
import { answerAddress, type Authorization, readAuthorization } from './authorization.ts'
import { createFindClient } from './clients.ts'
import { type Approval, decideDevice, findWaitingDevice, insertCodeGrant } from './store.ts'
import { userCodeMac } from './user-code.ts'

type Deps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly config: Pick<Config, 'publicUrl' | 'privateAddresses' | 'oauthRegistration'>
  readonly now: () => number
}

/** A user tries few codes, and makes the server read few descriptions of programs. */
const CALLS_WINDOW_MS = 600_000
const CALLS_MAX = 60

/** What the user's consent needs: who asks for what, yes, and no. */
export function oauthRoutes(
  deps: Deps,
): Handlers<'getAuthorizationRequest' | 'approveAuthorization' | 'declineAuthorization'> {
  const { db, encrypter, config, now } = deps
  const findClient = createFindClient(deps)
  const calls = createCounter(CALLS_WINDOW_MS, now)
  const limit = (userId: number) => {
    if (calls.count(String(userId)) > CALLS_MAX)
      throw new Problem('too_many_requests', 'Too many tries. Try again in ten minutes.', {
        retryAfterS: CALLS_WINDOW_MS / 1000,
      })
  }
  const readQuery = (query: string) => readAuthorization(query, { publicUrl: config.publicUrl, findClient })
  const deviceOf = (userCode: string) => ({ userCodeMac: userCodeMac(encrypter, userCode), now: now() })

  return {
    getAuthorizationRequest: async ({ user, body: { request } }) => {
      limit(user.user_id)
      if ('user_code' in request) {
        const found = await findWaitingDevice(db, deviceOf(request.user_code))
        if (!found) throw noSuchCode()
        const { client_name, device_name } = found
        const scopes = readScopes(found.scopes)
        return { client_name, client_host: null, device_name, redirect_host: null, scopes }
      }
      const { client, redirectUri, scopes } = await readQuery(request.query)
      return {
        client_name: client.name,
        client_host: client.host,
        device_name: null,
        redirect_host: new URL(redirectUri).hostname,
        scopes,
      }
    },
    approveAuthorization: async ({ user, body: { request, scopes, limited_to: limitedTo = null } }) => {
      limit(user.user_id)
      const approval = { userId: user.user_id, scopes, limitedTo }
      const asked = 'query' in request ? await readQuery(request.query) : request
      return db.transaction().execute(async (trx) => {
        // Checked again when the key is made; here a person can act on it.
        await assertKeyRoom(trx, approval.userId)
        if (limitedTo) await assertOwn(trx, approval.userId, limitedTo)
        if ('user_code' in asked) {
          if (!(await decideDevice(trx, deviceOf(asked.user_code), approval))) throw noSuchCode()
          return { redirect_to: null }
        }
        const code = await makeCode(trx, asked, approval)
        return { redirect_to: answerAddress(asked, { iss: config.publicUrl, code }) }
      })
    },
    declineAuthorization: async ({ user, body: { request } }) => {
      limit(user.user_id)
      if ('query' in request)
        return {
          redirect_to: answerAddress(await readQuery(request.query), {
            iss: config.publicUrl,
            error: 'access_denied',
          }),
        }
      const isDecided = await decideDevice(db, deviceOf(request.user_code), { declinedBy: user.user_id })
      if (!isDecided) throw noSuchCode()
      return { redirect_to: null }
    },
  }

  async function makeCode(trx: Db, asked: Authorization, approval: Approval): Promise<string> {
    const code = newSecret()
    await insertCodeGrant(trx, {
      ...approval,
      secretHash: secretHash(code),
      clientId: asked.client.id,
      clientName: asked.client.name,
      redirectUri: asked.redirectUri,
      codeChallenge: asked.codeChallenge,
      now: now(),
      expiresAt: now() + AUTHORIZATION_CODE_S * 1000,
    })
    return code
  }
}

const noSuchCode = () =>
  new Problem(
    'not_found',
    `No program waits with this code. Codes end after ${DEVICE_CODE_S / 60} minutes and work once: start again where you saw it.`,
  )
