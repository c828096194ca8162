import { schemaResolver } from '@mantine/form'
import type { ReactNode } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { SignUp } from '#contract/users.ts'
import { ApiProblem, call } from '#web/client/api.ts'
import { logIn, missingInPassword } from '#web/session/session.ts'
import { messageOf } from '#web/lib/format/message-of.ts'

/** What becomes of a sign-up. Signed in, the screen has nothing left to say. */
export type Registered =
  | { readonly kind: 'signed_in' }
  | { readonly kind: 'fields'; readonly errors: Readonly<Record<string, string>> }
  | { readonly kind: 'refused'; readonly message: string }
  /** The account is made, but the log-in that follows was refused. */
  | { readonly kind: 'made'; readonly message: string }

/** Messages by field; the server has the last word. */
export const checkSignUp: (values: Record<string, unknown>) => Record<string, ReactNode> = schemaResolver(
  SignUp,
  {
    sync: true,
  },
)

/** Makes the account and signs in to it. */
export async function register(payload: SignUp): Promise<Registered> {
  const missing = await missingInPassword(payload.password)
  if (missing.length > 0) return { kind: 'fields', errors: { password: missing.join(' ') } }
  const failure = await call('createUser', { body: payload }).then(
    () => null,
    (error: Error) => error,
  )
  if (failure !== null) return refusalOf(failure)
  const refused = await logIn(payload.email.trim(), payload.password)
  return refused === null ? { kind: 'signed_in' } : { kind: 'made', message: refused }
}

/** What the server says of a field goes beside it. */
function refusalOf(error: Error): Registered {
  const message = messageOf(error, TEXTS.unknownError)
  if (!(error instanceof ApiProblem)) return { kind: 'refused', message }
  const errors = error.code === 'email_taken' ? { email: [message], ...error.errors } : error.errors
  if (Object.keys(errors).length === 0) return { kind: 'refused', message }
  const joined = Object.entries(errors).map(([field, messages]) => [field, messages.join(' ')] as const)
  return { kind: 'fields', errors: Object.fromEntries(joined) }
}
