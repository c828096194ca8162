import { isIP } from 'node:net'
import { WEBHOOK_OLD_SECRET_HOURS, WEBHOOKS_MAX } from '#contract/limits.ts'
import type { WebhookChange } from '#contract/webhooks.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { isPublicAddress } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import type { Handlers } from '../http/mount.ts'
import { refusal } from '../http/parse.ts'
import type { Config } from '../runtime/config.ts'
import {
  deleteMessages,
  getMessage,
  insertTest,
  listMessages,
  resendMessage,
  resendMessages,
  stopWaiting,
} from './messages.ts'
import { newWebhookSecret } from './sign.ts'
import {
  deleteWebhook,
  getWebhook,
  insertWebhook,
  listWebhooks,
  lockHasAllWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookKey,
} from './store.ts'

type Deps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly now: () => number
  readonly config: Pick<Config, 'privateAddresses'>
}

const HOUR_MS = 3_600_000

export function webhookRoutes(
  deps: Deps,
): Handlers<
  | 'listWebhooks'
  | 'createWebhook'
  | 'changeWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'listWebhookMessages'
  | 'getWebhookMessage'
  | 'resendWebhookMessage'
  | 'resendWebhookMessages'
> {
  const { db, encrypter, now } = deps
  /** @throws Problem not_found */
  const getOwn = async (userId: number, webhookId: number): Promise<WebhookKey> => {
    const own = { userId, webhookId }
    await getWebhook(db, own, now())
    return own
  }
  return {
    listWebhooks: ({ user }) => listWebhooks(db, user.user_id, now()),
    createWebhook: ({ user, body }) => {
      assertAllowed(deps, body.address)
      return db.transaction().execute(async (trx) => {
        const userId = user.user_id
        if (await lockHasAllWebhooks(trx, userId))
          throw new Problem('conflict', `You have ${WEBHOOKS_MAX} webhooks. Delete one first.`)
        const secret = newWebhookSecret()
        const sealed = encrypter.encrypt(secret)
        const webhookId = await insertWebhook(trx, { ...body, userId, secret: sealed, now: now() })
        return { webhook: await getWebhook(trx, { userId, webhookId }, now()), secret }
      })
    },
    changeWebhook: async ({ user, params, body }) => {
      if (body.address !== undefined) assertAllowed(deps, body.address)
      const own = await getOwn(user.user_id, params.webhookId)
      await changeWebhook(deps, own, body)
      return getWebhook(db, own, now())
    },
    deleteWebhook: async ({ user, params }) => {
      const own = await getOwn(user.user_id, params.webhookId)
      // Nothing new comes to it while its messages are deleted.
      await updateWebhook(db, own, { events: [] })
      while (await deleteMessages(db, own.webhookId));
      await deleteWebhook(db, own)
    },
    rotateWebhookSecret: async ({ user, params }) => {
      const own = { userId: user.user_id, webhookId: params.webhookId }
      const secret = newWebhookSecret()
      const oldUntil = now() + WEBHOOK_OLD_SECRET_HOURS * HOUR_MS
      await rotateSecret(db, own, { secret: encrypter.encrypt(secret), oldUntil })
      return { webhook: await getWebhook(db, own, now()), secret }
    },
    testWebhook: async ({ user, params }) => {
      const own = await getOwn(user.user_id, params.webhookId)
      return db.transaction().execute((trx) => insertTest(trx, own, now()))
    },
    listWebhookMessages: async ({ user, params, query }) =>
      listMessages(db, await getOwn(user.user_id, params.webhookId), query.cursor),
    getWebhookMessage: ({ user, params }) =>
      getMessage(db, { userId: user.user_id, webhookId: params.webhookId }, params.messageId),
    resendWebhookMessage: ({ user, params }) => {
      const own = { userId: user.user_id, webhookId: params.webhookId }
      return db.transaction().execute((trx) => resendMessage(trx, own, params.messageId, now()))
    },
    resendWebhookMessages: async ({ user, params, body }) => {
      const { webhookId } = await getOwn(user.user_id, params.webhookId)
      const asked = { since: new Date(body.since), undelivered: body.undelivered, now: now() }
      const { messages, moreSince } = await resendMessages(db, webhookId, asked)
      return { messages, more_since: moreSince?.toISOString() ?? null }
    },
  }
}

/** The address that a name has is checked at each connection. @throws Problem invalid */
function assertAllowed({ config }: Deps, address: string): void {
  if (config.privateAddresses) return
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:')
    throw refusal('invalid', { address: ['Enter an address that begins with https://.'] })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isPrivate = isIP(host) === 0 ? host === 'localhost' : !isPublicAddress(host)
  if (isPrivate)
    throw refusal('invalid', {
      address: [
        'This address is in a private network. Whoever runs this server can allow that with PRIVATE_ADDRESSES.',
      ],
    })
}

/** Turned on again, it begins anew: what failed before does not count, and what was not sent is left to its user. */
async function changeWebhook(
  { db, now }: Deps,
  own: WebhookKey,
  { active, ...changes }: WebhookChange,
): Promise<void> {
  const isOff = (await getWebhook(db, own, now())).off_since !== null
  const turnedOff = active === false && !isOff
  await updateWebhook(db, own, {
    ...changes,
    ...(turnedOff && { off_at: new Date(now()), off_by: 'user' }),
    ...(active === true && isOff && { off_at: null, off_by: null, failed_at: null }),
  })
  if (turnedOff) while (await stopWaiting(db, own, 'off'));
}
