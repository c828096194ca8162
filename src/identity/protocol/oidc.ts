import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { FRONT_PAGES, OIDC_RETURN } from '#contract/http/addresses.ts'
import type { Core } from '../core/core.ts'
import type { OidcClient } from '../oidc/client.ts'
import { beginLogin, completeLogin, openTicket, sealTicket, signInByToken } from '../oidc/login.ts'
import { TICKET_TTL_MS, type Ticket } from '../oidc/login.ts'
import { type Post, refuse } from './call.ts'
import * as wire from './wire.ts'

/** A host's own cookie where browsers allow that: no other page of the domain can set it. */
const cookieName = ({ publicUrl }: Pick<Core, 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? '__Host-reelay-login' : 'reelay-login'

/** Lax: it must come along when the provider leads back. */
export function ticketCookie(core: Core, ticket: Ticket | null): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${core.publicUrl.startsWith('https:') ? '; Secure' : ''}`
  const value = ticket === null ? '' : sealTicket(core, ticket)
  return `${cookieName(core)}=${value}; ${attributes}; Max-Age=${ticket === null ? 0 : TICKET_TTL_MS / 1000}`
}

export function readTicket(core: Core, request: FastifyRequest): Ticket | null {
  const start = `${cookieName(core)}=`
  const cookie = request.headers.cookie?.split('; ').find((each) => each.startsWith(start))
  return openTicket(core, cookie === undefined ? null : cookie.slice(start.length))
}

/** Log-in through the configured providers. Beginning it needs our page; what the browser then carries is a cookie. */
export function addOidcRoutes(
  app: FastifyInstance,
  post: Post,
  core: Core,
  { oidc: client, log }: { readonly oidc: OidcClient; readonly log: Pick<FastifyBaseLogger, 'info'> },
): void {
  const logRefused = ({ ip, id: reqId }: FastifyRequest, refused: string): void =>
    log.info({ reqId, ip, refused }, 'log-in refused')

  post('/oidc/begin', wire.OidcBeginBody, async (body, request) => {
    const begun = await beginLogin(core, client, { ...body, ip: request.ip })
    if (!('refused' in begun)) return { answer: { url: begun.url }, cookie: ticketCookie(core, begun.ticket) }
    logRefused(request, begun.refused)
    return begun
  })

  app.get<{ Params: { provider: string } }>(
    '/oidc/:provider/callback',
    { config: { keyless: true }, exposeHeadRoute: false },
    async (request, reply) => {
      const { search } = new URL(request.url, core.publicUrl)
      const ticket = readTicket(core, request)
      const { provider } = request.params
      const next = await completeLogin(core, client, { provider, query: search, ticket, ip: request.ip })
      if (next.step === 'refused') logRefused(request, next.reason)
      return reply
        .header('set-cookie', ticketCookie(core, next))
        .header('referrer-policy', 'no-referrer')
        .redirect(`${FRONT_PAGES.login}${OIDC_RETURN}`, 303)
    },
  )

  // The page asks for it, rather than reading an address that anybody could have written.
  post('/oidc/finish', wire.OidcFinishBody, async (_body, request) => {
    const ticket = readTicket(core, request)
    const stays = ticket?.step === 'to_confirm'
    return {
      answer: wire.oidcReply(ticket, (id) => client.find(id)?.name ?? null),
      ...(!stays && { cookie: ticketCookie(core, null) }),
    }
  })

  post('/v1/accounts::signInWithCustomToken', wire.CustomTokenBody, async ({ token }, request) => {
    if (!token) return refuse('missing_custom_token')
    const { ip, id: reqId } = request
    const session = await signInByToken(core, { token, ip })
    if ('refused' in session) {
      logRefused(request, session.refused)
      return session
    }
    log.info({ reqId, ip, uid: session.user.uid }, 'logged in through a provider')
    return { answer: wire.customTokenReply(session) }
  })
}
