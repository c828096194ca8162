import { z } from 'zod'
import { looksLikeSecret, newSecret, secretHash } from '#base/secret.ts'
import { ipKey } from '#base/ip-address.ts'
import { TimeZone, Email } from '#contract/users.ts'
import { type Core, newUid, type Refusal } from '../core/core.ts'
import { openSession, type Session } from '../core/sessions.ts'
import {
  consumeToken,
  findLinkedUser,
  insertLink,
  storeToken,
  type Subject,
} from '../store/provider-links.ts'
import { findByEmail, findByUid, type IdentityUser, insertUser } from '../store/users.ts'
import type { OidcClient, Provider, ProviderFailure, ProviderUser } from './client.ts'

/** A log-in through a provider, kept by the browser that began it, encrypted: nobody else can go on with it, or read it. */
export type Ticket = z.infer<typeof Ticket>
const Ticket = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('begun'),
    until: z.number(),
    provider: z.string(),
    state: z.string(),
    nonce: z.string(),
    verifier: z.string(),
    returnTo: z.string().nullable(),
    invitation: z.string().nullable(),
    timezone: z.string().nullable(),
  }),
  /** `token` is good for one `signInByToken`. */
  z.object({
    step: z.literal('proven'),
    until: z.number(),
    token: z.string(),
    returnTo: z.string().nullable(),
  }),
  /** The address has a user, who must log in once more before the provider may log them in. */
  z.object({
    step: z.literal('to_confirm'),
    until: z.number(),
    returnTo: z.string().nullable(),
    provider: z.string(),
    uid: z.string(),
    email: z.string(),
    person: z.object({
      issuer: z.string(),
      subject: z.string(),
      name: z.string().nullable(),
      operator: z.boolean().nullable(),
      quota: z.string().nullable(),
    }),
  }),
  z.object({
    step: z.literal('refused'),
    until: z.number(),
    provider: z.string().nullable(),
    reason: z.string(),
  }),
])
type Begun = Extract<Ticket, { step: 'begun' }>

/** The time to log in at the provider, and after it to confirm. */
export const TICKET_TTL_MS = 600_000
/** The page needs it at once; a slow phone loads it for a while. */
const TOKEN_TTL_MS = 60_000

export const sealTicket = ({ encrypter }: Pick<Core, 'encrypter'>, ticket: Ticket): string =>
  encrypter.encrypt(JSON.stringify(ticket)).toString('base64url')

/** `null`: none, not ours, or its time is over. */
export function openTicket(core: Pick<Core, 'encrypter' | 'now'>, sealed: string | null): Ticket | null {
  if (sealed === null) return null
  try {
    const ticket = Ticket.parse(JSON.parse(core.encrypter.decrypt(Buffer.from(sealed, 'base64url'))))
    return ticket.until > core.now() ? ticket : null
  } catch {
    // Decryption reports failure only by an exception.
    return null
  }
}

export type LoginRequest = Pick<Begun, 'provider' | 'returnTo' | 'invitation'> & {
  readonly timezone: string | null
  readonly ip: string
}

export async function beginLogin(
  core: Core,
  client: OidcClient,
  { provider: id, returnTo, invitation, timezone, ip }: LoginRequest,
): Promise<{ readonly url: string; readonly ticket: Ticket } | Refusal> {
  const provider = client.find(id)
  if (!provider) return { refused: 'unknown_provider' }
  if (!(await core.throttle.consume({ providerByIp: ipKey(ip) }))) return { refused: 'too_many_attempts' }
  const begun = await client.begin(provider)
  if (typeof begun === 'string') return { refused: 'provider_unreachable' }
  const zone = TimeZone.safeParse(timezone)
  const ticket: Ticket = {
    step: 'begun',
    until: core.now() + TICKET_TTL_MS,
    provider: id,
    ...begun.checks,
    returnTo,
    invitation,
    timezone: zone.success ? zone.data : null,
  }
  return { url: begun.url, ticket }
}

type Reason =
  | ProviderFailure
  | 'attempt_over'
  | 'too_many_attempts'
  | 'email_missing'
  | 'email_unverified'
  | 'user_disabled'
  | 'signup_closed'
  | 'not_invited'

/** Takes the browser's return from the provider. @param query of that address, with its question mark */
export async function completeLogin(
  core: Core,
  client: OidcClient,
  { ticket, ...returned }: { provider: string; query: string; ticket: Ticket | null; ip: string },
): Promise<Ticket> {
  const provider = client.find(returned.provider)
  const refuse = (reason: Reason): Ticket => ({
    step: 'refused',
    until: core.now() + TICKET_TTL_MS,
    provider: provider?.name ?? null,
    reason,
  })
  if (!provider || ticket?.step !== 'begun' || ticket.provider !== provider.id) return refuse('attempt_over')
  const person = await client.finish(provider, returned.query, ticket)
  if (typeof person === 'string') return refuse(person)
  const found = await findOrMakeUser(core, provider, person, ticket)
  if (typeof found === 'string') return refuse(found)
  const { returnTo } = ticket
  const until = core.now() + TICKET_TTL_MS
  if ('mustConfirm' in found) {
    const { uid, email } = found.mustConfirm
    return { step: 'to_confirm', until, returnTo, provider: provider.id, uid, email, person }
  }
  const { timezone } = ticket
  await core.recordProviderLogin(found.user, { ...person, provider: provider.name, timezone })
  const token = newSecret()
  const expiresAt = new Date(core.now() + TOKEN_TTL_MS)
  await storeToken(core.db, person, { tokenHash: secretHash(token), expiresAt })
  return { step: 'proven', until, token, returnTo }
}

type Found = { readonly user: IdentityUser } | { readonly mustConfirm: IdentityUser } | Reason

/**
 * The link decides, whatever the provider calls the address by now. Without one, the address must be verified there; somebody who has
 * it here must confirm, since whoever signed up with it need not own it.
 */
async function findOrMakeUser(
  core: Core,
  provider: Provider,
  person: ProviderUser,
  { invitation }: Begun,
): Promise<Found> {
  const linked = await findLinkedUser(core.db, person)
  if (linked) return linked.disabled ? 'user_disabled' : { user: linked }
  const email = Email.safeParse(person.email)
  if (!email.success) return 'email_missing'
  if (!person.emailVerified) return 'email_unverified'
  const known = await findByEmail(core.db, email.data)
  if (known) return known.disabled ? 'user_disabled' : { mustConfirm: known }
  const now = new Date(core.now())
  return core.db.transaction().execute(async (trx): Promise<Found> => {
    const admission = await core.admit(trx, { email: email.data, invitation })
    if (admission.kind !== 'admitted') return admission.kind === 'closed' ? 'signup_closed' : 'not_invited'
    const { name: displayName } = person
    const user = await insertUser(
      trx,
      { uid: newUid(), email: email.data, displayName, passwordHash: null, emailVerified: true },
      now,
    )
    // Somebody signed up with it this moment.
    if (!user) return 'attempt_over'
    await admission.use()
    await insertLink(trx, toLink(person, user.uid, provider.id), now)
    return { user }
  })
}

const toLink = ({ issuer, subject }: Subject, uid: string, provider: string) => ({
  issuer,
  subject,
  uid,
  provider,
})

/** Links the provider to the user who has just logged in with a password, if it is the one who was asked to. */
export async function confirmLink(
  core: Core,
  client: OidcClient,
  ticket: Ticket | null,
  user: IdentityUser,
): Promise<boolean> {
  if (ticket?.step !== 'to_confirm' || ticket.uid !== user.uid || ticket.email !== user.email) return false
  const provider = client.find(ticket.provider)
  if (!provider) return false
  const { person } = ticket
  const isLinked = await core.db
    .transaction()
    .execute((trx) => insertLink(trx, toLink(person, user.uid, provider.id), new Date(core.now())))
  if (!isLinked) return false
  await core.recordProviderLogin(user, { ...person, provider: provider.name, timezone: null })
  return true
}

export async function signInByToken(
  core: Core,
  { token, ip }: { readonly token: string; readonly ip: string },
): Promise<Session | Refusal> {
  const uid = looksLikeSecret(token)
    ? await consumeToken(core.db, secretHash(token), new Date(core.now()))
    : undefined
  const user = uid === undefined ? undefined : await findByUid(core.db, uid)
  if (!user) {
    const within = await core.throttle.consume({ wrongCodeByIp: ipKey(ip) })
    return { refused: within ? 'invalid_custom_token' : 'too_many_attempts' }
  }
  if (user.disabled) return { refused: 'user_disabled' }
  return openSession(core, user, { compared: null, ip })
}
