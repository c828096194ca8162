import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { LINKED_PAGES, unsubscribePath } from '#contract/http/addresses.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { createAddressLimit } from '../http/address-limit.ts'
import { plainPage } from '../http/plain-page.ts'
import type { Config } from '../runtime/config.ts'
import { turnOffMails } from './store.ts'

type Deps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly config: Pick<Config, 'publicUrl'>
  readonly now: () => number
}

/** Mail programs send one line. */
const BODY_MAX_BYTES = 4_096

/** Encryption also signs it: only this server makes such addresses, and older secrets still read them. */
export const makeUnsubscribeUrl = (
  { encrypter, config }: Pick<Deps, 'encrypter' | 'config'>,
  userId: number,
): string =>
  `${config.publicUrl}${unsubscribePath(encrypter.encrypt(`unsubscribe ${userId}`).toString('base64url'))}`

/** `null`: this server did not make it. */
function readToken(encrypter: Encrypter, token: string): number | null {
  try {
    const [, userId] = /^unsubscribe (\d+)$/.exec(encrypter.decrypt(Buffer.from(token, 'base64url'))) ?? []
    return userId === undefined ? null : Number(userId)
  } catch {
    // Decryption reports failure only by an exception.
    return null
  }
}

/** Works without a log-in. Mail scanners follow links, so only a POST unsubscribes (RFC 8058). */
export function unsubscribePlugin(deps: Deps): FastifyPluginAsync {
  return async (app) => {
    // The body adds nothing to the address.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES }, (_request, _body, done) =>
      done(null),
    )
    const url = unsubscribePath(':token')
    const limit = createAddressLimit(deps.now)
    app.addHook('onRequest', (request, _reply, done) => {
      limit.countCaller(request.ip)
      done()
    })
    app.get<{ Params: { token: string } }>(url, (request, reply) =>
      readToken(deps.encrypter, request.params.token) === null
        ? sendPage(reply, 404, UNKNOWN)
        : sendPage(reply, 200, QUESTION),
    )
    app.post<{ Params: { token: string } }>(url, async (request, reply) => {
      const userId = readToken(deps.encrypter, request.params.token)
      if (userId === null) return sendPage(reply, 404, UNKNOWN)
      limit.countAddress(String(userId))
      await turnOffMails(deps.db, userId)
      return sendPage(reply, 200, DONE)
    })
  }
}

const sendPage = (reply: FastifyReply, status: number, page: string) =>
  reply
    .status(status)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(page)

const QUESTION = plainPage('Stop these emails', [
  '<p>Reelay will no longer email you about posts and accounts that need your attention. They are still listed in Reelay.</p>',
  '<form method="post"><button type="submit">Stop these emails</button></form>',
])

const DONE = plainPage('These emails have stopped', [
  '<p>Posts and accounts that need your attention are still listed in Reelay. Emails about your password and your login are not affected.</p>',
  `<p><a href="${LINKED_PAGES.settings}">Turn emails on again in the settings</a></p>`,
])

const UNKNOWN = plainPage('This link does not work', [
  `<p>Check that it is complete, or turn emails off in <a href="${LINKED_PAGES.settings}">the settings</a>.</p>`,
])
