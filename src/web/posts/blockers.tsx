import { Button, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useState, type ReactNode } from 'react'
import { type Account, accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { PostId } from '#contract/ids.ts'
import type { Blocker } from '#contract/overview.ts'
import { type Post, waitText } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { blockersQuery } from '#web/api/queries.ts'
import { call } from '#web/api/api.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { untilText } from '#web/lib/moments.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { MissedDialog, ResumeButton } from './resume-button.tsx'

const RestoredDialog = lazyDialog(async () => ({
  default: (await import('./restored-dialog.tsx')).RestoredDialog,
}))

/** A phone would show little else. */
const SHOWN = { phone: 1, other: 3 }

/** Names each cause that keeps posts from going out once, with the button that ends it. */
export function Blockers() {
  const { data = [] } = useQuery(blockersQuery)
  const zone = useZone()
  const [isOpen, setOpen] = useState(false)
  const [missed, setMissed] = useState<readonly PostId[]>([])
  const [isDeciding, setDeciding] = useState(false)
  const isPhone = useMediaQuery('(max-width: 37.49em)', false, { getInitialValueInEffect: false })
  const shown = isPhone ? SHOWN.phone : SHOWN.other
  const more = data.length - shown
  return (
    <>
      <Suspense>
        {missed.length > 0 && <MissedDialog postIds={missed} onClose={() => setMissed([])} />}
        {isDeciding && (
          <RestoredDialog
            decide={(decision) => call('decideRestored', { body: { decision } })}
            onClose={() => setDeciding(false)}
            onMissed={setMissed}
          />
        )}
      </Suspense>
      {data.length > 0 && (
        <Stack component="section" gap="xs" mb="md" aria-label="What keeps posts from going out">
          {(isOpen ? data : data.slice(0, shown)).map((blocker) => (
            <BlockerLine
              key={blockerKey(blocker)}
              blocker={blocker}
              zone={zone}
              onMissed={setMissed}
              onDecide={() => setDeciding(true)}
            />
          ))}
          {more > 0 && (
            <Button
              size="xs"
              variant="default"
              mr="auto"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'Show fewer' : `Show ${more} more`}
            </Button>
          )}
        </Stack>
      )}
    </>
  )
}

export type IsExplained = (
  delivery: Pick<Delivery, 'cause' | 'paused' | 'account_id'>,
  post: Pick<Post, 'brand_id' | 'schedule_id'>,
) => boolean

/** Tells whether a blocker says why a delivery waits, so that its post need not: also while the blockers load, so that none flashes up. */
export function useExplainedByBlockers(): IsExplained {
  const { data, isPending } = useQuery(blockersQuery)
  return useMemo(() => {
    const keys = new Set(data?.map(blockerKey))
    return ({ cause, paused, account_id }, { brand_id, schedule_id }) => {
      if (isPending) return cause === 'account' || cause === 'paused'
      if (cause === 'account') return keys.has(`link_again ${account_id}`)
      if (cause !== 'paused' || paused === null) return false
      const id = { account: account_id, brand: brand_id, schedule: schedule_id }[paused]
      return keys.has(`paused_${paused} ${id}`)
    }
  }, [data, isPending])
}

function blockerKey(blocker: Blocker): string {
  switch (blocker.kind) {
    case 'restored':
      return blocker.kind
    case 'link_again':
    case 'paused_account':
      return `${blocker.kind} ${blocker.account.account_id}`
    case 'paused_brand':
      return `${blocker.kind} ${blocker.brand_id}`
    case 'paused_schedule':
      return `${blocker.kind} ${blocker.schedule_id}`
  }
}

type BlockerLineProps = {
  blocker: Blocker
  zone: string
  onMissed: (postIds: readonly PostId[]) => void
  onDecide: () => void
}

function BlockerLine({ blocker, zone, onMissed, onDecide }: BlockerLineProps) {
  switch (blocker.kind) {
    case 'restored':
      return (
        <Line
          tone="held"
          posts={blocker.posts}
          button={
            <Button size="xs" variant="default" onClick={onDecide}>
              Decide
            </Button>
          }
          why="Some may be live already"
        >
          This server’s data was restored
        </Line>
      )
    case 'link_again':
      return <ToLinkAgain account={blocker.account} posts={blocker.posts} />
    case 'paused_account': {
      const { account, posts } = blocker
      const name = accountOnPlatform(account)
      return (
        <Line
          tone="note"
          posts={posts}
          button={<ResumeButton of={{ accountId: account.account_id }} name={name} onMissed={onMissed} />}
        >
          <AccountAvatar of={account} /> <strong dir="auto">{name}</strong> is paused
          {untilText(account.paused_until, zone)}
        </Line>
      )
    }
    case 'paused_brand':
    case 'paused_schedule': {
      const { name, posts, paused_until: until } = blocker
      const of =
        blocker.kind === 'paused_brand' ? { brandId: blocker.brand_id } : { scheduleId: blocker.schedule_id }
      return (
        <Line tone="note" posts={posts} button={<ResumeButton of={of} name={name} onMissed={onMissed} />}>
          <strong dir="auto">{name}</strong> is paused{untilText(until, zone)}
        </Line>
      )
    }
  }
}

function ToLinkAgain({ account, posts }: { account: Account; posts: number }) {
  const again = useLinkAgain(account, account.brand_id)
  return (
    <Line
      tone="held"
      posts={posts}
      button={<LinkAgainButton {...again.button} />}
      why={account.health.status === 'relink' ? account.health.reason : ''}
    >
      <AccountAvatar of={account} /> <strong dir="auto">{accountOnPlatform(account)}</strong> must be linked
      again
      {again.error && <span role="alert"> {messageOf(again.error, TEXTS.unknownError)}</span>}
    </Line>
  )
}

type LineProps = {
  tone: 'held' | 'note'
  posts: number
  button: ReactNode
  why?: string
  children: ReactNode
}

const Line = ({ tone, posts, button, why = '', children }: LineProps) => (
  <InlineAlert tone={tone} live={false} actions={button}>
    {children}
    {posts > 0 && ` · ${waitText(posts)}`}
    {why !== '' && `. ${why}`}
  </InlineAlert>
)
