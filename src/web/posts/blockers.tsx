import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState, type ReactNode } from 'react'
import { type Account, accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { PostId } from '#contract/ids.ts'
import type { Blocker } from '#contract/overview.ts'
import { waitText } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { blockersQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { MissedDialog, ResumeButton } from './resume-button.tsx'

const SHOWN = 3

/** Names each cause that keeps posts from going out once, with the button that ends it. */
export function Blockers() {
  const { data = [] } = useQuery(blockersQuery)
  const zone = useZone()
  const [isOpen, setOpen] = useState(false)
  const [missed, setMissed] = useState<readonly PostId[]>([])
  const more = data.length - SHOWN
  return (
    <>
      <Suspense>
        {missed.length > 0 && <MissedDialog postIds={missed} onClose={() => setMissed([])} />}
      </Suspense>
      {data.length > 0 && (
        <Stack component="section" gap="xs" mb="md" aria-label="What keeps posts from going out">
          {(isOpen ? data : data.slice(0, SHOWN)).map((blocker) => (
            <BlockerLine key={blockerKey(blocker)} blocker={blocker} zone={zone} onMissed={setMissed} />
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

/** Tells whether a blocker explains already why a delivery waits, so that its post need not. */
export function useExplainedByBlockers(): (
  delivery: Pick<Delivery, 'cause' | 'paused' | 'account_id'>,
) => boolean {
  const { data = [] } = useQuery(blockersQuery)
  const toLink = new Set(data.flatMap((one) => (one.kind === 'link_again' ? [one.account.account_id] : [])))
  const kinds = new Set<string>(data.map(({ kind }) => kind))
  return ({ cause, paused, account_id }) =>
    (cause === 'account' && toLink.has(account_id)) || (cause === 'paused' && kinds.has(`paused_${paused}`))
}

function blockerKey(blocker: Blocker): string {
  switch (blocker.kind) {
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
}

function BlockerLine({ blocker, zone, onMissed }: BlockerLineProps) {
  switch (blocker.kind) {
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
          <AccountAvatar of={account} /> <strong dir="auto">{name}</strong> is{' '}
          {pausedText(account.paused_until, zone)}
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
          <strong dir="auto">{name}</strong> is {pausedText(until, zone)}
        </Line>
      )
    }
  }
}

const pausedText = (until: string | null, zone: string): string =>
  until === null ? 'paused' : `paused until ${dayAndTime(until, zone)}`

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
