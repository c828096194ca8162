import { ActionIcon, Button, Group } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconLinkOff,
  IconPlayerPause,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type RefObject } from 'react'
import { accountName, accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { OptionalPermission } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { ANY_ACCOUNTS, ANY_POSTS, brandsQuery, queryClient, waitingQuery } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { Avatar } from '#web/ui/avatar.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { focusPage } from '#web/ui/page-region.ts'
import { PauseButton } from '#web/planning/pause-button.tsx'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { Badge } from '#web/ui/status.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { waitingPostsText } from '#web/lib/waiting-posts-text.ts'
import { Abilities, useAbilities } from './abilities.tsx'
import classes from './accounts.module.css'
import { healthOf, type Health } from './health.ts'
import { MovePosts } from './move-posts.tsx'

type Props = {
  account: Account
  /** Epoch ms. */
  now: number
  zone: string
}

/** One linked account: its name, abilities, health and actions. */
export function AccountRow({ account, now, zone }: Props) {
  const [unlinking, setUnlinking] = useState(false)
  const unlinkButton = useRef<HTMLButtonElement>(null)
  const again = useLinkAgain(account, account.brand_id)
  const { ref, query, avatarUrl } = useAbilities(account)
  const name = accountOnPlatform(account)
  const health = healthOf(account, now, zone)
  return (
    <li className={classes.row} ref={ref}>
      <div className={classes.account}>
        <Who account={account} avatarUrl={avatarUrl} />
        <span className={classes.health}>
          {account.paused && health.kind === 'linked' ? (
            <Badge tone="held" Icon={IconPlayerPause} word="Paused" />
          ) : (
            <HealthBadge health={health} />
          )}
        </span>
        <div className={classes.actions}>
          <PauseButton of={{ accountId: account.account_id }} name={name} paused={account.paused} />
          {health.kind === 'linked' && (
            <ActionIcon title={again.button['aria-label']} {...again.button}>
              <IconRefresh {...ICON} />
            </ActionIcon>
          )}
          <ActionIcon
            ref={unlinkButton}
            aria-label={`Unlink ${name}`}
            title={`Unlink ${name}`}
            onClick={() => setUnlinking(true)}
          >
            <IconTrash {...ICON} />
          </ActionIcon>
        </div>
      </div>
      <div className={classes.details}>
        <Abilities query={query} zone={zone} />
        {health.kind === 'linked' &&
          account.permissions
            .filter(({ granted }) => !granted)
            .map((one) => <AllowMore key={one.name} account={account} permission={one.name} />)}
        {health.kind === 'linked' && health.about !== null && <p className={classes.about}>{health.about}</p>}
      </div>
      {health.kind !== 'linked' && (
        <InlineAlert
          tone={health.kind === 'relink' ? 'held' : 'attention'}
          live={false}
          actions={<LinkAgainButton {...again.button} />}
        >
          {health.why}
        </InlineAlert>
      )}
      {again.error && <InlineAlert>{messageOf(again.error, TEXTS.unknownError)}</InlineAlert>}
      {unlinking && (
        <Unlink account={account} zone={zone} asker={unlinkButton} onKeep={() => setUnlinking(false)} />
      )}
    </li>
  )
}

const MORE: Record<OptionalPermission, { readonly needs: string; readonly allow: string }> = {
  comments: {
    needs: 'Adding a first comment or turning comments off needs one more permission.',
    allow: 'Allow comments',
  },
  inbox_draft: { needs: 'Sending drafts needs one more permission.', allow: 'Allow drafts' },
}

/** What needs a permission that the account has not granted. */
function AllowMore({ account, permission }: { account: Account; permission: OptionalPermission }) {
  const again = useLinkAgain(account, account.brand_id, [permission])
  const { needs, allow } = MORE[permission]
  return (
    <p className={classes.about}>
      {needs}{' '}
      <Button
        size="compact-xs"
        variant="default"
        {...again.button}
        aria-label={`${allow}: ${accountOnPlatform(account)}`}
      >
        {allow}
      </Button>
      {again.error && <span role="alert"> {messageOf(again.error, TEXTS.unknownError)}</span>}
    </p>
  )
}

function Who({ account, avatarUrl }: { account: Account; avatarUrl: string | null }) {
  return (
    <>
      <Avatar
        // Remounts for a new address, because old picture addresses expire.
        key={avatarUrl}
        url={avatarUrl}
        name={account.username ?? account.display_name}
      />
      <div className={classes.who}>
        <span className={classes.username}>{accountName(account)}</span>
        <Group component="span" align="stretch" gap="0 0.75rem" c="dimmed" fz="xs">
          <PlatformName platform={account.platform} />
          <SecondName account={account} />
        </Group>
      </div>
    </>
  )
}

/** The displayed name, if it differs from the handle. */
function SecondName({ account: { username, display_name } }: { account: Account }) {
  if (username === null) return <span>Handle unknown</span>
  return display_name.toLowerCase() !== username.toLowerCase() && <span>{display_name}</span>
}

function HealthBadge({ health }: { health: Health }) {
  switch (health.kind) {
    case 'linked':
      return <Badge tone="published" Icon={IconCheck} word="Linked" />
    case 'relink':
      return <Badge tone="held" Icon={IconLinkOff} word={health.word} />
    case 'expires':
    case 'may_not_post':
      return <Badge tone="attention" Icon={IconAlertTriangle} word={health.word} />
  }
}

type UnlinkProps = {
  account: Account
  zone: string
  asker: RefObject<HTMLButtonElement | null>
  onKeep: () => void
}

function Unlink({ account, zone, asker, onKeep }: UnlinkProps) {
  const name = accountName(account)
  const accountId = account.account_id
  const waiting = useQuery(waitingQuery({ accountId }))
  const said = waiting.data ? waitingPostsText(waiting.data, zone) : null
  const unlink = useMutation({
    // The user agreed to this number of posts; the server refuses any other.
    mutationFn: () =>
      call('unlinkAccount', { params: { accountId }, query: { cancel_posts: waiting.data?.posts ?? 0 } }),
    onError: () => waiting.refetch(),
    onSuccess: () => {
      focusPage()
      announce({ kind: 'done', message: `${name} is unlinked.` })
      void queryClient.invalidateQueries(brandsQuery)
      void queryClient.invalidateQueries(ANY_POSTS)
      return queryClient.invalidateQueries(ANY_ACCOUNTS)
    },
  })
  return (
    <>
      <Confirm
        question={
          <>
            <strong>Unlink {name}?</strong> {said !== null && <strong>{said} </strong>}Published posts stay
            online.
          </>
        }
        action="Unlink account"
        onConfirm={() => unlink.mutate()}
        busy={unlink.isPending}
        failure={unlink.error && messageOf(unlink.error, TEXTS.unknownError)}
        onKeep={onKeep}
        asker={asker}
      />
      {(waiting.data?.posts ?? 0) > 0 && <MovePosts account={account} posts={waiting.data?.posts ?? 0} />}
    </>
  )
}
