import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeUser, linkFor, makeUser, removeUser } from '../core/admin.ts'
import type { Core } from '../core/core.ts'
import { findUsers } from '../store/admin.ts'
import { refuse } from './call.ts'
import type { Answer } from './call.ts'
import { localeOf } from './codes.ts'
import * as wire from './wire.ts'

/** A call that brings the admin key. `null`: it is one that anybody may make. */
export type PrivilegedCall = (request: FastifyRequest) => Promise<Answer | null>

/** Compared in a time that does not tell how much of it was right. */
export const isAdminKey = (key: string | null, bearer: string): boolean =>
  key !== null && timingSafeEqual(digest(key), digest(bearer))

const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * The calls of the Firebase Admin SDK for users, by the path of the call that users make. Each change is noted, without
 * what is secret.
 */
export function privilegedCalls(
  core: Core,
  log: Pick<FastifyBaseLogger, 'info'>,
): ReadonlyMap<string, PrivilegedCall> {
  const note = (request: FastifyRequest, did: string, uid: string | null, fields: readonly string[] = []) =>
    log.info({ did, uid, fields, ip: request.ip }, 'a privileged call changed a user')

  const lookup = call(wire.PrivilegedLookupBody, async (body) => {
    const named = { uids: body.localId, emails: body.email, accounts: body.federatedUserId }
    if (named.uids.length + named.emails.length + named.accounts.length === 0) {
      return refuse('missing_identifier')
    }
    return { answer: wire.usersReply(await findUsers(core.db, named)) }
  })

  const create = call(wire.PrivilegedSignUpBody, async (body, request) => {
    const made = await makeUser(core, {
      uid: body.localId ?? null,
      email: body.email ?? null,
      password: body.password ?? null,
      displayName: body.displayName || null,
      photoUrl: body.photoUrl || null,
      emailVerified: body.emailVerified,
      disabled: body.disabled,
    })
    if ('refused' in made) return made
    note(request, 'create', made.uid)
    return { answer: wire.madeReply(made) }
  })

  const update = call(wire.PrivilegedUpdateBody, async (body, request) => {
    const { localId, disableUser, customAttributes, deleteAttribute, deleteProvider, ...rest } = body
    if (localId === undefined) return refuse('missing_uid')
    const changed = await changeUser(core, localId, {
      ...rest,
      ...(deleteAttribute.includes('DISPLAY_NAME') && { displayName: null }),
      ...(deleteAttribute.includes('PHOTO_URL') && { photoUrl: null }),
      ...(disableUser !== undefined && { disabled: disableUser }),
      ...(customAttributes !== undefined && { customClaims: customAttributes }),
      unlink: deleteProvider,
    })
    if ('refused' in changed) return changed
    note(request, 'update', localId, fieldsOf(body))
    return { answer: wire.updateReply({ user: changed, session: null }) }
  })

  const remove = call(wire.PrivilegedDeleteBody, async ({ localId }, request) => {
    if (localId === undefined) return refuse('missing_uid')
    const removed = await removeUser(core, localId)
    if ('refused' in removed) return removed
    note(request, 'delete', localId)
    return { answer: { kind: 'identitytoolkit#DeleteAccountResponse' } }
  })

  const sendCode = call(wire.PrivilegedLinkBody, async (body, request) => {
    if (!body.returnOobLink) return null
    if (!body.email) return refuse('missing_email')
    const purpose = LINKS[body.requestType]
    const newEmail = purpose === 'verify_and_change_email' ? (body.newEmail ?? '') : null
    if (newEmail === '') return refuse('missing_new_email')
    const made = await linkFor(core, {
      purpose,
      email: body.email,
      newEmail,
      continueUrl: body.continueUrl || null,
      language: localeOf(request),
    })
    if ('refused' in made) return made
    note(request, 'make a link', made.uid, [body.requestType])
    const { email, code: oobCode, link: oobLink } = made
    return {
      answer: { kind: 'identitytoolkit#GetOobConfirmationCodeResponse', email, oobCode, oobLink },
    }
  })

  return new Map([
    ['/v1/accounts::lookup', lookup],
    ['/v1/accounts::signUp', create],
    ['/v1/accounts::update', update],
    ['/v1/accounts::delete', remove],
    ['/v1/accounts::sendOobCode', sendCode],
  ])
}

const LINKS = {
  PASSWORD_RESET: 'password_reset',
  EMAIL_SIGNIN: 'email_sign_in',
  VERIFY_EMAIL: 'verify_email',
  VERIFY_AND_CHANGE_EMAIL: 'verify_and_change_email',
} as const

/** What was asked to change; never to what. */
const fieldsOf = (body: object): string[] =>
  Object.entries(body)
    .filter(
      ([name, value]) =>
        name !== 'localId' && value !== undefined && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name]) => name)

/** Where a user's own ID token or mailed code comes along, the call is the user's. */
const Alone = z.object({ idToken: z.never().optional(), oobCode: z.never().optional() })

const call =
  <S extends z.ZodType>(
    schema: S,
    handle: (body: z.output<S>, request: FastifyRequest) => Promise<Answer | null>,
  ): PrivilegedCall =>
  async (request) => {
    if (!Alone.safeParse(request.body).success) return null
    const body = schema.safeParse(request.body)
    return body.success ? handle(body.data, request) : refuse('malformed')
  }
