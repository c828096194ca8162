import { beforeAuthStateChanged, signInWithEmailAndPassword, type Auth } from '@firebase/auth'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient, settingsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { browserTimeZone } from '#web/lib/moments.ts'
import { recordUser } from './browser-user.ts'
import { refusal } from './identity.ts'
import { identityMessage } from './identity-errors.ts'
import { open } from './session.ts'

export type LogIn = { readonly email: string; readonly password: string; readonly invitation: string | null }

/** Loaded after the first paint. @returns null: logged in; else the message, the same for an unknown email and a wrong password */
export async function logIn({ email, password, invitation }: LogIn): Promise<string | null> {
  const identity = await open().catch(() => null)
  if (identity === null) return told('network-request-failed')
  const { mode, apiKey } = (await queryClient.ensureQueryData(settingsQuery)).identity
  // A hosted service knows people who are no users of this server.
  const asks = mode === 'firebase' || invitation !== null
  let unadmitted: string | null = null
  // Before the SDK stores the user: who is refused was never logged in.
  const end = beforeAuthStateChanged(identity.auth, async (user) => {
    if (user && asks) unadmitted = await admit(await user.getIdToken(), invitation)
    if (unadmitted !== null) throw new Error(unadmitted)
  })
  const code = await signIn(identity.auth, email, password).finally(end)
  if (unadmitted !== null) recordUser(apiKey, null)
  return unadmitted ?? (code === null ? null : told(code))
}

const signIn = (auth: Auth, email: string, password: string) =>
  refusal(signInWithEmailAndPassword(auth, email, password))

function told(code: string): string {
  // oxlint-disable-next-line no-console -- the specification has it logged
  console.error('Login failed', code)
  return identityMessage(code)
}

/** Asks the server if the holder of an ID token is its user or becomes one. @returns null: yes; else its refusal */
async function admit(token: string, invitation: string | null): Promise<string | null> {
  const body = { token, timezone: browserTimeZone() ?? 'UTC', ...(invitation !== null && { invitation }) }
  return call('admitUser', { body }).then(
    () => null,
    (error: unknown) => messageOf(error, TEXTS.unknownError),
  )
}
