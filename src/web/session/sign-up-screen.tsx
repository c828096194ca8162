import { Button, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Fragment, Suspense, useEffect, useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { LEGAL_PAGES, type LegalPage } from '#contract/http/addresses.ts'
import type { SignUpMode } from '#contract/settings.ts'
import { INVITED_ONLY } from '#contract/invited-only.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { identityMessage } from './identity-errors.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useSession, wasSignedIn } from './session.ts'
import { focusFirst } from '#web/lib/focus-first.ts'
import { confirmError, EmailField, PasswordField } from '#web/ui/front-fields.tsx'
import { FrontForm, FrontPage, StorageNote } from '#web/ui/front-page.tsx'
import { browserTimeZone } from '#web/lib/moments.ts'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyExtra } from '#web/ui/lazy-part.tsx'
import type { Registered } from './register.ts'

const ProviderButtons = lazyExtra(() => import('./provider-buttons.tsx'))

/** Loads the form's rules after the first paint, with the code that calls the server; `null`: failed. */
const load = () => import('./register.ts').catch(() => null)

type SignUp = SignUpMode | 'of_first_user'

/** `open` if the server does not answer. Does not wait for the identity provider. */
async function readSignUp(): Promise<{ signUp: SignUp; legalPages: readonly LegalPage[] }> {
  try {
    const { queryClient, settingsQuery } = await import('#web/api/queries.ts')
    const { signup, is_new, legal_pages: legalPages } = await queryClient.ensureQueryData(settingsQuery)
    return { signUp: is_new && signup !== 'closed' ? 'of_first_user' : signup, legalPages }
  } catch {
    return { signUp: 'open', legalPages: [] }
  }
}

const UNREACHABLE: Registered = { kind: 'refused', message: identityMessage('network-request-failed') }

export function SignUpScreen() {
  const session = useSession()
  /** `null`: unknown so far. */
  const [{ signUp, legalPages }, setRead] = useState<{
    readonly signUp: SignUp | null
    readonly legalPages: readonly LegalPage[]
  }>({ signUp: null, legalPages: [] })
  // After the #, so that no log of a server or proxy has it.
  const invitation = useLocation().hash.slice(1) || null
  useEffect(() => {
    void readSignUp().then(setRead)
    void load()
  }, [])
  if (session.status === 'in') return <Navigate to={PATHS.overview} replace />
  // Avoids a flash of the form for a user who is logged in.
  if (session.status === 'starting' && wasSignedIn()) return null
  const refusal =
    signUp === 'closed'
      ? TEXTS.signupClosed
      : signUp === 'invited' && invitation === null
        ? INVITED_ONLY
        : null
  return (
    <FrontPage
      title={LABELS.signUp}
      footer={
        <span>
          {LABELS.alreadyHaveAccount}{' '}
          <Link to={{ pathname: PATHS.login, hash: invitation ?? '' }}>{LABELS.logIn}</Link>
        </span>
      }
    >
      {signUp === null && <VisuallyHidden component="output">Loading</VisuallyHidden>}
      {refusal !== null && <InlineAlert tone="note">{refusal}</InlineAlert>}
      {refusal === null && (
        // Hidden while loading, to reserve its space.
        <div style={{ display: 'contents', visibility: signUp === null ? 'hidden' : 'inherit' }}>
          <SignUpForm isFirst={signUp === 'of_first_user'} invitation={invitation} />
          <Legal pages={legalPages} />
        </div>
      )}
    </FrontPage>
  )
}

const LEGAL: Record<LegalPage, string> = { terms: 'terms', privacy: 'privacy policy' }

/** Where the operator has such texts. */
const Legal = ({ pages }: { pages: readonly LegalPage[] }) =>
  pages.length > 0 && (
    <Text c="dimmed" size="xs" mt="md">
      By signing up you accept the{' '}
      {pages.map((page, at) => (
        <Fragment key={page}>
          {at > 0 && ' and the '}
          <a href={LEGAL_PAGES[page]}>{LEGAL[page]}</a>
        </Fragment>
      ))}{' '}
      of this server.
    </Text>
  )

function SignUpForm({ isFirst, invitation }: { isFirst: boolean; invitation: string | null }) {
  const [outcome, setOutcome] = useState<Registered | null>(null)
  const form = useForm({
    initialValues: { email: '', nickname: '', password: '', confirm: '', timezone: browserTimeZone() ?? '' },
    validate: async (values) => ({ ...(await load())?.checkSignUp(values), ...confirmError(values) }),
  })

  const submit = form.onSubmit(async ({ email, nickname, timezone, password }) => {
    setOutcome(null)
    // The confirmation is never sent.
    const payload = { email, nickname, timezone, password, ...(invitation !== null && { invitation }) }
    const next = (await (await load())?.register(payload)) ?? UNREACHABLE
    if (next.kind === 'fields') {
      form.setErrors(next.errors)
      focusFirst(form)(next.errors)
    }
    setOutcome(next)
  }, focusFirst(form))

  return (
    <>
      <FrontForm onSubmit={submit}>
        {outcome?.kind === 'refused' && <InlineAlert>{outcome.message}</InlineAlert>}
        {outcome?.kind === 'made' && (
          <InlineAlert tone="attention" title="Your account is ready.">
            {outcome.message} <Link to={PATHS.login}>{LABELS.logIn}</Link>
          </InlineAlert>
        )}
        {isFirst && (
          <InlineAlert tone="note" title="You are the first here." live={false}>
            To bring back a backup instead, stop the server and run <code>npm run restore -- FOLDER</code>.
          </InlineAlert>
        )}
        <StorageNote />
        <EmailField {...form.getInputProps('email')} />
        <TextInput label={LABELS.nickname} autoComplete="nickname" {...form.getInputProps('nickname')} />
        <PasswordField label={LABELS.password} which="new" {...form.getInputProps('password')} />
        <PasswordField label={LABELS.confirmPassword} which="new" {...form.getInputProps('confirm')} />
        <TimeZoneSelect
          value={form.values.timezone}
          onChange={(zone) => form.setFieldValue('timezone', zone)}
          error={form.errors['timezone']}
        />
        <Button type="submit" loading={form.submitting}>
          {LABELS.signUp}
        </Button>
      </FrontForm>
      <Suspense>
        <ProviderButtons
          returnTo={null}
          invitation={invitation}
          onRefused={(message) => setOutcome(message === null ? null : { kind: 'refused', message })}
        />
      </Suspense>
    </>
  )
}
