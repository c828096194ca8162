import { Box, Button, Group, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { LABELS, TEXTS } from '#contract/texts.ts'
import {
  confirmError,
  CurrentPasswordField,
  EmailField,
  HiddenUsername,
  NewPasswordFields,
} from '#web/ui/front-fields.tsx'
import { queryClient, settingsQuery } from '#web/api/queries.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { Badge } from '#web/ui/status.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { useActiveUploads } from '#web/videos/uploads.ts'
import { apiKeysQuery } from './api-key-queries.ts'
import { ChangeForm } from './settings-section.tsx'
import {
  requestPasswordEmail,
  requestConfirmationEmail,
  changeEmail,
  changePassword,
  logOutEverywhere,
  loginQuery,
} from './login-changes.ts'
import type { Changed, LoginData } from './login-changes.ts'
import { Row, Section, useOpener } from './settings-section.tsx'

/** Polls for the confirmation, because the email's link may be opened anywhere. */
const CONFIRMATION_POLL_MS = 5_000

export function LoginSection() {
  return (
    <Section title="Login" about="Your email and your password." rows>
      <LoginRows />
    </Section>
  )
}

function LoginRows() {
  const [mailed, setMailed] = useState(false)
  const login = useQuery({
    ...loginQuery,
    refetchInterval: ({ state }) =>
      mailed && state.data?.confirmed === false ? CONFIRMATION_POLL_MS : false,
  })
  // Earlier data stays during a refetch.
  if (login.data)
    return (
      <>
        <Address login={login.data} onMailed={() => setMailed(true)} />
        <PasswordRow login={login.data} />
        <Everywhere />
      </>
    )
  return (
    <Box p="md">
      {login.status === 'error' ? (
        <QueryError query={login}>{messageOf(login.error, TEXTS.unknownError)}</QueryError>
      ) : (
        <FieldsSkeleton heights={[20, 20]} />
      )}
    </Box>
  )
}

function Address({ login, onMailed }: { login: LoginData; onMailed: () => void }) {
  const { opener, opened, toggle } = useOpener()
  const [asked, setAsked] = useState<string | null>(null)
  const confirm = useMail(requestConfirmationEmail, onMailed)
  const { email, confirmed } = login
  return (
    <Row
      title={LABELS.email}
      actions={
        <>
          {!confirmed && (
            <Button variant="default" loading={confirm.isPending} onClick={() => confirm.mutate()}>
              Send confirmation email
            </Button>
          )}
          <Button
            ref={opener}
            variant="default"
            aria-label="Change email"
            aria-expanded={opened}
            onClick={() => {
              setAsked(null)
              toggle()
            }}
          >
            Change
          </Button>
        </>
      }
      below={
        <>
          {confirm.error && <InlineAlert>{messageOf(confirm.error, TEXTS.unknownError)}</InlineAlert>}
          {confirm.isSuccess && !confirmed && (
            <InlineAlert tone="note">Open the link we sent to {email}.</InlineAlert>
          )}
          {asked !== null && (
            <InlineAlert tone="note">
              Open the link we sent to {asked}. Until then, you log in with {email}.
            </InlineAlert>
          )}
          {opened && (
            <AddressForm
              login={login}
              onDone={(wanted) => {
                setAsked(wanted)
                toggle()
              }}
              onCancel={toggle}
            />
          )}
        </>
      }
    >
      <Group component="p" gap="0 0.75rem">
        <span>{describeLogin(login)}</span>
        {confirmed ? (
          <Badge tone="published" Icon={IconCheck} word="Confirmed" />
        ) : (
          <Badge tone="attention" Icon={IconAlertTriangle} word="Not confirmed" />
        )}
      </Group>
    </Row>
  )
}

function describeLogin({ email, hasPassword, providers }: LoginData): string {
  const names = providers.join(' or ')
  if (names === '') return `You log in with ${email}`
  return hasPassword
    ? `You log in with ${email} or through ${names}`
    : `You log in through ${names} as ${email}`
}

type AddressFormProps = { login: LoginData; onDone: (wanted: string) => void; onCancel: () => void }

function AddressForm({ login: { email, hasPassword }, onDone, onCancel }: AddressFormProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', current: '' },
    validate: {
      email: (wanted) => (wanted.trim() === '' ? 'Enter the new email.' : null),
      current: (current) => (hasPassword && current === '' ? 'Enter your password.' : null),
    },
  })
  return (
    <ChangeForm
      form={form}
      label="Change email"
      change={(values) => changeEmail(values.email, hasPassword ? values.current : null)}
      onDone={() => onDone(form.getValues().email.trim())}
      onCancel={onCancel}
      action="Send link to new email"
    >
      <EmailField
        label="New email"
        autoComplete="email"
        description="Your email changes when you open the link we send there."
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <HiddenUsername email={email} />
      {hasPassword && <CurrentPasswordField form={form} />}
    </ChangeForm>
  )
}

function PasswordRow({ login: { email, hasPassword } }: { login: LoginData }) {
  const { opener, opened, toggle } = useOpener()
  const [changed, setChanged] = useState(false)
  const { data: settings } = useQuery(settingsQuery)
  // A provider that cannot end all sessions does not tell of a new password either.
  const endsKeys = settings?.account.sign_out_everywhere === true
  const first = useMail(() => requestPasswordEmail(email))
  if (!hasPassword)
    return (
      <Row
        title={LABELS.password}
        actions={
          <Button variant="default" loading={first.isPending} onClick={() => first.mutate()}>
            Send link to set a password
          </Button>
        }
        below={
          <>
            {first.error && <InlineAlert>{messageOf(first.error, TEXTS.unknownError)}</InlineAlert>}
            {first.isSuccess && <InlineAlert tone="note">Open the link we sent to {email}.</InlineAlert>}
          </>
        }
      >
        <Text c="dimmed" size="xs">
          You don't have one yet.
        </Text>
      </Row>
    )
  return (
    <Row
      title={LABELS.password}
      actions={
        <Button
          ref={opener}
          variant="default"
          aria-label="Change password"
          aria-expanded={opened}
          onClick={() => {
            setChanged(false)
            toggle()
          }}
        >
          Change
        </Button>
      }
      below={
        <>
          {changed && (
            <InlineAlert tone="note">
              Password changed. You're still logged in here, and logged out everywhere else.
            </InlineAlert>
          )}
          {opened && (
            <PasswordForm
              email={email}
              onDone={() => {
                setChanged(true)
                toggle()
                void queryClient.invalidateQueries(apiKeysQuery)
              }}
              onCancel={toggle}
            />
          )}
        </>
      }
    >
      <Text c="dimmed" size="xs">
        {endsKeys
          ? 'Changing it logs you out everywhere else. It also ends your API keys and the addresses of your calendar feeds and shared reports.'
          : 'Changing it logs you out everywhere else.'}
      </Text>
    </Row>
  )
}

type PasswordFormProps = { email: string; onDone: () => void; onCancel: () => void }

function PasswordForm({ email, onDone, onCancel }: PasswordFormProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', password: '', confirm: '' },
    validate: (values) => ({
      ...(values.current === '' && { current: 'Enter your password.' }),
      ...(values.password === '' ? { password: 'Enter the new password.' } : confirmError(values)),
    }),
  })
  return (
    <ChangeForm
      form={form}
      label="Change password"
      change={({ current, password }) => changePassword(current, password)}
      onDone={onDone}
      onCancel={onCancel}
      action="Change password"
    >
      <HiddenUsername email={email} />
      <CurrentPasswordField form={form} />
      <NewPasswordFields form={form} />
    </ChangeForm>
  )
}

/** Hidden if the identity provider offers no way to end all sessions. */
function Everywhere() {
  const opener = useRef<HTMLButtonElement>(null)
  const [asking, setAsking] = useState(false)
  const leave = useMutation({ mutationFn: logOutEverywhere })
  const uploads = useActiveUploads()
  const { data: settings } = useQuery(settingsQuery)
  if (settings?.account.sign_out_everywhere !== true) return null
  return (
    <Row
      title="Other devices"
      actions={
        <Button ref={opener} variant="default" aria-expanded={asking} onClick={() => setAsking(true)}>
          Log out everywhere
        </Button>
      }
      below={
        asking && (
          <Confirm
            question={
              <>
                Log out on every device, including this one? Scheduled posts still go out. Your API keys and
                the addresses of your calendar feeds and shared reports end.
                {uploads.length > 0 &&
                  ` The upload of ${uploads.map(({ filename }) => filename).join(', ')} will be cancelled.`}
              </>
            }
            action="Log out everywhere"
            keep="Stay logged in"
            danger={false}
            asker={opener}
            busy={leave.isPending}
            failure={leave.error && messageOf(leave.error, TEXTS.unknownError)}
            onConfirm={() => leave.mutate()}
            onKeep={() => {
              setAsking(false)
              leave.reset()
            }}
          />
        )
      }
    >
      <Text c="dimmed" size="xs">
        Log out on devices you no longer use.
      </Text>
    </Row>
  )
}

/** An email that one button requests. */
const useMail = (ask: () => Promise<Changed>, onMailed: () => void = () => undefined) =>
  useMutation({
    mutationFn: async () => {
      const asked = await ask()
      if (asked.kind !== 'done') throw new Error(asked.message)
    },
    onSuccess: onMailed,
  })
