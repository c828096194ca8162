import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import fastify, { type FastifyReply } from 'fastify'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { z } from 'zod'

// Local replacement of Firebase Authentication / Identity Platform, written from Google's documentation. It shares no code
// with the built-in service, so that one misreading cannot satisfy both.

const KEYS_PATH = '/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com'
const HOUR_S = 3600
const RECENT_S = 300

export type HostedUser = {
  readonly localId: string
  email: string
  password: string
  emailVerified: boolean
  displayName?: string | undefined
  /** Seconds: older tokens are void. */
  validSince: number
  readonly createdAt: number
}
type Session = { readonly localId: string; readonly authTime: number }
type Code = { readonly requestType: string; readonly localId: string; readonly newEmail?: string | undefined }
export type HostedMail = {
  readonly to: string
  readonly requestType: string
  readonly oobCode: string
  readonly link: string
}
type HostedCall = {
  readonly call: string
  readonly status: number
  readonly body: unknown
  readonly referer: string | undefined
}

type Console = {
  /** The API key is restricted to these referers; empty: unrestricted. */
  referrers: readonly string[]
  actionUrl: string
}

export type HostedService = Awaited<ReturnType<typeof startHostedIdentity>>

/** Unknown fields are ignored, as at Google. */
const Body = z
  .object({
    email: z.string(),
    password: z.string(),
    displayName: z.string(),
    localId: z.string(),
    idToken: z.string(),
    oobCode: z.string(),
    newPassword: z.string(),
    newEmail: z.string(),
    requestType: z.string(),
    returnSecureToken: z.boolean(),
    grant_type: z.string(),
    refresh_token: z.string(),
  })
  .partial()
type Body = z.infer<typeof Body>

class Refusal extends Error {
  readonly status: number
  readonly state: string | undefined
  constructor(message: string, status = 400, state?: string) {
    super(message)
    this.status = status
    this.state = state
  }
  answer() {
    const { message, status: code, state: status } = this
    return { error: { code, message, errors: [{ message, domain: 'global', reason: 'invalid' }], status } }
  }
}

/** One project on a loopback port. Google's hosts differ only in their paths. */
export async function startHostedIdentity(
  project: { projectId?: string; apiKey?: string; authDomain?: string } = {},
) {
  const projectId = project.projectId ?? 'reelay-hosted'
  const apiKey = project.apiKey ?? 'AIzaSyA-hosted-web-key'
  const authDomain = project.authDomain ?? `${projectId}.firebaseapp.com`
  const issuer = `https://securetoken.google.com/${projectId}`

  const users = new Map<string, HostedUser>()
  const sessions = new Map<string, Session>()
  const codes = new Map<string, Code>()
  const mails: HostedMail[] = []
  const calls: HostedCall[] = []
  const scripted: { call: string; refusal: Refusal }[] = []
  let down = false
  const settings: Console = {
    referrers: [],
    actionUrl: `https://${authDomain}/__/auth/action`,
  }

  let keys = [await newKey()]
  const current = () => {
    const [key] = keys
    if (!key) throw new Error('no key')
    return key
  }

  const byEmail = (email: string) => [...users.values()].find((user) => user.email === email)

  /** ID token claims: https://firebase.google.com/docs/auth/admin/verify-id-tokens */
  const signIdToken = (user: HostedUser, authTime: number, instead: JWTPayload = {}) =>
    new SignJWT({
      ...(user.displayName !== undefined && { name: user.displayName }),
      auth_time: authTime,
      user_id: user.localId,
      email: user.email,
      email_verified: user.emailVerified,
      firebase: { identities: { email: [user.email] }, sign_in_provider: 'password' },
      iss: issuer,
      aud: projectId,
      sub: user.localId,
      iat: seconds(),
      exp: seconds() + HOUR_S,
      ...instead,
    })
      .setProtectedHeader({ alg: 'RS256', kid: current().kid, typ: 'JWT' })
      .sign(current().privateKey)

  async function openSession(user: HostedUser) {
    const authTime = seconds()
    const refreshToken = unguessable(96)
    sessions.set(refreshToken, { localId: user.localId, authTime })
    return { idToken: await signIdToken(user, authTime), refreshToken, expiresIn: String(HOUR_S) }
  }

  function endSessions(user: HostedUser) {
    for (const [token, session] of sessions) if (session.localId === user.localId) sessions.delete(token)
    user.validSince = seconds()
  }

  async function findHolder(idToken: string | undefined, how: { recent?: boolean } = {}) {
    if (idToken === undefined) throw new Refusal('MISSING_ID_TOKEN')
    const keySet = createLocalJWKSet({ keys: keys.map(({ publicJwk }) => publicJwk) })
    const verified = await jwtVerify(idToken, keySet, {
      issuer,
      audience: projectId,
      algorithms: ['RS256'],
    }).catch(() => {
      throw new Refusal('INVALID_ID_TOKEN')
    })
    const claims = z
      .object({ sub: z.string(), iat: z.number(), auth_time: z.number() })
      .parse(verified.payload)
    const user = users.get(claims.sub)
    if (!user) throw new Refusal('USER_NOT_FOUND')
    if (claims.iat < user.validSince) throw new Refusal('TOKEN_EXPIRED')
    if (how.recent && claims.auth_time < seconds() - RECENT_S)
      throw new Refusal('CREDENTIAL_TOO_OLD_LOGIN_AGAIN')
    return user
  }

  function createUser(fields: Pick<HostedUser, 'email' | 'password'> & Partial<HostedUser>): HostedUser {
    const user: HostedUser = {
      localId: fields.localId ?? unguessable(21),
      email: fields.email.toLowerCase(),
      password: fields.password,
      emailVerified: fields.emailVerified ?? false,
      displayName: fields.displayName,
      validSince: fields.validSince ?? seconds(),
      createdAt: fields.createdAt ?? Date.now(),
    }
    users.set(user.localId, user)
    return user
  }

  function mail(to: string, code: Code) {
    const oobCode = unguessable(40)
    codes.set(oobCode, code)
    const link = new URL(settings.actionUrl)
    link.search = new URLSearchParams({
      mode: MODES[code.requestType] ?? 'action',
      oobCode,
      apiKey,
      lang: 'en',
    }).toString()
    mails.push({ to, requestType: code.requestType, oobCode, link: link.href })
  }

  function findCode(oobCode: string | undefined) {
    if (oobCode === undefined) throw new Refusal('MISSING_OOB_CODE')
    const code = codes.get(oobCode)
    const user = code && users.get(code.localId)
    if (!code || !user) throw new Refusal('INVALID_OOB_CODE')
    return { ...code, user }
  }

  const handlers: Record<string, (body: Body) => object | Promise<object>> = {
    async 'accounts:signUp'(body) {
      if (body.localId !== undefined) throw new Refusal('UNEXPECTED_PARAMETER : User ID')
      if (!body.email) throw new Refusal('MISSING_EMAIL')
      if (!body.password) throw new Refusal('MISSING_PASSWORD')
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(body.email)) throw new Refusal('INVALID_EMAIL')
      if (byEmail(body.email.toLowerCase())) throw new Refusal('EMAIL_EXISTS')
      const { email, password, displayName } = body
      const user = createUser({ email, password, displayName })
      return {
        kind: 'identitytoolkit#SignupNewUserResponse',
        localId: user.localId,
        email: user.email,
        displayName: user.displayName ?? '',
        ...(await openSession(user)),
      }
    },

    async 'accounts:signInWithPassword'(body) {
      if (!body.email) throw new Refusal('INVALID_EMAIL')
      if (!body.password) throw new Refusal('MISSING_PASSWORD')
      const user = byEmail(body.email.toLowerCase())
      // Enumeration protection: one answer for both.
      if (user?.password !== body.password) throw new Refusal('INVALID_LOGIN_CREDENTIALS')
      return {
        kind: 'identitytoolkit#VerifyPasswordResponse',
        localId: user.localId,
        email: user.email,
        displayName: user.displayName ?? '',
        registered: true,
        ...(await openSession(user)),
      }
    },

    async 'accounts:lookup'(body) {
      const user = await findHolder(body.idToken)
      const { localId, email, emailVerified, displayName, validSince, createdAt } = user
      return {
        kind: 'identitytoolkit#GetAccountInfoResponse',
        users: [
          {
            localId,
            email,
            emailVerified,
            displayName,
            passwordHash: 'UkVEQUNURUQ=',
            passwordUpdatedAt: createdAt,
            providerUserInfo: [
              { providerId: 'password', federatedId: email, email, rawId: email, displayName },
            ],
            validSince: String(validSince),
            // 64-bit integers are strings.
            createdAt: String(createdAt),
            lastLoginAt: String(createdAt),
            lastRefreshAt: new Date().toISOString(),
          },
        ],
      }
    },

    async token(body) {
      if (body.grant_type !== 'refresh_token') throw new Refusal('INVALID_GRANT_TYPE')
      if (!body.refresh_token) throw new Refusal('MISSING_REFRESH_TOKEN')
      const session = sessions.get(body.refresh_token)
      const user = session && users.get(session.localId)
      if (!session || !user) throw new Refusal('TOKEN_EXPIRED')
      const idToken = await signIdToken(user, session.authTime)
      return {
        access_token: idToken,
        id_token: idToken,
        // Unchanged for the life of the session.
        refresh_token: body.refresh_token,
        expires_in: String(HOUR_S),
        token_type: 'Bearer',
        user_id: user.localId,
        project_id: '1234567890',
      }
    },

    async 'accounts:sendOobCode'(body) {
      const { requestType } = body
      const kind = 'identitytoolkit#GetOobConfirmationCodeResponse'
      if (requestType === 'PASSWORD_RESET') {
        if (!body.email) throw new Refusal('MISSING_EMAIL')
        const user = byEmail(body.email.toLowerCase())
        if (user) mail(user.email, { requestType, localId: user.localId })
        return { kind, email: body.email }
      }
      if (requestType === 'VERIFY_AND_CHANGE_EMAIL') {
        const user = await findHolder(body.idToken, { recent: true })
        const newEmail = body.newEmail?.toLowerCase()
        if (!newEmail) throw new Refusal('MISSING_NEW_EMAIL')
        if (!byEmail(newEmail)) mail(newEmail, { requestType, localId: user.localId, newEmail })
        return { kind, email: user.email }
      }
      throw new Refusal('INVALID_REQ_TYPE')
    },

    'accounts:resetPassword'(body) {
      const { requestType, user, newEmail } = findCode(body.oobCode)
      const about = {
        kind: 'identitytoolkit#ResetPasswordResponse',
        email: user.email,
        requestType,
        newEmail,
      }
      if (body.newPassword === undefined) return about
      if (requestType !== 'PASSWORD_RESET') throw new Refusal('INVALID_OOB_CODE')
      codes.delete(body.oobCode ?? '')
      user.password = body.newPassword
      user.emailVerified = true
      endSessions(user)
      return about
    },

    'accounts:update'(body) {
      const { requestType, user, newEmail } = findCode(body.oobCode)
      if (requestType === 'PASSWORD_RESET') throw new Refusal('INVALID_OOB_CODE')
      codes.delete(body.oobCode ?? '')
      user.emailVerified = true
      if (newEmail !== undefined) {
        user.email = newEmail
        endSessions(user)
      }
      return {
        kind: 'identitytoolkit#SetAccountInfoResponse',
        localId: user.localId,
        email: user.email,
        emailVerified: true,
      }
    },

    passwordPolicy: () => ({
      customStrengthOptions: { minPasswordLength: 6, maxPasswordLength: 4096 },
      allowedNonAlphanumericCharacters: ['!', '?'],
      enforcementState: 'ENFORCE',
      schemaVersion: 1,
    }),

    recaptchaConfig: () => ({
      recaptchaKey: `projects/${projectId}/keys/6Lhosted`,
      recaptchaEnforcementState: [{ provider: 'EMAIL_PASSWORD_PROVIDER', enforcementState: 'OFF' }],
    }),
  }

  function checkKey(given: unknown, referer: string | undefined) {
    if (typeof given !== 'string' || given === '')
      throw new Refusal(
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        403,
        'PERMISSION_DENIED',
      )
    if (given !== apiKey)
      throw new Refusal('API key not valid. Please pass a valid API key.', 400, 'INVALID_ARGUMENT')
    const { referrers } = settings
    if (referrers.length > 0 && !referrers.some((start) => referer?.startsWith(start)))
      throw new Refusal(
        `Requests from referer ${referer ?? '<empty>'} are blocked.`,
        403,
        'PERMISSION_DENIED',
      )
  }

  const app = fastify({ forceCloseConnections: true })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
  app.addHook('onRequest', async (request, reply) => {
    if (down) request.raw.destroy()
    // CORS allows any origin and the headers of the SDK.
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
  })
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof Refusal) return reply.status(error.status).send(error.answer())
    return reply.status(500).send(new Refusal('INTERNAL', 500, 'INTERNAL').answer())
  })
  app.options('/*', (_request, reply) => reply.status(204).send())
  app.get(KEYS_PATH, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=21600, must-revalidate, no-transform')
      .send({ keys: keys.map(({ publicJwk }) => publicJwk) }),
  )
  app.all('/:version/:call', async (request, reply) => {
    const { call } = z.object({ call: z.string() }).parse(request.params)
    const { key } = z.looseObject({ key: z.unknown() }).parse(request.query)
    const { referer } = request.headers
    const note = (status: number) => calls.push({ call, status, body: request.body, referer })
    try {
      checkKey(key ?? request.headers['x-goog-api-key'], referer)
      const planned = scripted.findIndex((one) => one.call === call)
      const [refused] = planned < 0 ? [] : scripted.splice(planned, 1)
      if (refused) throw refused.refusal
      const handle = handlers[call]
      if (!handle) throw new Refusal('NOT_FOUND', 404)
      const body = Body.safeParse(request.body ?? {})
      if (!body.success) throw new Refusal('INVALID_ARGUMENT')
      const answer = await handle(body.data)
      note(200)
      return await send(reply, answer)
    } catch (error) {
      note(error instanceof Refusal ? error.status : 500)
      throw error
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo // a listening TCP server
  const url = `http://127.0.0.1:${port}`

  return {
    /** Replaces https://identitytoolkit.googleapis.com and https://securetoken.googleapis.com. */
    url,
    keysUrl: url + KEYS_PATH,
    projectId,
    apiKey,
    authDomain,
    calls,
    mails,
    settings,
    /** Imports users with chosen ids. */
    createUser,
    userOf(email: string): HostedUser {
      const user = byEmail(email)
      if (!user) throw new Error(`The hosted service does not know ${email}.`)
      return user
    },
    refuseNext: (call: string, message: string, status = 400) =>
      scripted.push({ call, refusal: new Refusal(message, status) }),
    /** Signs with a new key from now on; older keys stay published only with `keepOld`. */
    async rotateKeys(how: { keepOld: boolean }) {
      keys = [await newKey(), ...(how.keepOld ? keys : [])]
    },
    /** A validly signed token of a user, optionally with other claims. */
    sign: (user: HostedUser, claims: JWTPayload = {}) => signIdToken(user, seconds(), claims),
    publicJwk: () => current().publicJwk,
    /** Breaks every connection until `up`. */
    down() {
      down = true
    },
    up() {
      down = false
    },
    close: () => app.close(),
  }
}

const seconds = () => Math.floor(Date.now() / 1000)
const unguessable = (bytes: number) => randomBytes(bytes).toString('base64url')

const send = (reply: FastifyReply, answer: object) => reply.header('cache-control', 'no-store').send(answer)

const MODES: Readonly<Record<string, string>> = {
  PASSWORD_RESET: 'resetPassword',
  VERIFY_AND_CHANGE_EMAIL: 'verifyAndChangeEmail',
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const kid = randomBytes(20).toString('hex')
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}
