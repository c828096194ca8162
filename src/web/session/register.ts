import { schemaResolver } from '@mantine/form'
import type { ReactNode } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { SignUp } from '#contract/users.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { logIn } from './log-in.ts'
import { unmetPasswordRules } from './session.ts'
import { messageOf } from '#web/lib/message-of.ts'

export type Registered =
  | { readonly kind: 'signed_in' }
  | { readonly kind: 'fields'; readonly errors: Readonly<Record<string, string>> }
  | { readonly kind: 'refused'; readonly message: string }
  /** The account was created, but the login after it was refused. */
  | { readonly kind: 'made'; readonly message: string }

/** Messages by field; the server checks again. */
export const checkSignUp: (values: Record<string, unknown>) => Record<string, ReactNode> = schemaResolver(
  SignUp,
  {
    sync: true,
  },
)

export async function register(payload: SignUp): Promise<Registered> {
  const missing = await unmetPasswordRules(payload.password)
  if (missing.length > 0) return { kind: 'fields', errors: { password: missing.join(' ') } }
  const failure = await call('createUser', { body: payload }).then(
    () => null,
    (error: Error) => error,
  )
  if (failure !== null) return refusalOf(failure)
  const { email, password, invitation = null } = payload
  const refused = await logIn({ email: email.trim(), password, invitation })
  return refused === null ? { kind: 'signed_in' } : { kind: 'made', message: refused }
}

/** Puts the server's field errors beside their fields. */
function refusalOf(error: Error): Registered {
  const message = messageOf(error, TEXTS.unknownError)
  if (!(error instanceof ApiProblem)) return { kind: 'refused', message }
  const errors = error.code === 'email_taken' ? { email: [message], ...error.errors } : error.errors
  if (Object.keys(errors).length === 0) return { kind: 'refused', message }
  const joined = Object.entries(errors).map(([field, messages]) => [field, messages.join(' ')] as const)
  return { kind: 'fields', errors: Object.fromEntries(joined) }
}
