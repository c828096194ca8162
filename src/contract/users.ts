import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { UserId } from './ids.ts'
import {
  EMAIL_MAX_CHARS,
  NICKNAME_MAX_CHARS,
  PASSWORD_MAX_CHARS,
  PASSWORD_MIN_CHARS,
  SIGN_UP_BODY_MAX_BYTES,
} from './limits.ts'

/** An IANA time zone that this runtime knows, such as `Europe/Lisbon`. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isIanaName, { message: 'Choose a time zone from the list.' })
export const Nickname = z
  .string()
  .trim()
  .min(1, 'Enter a nickname.')
  .max(NICKNAME_MAX_CHARS, `Use at most ${NICKNAME_MAX_CHARS} characters.`)
  .regex(/^\P{Cc}*$/u, 'Use letters, numbers and symbols only.')
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_MAX_CHARS, 'That email address is too long.')
  .pipe(z.email('Enter a valid email address.'))
export const Password = z
  .string()
  .min(PASSWORD_MIN_CHARS, `Use at least ${PASSWORD_MIN_CHARS} characters.`)
  .max(PASSWORD_MAX_CHARS, `Use at most ${PASSWORD_MAX_CHARS} characters.`)

export const SignUp = z.object({
  email: Email,
  nickname: Nickname,
  timezone: TimeZone,
  password: Password,
  invitation: z.string().max(100).optional().describe('The secret at the end of an invitation link.'),
})
export type SignUp = z.infer<typeof SignUp>

export const User = z.object({
  user_id: UserId,
  uid: z.string().describe("The user's id at the identity provider."),
  email: z.string(),
  nickname: z.string(),
  timezone: z.string().describe('The IANA name of the time zone in which times are shown.'),
  operator: z.boolean().describe('true if the user runs this server.'),
  created_at: z.iso.datetime(),
})
export type User = z.infer<typeof User>

/** Asking Intl takes as long as a small query, and every list asks for its user's zone. The names that Intl gives, by ours. */
const knownZones = new Map<string, string>()
/** More than there are zones: Intl takes their names in any case. */
const KNOWN_ZONES_MAX = 1000

/** Tells if this runtime knows a zone. Stored names may come from another runtime, or be older than the rule of `TimeZone`. */
export const isKnownZone = (name: string): boolean => findZone(name) !== null

/** The runtime's own name of a zone; null where it knows no such zone. */
function findZone(name: string): string | null {
  const known = knownZones.get(name)
  if (known !== undefined) return known
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    if (knownZones.size < KNOWN_ZONES_MAX) knownZones.set(name, timeZone)
    return timeZone
  } catch {
    // Intl knows no other way to be asked; RangeError is its "no".
    return null
  }
}

/** Offsets, and the short names of ICU, of which some mean another zone elsewhere: Intl takes them, and IANA has none of them. */
const NOT_IANA =
  /^(?:[+-].*|SystemV\/.*|A[CEGR]T|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|N[ES]T|PLT|PNT|PRT|PST|SST|VST)$/

/** The names of IANA have one spelling: other programs may take no other. */
function isIanaName(name: string): boolean {
  const zone = findZone(name)
  if (zone === null || NOT_IANA.test(name)) return false
  const isOtherName = zone.toLowerCase() !== name.toLowerCase()
  return isOtherName ? /^[A-Z]/.test(name) : zone === name
}

export const userEndpoints = {
  createUser: endpoint({
    method: 'POST',
    path: '/users',
    tag: 'Users',
    summary: 'Sign up',
    auth: 'none',
    body: SignUp,
    maxBodyBytes: SIGN_UP_BODY_MAX_BYTES,
    status: 201,
    reply: User,
    problems: ['invalid', 'signup_closed', 'email_taken'],
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/user',
    tag: 'Users',
    summary: 'Get the signed-in user',
    auth: 'read',
    limitedKeys: 'any',
    status: 200,
    reply: User,
    problems: [],
  }),
  setNickname: endpoint({
    method: 'PUT',
    path: '/users/nickname',
    tag: 'Users',
    summary: 'Change the nickname',
    auth: 'write',
    body: z.object({ nickname: Nickname }),
    status: 200,
    reply: User,
    problems: ['invalid'],
  }),
  setTimezone: endpoint({
    method: 'PUT',
    path: '/users/timezone',
    tag: 'Users',
    summary:
      'Change the time zone. Brands that have posting schedules and followed the old time zone keep it, so no post moves',
    auth: 'write',
    body: z.object({ timezone: TimeZone }),
    status: 200,
    reply: User,
    problems: ['invalid'],
  }),
  deleteUser: endpoint({
    method: 'DELETE',
    path: '/user',
    tag: 'Users',
    summary:
      'Delete the signed-in user with everything that is theirs, including videos and the access to their accounts. The user must have logged in within the last five minutes. Posts that are on their way to a platform may still appear there',
    auth: 'session',
    status: 204,
    reply: noContent,
    problems: ['login_again', 'forbidden'],
  }),
  signOutEverywhere: endpoint({
    method: 'POST',
    path: '/user/sign-out-everywhere',
    tag: 'Users',
    summary:
      'End all sessions of the signed-in user, including this one. Their API keys and the addresses of their calendar feeds, shared reports and videos stop working too',
    auth: 'session',
    status: 204,
    reply: noContent,
    problems: ['not_offered'],
  }),
} as const
