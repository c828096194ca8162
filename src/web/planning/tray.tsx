import { Button, CloseButton, Group, Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { call } from '#web/api/api.ts'
import { draftsQuery } from '#web/api/queries.ts'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { usePlanFiles, VIDEOS_AND_CAPTIONS } from '#web/videos/use-plan-files.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { draftTitle } from '#web/lib/draft-title.ts'
import { messageOf } from '#web/lib/message-of.ts'
import type { Movable } from './save-calendar-move.ts'
import { useDraggable } from './use-drag.ts'
import classes from './tray.module.css'

type Props = {
  onPlan: (movable: Movable) => void
  onClose: () => void
}

/** Drafts without a time, and videos of the library. They are dragged into the calendar, or planned by a button. */
export default function Tray({ onPlan, onClose }: Props) {
  const place = useRef<HTMLElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const plan = usePlanFiles()
  // The tray opens elsewhere than its button stands.
  useEffect(() => place.current?.focus({ preventScroll: true }), [])
  return (
    <aside ref={place} id={TRAY_ID} className={classes.tray} tabIndex={-1} aria-label="Unplanned">
      <CloseButton aria-label="Close" onClick={onClose} />
      <Stack gap="0.25rem" align="flex-start" mb="1.25rem">
        <HiddenFileInput
          ref={chooser}
          label="Video files"
          accept={VIDEOS_AND_CAPTIONS}
          multiple
          onFiles={(files) => plan(files)}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconUpload {...ICON} />}
          onClick={() => chooser.current?.click()}
        >
          Plan new videos
        </Button>
        <Text c="dimmed" size="xs">
          Or drop them on a day.
        </Text>
      </Stack>
      <Drafts onPlan={onPlan} />
      <Videos onPlan={onPlan} />
    </aside>
  )
}

const TRAY_ID = 'tray'

type PartProps = Pick<Props, 'onPlan'>

function Drafts({ onPlan }: PartProps) {
  const drafts = useQuery(draftsQuery('false'))
  const open = drafts.data?.items.filter(({ planned }) => !planned)
  return (
    <TraySection title="Drafts without a time" empty="Every draft has a time." count={open?.length}>
      {drafts.isLoadingError && (
        <QueryError query={drafts}>{messageOf(drafts.error, TEXTS.unknownError)}</QueryError>
      )}
      {open?.map((draft) => (
        <Row
          key={draft.draft_id}
          id={`plan-${draft.draft_id}`}
          movable={{ kind: 'draft', draftId: draft.draft_id, title: draftTitle(draft) }}
          src={draft.video?.poster_url ?? null}
          onPlan={onPlan}
        />
      ))}
    </TraySection>
  )
}

/** The key begins like that of posts: any change of a post may use a video. */
const trayVideosQuery = (isUnused: boolean) => ({
  queryKey: ['posts', 'videos to plan', isUnused],
  queryFn: ({ pageParam }: { pageParam: string | null }) =>
    call('listVideos', {
      query: { use: isUnused ? 'unused' : undefined, sort: 'newest', cursor: pageParam ?? undefined },
    }),
  initialPageParam: null,
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor,
})

function Videos({ onPlan }: PartProps) {
  const [isUnused, setUnused] = useState(true)
  const list = useInfiniteQuery(trayVideosQuery(isUnused))
  const videos = list.data?.pages.flatMap((page): readonly Video[] => page.videos)
  return (
    <TraySection
      title="Videos"
      empty={isUnused ? 'Every video is in a post or draft.' : 'Videos that you upload are kept here.'}
      count={videos?.length}
      filter={
        <Group component="fieldset" gap="0.375rem" mb="xs" aria-label="Videos">
          <FilterChip isChosen={isUnused} onChoose={() => setUnused(true)}>
            Not used yet
          </FilterChip>
          <FilterChip isChosen={!isUnused} onChoose={() => setUnused(false)}>
            All
          </FilterChip>
        </Group>
      }
    >
      {list.isLoadingError && (
        <QueryError query={list}>{messageOf(list.error, TEXTS.unknownError)}</QueryError>
      )}
      {videos?.map((video) => (
        <Row
          key={video.video_id}
          id={`plan-${video.video_id}`}
          movable={{ kind: 'video', videoId: video.video_id, title: video.filename }}
          src={video.poster_url}
          seconds={video.facts.duration_s}
          onPlan={onPlan}
        />
      ))}
      {list.hasNextPage && (
        <li>
          <Button
            fullWidth
            size="xs"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more videos
          </Button>
        </li>
      )}
    </TraySection>
  )
}

type TraySectionProps = {
  title: string
  empty: string
  /** `undefined`: not read yet. */
  count: number | undefined
  filter?: ReactNode
  children: ReactNode
}

const TraySection = ({ title, empty, count, filter, children }: TraySectionProps) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {filter}
    {count === 0 && (
      <Text c="dimmed" size="xs">
        {empty}
      </Text>
    )}
    <ul>{children}</ul>
  </section>
)

type RowProps = {
  id: string
  movable: Extract<Movable, { readonly title: string }>
  src: string | null
  seconds?: number | null
  onPlan: (movable: Movable) => void
}

function Row({ id, movable, src, seconds = null, onPlan }: RowProps) {
  const row = useRef<HTMLLIElement>(null)
  useDraggable(row, movable)
  // A planned row disappears, and would take the focus with it.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.getElementById(TRAY_ID)?.focus()
    },
    [],
  )
  return (
    <li ref={row} className={classes.trayRow}>
      <Thumbnail src={src} seconds={seconds} size="small" />
      <Stack gap="0.25rem" align="flex-start" justify="space-between" miw={0}>
        <Text size="xs" maw="100%" truncate dir="auto">
          {movable.title}
        </Text>
        <Button
          id={id}
          size="compact-xs"
          variant="default"
          aria-label={`Plan ${movable.title} for…`}
          onClick={() => onPlan(movable)}
        >
          Plan for…
        </Button>
      </Stack>
    </li>
  )
}

type Propose = (day: string, px: number, start: number | null) => string | null
type DroppedProps = {
  zone: string
  /** A time of the day, in a week the one at `px` below the hour `start`; null: the day has passed. */
  propose: Propose
}

/** Videos that are dropped on the calendar are planned from the day, and in a week the time, on which they are dropped. */
export function DroppedVideos({ zone, propose }: DroppedProps) {
  const plan = usePlanFiles()
  const drop = useEffectEvent((event: DragEvent) => {
    const local = localAt(event, propose)
    plan([...(event.dataTransfer?.files ?? [])], local === null ? {} : { start: { local, timezone: zone } })
  })
  useEffect(() => {
    let marked: HTMLElement | null = null
    const mark = (day: HTMLElement | null) => {
      if (day === marked) return
      if (marked) marked.style.outline = ''
      if (day) Object.assign(day.style, { outline: '2px solid var(--r-accent)', outlineOffset: '-2px' })
      marked = day
    }
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      mark(dayUnder(event))
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && mark(null)
    const end = (event: DragEvent) => {
      mark(null)
      if (!hasFiles(event)) return
      event.preventDefault()
      drop(event)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', end)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', end)
    }
  }, [])
  return null
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

const dayUnder = ({ target }: DragEvent): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-day]') : null

/** The wall clock at which the first one is proposed; null: none, or the day has passed. */
function localAt(event: DragEvent, propose: Propose): string | null {
  const element = dayUnder(event)
  const day = element?.dataset['day']
  if (!element || day === undefined) return null
  const { start } = element.dataset
  const px = event.clientY - element.getBoundingClientRect().top
  return propose(day, px, start === undefined ? null : Number(start))
}
