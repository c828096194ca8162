import {
  ActionIcon,
  Button,
  Group,
  Menu,
  NativeSelect,
  Skeleton,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconCheck,
  IconDots,
  IconHourglass,
  IconLinkOff,
  IconRefresh,
  IconTags,
  IconTrash,
} from '@tabler/icons-react'
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import { type RefCallback, type RefObject, useRef, useState } from 'react'
import { type Account, accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { BulkResult } from '#contract/planning/bulk-posts.ts'
import {
  type AccountNow,
  type OptionalPermission,
  PLATFORM_NAMES,
  type PostsToday,
} from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { call, refusalOf } from '#web/api/api.ts'
import {
  ANY_ACCOUNTS,
  ANY_POSTS,
  ANY_WAITING,
  accountOptionsQuery,
  accountsQuery,
  brandsQuery,
  postsTodayQuery,
  queryClient,
  waitingQuery,
} from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, untilText } from '#web/lib/moments.ts'
import { waitingPostsText } from '#web/lib/waiting-posts-text.ts'
import { PauseButton, PausedBadge } from '#web/posts/pause-button.tsx'
import { abilitiesOf } from '#web/platforms/abilities.ts'
import { allowResultsWords } from '#web/platforms/allow-results.ts'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { describeRemainingPosts } from '#web/platforms/kit/remaining-posts-text.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { Delayed } from '#web/ui/skeletons.tsx'
import { Badge } from '#web/ui/status.tsx'
import classes from './accounts.module.css'
import { type Health, healthOf } from './health.ts'
import { MoveToBrandDialog } from './move-to-brand.tsx'

type Props = {
  account: Account
  /** Epoch ms. */
  now: number
  zone: string
}

export function AccountRow({ account, now, zone }: Props) {
  const [asking, setAsking] = useState<'unlink' | 'move' | null>(null)
  const menuButton = useRef<HTMLButtonElement>(null)
  const others = (useQuery(brandsQuery).data ?? []).filter(({ brand_id }) => brand_id !== account.brand_id)
  const again = useLinkAgain(account, account.brand_id)
  const { ref, query, avatarUrl } = useAbilities(account)
  const name = accountOnPlatform(account)
  const health = healthOf(account, now, zone)
  const refusal = refusalOf(query?.error)
  const today = useToday(account, query, refusal)
  return (
    <Stack component="li" gap="xs" p="0.625rem 1rem" ref={ref}>
      <div className={classes.account}>
        <Who account={{ ...account, avatar_url: avatarUrl }} />
        <div className={classes.details}>
          <Abilities query={query} refusal={refusal} zone={zone} />
          {health.kind === 'linked' && health.about !== null && <p>{health.about}</p>}
          {health.kind === 'linked' &&
            account.permissions
              .filter(({ granted }) => !granted)
              .map((one) => <AllowMore key={one.name} account={account} permission={one.name} />)}
        </div>
        <span className={classes.health}>
          {health.kind !== 'linked' ? (
            <HealthBadge health={health} />
          ) : refusal !== null && !isFull(today) ? (
            <Badge tone="attention" Icon={IconAlertTriangle} word="Can't post" />
          ) : account.paused ? (
            <PausedBadge until={account.paused_until} />
          ) : isFull(today) ? (
            <Badge
              tone="held"
              Icon={IconHourglass}
              word={`Full${untilText(today?.stopped?.until ?? null, zone)}`}
            />
          ) : today !== null && today.stopped !== null ? (
            <Badge tone="held" Icon={IconHourglass} word="Held" />
          ) : (
            <HealthBadge health={health} />
          )}
        </span>
        <Group gap="0.25rem" wrap="nowrap" className={classes.actions}>
          <PauseButton of={{ accountId: account.account_id }} name={name} paused={account.paused} />
          <Menu position="bottom-end" portalProps={{ target: '#page' }} withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <ActionIcon ref={menuButton} aria-label={`More about ${name}`}>
                <IconDots {...ICON} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {health.kind === 'linked' && (
                <Menu.Item
                  leftSection={<IconRefresh {...ICON} />}
                  disabled={again.button.loading}
                  onClick={again.button.onClick}
                >
                  Link again
                </Menu.Item>
              )}
              {others.length > 0 && (
                <Menu.Item leftSection={<IconTags {...ICON} />} onClick={() => setAsking('move')}>
                  Move to another brand…
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconTrash {...ICON} />} onClick={() => setAsking('unlink')}>
                Unlink…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </div>
      {health.kind === 'linked' && query !== null && refusal !== null && (
        <InlineAlert
          tone={isFull(today) ? 'held' : 'attention'}
          live={false}
          actions={
            <Button
              size="xs"
              variant="default"
              loading={query.isFetching}
              onClick={() => void query.refetch()}
              aria-label={`Check again: ${name}`}
            >
              Check again
            </Button>
          }
        >
          {refusal}
        </InlineAlert>
      )}
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
      {asking === 'unlink' && (
        <Unlink account={account} zone={zone} asker={menuButton} onKeep={() => setAsking(null)} />
      )}
      {asking === 'move' && (
        <MoveToBrandDialog account={account} others={others} onClose={() => setAsking(null)} />
      )}
    </Stack>
  )
}

type AllowWords = { readonly needs: string; readonly allow: string }

const MORE: Record<Exclude<OptionalPermission, 'results'>, AllowWords> = {
  comments: {
    needs: 'First comments need a permission',
    allow: 'Allow comments',
  },
  inbox_draft: { needs: 'Drafts need a permission', allow: 'Allow drafts' },
}

function AllowMore({ account, permission }: { account: Account; permission: OptionalPermission }) {
  const again = useLinkAgain(account, account.brand_id, [permission])
  const { needs, allow } = permission === 'results' ? allowResultsWords(account.platform) : MORE[permission]
  return (
    <p className={classes.more}>
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

function Who({ account }: { account: Account }) {
  return (
    <>
      <AccountAvatar of={account} large />
      <Stack gap={0} miw={0} className={classes.who ?? ''}>
        <Text span display="block" fw={600} truncate>
          <bdi>{accountName(account)}</bdi>
        </Text>
        <Group component="span" align="stretch" gap="0 0.75rem" c="dimmed" fz="xs">
          <span>{PLATFORM_NAMES[account.platform]}</span>
          <SecondName account={account} />
        </Group>
      </Stack>
    </>
  )
}

/** The displayed name, if it differs from the handle. */
function SecondName({ account: { username, display_name } }: { account: Account }) {
  if (username === null) return <span>Handle unknown</span>
  return display_name.toLowerCase() !== username.toLowerCase() && <bdi>{display_name}</bdi>
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

/** What the account has left. A platform that refuses to say may have done so because nothing is left; the server knows that. */
function useToday(
  { account_id: id }: Account,
  query: AskedAbilities['query'],
  refusal: string | null,
): PostsToday | null {
  const days = useQuery({ ...postsTodayQuery, enabled: refusal !== null, staleTime: 0 })
  if (refusal === null) return query?.data?.today ?? null
  return days.data?.find(({ account_id }) => account_id === id)?.today ?? null
}

/** By what the platform itself says; what it usually allows may be wrong. */
const isFull = (today: PostsToday | null): boolean =>
  today !== null &&
  (today.stopped === null
    ? today.used !== null && today.total !== null && today.used >= today.total
    : today.stopped.limit)

/** Longer than on the upload screen, because here they only inform. */
const STALE_MS = 5 * 60_000

type AskedAbilities = {
  /** Goes on the row: the platform is asked once the row is in view. */
  readonly ref: RefCallback<HTMLElement>
  /** `null`: not asked, because the account cannot post or must be linked again. */
  readonly query: UseQueryResult<AccountNow> | null
  readonly avatarUrl: string | null
}

/** Asks the platform what an account can do now, once its row is in view. */
function useAbilities({ account_id, health, can_publish, avatar_url }: Account): AskedAbilities {
  const { ref, inViewport } = useInViewport<HTMLElement>()
  const [seen, setSeen] = useState(false)
  if (inViewport && !seen) setSeen(true)
  const able = health.status === 'ok' && can_publish
  const query = useQuery({ ...accountOptionsQuery(seen && able ? account_id : null), staleTime: STALE_MS })
  return { ref, query: able ? query : null, avatarUrl: query.data?.avatar_url ?? avatar_url }
}

type AbilitiesProps = {
  query: AskedAbilities['query']
  /** The platform's, which the row shows below. */
  refusal: string | null
  zone: string
}

function Abilities({ query, refusal, zone }: AbilitiesProps) {
  if (query === null) return null
  // Earlier data stays when a refetch fails.
  if (query.data)
    return (
      <>
        <ul aria-label="What this account can do now">
          {abilitiesOf(query.data).map((ability) => (
            <li key={ability}>{ability}</li>
          ))}
        </ul>
        {refusal === null && <Remaining now={query.data} zone={zone} />}
      </>
    )
  if (refusal !== null) return null
  if (query.status === 'error')
    return (
      <p>
        <span>{`Couldn't check what this account can do. ${messageOf(query.error, TEXTS.unknownError)}`}</span>{' '}
        <Button
          size="compact-xs"
          variant="default"
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          Try again
        </Button>
      </p>
    )
  return (
    <div>
      <Delayed>
        <VisuallyHidden component="output">Checking what this account can do</VisuallyHidden>
        <Skeleton height={12} my={4} width="60%" maw={280} />
      </Delayed>
    </div>
  )
}

function Remaining({ now: { platform, today }, zone }: { now: AccountNow; zone: string }) {
  const remaining = describeRemainingPosts(today, PLATFORM_NAMES[platform], (at) => dayAndTime(at, zone))
  if (remaining === null) return null
  return <p data-attention={remaining.isLimitReached || undefined}>{remaining.text.replace(/\.$/, '')}</p>
}

/** One call moves only a part of many posts. */
async function moveAll(account: Account, to: Account, posts: number): Promise<BulkResult> {
  const done: BulkResult['done'] = []
  for (;;) {
    const part = await call('moveAccountPosts', {
      params: { accountId: account.account_id },
      body: { to_account_id: to.account_id, posts: posts - done.length },
    })
    done.push(...part.done)
    // The next call tries refused posts first: if all of a call were refused, the next would be too.
    if (part.left === 0 || part.done.length === 0) return { done, refused: part.refused }
  }
}

/**
 * Offered before an account goes: what waits for it goes to another one of its platform. Another brand's is another client's: only
 * the one other account of the same brand is proposed.
 */
function MovePosts({ account, posts }: { account: Account; posts: number }) {
  const { data: accounts = [] } = useQuery(accountsQuery())
  const others = accounts.filter(
    ({ account_id, platform }) => platform === account.platform && account_id !== account.account_id,
  )
  const { data: brands = [] } = useQuery(brandsQuery)
  const siblings = others.filter(({ brand_id }) => brand_id === account.brand_id)
  const [chosen, setChosen] = useState<number | null>(null)
  const proposed = siblings.length === 1 ? siblings[0] : undefined
  const to = others.find(({ account_id }) => account_id === chosen) ?? proposed
  const groups = brands
    .toSorted((a, b) => Number(b.brand_id === account.brand_id) - Number(a.brand_id === account.brand_id))
    .map(({ brand_id, title }) => ({
      group: title,
      items: others
        .filter((one) => one.brand_id === brand_id)
        .map((one) => ({ value: String(one.account_id), label: accountName(one) })),
    }))
    .filter(({ items }) => items.length > 0)
  const otherBrand =
    to !== undefined && to.brand_id !== account.brand_id
      ? brands.find(({ brand_id }) => brand_id === to.brand_id)
      : undefined
  const move = useMutation({
    mutationFn: (other: Account) => moveAll(account, other, posts),
    onSuccess: ({ done }, { username, display_name }) => {
      const moved = done.length === 1 ? '1 post goes' : `${done.length} posts go`
      announce({ kind: 'done', message: `${moved} to ${accountName({ username, display_name })} now.` })
    },
    onSettled: () => {
      void queryClient.invalidateQueries(ANY_POSTS)
      return queryClient.invalidateQueries(ANY_WAITING)
    },
  })
  if (others.length === 0) return null
  const stay = move.data?.refused[0]
  return (
    <Group align="flex-end" gap="8px" mt="12px">
      <NativeSelect
        size="xs"
        label="Post them to another account instead"
        value={to?.account_id ?? ''}
        data={[...(to ? [] : [{ value: '', label: 'Choose an account' }]), ...groups]}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <Button
        size="xs"
        variant="default"
        disabled={to === undefined}
        loading={move.isPending}
        onClick={() => to && move.mutate(to)}
      >
        Move posts
      </Button>
      {otherBrand && (
        <Text c="var(--r-attention)" size="xs" flex="1 0 100%">
          {`This account belongs to ${otherBrand.title}.`}
        </Text>
      )}
      {move.error && <span role="alert">{messageOf(move.error, TEXTS.unknownError)}</span>}
      {stay !== undefined && <span role="alert">Not every post could be moved. {stay.message}</span>}
    </Group>
  )
}
