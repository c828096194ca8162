import { Button, Group, VisuallyHidden } from '@mantine/core'
import type { Dispatch, ReactNode, SetStateAction } from 'react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import type { VideosFilter } from '#web/api/videos.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { ALL_VIDEOS, isFiltered } from './filter.ts'
import { useVideos } from './use-videos.ts'
import { GridSkeleton } from './grid-skeleton.tsx'
import { counted } from '#web/lib/amounts.ts'
import { VideoGrid } from './video-grid.tsx'
import classes from './videos.module.css'
import { type VideoSelection, videoSelection } from './video-selection.ts'

const { toggle, extend, endRange } = videoSelection

type Props = {
  filter: VideosFilter
  onFilter: (filter: VideosFilter) => void
  onUpload: () => void
  onOpen: (video: Video) => void
  selected: VideoSelection['items']
  onSelection: Dispatch<SetStateAction<VideoSelection>>
  renderMenu: (video: Video, isActive: boolean) => ReactNode
}

/** The videos that the filter finds. */
export function FoundVideos(props: Props) {
  const { filter, onFilter, onUpload, onOpen, selected, onSelection, renderMenu } = props
  const { list, videos, loadMore } = useVideos(filter)
  if (list.isPending) return <GridSkeleton />
  // A page that failed later leaves the videos before it.
  if (list.data === undefined)
    return <QueryError query={list}>{messageOf(list.error, TEXTS.unknownError)}</QueryError>
  if (videos.length === 0)
    return isFiltered(filter) ? (
      <CenteredMessage
        text="No video matches."
        action={
          <Button variant="default" onClick={() => onFilter({ ...ALL_VIDEOS, sort: filter.sort })}>
            Show all videos
          </Button>
        }
      />
    ) : (
      <CenteredMessage
        text="Videos that you upload stay here, ready for the next post."
        action={<Button onClick={onUpload}>Upload videos</Button>}
      />
    )
  return (
    <div className={classes.content} data-old={list.isPlaceholderData || undefined}>
      {isFiltered(filter) && (
        <VisuallyHidden component="output">
          {counted(videos.length, 'video')}
          {list.hasNextPage ? ' or more' : ''} found
        </VisuallyHidden>
      )}
      <VideoGrid
        label="Videos"
        videos={videos}
        onOpen={onOpen}
        selecting={{
          selected,
          onToggle: (video) => onSelection((now) => toggle(now, video)),
          onExtend: (from, to) => onSelection((now) => extend(now, videos, to, from)),
          onMove: () => onSelection(endRange),
        }}
        renderMenu={renderMenu}
        hasMore={list.hasNextPage}
        onMore={loadMore}
      />
      <Group justify="center" mih="2.25rem" mt="md" c="dimmed" fz="xs">
        {list.isFetchNextPageError ? (
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Load more videos
          </Button>
        ) : (
          list.isFetchingNextPage && <span>Loading more …</span>
        )}
      </Group>
    </div>
  )
}
