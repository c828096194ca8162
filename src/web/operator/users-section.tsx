import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBan, IconDots, IconShieldCheck } from '@tabler/icons-react'
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { EMAIL_MAX_CHARS, SERVER_USER_POSTS_COUNTED } from '#contract/limits.ts'
import type { UserId } from '#contract/ids.ts'
import type { ServerUser } from '#contract/server-users.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient, settingsQuery, userQuery } from '#web/api/queries.ts'
import { counted, formatBytes } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf, dayAndTime, knownZone } from '#web/lib/moments.ts'
import { ChangeForm, Row, Section } from '#web/settings/settings-section.tsx'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge } from '#web/ui/status.tsx'
import classes from './operator.module.css'

const usersQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['server', 'users', search],
    queryFn: ({ pageParam, signal }) =>
      call('listServerUsers', {
        query: { ...(search !== '' && { search }), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })

const refresh = () => queryClient.invalidateQueries({ queryKey: ['server'] })

const TYPING_MS = 250

export function UsersSection() {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const users = useInfiniteQuery(usersQuery(search))
  const { data: settings } = useQuery(settingsQuery)
  const isHosted = settings?.identity.mode === 'firebase'
  const items = users.data?.pages.flatMap((page) => page.items) ?? []
  const quota = users.data?.pages[0]?.default_quota_bytes ?? null
  return (
    <Section
      title="Users"
      about={
        isHosted
          ? 'In the order of their addresses. Passwords and log-ins are managed in the console of your identity service.'
          : 'In the order of their addresses.'
      }
      rows
    >
      <div className={classes.search}>
        <SearchField
          label="Find how an address begins"
          value={typed}
          onChange={setTyped}
          className={undefined}
          maxLength={EMAIL_MAX_CHARS}
        />
      </div>
      {users.status === 'pending' && <RowsSkeleton rows={5} />}
      {users.status === 'error' && (
        <QueryError query={users}>{messageOf(users.error, TEXTS.unknownError)}</QueryError>
      )}
      {users.status === 'success' && items.length === 0 && (
        <Text p="md" c="dimmed">
          No address begins like this.
        </Text>
      )}
      {items.map((user) => (
        <UserRow key={user.user_id} user={user} defaultQuota={quota} isHosted={isHosted} />
      ))}
      {users.hasNextPage && (
        <div className={classes.foot}>
          <Button
            variant="subtle"
            size="xs"
            loading={users.isFetchingNextPage}
            onClick={() => void users.fetchNextPage()}
          >
            Show more users
          </Button>
        </div>
      )}
    </Section>
  )
}

type Asked = Question | 'quota' | 'delete'
type RowProps = { user: ServerUser; defaultQuota: number | null; isHosted: boolean }

function UserRow({ user, defaultQuota, isHosted }: RowProps) {
  const { user_id: userId, email, disabled_at } = user
  const opener = useRef<HTMLButtonElement>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const reset = useMutation({
    mutationFn: () => call('resetUserPassword', { params: { userId } }),
    onSettled: refresh,
  })
  const isEnabled = disabled_at === null
  return (
    <Row
      title={email}
      actions={
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon ref={opener} variant="default" size="lg" aria-label={`Acts on ${email}`}>
              <IconDots {...ICON} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {!isHosted && isEnabled && (
              <>
                <Menu.Item onClick={() => reset.mutate()}>Reset the password</Menu.Item>
                <Menu.Item onClick={() => setAsked('log_out')}>Log out everywhere…</Menu.Item>
              </>
            )}
            <Menu.Item onClick={() => setAsked('quota')}>Change the storage…</Menu.Item>
            <Menu.Item onClick={() => setAsked(isEnabled ? 'disable' : 'enable')}>
              {isEnabled ? 'Disable…' : 'Enable…'}
            </Menu.Item>
            <Menu.Item c="var(--r-failed)" onClick={() => setAsked('delete')}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
      below={
        <>
          {reset.isPending && <InlineAlert tone="note">Making a link…</InlineAlert>}
          {reset.error && <InlineAlert>{messageOf(reset.error, TEXTS.unknownError)}</InlineAlert>}
          {reset.data && <ResetOutcome email={email} link={reset.data.link} />}
          {asked === 'quota' && <QuotaForm user={user} defaultQuota={defaultQuota} onClose={close} />}
          {asked === 'delete' && <DeleteForm user={user} onClose={close} />}
          {asked !== null && asked !== 'quota' && asked !== 'delete' && (
            <AskedQuestion key={asked} question={asked} user={user} onClose={close} asker={opener} />
          )}
        </>
      }
    >
      <Group gap="0 0.75rem">
        {user.operator && <Badge tone="scheduled" Icon={IconShieldCheck} word="Operator" />}
        {!isEnabled && <Badge tone="failed" Icon={IconBan} word="Disabled" />}
      </Group>
      <Facts user={user} defaultQuota={defaultQuota} />
    </Row>
  )
}

function Facts({ user, defaultQuota }: Pick<RowProps, 'user' | 'defaultQuota'>) {
  const { data: me } = useQuery(userQuery)
  const zone = knownZone(me?.timezone ?? 'UTC')
  const quota = user.quota_bytes ?? defaultQuota
  const posts =
    user.posts < SERVER_USER_POSTS_COUNTED
      ? counted(user.posts, 'post')
      : `${SERVER_USER_POSTS_COUNTED} posts or more`
  const facts = [
    `joined ${dateOf(user.created_at, zone)}`,
    user.seen_at === null ? null : `seen ${dateOf(user.seen_at, zone)}`,
    counted(user.accounts, 'account'),
    posts,
    `${formatBytes(user.used_bytes)}${quota === null ? '' : ` of ${formatBytes(quota)}`}`,
  ]
  return (
    <>
      <Text c="dimmed" size="sm">
        <span dir="auto">{user.nickname}</span>
        {`: ${facts.filter((fact) => fact !== null).join(', ')}`}
      </Text>
      {user.disabled_at !== null && (
        <Text size="sm">
          {`Nothing has gone out since ${dayAndTime(user.disabled_at, zone)}`}
          {user.held > 0 &&
            `; ${counted(user.held, 'post')} to an account ${user.held === 1 ? 'is' : 'are'} held so far`}
        </Text>
      )}
    </>
  )
}

function ResetOutcome({ email, link }: { email: string; link: string | null }) {
  if (link === null)
    return (
      <InlineAlert tone="note">{`A link that sets a new password is on its way to ${email}.`}</InlineAlert>
    )
  return (
    <Group align="end" gap="xs">
      <TextInput
        flex="1 1 16rem"
        label={`Link that sets a new password of ${email}`}
        description="Copy it now: it is shown only once, and works once within an hour."
        readOnly
        value={link}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton text={link} what="the link" />
    </Group>
  )
}

type ActProps = { user: ServerUser; onClose: () => void }

type Question = 'disable' | 'enable' | 'log_out'

const QUESTIONS: Record<
  Question,
  {
    readonly ask: (email: string) => string
    readonly action: string
    readonly done: (email: string) => string
    readonly run: (userId: UserId) => Promise<unknown>
  }
> = {
  disable: {
    ask: (email) =>
      `Disable ${email}? They are logged out at once, and nothing of theirs goes out until you enable them. Their API keys and the addresses of their calendar feeds and shared reports end for good.`,
    action: 'Disable',
    done: (email) => `${email} is disabled.`,
    run: (userId) => call('disableUser', { params: { userId }, body: { disabled: true } }),
  },
  enable: {
    ask: (email) =>
      `Enable ${email}? They can log in again. Posts that were held go out now unless they are too late; those wait for them.`,
    action: 'Enable',
    done: (email) => `${email} is enabled.`,
    run: (userId) => call('disableUser', { params: { userId }, body: { disabled: false } }),
  },
  log_out: {
    ask: (email) =>
      `Log ${email} out on every device? Scheduled posts still go out. Their API keys and the addresses of their calendar feeds and shared reports end for good.`,
    action: 'Log out everywhere',
    done: (email) => `${email} is logged out everywhere.`,
    run: (userId) => call('endUserSessions', { params: { userId } }),
  },
}

type QuestionProps = ActProps & { question: Question; asker: RefObject<HTMLElement | null> }

function AskedQuestion({ question, user: { user_id: userId, email }, onClose, asker }: QuestionProps) {
  const { ask, action, done, run } = QUESTIONS[question]
  const act = useMutation({
    mutationFn: () => run(userId),
    onSuccess: () => {
      announce({ kind: 'done', message: done(email) })
      onClose()
      asker.current?.focus()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      question={ask(email)}
      action={action}
      keep="Cancel"
      danger={question !== 'enable'}
      asker={asker}
      busy={act.isPending}
      failure={act.error && messageOf(act.error, TEXTS.unknownError)}
      onConfirm={() => act.mutate()}
      onKeep={onClose}
    />
  )
}

const GB = 1e9

function QuotaForm({ user, defaultQuota, onClose }: ActProps & { defaultQuota: number | null }) {
  const { user_id: userId, email, quota_bytes: own } = user
  const form = useForm({
    initialValues: { gb: own === null ? '' : String(own / GB) },
    validate: {
      gb: (gb) =>
        /^\s*\d{0,6}(?:\.\d{1,3})?\s*$/.test(gb) ? null : 'Enter a number of GB, such as 20 or 0.5.',
    },
  })
  const setting = defaultQuota === null ? 'no limit' : formatBytes(defaultQuota)
  return (
    <ChangeForm
      form={form}
      label={`Storage of ${email}`}
      action="Save"
      onCancel={onClose}
      onDone={onClose}
      change={async ({ gb }) => {
        const quota_bytes = gb.trim() === '' ? null : Math.round(Number(gb) * GB)
        await call('setUserQuota', { params: { userId }, body: { quota_bytes } })
        await refresh()
        return { kind: 'done' }
      }}
    >
      <TextInput
        label="Storage in GB"
        description={`Empty: the setting of the server, ${setting}.`}
        inputMode="decimal"
        {...form.getInputProps('gb')}
      />
    </ChangeForm>
  )
}

function DeleteForm({ user: { user_id: userId, email }, onClose }: ActProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: {
      email: (typed) =>
        typed.trim().toLowerCase() === email.toLowerCase() ? null : `Type ${email} to delete this user.`,
    },
  })
  return (
    <ChangeForm
      form={form}
      label={`Delete ${email}`}
      action="Delete this user"
      danger
      onCancel={onClose}
      onDone={onClose}
      change={async () => {
        await call('deleteServerUser', { params: { userId } })
        announce({ kind: 'done', message: `${email} is deleted.` })
        await refresh()
        return { kind: 'done' }
      }}
    >
      <Text size="sm">
        Their brands, accounts, posts and videos are deleted for good. Posts that are on their way to a
        platform may still appear there.
      </Text>
      <TextInput
        key={form.key('email')}
        label="Type their address to confirm"
        autoComplete="off"
        {...form.getInputProps('email')}
      />
    </ChangeForm>
  )
}
