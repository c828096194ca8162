import { Button, Modal, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Video } from '#contract/videos.ts'
import { ICON } from '#web/components/display/icons.tsx'
import { Thumbnail } from '#web/components/display/thumbnail.tsx'
import { EmptyState } from '#web/components/feedback/empty-state.tsx'
import { QueryError } from '#web/components/feedback/query-error.tsx'
import { RowsSkeleton } from '#web/components/feedback/skeletons.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import { videosQuery } from '#web/client/queries.ts'
import { formatBytes } from '#web/lib/format/amounts.ts'
import { dateOf } from '#web/lib/format/moments.ts'
import classes from './library-picker.module.css'

/** So many pictures are loaded at once. */
const PAGE = 24

type Props = { onPick: (video: Video) => void; onClose: () => void }

/** The videos that were uploaded before, newest first. */
export default function LibraryPicker({ onPick, onClose }: Props) {
  const videos = useQuery(videosQuery)
  const [search, setSearch] = useState('')
  const found = (videos.data ?? []).filter(({ filename }) => matches(filename, search))
  return (
    <Modal opened onClose={onClose} title="Choose from library" size="lg">
      <div className={classes.picker}>
        <TextInput
          aria-label="Find a video"
          placeholder="Find a video"
          leftSection={<IconSearch {...ICON} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
        />
        {videos.isPending && <RowsSkeleton />}
        {videos.isError && <QueryError query={videos}>Your videos could not be loaded.</QueryError>}
        {videos.data &&
          (videos.data.length === 0 ? (
            <EmptyState drawing="nothing" text="Videos that you upload are kept here." />
          ) : (
            <Found key={search} videos={found} search={search} onPick={onPick} />
          ))}
      </div>
    </Modal>
  )
}

/** Every word somewhere in the name. */
const matches = (filename: string, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => filename.toLowerCase().includes(word))

type FoundProps = { videos: readonly Video[]; search: string; onPick: (video: Video) => void }

function Found({ videos, search, onPick }: FoundProps) {
  const zone = useZone()
  const [count, setCount] = useState(PAGE)
  if (videos.length === 0) return <p className={classes.none}>No video's name has “{search.trim()}”.</p>
  return (
    <>
      <ul className={classes.videos}>
        {videos.slice(0, count).map((video) => (
          <li key={video.video_id}>
            <button type="button" className={classes.video} onClick={() => onPick(video)}>
              <Thumbnail src={video.poster_url} seconds={video.facts.duration_s} />
              <span className={classes.what}>
                <span className={classes.name}>{video.filename}</span>
                <span className={classes.muted}>
                  {formatBytes(video.size)} · {dateOf(video.created_at, zone)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {videos.length > count && (
        <Button variant="default" onClick={() => setCount(count + PAGE)}>
          Show more
        </Button>
      )}
    </>
  )
}
