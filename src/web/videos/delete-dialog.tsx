import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { VideoId } from '#contract/ids.ts'
import { VIDEO_POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video, VideoUsage } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { ANY_DRAFTS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { videosUsageQuery, dropVideos, refreshVideos } from '#web/api/videos.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { counted } from '#web/lib/amounts.ts'
import { DraftUses, PostUses } from './uses.tsx'

type Props = {
  videos: readonly Video[]
  onDeleted: (deleted: ReadonlySet<VideoId>) => void
  onClose: () => void
}

/** Asks before videos are deleted: names the posts and drafts that use them, and what becomes of each. */
export function DeleteDialog({ videos, onDeleted, onClose }: Props) {
  const usage = useQuery(videosUsageQuery(videos.map(({ video_id }) => video_id)))
  const known = usage.data?.videos ?? []
  const blocked = new Set(known.filter(isBlocked).map(({ video_id }) => video_id))
  const free = videos.filter(({ video_id }) => !blocked.has(video_id))
  const uses = usesOf(known.filter(({ video_id }) => !blocked.has(video_id)))
  const remove = useMutation({
    mutationFn: () =>
      call('deleteVideos', {
        body: { video_ids: free.map(({ video_id }) => video_id), cancel_posts: uses.cancelledTotal },
      }),
    onSuccess: () => {
      const deleted = new Set(free.map(({ video_id }) => video_id))
      announce({ kind: 'done', message: `${nameOf(free)} ${free.length === 1 ? 'is' : 'are'} deleted.` })
      onClose()
      onDeleted(deleted)
      dropVideos(deleted)
      refreshVideos()
      void queryClient.invalidateQueries(ANY_DRAFTS)
      void queryClient.invalidateQueries(ANY_POSTS)
    },
    // The user agreed to consequences that have changed.
    onError: () => usage.refetch(),
  })
  return (
    <Modal opened onClose={onClose} title={`Delete ${nameOf(videos)}?`}>
      <Stack pt="0.25rem">
        {usage.isPending && <Skeleton height={40} radius="md" aria-label="Looking up where they are used" />}
        {usage.isError && <QueryError query={usage}>{messageOf(usage.error, TEXTS.unknownError)}</QueryError>}
        {usage.data && <Consequences videos={videos} blocked={blocked} uses={uses} />}
        {remove.error && <InlineAlert>{messageOf(remove.error, TEXTS.unknownError)}</InlineAlert>}
        <Group align="stretch" wrap="nowrap" justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep
          </Button>
          {free.length > 0 && (
            <Button
              color="failed"
              disabled={!usage.data}
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {blocked.size > 0
                ? `Delete the other ${free.length}`
                : `Delete ${counted(free.length, 'video')}`}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

type ConsequencesProps = {
  videos: readonly Video[]
  blocked: ReadonlySet<VideoId>
  uses: ReturnType<typeof usesOf>
}

function Consequences({ videos, blocked, uses }: ConsequencesProps) {
  const isUsed = uses.cancelledTotal + uses.keptTotal + uses.drafts.length > 0
  const sending = videos.filter(({ video_id }) => blocked.has(video_id))
  return (
    <>
      {sending.length > 0 && (
        <InlineAlert tone="attention">
          {nameOf(sending)} can't be deleted yet: a post with {sending.length === 1 ? 'it' : 'each of them'}{' '}
          is being sent, or isn't confirmed.
        </InlineAlert>
      )}
      <PostUses heading="Won't be posted" posts={uses.cancelled} total={uses.cancelledTotal} />
      <DraftUses heading="Drafts that keep their text and lose the video" drafts={uses.drafts} />
      {uses.keptTotal > 0 && (
        <p>
          {uses.keptTotal >= VIDEO_POSTS_COUNTED_MAX && 'At least '}
          {counted(uses.keptTotal, 'finished post')} {uses.keptTotal === 1 ? 'stays' : 'stay'} in the queue,
          and what is live stays online.
        </p>
      )}
      {blocked.size < videos.length && (
        <p>
          {!isUsed &&
            `No post or draft uses ${blocked.size > 0 ? 'the others' : videos.length === 1 ? 'it' : 'them'}. `}
          You can't undo this.
        </p>
      )}
    </>
  )
}

/** "tart.mp4", or "3 videos". */
const nameOf = (videos: readonly Video[]): string =>
  videos.length === 1 ? (videos[0]?.filename ?? '') : counted(videos.length, 'video')

/** A video cannot be deleted while a post with it is being sent. */
const isBlocked = ({ post_counts }: VideoUsage): boolean => post_counts.blocks > 0

/** The posts and drafts of several videos, by what deleting the videos means for them. */
function usesOf(videos: readonly VideoUsage[]) {
  const sum = (effect: 'cancelled' | 'kept') =>
    videos.reduce((total, { post_counts }) => total + post_counts[effect], 0)
  return {
    cancelled: videos.flatMap(({ posts }) => posts.filter(({ effect }) => effect === 'cancelled')),
    cancelledTotal: sum('cancelled'),
    keptTotal: sum('kept'),
    drafts: videos.flatMap(({ drafts }) => drafts),
  }
}
