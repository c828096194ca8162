import { z } from 'zod'
import { Email } from '#contract/users.ts'
import { hashPassword } from '../passwords.ts'
import { unmetRequirements } from '../policy.ts'
import * as store from '../store/admin.ts'
import { findByEmail, findByUid } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { makeLink } from './codes.ts'
import { readContinueUrl } from './continue-url.ts'
import { newUid } from './core.ts'
import type { Core, Refusal } from './core.ts'

// What whoever runs the server may do with every user. Who asks was checked before; no recent sign-in is asked of them.

export type NewAccount = {
  readonly uid: string | null
  readonly email: string | null
  readonly password: string | null
  readonly displayName: string | null
  readonly photoUrl: string | null
  readonly emailVerified: boolean
  readonly disabled: boolean
}

/** Makes a user, though sign-up be closed. */
export async function makeUser(core: Core, account: NewAccount): Promise<IdentityUser | Refusal> {
  const login = await readLogin(core, account)
  if ('refused' in login) return login
  if (login.passwordHash !== null && login.email === null) return { refused: 'missing_email' }
  const uid = account.uid ?? newUid()
  const made = await store.insertUser(core.db, { ...account, ...login, uid }, new Date(core.now()))
  if (made) return made
  return { refused: (await findByUid(core.db, uid)) ? 'uid_taken' : 'email_taken' }
}

/** What is not named stays as it is. */
export type UserChange = {
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly displayName?: string | null | undefined
  readonly photoUrl?: string | null | undefined
  readonly emailVerified?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** In seconds: earlier sign-ins no longer count. */
  readonly validSince?: number | undefined
  /** JSON. */
  readonly customClaims?: string | undefined
  readonly unlink: readonly string[]
}

/**
 * Changes a user. What lets somebody in anew, or no longer, ends every session, as do a new password or address: whoever
 * asked for it may have done so because somebody else was in.
 */
export async function changeUser(
  core: Core,
  uid: string,
  change: UserChange,
): Promise<IdentityUser | Refusal> {
  const read = change.customClaims === undefined ? null : readClaims(change.customClaims)
  if (read && 'refused' in read) return read
  const login = await readLogin(core, {
    email: change.email ?? null,
    password: change.password ?? null,
  })
  if ('refused' in login) return login
  const changed = await store.changeUser(core.db, uid, { ...change, ...login, ...read }, new Date(core.now()))
  switch (changed) {
    case 'taken':
      return { refused: 'email_taken' }
    case 'no_user':
      return { refused: 'user_not_found' }
    case 'no_address':
      return { refused: 'missing_email' }
    default:
  }
  return changed
}

type Login = { readonly email: string | null; readonly passwordHash: string | null }

async function readLogin(
  core: Core,
  { email, password }: { readonly email: string | null; readonly password: string | null },
): Promise<Login | Refusal> {
  const address = email === null ? null : Email.safeParse(email)
  if (address && !address.success) return { refused: 'invalid_email' }
  if (password === null) return { email: address?.data ?? null, passwordHash: null }
  const unmet = unmetRequirements(core.rules.policy, password)
  if (unmet.length > 0) return { refused: 'weak_password', unmet }
  const passwordHash = await core.gate.run(() => hashPassword(password, core.hashCost))
  if (passwordHash === null) return { refused: 'too_many_attempts' }
  return { email: address?.data ?? null, passwordHash }
}

/** Deletes a user with everything that is theirs. */
export async function removeUser(core: Core, uid: string): Promise<{ readonly uid: string } | Refusal> {
  if (!(await findByUid(core.db, uid))) return { refused: 'user_not_found' }
  await core.forget(uid)
  return { uid }
}

// ---- links ----

export type LinkRequest = {
  readonly purpose: 'password_reset' | 'email_sign_in' | 'verify_email' | 'verify_and_change_email'
  readonly email: string
  readonly newEmail: string | null
  readonly continueUrl: string | null
  readonly language: string | null
}

/** What would be mailed, to be handed over in another way. */
export async function linkFor(core: Core, request: LinkRequest): Promise<MadeLink | Refusal> {
  const continueUrl = request.continueUrl === null ? null : readContinueUrl(core, request.continueUrl)
  if (continueUrl !== null && 'refused' in continueUrl) return continueUrl
  const email = Email.safeParse(request.email)
  const newEmail = request.newEmail === null ? null : Email.safeParse(request.newEmail)
  if (!email.success || newEmail?.success === false) return { refused: 'invalid_email' }
  const made = await makeLink(core, {
    purpose: request.purpose,
    email: email.data,
    newEmail: newEmail?.data ?? null,
    continueUrl: continueUrl?.href ?? null,
    language: request.language,
    uid: null,
  })
  if ('refused' in made) return made
  const user = await findByEmail(core.db, email.data)
  return { ...made, email: email.data, uid: user?.uid ?? null }
}

/** `uid`: whose it is; `null` where it would make a new user. */
export type MadeLink = {
  readonly code: string
  readonly link: string
  readonly email: string
  readonly uid: string | null
}

// ---- claims ----

const CLAIMS_MAX_CHARS = 1000

/**
 * What a token says by itself, as Firebase lists it (https://firebase.google.com/docs/auth/admin/custom-claims, read 2026-11),
 * and what it says of the user.
 */
const RESERVED = new Set(
  'acr amr at_hash aud auth_time azp cnf c_hash exp firebase iat iss jti nbf nonce sub user_id email email_verified'.split(
    ' ',
  ),
)

/** PostgreSQL keeps no text with a character zero, or with half of a pair; JavaScript writes both so. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f]..)/

const Claims = z.record(z.string(), z.json())

/** @returns as they are to be stored; `null` for none. */
export function readClaims(text: string): { readonly claims: z.infer<typeof Claims> | null } | Refusal {
  if (text.length > CLAIMS_MAX_CHARS) return { refused: 'claims_too_large' }
  const claims = Claims.safeParse(fromJson(text))
  if (!claims.success) return { refused: 'invalid_claims' }
  if (UNSTORABLE.test(JSON.stringify(claims.data))) return { refused: 'invalid_claims' }
  const names = Object.keys(claims.data)
  const claim = names.find((name) => RESERVED.has(name))
  if (claim !== undefined) return { refused: 'forbidden_claim', claim }
  return { claims: names.length === 0 ? null : claims.data }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
