import { Button, Group, Modal, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PostId } from '#contract/ids.ts'
import type { BulkPosts, BulkResult } from '#contract/planning/bulk-posts.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { titleOf } from './post.ts'
import { LATER_BY_A_DAY, type Move, MoveFields, parseMove } from './move-fields.tsx'
import classes from './posts.module.css'

export type BulkAction = BulkPosts['action']

type Props = {
  action: BulkAction
  posts: readonly Post[]
  zone: string
  onClose: () => void
  onDone: (done: ReadonlySet<PostId>) => void
}

/** Asks before something is done with several posts, and names those with which it was not possible. */
export function BulkDialog({ action, posts, zone, onClose, onDone }: Props) {
  const [move, setMove] = useState<Move>(LATER_BY_A_DAY)
  const words = WORDS[action]
  // As they were seen when it opened: sent again after a lost answer, it moves nothing twice.
  const [seen] = useState(() => posts.toSorted((a, b) => a.goes_out_at.localeCompare(b.goes_out_at)))
  const versions = seen.map(({ version }) => version)
  const time = action === 'move' ? parseMove(move, zone) : {}
  const moved = time && (action === 'move' ? { ...time, versions } : time)
  const act = useMutation({
    mutationFn: () =>
      call('bulkPosts', { body: { post_ids: seen.map(({ post_id }) => post_id), action, ...moved } }),
    onSuccess: ({ done, refused }) => {
      if (done.length > 0)
        announce({ kind: 'done', message: `${counted(done.length, 'post')} ${words.done}.` })
      if (refused.length > 0) return
      onDone(new Set(done.map(({ post_id }) => post_id)))
      onClose()
    },
    // After an error, too, the shown data may be stale.
    onSettled: () => {
      void queryClient.invalidateQueries(ANY_POSTS)
      if (action === 'duplicate') void queryClient.invalidateQueries(ANY_DRAFTS)
    },
  })
  const close = () => {
    if (act.data) onDone(new Set(act.data.done.map(({ post_id }) => post_id)))
    onClose()
  }
  const what = counted(posts.length, 'post')
  return (
    <Modal opened onClose={close} title={`${words.verb} ${what}?`}>
      <Stack pt="0.25rem">
        {act.data ? (
          <Refused refused={act.data.refused} posts={posts} words={words} />
        ) : (
          <>
            <p>{words.means}</p>
            {action === 'move' && <MoveFields move={move} onMove={setMove} zone={zone} />}
            {act.error && <InlineAlert>{messageOf(act.error, TEXTS.unknownError)}</InlineAlert>}
          </>
        )}
        <Group align="stretch" wrap="nowrap" justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {act.data ? 'Done' : words.isLoss ? 'Keep' : 'Close'}
          </Button>
          {!act.data && (
            <Button
              {...(words.isLoss && { color: 'failed' })}
              disabled={moved === null}
              loading={act.isPending}
              onClick={() => act.mutate()}
            >
              {words.verb} {what}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

type Words = {
  readonly verb: string
  readonly done: string
  readonly means: string
  readonly isLoss: boolean
}

const WORDS: Record<BulkAction, Words> = {
  delete: {
    verb: 'Delete',
    done: 'deleted',
    means: "Scheduled posts won't go out. Published posts stay on their platforms. You can't undo this.",
    isLoss: true,
  },
  cancel: {
    verb: 'Cancel',
    done: 'cancelled',
    means: "Whatever hasn't gone out yet won't be posted. You can't undo this.",
    isLoss: true,
  },
  move: {
    verb: 'Reschedule',
    done: 'rescheduled',
    means: 'Posts that are already going out keep their time.',
    isLoss: false,
  },
  dismiss: {
    verb: 'Dismiss failures of',
    done: 'dismissed',
    means: 'They no longer show under “Needs attention” and “Failed”. You can still retry them.',
    isLoss: false,
  },
  duplicate: {
    verb: 'Duplicate',
    done: 'duplicated as drafts',
    means: 'Each becomes a draft with its video, captions and accounts.',
    isLoss: false,
  },
}

type RefusedProps = { refused: BulkResult['refused']; posts: readonly Post[]; words: Words }

function Refused({ refused, posts, words }: RefusedProps) {
  const titles = new Map(posts.map((post) => [post.post_id, titleOf(post)]))
  return (
    <div role="alert">
      <p>
        {counted(refused.length, 'post')} {refused.length === 1 ? 'was' : 'were'} not {words.done}:
      </p>
      <Stack component="ul" gap="xs" mt="xs" className={classes.scroll}>
        {refused.map(({ post_id, message }) => (
          <li key={post_id}>
            <strong dir="auto">{titles.get(post_id)}</strong> {message}
          </li>
        ))}
      </Stack>
    </div>
  )
}
