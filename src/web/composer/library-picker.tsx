import { Button, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { ALL_VIDEOS, isFiltered } from '#web/videos/filter.ts'
import { Filters } from '#web/videos/filters.tsx'
import { useVideos } from '#web/videos/use-videos.ts'
import { GridSkeleton } from '#web/videos/grid-skeleton.tsx'
import { VideoGrid } from '#web/videos/video-grid.tsx'
import classes from './composer.module.css'

type Props = { onPick: (video: Video) => void; onClose: () => void }

/** Picks one of the videos that were uploaded before. */
export default function LibraryPicker({ onPick, onClose }: Props) {
  const [filter, setFilter] = useState(ALL_VIDEOS)
  const [box, setBox] = useState<HTMLElement | null>(null)
  const { list, videos, loadMore } = useVideos(filter)
  return (
    <Modal opened onClose={onClose} title="Choose from library" size="66rem" yOffset="6dvh">
      <Stack gap={0} pt="0.25rem">
        <Filters filter={filter} onFilter={setFilter} takesFocus />
        <div className={classes.libraryBox} ref={setBox}>
          {list.isPending && <GridSkeleton cards={10} />}
          {list.isLoadingError && (
            <QueryError query={list}>{messageOf(list.error, TEXTS.unknownError)}</QueryError>
          )}
          {list.isSuccess && videos.length === 0 && (
            <CenteredMessage
              text={
                isFiltered(filter)
                  ? 'No video matches.'
                  : 'Videos that you upload stay here, ready for the next post.'
              }
              action={
                isFiltered(filter) && (
                  <Button variant="default" onClick={() => setFilter(ALL_VIDEOS)}>
                    Show all videos
                  </Button>
                )
              }
            />
          )}
          {videos.length > 0 && box !== null && (
            <VideoGrid
              label="Videos"
              videos={videos}
              box={box}
              onOpen={onPick}
              hasMore={list.hasNextPage}
              onMore={loadMore}
            />
          )}
        </div>
      </Stack>
    </Modal>
  )
}
