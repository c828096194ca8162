import { z } from 'zod'
import { secretHash } from '#base/secret.ts'
import type { Claims } from '../identity.ts'
import type { Concerned } from '../store/federated.ts'
import * as store from '../store/federated.ts'
import { findByUid } from '../store/users.ts'
import type { IdentityUser } from '../store/users.ts'
import { ipKey } from '../throttle.ts'
import { newUid } from './core.ts'
import type { Core, Refusal } from './core.ts'
import type { Asserted, Proven } from './oidc.ts'
import { bearerOf, openSession } from './sessions.ts'
import type { Session } from './sessions.ts'

export type FederatedSignIn = {
  readonly credential:
    | { readonly provider: string; readonly idToken: string; readonly nonce: string | null }
    | { readonly pendingToken: string }
  /** Whose the account is to become, by their ID token. */
  readonly linkTo: string | null
  /** Not where somebody only shows once more who they are. */
  readonly mayCreate: boolean
  readonly ip: string
}

export type FederatedOutcome =
  | {
      readonly kind: 'entered'
      readonly session: Session
      readonly asserted: Asserted
      readonly isNew: boolean
      readonly recycled: boolean
    }
  /** Somebody has the address. They may link the account once they are signed in, with `pendingToken`. */
  | {
      readonly kind: 'confirm'
      readonly asserted: Asserted
      readonly pendingToken: string
      readonly ways: readonly string[]
    }
  | {
      readonly kind: 'taken'
      readonly why: 'account_linked' | 'email_taken'
      readonly asserted: Asserted
      readonly pendingToken: string
    }

/** Signs in by what another provider says, or links its account to who is signed in. */
export async function signInFederated(
  core: Core,
  input: FederatedSignIn,
): Promise<FederatedOutcome | Refusal> {
  const proven =
    'pendingToken' in input.credential
      ? openPending(core, input.credential.pendingToken)
      : await core.oidc.verify(input.credential, core.now())
  if ('refused' in proven) {
    const within = await core.throttle.count({ wrongAssertionByIp: ipKey(input.ip) })
    return within ? proven : { refused: 'too_many_attempts' }
  }
  const asker = input.linkTo === null ? null : await linkingUser(core, input.linkTo)
  if (asker !== null && 'refused' in asker) return asker

  const { asserted } = proven
  const pendingToken = () => sealPending(core, proven, 'pendingToken' in input.credential)
  const settled = await settle(core, proven, { asker, mayCreate: input.mayCreate })
  switch (settled.kind) {
    case 'refuse':
      return { refused: settled.why }
    case 'taken':
      return { kind: 'taken', why: settled.why, asserted, pendingToken: pendingToken() }
    case 'confirm': {
      // It tells that somebody has the address, as a sign-up does, and counts as one.
      if (!(await core.throttle.count({ signUpByIp: ipKey(input.ip) })))
        return { refused: 'too_many_attempts' }
      const ways = core.rules.hidesWhoIsKnown ? [] : waysInto(settled.user)
      return { kind: 'confirm', asserted, pendingToken: pendingToken(), ways }
    }
    case 'enter':
    case 'link':
    case 'join':
    case 'create': {
      const session = await openSession(core, settled.user, {
        provider: asserted.provider,
        compared: null,
        ip: input.ip,
      })
      if ('refused' in session) return session
      const recycled = settled.kind === 'join' && settled.recycled
      return { kind: 'entered', session, asserted, isNew: settled.kind === 'create', recycled }
    }
  }
}

/**
 * A way in that is added stays when an ID token that was stolen has run out: it takes a recent sign-in. Who never said who
 * they are cannot sign in once more, and has nothing else to lose.
 */
async function linkingUser(core: Core, idToken: string): Promise<Claims | Refusal> {
  const bearer = await bearerOf(core, idToken)
  if ('refused' in bearer) return bearer
  const recent = await bearerOf(core, idToken, { recent: !isAnonymous(bearer.user) })
  return 'refused' in recent ? recent : recent.claims
}

const isAnonymous = (user: IdentityUser): boolean => user.email === null && user.federated.length === 0

const waysInto = (user: IdentityUser): string[] => [
  ...user.federated.map((account) => account.provider_id),
  ...(user.password_hash === null ? [] : ['password']),
  ...(user.email_link ? ['emailLink'] : []),
]

// ---- whose account it is ----

export type Scene = Concerned & {
  readonly asserted: Pick<Asserted, 'provider' | 'email' | 'ownsEmail'>
  /** Whether somebody asked for the account to be linked; their token may be revoked by now. */
  readonly links: boolean
  readonly mayCreate: boolean
  readonly signup: 'open' | 'closed'
}

export type Decision =
  | { readonly kind: 'enter'; readonly user: IdentityUser }
  /** `email`: what their address is then, and whether it is proven. */
  | {
      readonly kind: 'link'
      readonly user: IdentityUser
      readonly email: { readonly email: string | null; readonly proven: boolean }
    }
  /** The provider vouches for the address, so the user who has it is this one. `clears`: whoever got in before may not be. */
  | {
      readonly kind: 'join'
      readonly user: IdentityUser
      readonly clears: boolean
      readonly recycled: boolean
    }
  | { readonly kind: 'create' }
  | { readonly kind: 'confirm'; readonly user: IdentityUser }
  | { readonly kind: 'taken'; readonly why: 'account_linked' | 'email_taken' }
  | {
      readonly kind: 'refuse'
      readonly why:
        | 'provider_linked'
        | 'user_disabled'
        | 'no_such_user'
        | 'signup_closed'
        | 'session_over'
        | 'credential_used'
    }

/** The rules of Firebase where an address belongs to one user: https://firebase.google.com/docs/auth/users, read 2026-11. */
export function decide({ asserted, known, namesake, target, ...asked }: Scene): Decision {
  if (asked.links) {
    if (!target) return { kind: 'refuse', why: 'session_over' }
    if (known) {
      return known.uid === target.uid
        ? { kind: 'enter', user: known }
        : { kind: 'taken', why: 'account_linked' }
    }
    if (target.federated.some((account) => account.provider_id === asserted.provider)) {
      return { kind: 'refuse', why: 'provider_linked' }
    }
    if (namesake && namesake.uid !== target.uid) return { kind: 'taken', why: 'email_taken' }
    if (isAnonymous(target) && asked.signup === 'closed') return { kind: 'refuse', why: 'signup_closed' }
    const same = target.email === null || target.email === asserted.email
    const email = target.email ?? asserted.email
    return {
      kind: 'link',
      user: target,
      email: { email, proven: target.email_verified || (same && asserted.ownsEmail) },
    }
  }
  if (known) return known.disabled ? { kind: 'refuse', why: 'user_disabled' } : { kind: 'enter', user: known }
  // `mayCreate` is false where somebody shows who they are once more: that must not change anything.
  if (!asked.mayCreate) return { kind: 'refuse', why: 'no_such_user' }
  if (namesake) {
    if (!asserted.ownsEmail) return { kind: 'confirm', user: namesake }
    if (namesake.disabled) return { kind: 'refuse', why: 'user_disabled' }
    const linked = namesake.federated.find((account) => account.provider_id === asserted.provider)
    // Another account there, with another address, is one that its owner linked: no sign that this address was given away.
    const own = linked !== undefined && linked.email !== null && linked.email !== asserted.email
    if (own && namesake.email_verified) return { kind: 'confirm', user: namesake }
    // The provider has given the address to somebody else since.
    const recycled = linked !== undefined && !own
    // Anybody can sign up with an address that is not theirs. If nobody ever proved it, its owner finds the account empty of
    // ways in: a password set before would let whoever chose it in for ever.
    return { kind: 'join', user: namesake, clears: recycled || !namesake.email_verified, recycled }
  }
  return asked.signup === 'closed' ? { kind: 'refuse', why: 'signup_closed' } : { kind: 'create' }
}

type Settled = Exclude<Decision, { kind: 'create' }> | { kind: 'create'; user: IdentityUser }

/** Decides, and does it, in one transaction. The user is as that leaves them, whatever happens to them next. */
const settle = (
  core: Core,
  { asserted, once }: Proven,
  { asker, mayCreate }: { readonly asker: Claims | null; readonly mayCreate: boolean },
): Promise<Settled> =>
  core.db.transaction().execute(async (trx) => {
    const now = new Date(core.now())
    await store.lockAccount(trx, asserted)
    let used = false
    for (;;) {
      const concerned = await store.findConcerned(trx, asserted, asker)
      const decision = decide({
        ...concerned,
        asserted,
        links: asker !== null,
        mayCreate,
        signup: core.rules.signup,
      })
      if (decision.kind === 'refuse') return decision
      if (once && !used && !(await store.useUp(trx, secretHash(once.key), new Date(once.untilMs)))) {
        return { kind: 'refuse', why: 'credential_used' }
      }
      used = true
      if (decision.kind !== 'create') {
        await carryOut(trx, decision, asserted, now)
        return 'user' in decision ? { ...decision, user: await readUser(trx, decision.user.uid) } : decision
      }
      const uid = newUid()
      if (await store.insertFederatedUser(trx, uid, asserted, now)) {
        return { kind: 'create', user: await readUser(trx, uid) }
      }
      // Somebody signed up with the address this very moment: now they are concerned, too.
    }
  })

async function readUser(trx: Core['db'], uid: string): Promise<IdentityUser> {
  const user = await findByUid(trx, uid)
  if (!user) throw new Error('A user who was just written is not there.')
  return user
}

async function carryOut(
  trx: Core['db'],
  decision: Exclude<Decision, { kind: 'create' | 'refuse' }>,
  asserted: Asserted,
  now: Date,
): Promise<void> {
  switch (decision.kind) {
    case 'enter':
      return store.followAccount(trx, asserted)
    case 'link':
      await store.complete(trx, decision.user, asserted, decision.email)
      return store.insertAccount(trx, decision.user.uid, asserted, now)
    case 'join': {
      const { user } = decision
      await (decision.clears
        ? store.clearWaysIn(trx, user, asserted, now)
        : store.complete(trx, user, asserted, { email: user.email, proven: true }))
      return store.insertAccount(trx, user.uid, asserted, now)
    }
    case 'confirm':
    case 'taken':
  }
}

// ---- what is taken up later ----

/** Time to sign in another way. */
const PENDING_TTL_MS = 900_000

const Pending = z.object({
  what: z.literal('pending account'),
  untilMs: z.number(),
  asserted: z.object({
    provider: z.string(),
    rawId: z.string(),
    email: z.string().nullable(),
    ownsEmail: z.boolean(),
    displayName: z.string().nullable(),
    photoUrl: z.string().nullable(),
    claims: z.record(z.string(), z.unknown()),
  }),
})

/** What was proven, for its bearer to come back with. Brought back in vain, it is good for no longer than before. */
function sealPending(core: Core, { asserted, once }: Proven, again: boolean): string {
  const pending: z.infer<typeof Pending> = {
    what: 'pending account',
    untilMs: again && once ? once.untilMs : core.now() + PENDING_TTL_MS,
    asserted: { ...asserted, claims: { ...asserted.claims } },
  }
  return core.sealer.seal(JSON.stringify(pending)).toString('base64url')
}

function openPending(core: Core, token: string): Proven | { readonly refused: 'invalid_pending_token' } {
  const pending = Pending.safeParse(opened(core, token))
  if (!pending.success || pending.data.untilMs <= core.now()) return { refused: 'invalid_pending_token' }
  const { asserted, untilMs } = pending.data
  return { asserted, once: { key: token, untilMs } }
}

function opened(core: Core, token: string): unknown {
  try {
    return JSON.parse(core.sealer.open(Buffer.from(token, 'base64url')))
  } catch {
    // Neither the seal nor JSON knows another way to say no; the bytes are a stranger's.
    return null
  }
}
