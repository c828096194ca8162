import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Suspense, useState } from 'react'
import { Link, Navigate, useLocation, useNavigate } from 'react-router'
import { OIDC_RETURN } from '#contract/http/addresses.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { PATHS, returnTarget, type ReturnState } from '#web/lib/paths.ts'
import type { Returned } from './provider-calls.ts'
import { useSession, wasSignedIn, type Session } from './session.ts'
import { identityMessage } from './identity-errors.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { EmailField, PasswordField } from '#web/ui/front-fields.tsx'
import { FrontForm, FrontPage, StorageNote } from '#web/ui/front-page.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyExtra, lazyPart } from '#web/ui/lazy-part.tsx'

/** The note about how the previous session ended. */
const ENDED: Record<Extract<Session, { status: 'out' }>['why'], string | null> = {
  never: null,
  left: null,
  lost: TEXTS.sessionEnded,
  'left everywhere': "You're logged out everywhere.",
  disabled: TEXTS.userDisabled,
  deleted: 'Your account and everything in it are deleted.',
}

/** `null`: failed. */
const load = () => import('./log-in.ts').catch(() => null)
const UNREACHABLE = identityMessage('network-request-failed')

const ProviderButtons = lazyExtra(() => import('./provider-buttons.tsx'))
const ProviderReturn = lazyPart(() => import('./provider-return.tsx'))

/** With it the page shows the form, even if the server has a provider to which it leads by itself. */
const LOCAL = '?local'

export function LoginScreen() {
  const session = useSession()
  const location = useLocation()
  const navigate = useNavigate()
  const [confirming, setConfirming] = useState<Extract<Returned, { kind: 'to_confirm' }> | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() === '' ? 'Enter your email.' : null),
      password: (password) => (password === '' ? 'Enter your password.' : null),
    },
  })

  if (location.hash === OIDC_RETURN)
    return (
      <FrontPage title={LABELS.login}>
        <Suspense>
          <ProviderReturn onReturned={(returned) => void take(returned)} />
        </Suspense>
      </FrontPage>
    )
  if (session.status === 'in') return <Navigate to={returnTarget(location.state)} replace />
  // Avoids a flash of the form for a user who is logged in.
  if (session.status === 'starting' && wasSignedIn()) return null

  function take(returned: Returned) {
    if (returned.kind === 'logged_in')
      return navigate(returnTarget({ returnTo: returned.returnTo }), { replace: true })
    if (returned.kind === 'to_confirm') {
      setConfirming(returned)
      form.setFieldValue('email', returned.email)
    } else setRefused(returned.message)
    const state: ReturnState | null =
      returned.kind === 'to_confirm' && returned.returnTo !== null ? { returnTo: returned.returnTo } : null
    return navigate({ pathname: PATHS.login, search: LOCAL }, { replace: true, state })
  }

  // After the #, so that no log of a server or proxy has it.
  const invitation = location.hash.slice(1) || null
  const ended = session.status === 'out' ? ENDED[session.why] : null
  const submit = form.onSubmit(async ({ email, password }) => {
    setRefused(null)
    const { logIn } = (await load()) ?? { logIn: () => Promise.resolve(UNREACHABLE) }
    setRefused(await logIn({ email: email.trim(), password, invitation }))
  }, focusFirst(form))
  return (
    <FrontPage
      title={LABELS.login}
      footer={
        <>
          <Link to={PATHS.forgotPassword}>Forgot password?</Link>
          <Link to={{ pathname: PATHS.signUp, hash: location.hash }}>{LABELS.signUp}</Link>
        </>
      }
    >
      <FrontForm onSubmit={submit}>
        {invitation !== null && (
          <InlineAlert tone="note" live={false}>
            Log in to accept your invitation.
          </InlineAlert>
        )}
        {ended !== null && refused === null && <InlineAlert tone="note">{ended}</InlineAlert>}
        {confirming !== null && (
          <InlineAlert tone="note">
            There's already an account for {confirming.email}. Log in with its password once; after that,{' '}
            {confirming.provider} logs you in. If you have none, choose “Forgot password?” to set one.
          </InlineAlert>
        )}
        {refused !== null && <InlineAlert>{refused}</InlineAlert>}
        <StorageNote />
        <EmailField key={form.key('email')} {...form.getInputProps('email')} />
        <PasswordField
          label={LABELS.password}
          which="current"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting}>
          {LABELS.login}
        </Button>
      </FrontForm>
      {confirming === null && (
        <Suspense>
          <ProviderButtons
            auto={
              session.status === 'out' &&
              session.why === 'never' &&
              location.search !== LOCAL &&
              refused === null
            }
            returnTo={returnTarget(location.state)}
            invitation={invitation}
            onRefused={setRefused}
          />
        </Suspense>
      )}
    </FrontPage>
  )
}
