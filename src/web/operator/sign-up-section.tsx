import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EMAIL_MAX_CHARS, INVITATION_DAYS } from '#contract/limits.ts'
import type { Invitation, ServerSignUp } from '#contract/server-users.ts'
import { SignUpMode } from '#contract/settings.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient, settingsQuery, userQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf, knownZone } from '#web/lib/moments.ts'
import { Row, Section } from '#web/settings/settings-section.tsx'
import { announce } from '#web/ui/announce.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import classes from './operator.module.css'

const signUpQuery = queryOptions({
  queryKey: ['server', 'sign-up'],
  queryFn: ({ signal }) => call('getServerSignUp', { signal }),
})

const refresh = () => queryClient.invalidateQueries({ queryKey: ['server'] })

export function SignUpSection() {
  const signUp = useQuery(signUpQuery)
  return (
    <Section title="Who may sign up" about="Whoever has an account keeps it, whatever you choose." rows>
      {signUp.status === 'pending' && <RowsSkeleton rows={1} />}
      {signUp.status === 'error' && (
        <QueryError query={signUp}>{messageOf(signUp.error, TEXTS.unknownError)}</QueryError>
      )}
      {signUp.status === 'success' && (
        <>
          <ModeRow signUp={signUp.data} />
          {signUp.data.mode === 'invited' && <InvitationsRow invitations={signUp.data.invitations} />}
        </>
      )}
    </Section>
  )
}

const MODES: readonly (readonly [SignUpMode, string])[] = [
  ['open', 'Everybody who knows the address of this server'],
  ['invited', 'Whoever has an invitation from you'],
  ['closed', 'Nobody'],
]

function ModeRow({ signUp: { mode, fixed } }: { signUp: ServerSignUp }) {
  const choose = useMutation({
    mutationFn: (chosen: SignUpMode) => call('setServerSignUp', { body: { mode: chosen } }),
    onSuccess: (changed) => queryClient.setQueryData(signUpQuery.queryKey, changed),
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
    onSettled: () => Promise.all([refresh(), queryClient.invalidateQueries(settingsQuery)]),
  })
  return (
    <Stack p="md" gap="sm">
      <Radio.Group
        aria-label="Who may sign up"
        value={choose.isPending ? choose.variables : mode}
        onChange={(chosen) => choose.mutate(SignUpMode.parse(chosen))}
      >
        <Stack gap="xs">
          {MODES.map(([option, label]) => (
            <Radio key={option} value={option} label={label} disabled={fixed || choose.isPending} />
          ))}
        </Stack>
      </Radio.Group>
      {fixed && (
        <Text c="dimmed" size="sm">
          The variable SIGNUP decides. Remove it and restart the server to choose here.
        </Text>
      )}
    </Stack>
  )
}

function InvitationsRow({ invitations }: { invitations: readonly Invitation[] }) {
  const [email, setEmail] = useState('')
  const create = useMutation({
    mutationFn: () => call('createInvitation', { body: { email: email.trim() || null } }),
    onSuccess: () => setEmail(''),
    onSettled: refresh,
  })
  return (
    <Row
      title="Invitations"
      below={
        <>
          <form
            noValidate
            aria-label="New invitation"
            onSubmit={(event) => {
              event.preventDefault()
              create.mutate()
            }}
          >
            <Group align="end" gap="xs">
              <TextInput
                flex="1 1 16rem"
                maw="24rem"
                type="email"
                label="Only for this address (optional)"
                autoComplete="off"
                maxLength={EMAIL_MAX_CHARS}
                value={email}
                onChange={({ currentTarget }) => setEmail(currentTarget.value)}
              />
              <Button type="submit" variant="default" loading={create.isPending}>
                Make an invitation
              </Button>
            </Group>
          </form>
          {create.error && <InlineAlert>{messageOf(create.error, TEXTS.unknownError)}</InlineAlert>}
          {create.data && (
            <Group align="end" gap="xs">
              <TextInput
                flex="1 1 16rem"
                label={`Link for ${create.data.email ?? 'one person'}`}
                description="Copy it now: it is shown only once."
                readOnly
                value={create.data.link}
                onFocus={({ currentTarget }) => currentTarget.select()}
              />
              <CopyButton text={create.data.link} what="the link" />
            </Group>
          )}
          {invitations.length > 0 && (
            <ul className={classes.list}>
              {invitations.map((invitation) => (
                <InvitationItem key={invitation.invitation_id} invitation={invitation} />
              ))}
            </ul>
          )}
        </>
      }
    >
      <Text c="dimmed" size="sm">
        {`Each link lets one person sign up, within ${INVITATION_DAYS} days. Send it to them yourself.`}
      </Text>
    </Row>
  )
}

function InvitationItem({
  invitation: { invitation_id: invitationId, email, expires_at, used_by },
}: {
  invitation: Invitation
}) {
  const { data: user } = useQuery(userQuery)
  const zone = knownZone(user?.timezone ?? 'UTC')
  const revoke = useMutation({
    mutationFn: () => call('revokeInvitation', { params: { invitationId } }),
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
    onSettled: refresh,
  })
  const who = email ?? 'One person'
  return (
    <li className={classes.invitation}>
      <span dir="auto">
        {used_by === null ? `${who}, until ${dateOf(expires_at, zone)}` : `Used by ${used_by}`}
      </span>
      {used_by === null && (
        <Button
          size="xs"
          variant="subtle"
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
          aria-label={`Revoke the invitation: ${who}, until ${dateOf(expires_at, zone)}`}
        >
          Revoke
        </Button>
      )}
    </li>
  )
}
