import { Box, Button, Group, Radio, Stack, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { Nickname, type User } from '#contract/users.ts'
import { ApiProblem, call, readProblem, signerOfNow } from '#web/api/api.ts'
import { queryClient, settingsQuery, userQuery } from '#web/api/queries.ts'
import { storeUser } from '#web/api/stored-user.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { saveFile } from '#web/lib/save-file.ts'
import { announce } from '#web/ui/announce.tsx'
import { CurrentPasswordField, EmailField, HiddenUsername } from '#web/ui/front-fields.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { type LoginData, deleteOwnUser, loginQuery } from './login-changes.ts'
import { LoginSection } from './login-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { ChangeForm, Row, Section, useOpener } from './settings-section.tsx'
import classes from './settings.module.css'

const ApiKeys = lazyPart(() => import('./api-keys-section.tsx'))
const Webhooks = lazyPart(() => import('./webhooks-section.tsx'))
/** It is loaded from here, or the first page would load the list of its files. */
export const ConnectScreen = lazyPart(() => import('./connect-screen.tsx'))

const ROWS_SKELETON = (
  <Box p="md">
    <FieldsSkeleton heights={[20, 20]} />
  </Box>
)

export function SettingsScreen() {
  return (
    <>
      <PageHeader title={LABELS.settings} />
      <Stack gap="lg">
        <Section title="Profile" about="Your name in Reelay, and the time zone your posts are shown in.">
          <Profile />
        </Section>
        <NotificationsSection />
        <LoginSection />
        <Section title="API keys" about="For scripts and other programs that use Reelay in your name." rows>
          <Suspense fallback={ROWS_SKELETON}>
            <ApiKeys />
          </Suspense>
        </Section>
        <Section title="Webhooks" about="Addresses of your own programs that Reelay tells what happens." rows>
          <Suspense fallback={ROWS_SKELETON}>
            <Webhooks />
          </Suspense>
        </Section>
        <Section title="Appearance" about="Saved in this browser.">
          <Theme />
        </Section>
        <DataSection />
        <DeleteSection />
      </Stack>
    </>
  )
}

function Profile() {
  const user = useQuery(userQuery)
  switch (user.status) {
    case 'pending':
      return <FieldsSkeleton heights={[36, 36]} />
    case 'error':
      return <QueryError query={user}>{messageOf(user.error, TEXTS.unknownError)}</QueryError>
    case 'success':
      return (
        <>
          <NicknameField user={user.data} />
          <TimeZoneField user={user.data} />
        </>
      )
  }
}

const useSave = (save: (value: string) => Promise<User>, done: string) =>
  useMutation({
    mutationFn: save,
    onSuccess: (user) => {
      queryClient.setQueryData(userQuery.queryKey, storeUser(user))
      announce({ kind: 'done', message: done })
    },
  })

function NicknameField({ user }: { user: User }) {
  const [edited, setEdited] = useState<string | null>(null)
  const [invalid, setInvalid] = useState<string | null>(null)
  const save = useSave((nickname) => call('setNickname', { body: { nickname } }), 'Nickname updated.')
  const value = edited ?? user.nickname
  return (
    <Field
      changed={value !== user.nickname}
      update="Update"
      saving={save.isPending}
      onSubmit={(refocus) => {
        const parsed = Nickname.safeParse(value)
        if (parsed.success) {
          save.mutate(parsed.data, { onSuccess: () => setEdited(null), onSettled: refocus })
          return
        }
        setInvalid(parsed.error.issues.map((issue) => issue.message).join(' '))
        refocus()
      }}
    >
      <TextInput
        label={LABELS.nickname}
        autoComplete="nickname"
        value={value}
        onChange={(event) => {
          setEdited(event.currentTarget.value)
          setInvalid(null)
          save.reset()
        }}
        error={invalid ?? fieldError(save.error, 'nickname')}
      />
    </Field>
  )
}

function TimeZoneField({ user }: { user: User }) {
  const [edited, setEdited] = useState<string | null>(null)
  const save = useSave((timezone) => call('setTimezone', { body: { timezone } }), 'Time zone updated.')
  const value = edited ?? user.timezone
  return (
    <>
      <Field
        changed={value !== user.timezone}
        update="Update time zone"
        saving={save.isPending}
        onSubmit={() => save.mutate(value, { onSuccess: () => setEdited(null), onSettled: focusPage })}
      >
        <TimeZoneSelect
          value={value}
          onChange={(zone) => {
            setEdited(zone)
            save.reset()
          }}
          error={fieldError(save.error, 'timezone')}
        />
      </Field>
      {value !== user.timezone && (
        <Text c="dimmed" size="xs" mt="-0.5rem">
          Brands with posting schedules keep their time zone, so no scheduled post moves.
        </Text>
      )}
    </>
  )
}

type FieldProps = {
  changed: boolean
  update: string
  saving: boolean
  /** `refocus` must be called at the end, because the pressed button may be gone. */
  onSubmit: (refocus: () => void) => void
  children: ReactNode
}

/** One profile field, with a button that appears once it is edited. */
function Field({ changed, update, saving, onSubmit, children }: FieldProps) {
  const form = useRef<HTMLFormElement>(null)
  return (
    <form
      ref={form}
      className={classes.field}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (changed && !saving) onSubmit(() => form.current?.querySelector('input')?.focus())
      }}
    >
      {children}
      {changed && (
        <Button type="submit" loading={saving} aria-label={update}>
          {LABELS.update}
        </Button>
      )}
    </form>
  )
}

const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const

/** Light, dark, or as the system is. */
function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Radio.Group
      label={LABELS.darkMode}
      value={colorScheme}
      onChange={(chosen) => {
        const scheme = SCHEMES.find(({ value }) => value === chosen)
        if (scheme) setColorScheme(scheme.value)
      }}
    >
      <Group gap="lg" mt="xs">
        {SCHEMES.map((scheme) => (
          <Radio key={scheme.value} {...scheme} />
        ))}
      </Group>
    </Radio.Group>
  )
}

/** The server's error for one field, or its general message. */
const fieldError = (error: Error | null, field: string): string | null =>
  error === null
    ? null
    : (error instanceof ApiProblem && error.errors[field]?.join(' ')) || messageOf(error, TEXTS.unknownError)

/** By `fetch`, because calls decode their answers as text. @throws {ApiProblem} */
async function fetchOwnData(): Promise<Blob> {
  const signer = signerOfNow()
  const ask = async (renewed: boolean) =>
    fetch(`${API_PREFIX}/user/export`, { headers: await signer.headers(renewed) })
  const first = await ask(false)
  const answer = first.status === 401 ? await ask(true) : first
  if (answer.ok) return answer.blob()
  if (answer.status === 401) signer.refused()
  const problem = readProblem(await answer.json().catch(() => null), null, null)
  throw problem ?? new Error(`Request failed with status code ${answer.status}`)
}

function DataSection() {
  const download = useMutation({
    mutationFn: fetchOwnData,
    onSuccess: (zip) => saveFile(zip, 'reelay.zip'),
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  return (
    <Section title="Your data" about="A copy of everything you have here, for you to keep." rows>
      <Row
        title="Download my data"
        actions={
          <Button
            variant="default"
            aria-label="Download my data"
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download
          </Button>
        }
      >
        <Text c="dimmed" size="xs">
          A ZIP file with your brands, accounts, posts and what became of them, drafts and settings. Your
          videos can be downloaded in the library.
        </Text>
      </Row>
    </Section>
  )
}

/** Hidden if this server does not let users delete themselves. */
function DeleteSection() {
  const { data: settings } = useQuery(settingsQuery)
  const { data: login } = useQuery(loginQuery)
  const { opener, opened, toggle } = useOpener()
  if (settings?.account.delete !== true || !login) return null
  return (
    <Section title="Delete account" about="Removes everything you have on this server." rows>
      <Row
        title="Delete my account"
        actions={
          <Button
            ref={opener}
            variant="default"
            color="failed"
            aria-label="Delete my account"
            aria-expanded={opened}
            onClick={toggle}
          >
            Delete…
          </Button>
        }
        below={opened && <DeleteForm login={login} onCancel={toggle} />}
      >
        <Text c="dimmed" size="xs">
          You can't undo this.
        </Text>
      </Row>
    </Section>
  )
}

function DeleteForm({ login: { email, hasPassword }, onCancel }: { login: LoginData; onCancel: () => void }) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', current: '' },
    validate: {
      email: (typed) =>
        hasPassword || typed.trim().toLowerCase() === email ? null : `Type ${email} to confirm.`,
      current: (current) => (hasPassword && current === '' ? 'Enter your password.' : null),
    },
  })
  return (
    <ChangeForm
      form={form}
      label="Delete my account"
      change={({ current }) => deleteOwnUser(hasPassword ? current : null)}
      // The session has ended; the login page confirms it.
      onDone={() => undefined}
      onCancel={onCancel}
      action="Delete my account"
      danger
      cancel="Keep"
    >
      <Stack component="ul" gap="0.25rem" className={classes.list}>
        <li>Your brands, linked accounts, posts and videos will be deleted. Scheduled posts won't go out.</li>
        <li>Published posts stay on the platforms.</li>
        <li>A post that's publishing right now may still appear.</li>
      </Stack>
      <HiddenUsername email={email} />
      {hasPassword ? (
        <CurrentPasswordField form={form} />
      ) : (
        <EmailField
          label="Your email"
          description="Type your email to confirm."
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
      )}
    </ChangeForm>
  )
}
