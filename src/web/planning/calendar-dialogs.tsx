import { Box, Button, Group, Modal, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import type { Delivery } from '#contract/deliveries.ts'
import type { PostId } from '#contract/ids.ts'
import { postQuery } from '#web/api/queries.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { draftPath, editPath, postPath } from '#web/lib/paths.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { MissedDialog } from '#web/posts/resume-button.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { Badge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import type { Board } from './board.ts'
import { type Entry, dayOfEntry, proposedTime, timesOfEntry } from './calendar-entries.ts'
import { BrandName, Marks } from './chip.tsx'
import { lookOf, titleOf } from './entry-look.ts'
import { Row } from './list-view.tsx'
import { PausesOfPost } from './pauses-of-post.tsx'
import { dateText } from './range.ts'
import { composePath } from './slot-link.tsx'
import type { Movable } from './save-calendar-move.ts'

// Its fields weigh more than all else here.
const MoveDialog = lazyDialog(() => import('./move-dialog.tsx'))

/**
 * The opened dialog: an entry, a day with all that it has, or the question for another time. `from`: the id of the button that
 * opened the day.
 */
export type OpenedDialog =
  | { readonly what: 'entry'; readonly entry: Entry; readonly from?: string | undefined }
  | { readonly what: 'day'; readonly day: string; readonly from: string }
  | {
      readonly what: 'move'
      readonly movable: Movable
      readonly local: string
      readonly from?: string | undefined
    }

type Props = {
  asked: OpenedDialog
  board: Board
  onAsk: (asked: OpenedDialog) => void
  onMove: (movable: Movable, at: number) => void
  onClose: () => void
}

export default function Dialogs({ asked, board, onAsk, onMove, onClose: onClosed }: Props) {
  const onClose = () => {
    onClosed()
    // The dialogs follow each other: what opened the first gets the focus back.
    queueMicrotask(() => document.getElementById(openerId(asked))?.focus())
  }
  return (
    <>
      {asked.what === 'entry' && (
        <EntryDialog
          entry={asked.entry}
          board={board}
          onMove={() =>
            onAsk({
              what: 'move',
              movable: { kind: 'entry', entry: asked.entry },
              local: asked.entry.local,
              from: asked.from,
            })
          }
          onClose={onClose}
        />
      )}
      {asked.what === 'move' && (
        <MoveDialog
          local={asked.local}
          verb={asked.movable.kind === 'entry' ? 'Move' : 'Plan'}
          zone={board.zone}
          onMove={(at) => onMove(asked.movable, at)}
          onClose={onClose}
        />
      )}
      {asked.what === 'day' && (
        <DayDialog
          day={asked.day}
          board={{ ...board, onOpen: (entry) => onAsk({ what: 'entry', entry, from: asked.from }) }}
          onClose={onClose}
        />
      )}
    </>
  )
}

/** The id of the element that the first dialog is about. */
function openerId(asked: OpenedDialog): string {
  if (asked.what === 'day') return asked.from
  if (asked.from !== undefined) return asked.from
  if (asked.what === 'entry') return asked.entry.key
  const { movable } = asked
  if (movable.kind === 'entry') return movable.entry.key
  return `plan-${movable.kind === 'draft' ? movable.draftId : movable.videoId}`
}

type DayDialogProps = { day: string; board: Board; onClose: () => void }

function DayDialog({ day, board, onClose }: DayDialogProps) {
  const proposed = proposedTime(day, board.now)
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={dateText(day, { weekday: 'long', day: 'numeric', month: 'long' })}
    >
      <Box component="ul" m="0 -1rem -1rem">
        {(board.entries.get(day) ?? []).map((entry) => (
          <Row key={entry.key} entry={entry} {...board.brandOf(entry)} onOpen={board.onOpen} />
        ))}
      </Box>
      {proposed !== null && (
        <Button component={Link} to={composePath(proposed, board.zone)} variant="default" mt="xl">
          New post on this day
        </Button>
      )}
    </Modal>
  )
}

type EntryDialogProps = { entry: Entry; board: Board; onMove: () => void; onClose: () => void }

function EntryDialog({ entry: opened, board, onMove, onClose }: EntryDialogProps) {
  // It changes while it is open, as when what it waits for is resumed.
  const entry = board.entries.get(dayOfEntry(opened))?.find(({ key }) => key === opened.key) ?? opened
  const { fixed } = entry
  const [missed, setMissed] = useState<readonly PostId[]>([])
  if (missed.length > 0)
    return (
      <Suspense>
        <MissedDialog postIds={missed} onClose={onClose} />
      </Suspense>
    )
  return (
    <Modal
      opened
      onClose={onClose}
      // Removing the scroll bar would restyle every element of the page.
      removeScrollProps={{ removeScrollBar: false }}
      title={`${dateText(dayOfEntry(entry), { weekday: 'long', day: 'numeric', month: 'long' })}, ${timesOfEntry(entry)}`}
    >
      <Group align="stretch" wrap="nowrap">
        <Thumbnail src={entry.of.poster_url} />
        <Box miw={0}>
          <Text fw={600} mb="0.25rem" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {titleOf(entry)}
          </Text>
          <Group component="p" gap="xs" mb="0.375rem" c="dimmed" fz="xs">
            <BrandName {...board.brandOf(entry)} /> <Marks of={entry} />
          </Group>
          <Badge {...lookOf(entry)} />
        </Box>
      </Group>
      {entry.kind === 'post' && (
        <PostParts
          of={entry.of.post_id}
          count={entry.of.marks.reduce((sum, { accounts }) => sum + accounts, 0)}
          zone={board.zone}
          onMissed={setMissed}
        />
      )}
      {fixed !== null && (
        <Text c="dimmed" mt="sm">
          {fixed}
        </Text>
      )}
      <Group align="stretch" justify="flex-end" gap="xs" mt="md">
        <Links entry={entry} />
        {fixed === null && <Button onClick={onMove}>Move to…</Button>}
      </Group>
    </Modal>
  )
}

const ACCOUNTS_IN_VIEW = 6

type PartsProps = {
  of: PostId
  count: number
  zone: string
  onMissed: (postIds: readonly PostId[]) => void
}

/** What a post waits for, and whom it goes to. The list has its height before it is loaded. */
function PostParts({ of: postId, count, zone, onMissed }: PartsProps) {
  const { data } = useQuery(postQuery(postId))
  const isSpread = data?.targets.some(({ after_minutes }) => after_minutes > 0) ?? false
  return (
    <>
      {data?.deliveries.some(({ paused }) => paused !== null) && (
        <PausesOfPost post={data} zone={zone} onMissed={onMissed} />
      )}
      <Box
        component="ul"
        aria-label="Accounts"
        h={`${1.75 * Math.min(count, ACCOUNTS_IN_VIEW)}rem`}
        mt="sm"
        style={{ overflowY: 'auto' }}
      >
        {data?.deliveries
          .filter(({ status }) => status !== 'cancelled')
          .map((delivery) => (
            <Group
              key={delivery.delivery_id}
              component="li"
              h="1.75rem"
              gap="xs"
              wrap="nowrap"
              justify="space-between"
            >
              <AccountName of={delivery} />
              {isSpread && <Text fz="xs">{timeOfDelivery(delivery, zone)}</Text>}
            </Group>
          ))}
      </Box>
    </>
  )
}

function timeOfDelivery({ due_at, published_at }: Delivery, zone: string): string | null {
  const at = published_at ?? due_at
  return at && dayAndTime(at, zone)
}

function Links({ entry }: { entry: Entry }) {
  if (entry.kind === 'draft')
    return (
      <Button component={Link} to={draftPath(entry.of.draft_id)} variant="default">
        Open draft
      </Button>
    )
  return (
    <>
      <Button component={Link} to={postPath(entry.of.post_id)} variant="default">
        Show post
      </Button>
      {entry.fixed === null && (
        <Button component={Link} to={editPath(entry.of.post_id)} variant="default">
          Edit
        </Button>
      )}
    </>
  )
}
