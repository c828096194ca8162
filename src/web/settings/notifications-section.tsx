import { Button, Checkbox, Group, Radio, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  DAILY_MAIL_AT,
  type Digest,
  NOTIFICATION_KINDS,
  type NotificationKind,
  NotificationSettings,
  type NotificationSettingsView,
  type QuietHours,
} from '#contract/notifications.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { BareCheckbox } from '#web/ui/bare-checkbox.tsx'
import { announce } from '#web/ui/announce.tsx'
import { TimeField } from '#web/ui/day-and-time.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { browserNotifications, turnOff, turnOn } from '#web/lib/browser-notifications.ts'
import { notificationSettingsQuery, unreadQuery } from './notification-queries.ts'
import { Section } from './settings-section.tsx'
import classes from './settings.module.css'
import { zoneName } from '#web/lib/moments.ts'

export function NotificationsSection() {
  return (
    <Section title="Notifications" about="What Reelay tells you while you are away, and how.">
      <Content />
    </Section>
  )
}

function Content() {
  const settings = useQuery(notificationSettingsQuery)
  switch (settings.status) {
    case 'pending':
      return <FieldsSkeleton heights={[160, 80]} />
    case 'error':
      return <QueryError query={settings}>{messageOf(settings.error, TEXTS.unknownError)}</QueryError>
    case 'success':
      return (
        <>
          <SettingsForm stored={settings.data} />
          <InBrowser />
        </>
      )
  }
}

const KIND_TEXTS: Readonly<Record<NotificationKind, string>> = {
  failed: 'A post failed',
  unconfirmed: "Reelay can't tell whether a post is live",
  missed: 'A post missed its time',
  restored: 'A post is held because the server was restored',
  link_again: 'An account must be linked again',
  access_ending: "An account's access ends within 7 days",
  limit: 'An account has reached a limit',
  webhook_off: 'A webhook was switched off',
}

const DIGEST_TEXTS: Readonly<Record<Digest, string>> = {
  at_once: 'At once',
  hourly: 'Every hour, in one email',
  daily: `Once a day at ${DAILY_MAIL_AT}, in one email`,
  never: 'Never',
}

const DEFAULT_QUIET = { from: '22:00', until: '08:00' }

function SettingsForm({ stored }: { stored: NotificationSettingsView }) {
  const [edited, setEdited] = useState<NotificationSettings | null>(null)
  const save = useMutation({
    mutationFn: (body: NotificationSettings) => call('setNotificationSettings', { body }),
    onSuccess: (saved) => {
      queryClient.setQueryData(notificationSettingsQuery.queryKey, saved)
      setEdited(null)
      announce({ kind: 'done', message: 'Notifications updated.' })
    },
  })
  const shown: NotificationSettings = edited ?? NotificationSettings.parse(stored)
  const change = (changed: Partial<NotificationSettings>) => {
    save.reset()
    setEdited({ ...shown, ...changed })
  }
  const { quiet_hours: quiet } = shown
  const invalid = quiet === null ? null : quietProblem(quiet)
  const hasMail = stored.mail !== 'off'
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (edited !== null && invalid === null) save.mutate(edited)
      }}
    >
      <Stack>
        <MailNote settings={stored} />
        {hasMail && !stored.email_confirmed && (
          <InlineAlert tone="note">
            Confirm {stored.email} to get emails: open the link we sent you, or send a new one under Login.
            Until then, notifications only appear in Reelay.
          </InlineAlert>
        )}
        <Kinds
          kinds={shown.kinds}
          hasMail={hasMail && shown.digest !== 'never'}
          onChange={(kinds) => change({ kinds })}
        />
        {hasMail && (
          <MailFields settings={shown} timeZone={stored.timezone} invalid={invalid} onChange={change} />
        )}
        {save.error && <InlineAlert>{messageOf(save.error, TEXTS.unknownError)}</InlineAlert>}
        {edited !== null && (
          <div>
            <Button type="submit" loading={save.isPending}>
              Save notifications
            </Button>
          </div>
        )}
      </Stack>
    </form>
  )
}

/** A field that is being typed into is empty until its time is whole. */
function quietProblem({ from, until }: QuietHours): string | null {
  if (from === '' || until === '') return 'Enter both times.'
  return from === until ? 'Choose two different times.' : null
}

type MailFieldsProps = {
  settings: NotificationSettings
  timeZone: string
  invalid: string | null
  onChange: (changed: Partial<NotificationSettings>) => void
}

function MailFields({ settings, timeZone, invalid, onChange }: MailFieldsProps) {
  const { digest, quiet_hours: quiet } = settings
  return (
    <>
      <Radio.Group label="Emails go out" value={digest} onChange={(chosen) => onChange({ digest: chosen })}>
        <Stack gap="xs" mt="xs">
          {Object.entries(DIGEST_TEXTS).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Quiet hours: no emails between these times"
        checked={quiet !== null}
        onChange={(event) => onChange({ quiet_hours: event.currentTarget.checked ? DEFAULT_QUIET : null })}
      />
      {quiet !== null && (
        <Group gap="xs" align="flex-start" maw="21rem">
          <TimeField
            label="From"
            flex="1 1 8rem"
            hoursInputLabel="From: hours"
            minutesInputLabel="From: minutes"
            value={quiet.from}
            onChange={(from) => onChange({ quiet_hours: { ...quiet, from } })}
          />
          <TimeField
            label="Until"
            flex="1 1 8rem"
            hoursInputLabel="Until: hours"
            minutesInputLabel="Until: minutes"
            value={quiet.until}
            onChange={(until) => onChange({ quiet_hours: { ...quiet, until } })}
            error={invalid}
          />
          <Text c="dimmed" size="xs" w="100%">
            {zoneName(timeZone)} time
          </Text>
        </Group>
      )}
    </>
  )
}

function MailNote({ settings: { mail, email } }: { settings: NotificationSettingsView }) {
  switch (mail) {
    case 'sent':
      return (
        <Text c="dimmed" size="xs">
          Emails go to {email}.
        </Text>
      )
    case 'practice':
      return (
        <InlineAlert tone="note">
          This server can't send emails yet. They only go to the practice platforms' mailbox.
        </InlineAlert>
      )
    case 'off':
      return (
        <InlineAlert tone="note">
          This server can't send emails, so notifications only appear in Reelay. The person who runs it can
          set up a mail server.
        </InlineAlert>
      )
  }
}

type KindsProps = {
  kinds: NotificationSettings['kinds']
  hasMail: boolean
  onChange: (kinds: NotificationSettings['kinds']) => void
}

function Kinds({ kinds, hasMail, onChange }: KindsProps) {
  const box = (kind: NotificationKind, way: 'in_app' | 'mail', label: string) => (
    <BareCheckbox
      aria-label={`${KIND_TEXTS[kind]}: ${label}`}
      checked={kinds[kind][way]}
      disabled={way === 'mail' && !hasMail}
      onChange={(event) =>
        onChange({ ...kinds, [kind]: { ...kinds[kind], [way]: event.currentTarget.checked } })
      }
    />
  )
  return (
    <table className={classes.kinds}>
      <thead>
        <tr>
          <th scope="col">Tell me when</th>
          <th scope="col">In Reelay</th>
          <th scope="col">By email</th>
        </tr>
      </thead>
      <tbody>
        {NOTIFICATION_KINDS.map((kind) => (
          <tr key={kind}>
            <th scope="row">{KIND_TEXTS[kind]}</th>
            <td>{box(kind, 'in_app', 'in Reelay')}</td>
            <td>{box(kind, 'mail', 'by email')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** These settings are the browser's, so they are not saved with the others. */
function InBrowser() {
  const [state, setState] = useState(browserNotifications)
  if (state === 'unsupported') return null
  return (
    <Switch
      label="Also show browser notifications while Reelay is open in the background"
      description={
        state === 'denied'
          ? "This browser blocks Reelay's notifications. Allow them in the browser's settings for this site."
          : 'Saved in this browser.'
      }
      checked={state === 'on'}
      disabled={state === 'denied'}
      onChange={(event) => {
        if (!event.currentTarget.checked) return setState(turnOff())
        return void queryClient
          .fetchQuery(unreadQuery)
          .then(({ latest }) => turnOn(latest))
          .then(setState)
      }}
    />
  )
}
