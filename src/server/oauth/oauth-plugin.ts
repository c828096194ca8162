import { createHash } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { z } from 'zod'
import { API_KEY_START } from '#contract/api-keys.ts'
import { API_PAGE, CONSENT_PAGES, CONSENT_SCREEN, MCP_PATH } from '#contract/http/addresses.ts'
import { KEY_SCOPES } from '#contract/http/key-rights.ts'
import {
  API_KEY_NAME_MAX_CHARS,
  DEVICE_CODE_S,
  DEVICE_NAME_MAX_CHARS,
  DEVICE_POLL_S,
  OAUTH_KEY_DAYS,
} from '#contract/limits.ts'
import { cutText } from '#contract/well-formed.ts'
import { cacheAnswer } from '#base/cached-answer.ts'
import type { Db } from '#base/db/open.ts'
import type { Encrypter } from '#base/encryption.ts'
import { COMMAND_LINE, DEVICE_GRANT } from '#contract/oauth.ts'
import { ipKey } from '#base/ip-address.ts'
import { Problem } from '#base/problem.ts'
import { newSecret, secretHash } from '#base/secret.ts'
import { makeApiKey } from '../api-keys/make-key.ts'
import { deleteKeyOfSecret, readLimit, readScopes as readStoredScopes } from '../api-keys/store.ts'
import { createAddressLimit } from '../http/address-limit.ts'
import type { AnonymousLimit } from '../http/anonymous-limit.ts'
import { createCounter } from '../http/counter.ts'
import type { Config } from '../runtime/config.ts'
import { isResource, readScopes } from './authorization.ts'
import { isRedirectUri, makeClientId, plainName } from './clients.ts'
import { findGrant, insertDeviceGrant, notePoll, takeApproved } from './store.ts'
import { newUserCode, userCodeMac } from './user-code.ts'

type Deps = {
  readonly db: Db
  readonly encrypter: Encrypter
  readonly config: Pick<Config, 'publicUrl' | 'oauthRegistration'>
  readonly now: () => number
  readonly anonymousLimit: AnonymousLimit
}

const BODY_MAX_BYTES = 16_384
const MINUTE_MS = 60_000
const DAY_S = 86_400
/** One network starts this many devices a minute, so that a few cannot fill the table. */
const DEVICES_PER_MINUTE = 20
/** A device that asks up to a second early gets no `slow_down`. */
const POLL_MIN_MS = (DEVICE_POLL_S - 1) * 1000

type RefusalCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'temporarily_unavailable'

/** A refusal as programs expect it (RFC 6749, 5.2). */
class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly status: number
  constructor(code: RefusalCode, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

type Form = Readonly<Record<string, string>>
/** `lookUp` runs a few look-ups of strangers at a time, fairly by network. */
type AnswerForm = (
  form: Form,
  ip: string,
  lookUp: (work: () => Promise<object>) => Promise<object>,
) => Promise<object>

/**
 * OAuth 2.1 for programs: they fetch API keys that a user allowed on the screens of `CONSENT_PAGES`. Browsers may call it from other
 * origins, since nothing here reads a cookie.
 */
export function oauthPlugin(deps: Deps): FastifyPluginAsync {
  const { config, now } = deps
  return async (app) => {
    const limit = createAddressLimit(now)
    app.removeAllContentTypeParsers()
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
      done()
    })
    app.setErrorHandler(answerRefusal)

    mountDocument(app, '/.well-known/oauth-authorization-server', serverMetadata(config))
    for (const path of ['', MCP_PATH])
      mountDocument(app, `/.well-known/oauth-protected-resource${path}`, resourceMetadata(config.publicUrl))

    for (const page of Object.values(CONSENT_PAGES))
      app.get(page, ({ url }, reply) => reply.redirect(CONSENT_SCREEN + url.slice(page.length)))

    await app.register(async (forms) => {
      forms.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: BODY_MAX_BYTES },
        (_request, body, done) => done(null, new URLSearchParams(String(body))),
      )
      const devices = createCounter(MINUTE_MS, now)
      const mountForm = (path: string, answer: AnswerForm) => {
        allowOtherOrigins(forms, path)
        forms.post(path, (request) =>
          answer(readForm(request.body), request.ip, (work) => deps.anonymousLimit(request, work)),
        )
      }
      mountForm('/oauth/device', (form, ip, lookUp) => {
        // Of IPv6 a /48, which one customer can get: its 65,536 networks could fill the table.
        const key = ipKey(ip)?.split(':').slice(0, 3).join(':') ?? null
        if (key !== null && devices.count(key) > DEVICES_PER_MINUTE)
          throw new Refusal('slow_down', 'Too many requests. Try again in a minute.', 429)
        return lookUp(() => startDevice(deps, form))
      })
      mountForm('/oauth/token', (form, ip, lookUp) => {
        limit.countCaller(ip)
        return lookUp(() => fetchToken(deps, form))
      })
      mountForm('/oauth/revoke', (form, ip, lookUp) => {
        limit.countCaller(ip)
        return lookUp(() => revoke(deps.db, form))
      })
    })
    if (config.oauthRegistration)
      await app.register(async (json) => {
        json.addContentTypeParser(
          'application/json',
          { parseAs: 'string', bodyLimit: BODY_MAX_BYTES },
          json.getDefaultJsonParser('error', 'error'),
        )
        allowOtherOrigins(json, '/oauth/register')
        json.post('/oauth/register', async (request, reply) => {
          limit.countCaller(request.ip)
          return reply.status(201).send(register(deps, request.body))
        })
      })
  }
}

/** Browsers ask before they send headers such as MCP-Protocol-Version. */
function allowOtherOrigins(app: FastifyInstance, path: string): void {
  app.options(path, (_request, reply) =>
    reply
      .status(204)
      .headers({
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': '*, authorization',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}

function mountDocument(app: FastifyInstance, path: string, document: object): void {
  const send = cacheAnswer({ cacheControl: 'public, max-age=300', make: JSON.stringify })
  allowOtherOrigins(app, path)
  app.get(path, (request, reply) => send(request, reply, document))
}

/** RFC 8414. */
const serverMetadata = ({ publicUrl, oauthRegistration }: Deps['config']) => ({
  issuer: publicUrl,
  authorization_endpoint: publicUrl + CONSENT_PAGES.authorize,
  device_authorization_endpoint: `${publicUrl}/oauth/device`,
  token_endpoint: `${publicUrl}/oauth/token`,
  revocation_endpoint: `${publicUrl}/oauth/revoke`,
  ...(oauthRegistration && { registration_endpoint: `${publicUrl}/oauth/register` }),
  client_id_metadata_document_supported: true,
  scopes_supported: KEY_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', DEVICE_GRANT],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: publicUrl + API_PAGE,
})

/** RFC 9728. */
const resourceMetadata = (publicUrl: string) => ({
  resource: publicUrl + MCP_PATH,
  authorization_servers: [publicUrl],
  scopes_supported: KEY_SCOPES,
  bearer_methods_supported: ['header'],
  resource_name: 'Reelay',
  resource_documentation: publicUrl + API_PAGE,
})

/** Parameters without a value count as left out, and none may be there twice (RFC 6749, 3.2). */
function readForm(body: unknown): Form {
  if (!(body instanceof URLSearchParams)) throw new Refusal('invalid_request', 'Send a form.')
  const form: Record<string, string> = Object.create(null) as Record<string, string> // names are a stranger's
  for (const [name, value] of body) {
    if (value === '') continue
    if (name in form && name !== 'resource')
      throw new Refusal('invalid_request', 'A parameter is there twice.')
    form[name] = value
  }
  return form
}

/** RFC 8628, 3.2. */
async function startDevice({ db, encrypter, config, now: readTime }: Deps, form: Form): Promise<object> {
  if (form['client_id'] !== COMMAND_LINE.id)
    throw new Refusal('invalid_client', `Only ${COMMAND_LINE.id} uses codes that a user types.`)
  const now = readTime()
  const secret = newSecret()
  const userCode = newUserCode()
  const deviceName = plainName(form['device_name'] ?? '', DEVICE_NAME_MAX_CHARS)
  const hasRoom = await insertDeviceGrant(db, {
    secretHash: secretHash(secret),
    userCodeMac: userCodeMac(encrypter, userCode),
    clientId: COMMAND_LINE.id,
    clientName: COMMAND_LINE.name,
    deviceName: deviceName === '' ? null : deviceName,
    scopes: readScopes(form['scope']),
    now,
    expiresAt: now + DEVICE_CODE_S * 1000,
  })
  if (!hasRoom)
    throw new Refusal('temporarily_unavailable', 'Too many devices wait. Try again in ten minutes.', 503)
  const page = config.publicUrl + CONSENT_PAGES.connect
  return {
    device_code: secret,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: DEVICE_CODE_S,
    interval: DEVICE_POLL_S,
  }
}

function fetchToken(deps: Deps, form: Form): Promise<object> {
  const { resource } = form
  if (resource !== undefined && !isResource(deps.config.publicUrl, resource))
    throw new Refusal('invalid_target', 'Keys of this server are for this server.')
  switch (form['grant_type']) {
    case 'authorization_code':
      return fetchByCode(deps, form)
    case DEVICE_GRANT:
      return fetchByDevice(deps, form)
    case undefined:
      throw new Refusal('invalid_request', 'grant_type is missing.')
    default:
      throw new Refusal('unsupported_grant_type', 'Use authorization_code, or the grant of devices.')
  }
}

/** RFC 8628, 3.5. */
async function fetchByDevice(deps: Deps, form: Form): Promise<object> {
  const { db, now: readTime } = deps
  const hash = secretHash(required(form, 'device_code'))
  const clientId = required(form, 'client_id')
  const grant = await findGrant(db, hash)
  if (!grant || grant.user_code_mac === null || grant.client_id !== clientId) throw unknownGrant()
  const now = readTime()
  if (grant.expires_at.getTime() <= now)
    throw new Refusal('expired_token', 'Nobody decided in time. Start again.')
  if (grant.state === 'declined') throw new Refusal('access_denied', 'The user declined.')
  if (grant.state === 'approved') return makeToken(deps, hash)
  await notePoll(db, hash, now)
  if (grant.polled_at !== null && now - grant.polled_at.getTime() < POLL_MIN_MS)
    throw new Refusal('slow_down', `Ask every ${DEVICE_POLL_S} seconds.`)
  throw new Refusal('authorization_pending', 'The user has not decided yet.')
}

/** RFC 6749, 4.1.3, and RFC 7636, 4.6. OAuth 2.1 no longer sends the redirect address, because the challenge says the same. */
async function fetchByCode(deps: Deps, form: Form): Promise<object> {
  const hash = secretHash(required(form, 'code'))
  const clientId = required(form, 'client_id')
  const verifier = required(form, 'code_verifier')
  const grant = await findGrant(deps.db, hash)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const { redirect_uri: redirectUri } = form
  if (
    grant?.client_id !== clientId ||
    grant.code_challenge !== challenge ||
    (redirectUri !== undefined && redirectUri !== grant.redirect_uri)
  )
    throw unknownGrant()
  return makeToken(deps, hash)
}

/** Of several calls at once, one gets the key. */
function makeToken({ db, now: readTime }: Deps, hash: Buffer): Promise<object> {
  return db.transaction().execute(async (trx) => {
    const now = readTime()
    const grant = await takeApproved(trx, hash, now)
    if (!grant || grant.user_id === null) throw unknownGrant()
    const { client_name: name, device_name: device } = grant
    const scopes = readStoredScopes(grant.scopes)
    const { secret } = await makeApiKey(trx, now, {
      userId: grant.user_id,
      name: cutText(device === null ? name : `${name} on ${device}`, API_KEY_NAME_MAX_CHARS),
      scopes,
      limitedTo: readLimit(grant.limited_to),
      days: OAUTH_KEY_DAYS,
    })
    return {
      access_token: secret,
      token_type: 'Bearer',
      expires_in: OAUTH_KEY_DAYS * DAY_S,
      scope: scopes.join(' '),
    }
  })
}

/** RFC 7009: what is no key is answered like what was one. */
async function revoke(db: Db, form: Form): Promise<object> {
  const token = required(form, 'token')
  if (token.startsWith(API_KEY_START))
    await deleteKeyOfSecret(db, secretHash(token.slice(API_KEY_START.length)))
  return {}
}

const REDIRECT_URIS_MAX = 5
/** The id must fit into addresses, also into the one that leads back from a log-in. */
const REGISTRATION_MAX_CHARS = 600

const Registration = z.object({
  client_name: z.string().max(1000).default(''),
  redirect_uris: z.array(z.string()).min(1).max(REDIRECT_URIS_MAX),
})

/** RFC 7591. Whatever else a program says of itself, it is a public client that uses codes. */
function register({ encrypter, now }: Deps, body: unknown): object {
  const given = Registration.safeParse(body)
  if (!given.success)
    throw new Refusal('invalid_client_metadata', `Name 1 to ${REDIRECT_URIS_MAX} redirect_uris.`)
  const { redirect_uris: redirectUris } = given.data
  if (!redirectUris.every(isRedirectUri))
    throw new Refusal('invalid_redirect_uri', 'Use https addresses, or http ones of localhost.')
  if (redirectUris.join('').length > REGISTRATION_MAX_CHARS)
    throw new Refusal('invalid_redirect_uri', 'These addresses are too long.')
  const name = plainName(given.data.client_name) || 'A program without a name'
  return {
    client_id: makeClientId(encrypter, { name, redirectUris }),
    client_id_issued_at: Math.floor(now() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  }
}

function required(form: Form, name: string): string {
  const value = form[name]
  if (value === undefined) throw new Refusal('invalid_request', `${name} is missing.`)
  return value
}

/** One text for what never was, has been used, or belongs to another program. */
const unknownGrant = () => new Refusal('invalid_grant', 'This code is unknown, has expired or was used.')

function answerRefusal(error: FastifyError | Problem | Refusal, _request: unknown, reply: FastifyReply) {
  const refusal = error instanceof Refusal ? error : asRefusal(error)
  // The app answers what is nobody's fault, such as a database that is down.
  if (refusal === null) throw error
  if (error instanceof Problem && error.retryAfterS !== undefined)
    reply.header('retry-after', Math.ceil(error.retryAfterS))
  return reply.status(refusal.status).send({ error: refusal.code, error_description: refusal.message })
}

function asRefusal(error: FastifyError | Problem): Refusal | null {
  if (error instanceof Problem) {
    if (error.code === 'too_many_requests') return new Refusal('slow_down', error.message, 429)
    // There is no room for the key, or what it was limited to is gone.
    if (error.code === 'conflict' || error.code === 'not_found')
      return new Refusal('invalid_grant', error.message)
    return null
  }
  const { statusCode = 500 } = error
  if (statusCode < 400 || statusCode >= 500) return null
  return new Refusal('invalid_request', 'The request is not well formed.', statusCode === 413 ? 413 : 400)
}
