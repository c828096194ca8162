import {
  Button,
  Stack,
  Switch,
  Text,
  TextInput,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { Nickname, type User } from '#contract/users.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { storeUser, queryClient, userQuery } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PageHeader } from '#web/ui/page-header.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { TimeZoneSelect } from '#web/ui/time-zone-select.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { DeleteSection } from './delete-section.tsx'
import { LoginSection } from './login-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { Section } from './settings-section.tsx'
import classes from './settings.module.css'

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
        <Section title="Appearance" about="Saved in this browser.">
          <DarkMode />
        </Section>
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

/** Saves one field of the profile and confirms it. */
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
          Brands with queues keep the time zone that they have: no scheduled post moves.
        </Text>
      )}
    </>
  )
}

type FieldProps = {
  changed: boolean
  /** The button's accessible name. */
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

function DarkMode() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  return (
    <Switch
      label={LABELS.darkMode}
      checked={scheme === 'dark'}
      onChange={(event) => setColorScheme(event.currentTarget.checked ? 'dark' : 'light')}
    />
  )
}

/** The server's error for one field, or its general message. */
const fieldError = (error: Error | null, field: string): string | null =>
  error === null
    ? null
    : (error instanceof ApiProblem && error.errors[field]?.join(' ')) || messageOf(error, TEXTS.unknownError)
