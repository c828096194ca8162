import { signInWithCustomToken } from '@firebase/auth'
import { z } from 'zod'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import { TEXTS } from '#contract/texts.ts'
import { queryClient, settingsQuery } from '#web/api/queries.ts'
import { browserTimeZone } from '#web/lib/moments.ts'
import { isLoggedOut } from './browser-user.ts'
import { refusal } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { open } from './session.ts'

/** Log-in through the server's OpenID Connect providers. Loaded after the first paint. */
export type Providers = {
  readonly list: readonly { readonly id: string; readonly name: string }[]
  /** The one to which the log-in page leads by itself, unless somebody has logged out here. */
  readonly auto: string | null
}

/** None if the server does not answer: the form says so when it is sent. */
export async function readProviders(): Promise<Providers> {
  const identity = await readIdentity().catch(() => null)
  if (identity === null) return { list: [], auto: null }
  const auto = identity.providers.find((each) => each.auto)?.id ?? null
  return { list: identity.providers, auto: isLoggedOut(identity.apiKey) ? null : auto }
}

async function readIdentity() {
  const { identity } = await queryClient.ensureQueryData(settingsQuery)
  return identity.mode === 'embedded' ? identity : null
}

export type LoginAtProvider = { readonly returnTo: string | null; readonly invitation: string | null }

/** Leaves the page for the provider's. @returns the message if it cannot; null if the browser came back to this page */
export async function leaveFor(
  { id, name }: Providers['list'][number],
  { returnTo, invitation }: LoginAtProvider,
): Promise<string | null> {
  const timezone = browserTimeZone()
  const begun = await ask('begin', { provider: id, returnTo, invitation, timezone })
  const { success, data } = Begun.safeParse(begun)
  if (!success) {
    const code = Refused.safeParse(begun).data?.error.message ?? ''
    return code.startsWith('TOO_MANY') ? TEXTS.tooManyAttempts : describe('provider_unreachable', name)
  }
  location.assign(data.url)
  return new Promise((resolve) => {
    addEventListener('pageshow', () => resolve(null), { once: true })
  })
}

const Begun = z.object({ url: z.url() })
const Refused = z.object({ error: z.object({ message: z.string() }) })

const returnTo = z.string().nullable()
const Outcome = z.discriminatedUnion('result', [
  z.object({ result: z.literal('proven'), token: z.string(), returnTo }),
  z.object({ result: z.literal('to_confirm'), provider: z.string().nullable(), email: z.string(), returnTo }),
  z.object({ result: z.literal('refused'), provider: z.string().nullable(), reason: z.string() }),
])

export type Returned =
  | { readonly kind: 'logged_in'; readonly returnTo: string | null }
  | {
      readonly kind: 'to_confirm'
      readonly provider: string
      readonly email: string
      readonly returnTo: string | null
    }
  | { readonly kind: 'refused'; readonly message: string }

/** Logs in, if that is what the provider's answer led to. The server tells it once. */
export async function takeReturn(): Promise<Returned> {
  const parsed = Outcome.safeParse(await ask('finish', {}))
  if (!parsed.success) return { kind: 'refused', message: identityMessage('network-request-failed') }
  const { data } = parsed
  switch (data.result) {
    case 'proven':
      return logIn(data)
    case 'to_confirm':
      return {
        kind: 'to_confirm',
        provider: data.provider ?? SOMEWHERE,
        email: data.email,
        returnTo: data.returnTo,
      }
    case 'refused':
      return { kind: 'refused', message: describe(data.reason, data.provider ?? SOMEWHERE) }
  }
}

async function logIn({
  token,
  returnTo: page,
}: {
  token: string
  returnTo: string | null
}): Promise<Returned> {
  const identity = await open().catch(() => null)
  const refused =
    identity === null ? 'network-request-failed' : await refusal(signInWithCustomToken(identity.auth, token))
  if (refused === null) return { kind: 'logged_in', returnTo: page }
  return {
    kind: 'refused',
    message: refused === 'invalid-custom-token' ? describe('attempt_over', '') : identityMessage(refused),
  }
}

/** @returns undefined if nobody answers */
async function ask(call: 'begin' | 'finish', body: object): Promise<unknown> {
  try {
    const identity = await readIdentity()
    if (identity === null) return undefined
    const answer = await fetch(`${identity.path}/oidc/${call}?key=${encodeURIComponent(identity.apiKey)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return await answer.json()
  } catch {
    return undefined
  }
}

const SOMEWHERE = 'Your provider'

function describe(reason: string, name: string): string {
  switch (reason) {
    case 'provider_unreachable':
      return `${name} can't be reached at the moment. Try again in a minute.`
    case 'provider_refused':
      return `${name} didn't log you in. Try again, or log in another way.`
    case 'email_unverified':
      return `${name} hasn't confirmed your email. Confirm it there, then try again.`
    case 'email_missing':
      return `${name} didn't say what your email is, so you can't log in with it. Contact the person who runs this server.`
    case 'user_disabled':
      return identityMessage('user-disabled')
    case 'signup_closed':
      return TEXTS.signupClosed
    case 'not_invited':
      return INVITED_ONLY
    case 'too_many_attempts':
      return TEXTS.tooManyAttempts
    case 'attempt_over':
      return 'That took too long, or was begun in another window. Try again.'
    default:
      return `Something went wrong while logging in with ${name}. Try again, or contact the person who runs this server.`
  }
}
