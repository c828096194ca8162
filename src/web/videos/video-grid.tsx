import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import type { VideoId } from '#contract/ids.ts'
import type { Video } from '#contract/videos.ts'
import { GAP_PX, indexAfterKey } from './grid-layout.ts'
import classes from './videos.module.css'
import { useRows } from './use-rows.ts'
import { VideoCard, type Press } from './video-card.tsx'
import { uploadPoster, wasPosterTried } from './poster.ts'

export type Selecting = {
  readonly selected: ReadonlyMap<VideoId, Video>
  readonly onToggle: (video: Video) => void
  /** Selects from where the selection began, or else from the first one, to the second. */
  readonly onExtend: (from: Video, to: Video) => void
  /** Shift was let go: the next range begins anew. */
  readonly onMove: () => void
}

type Props = {
  label: string
  videos: readonly Video[]
  /** The element that scrolls; null: the window. */
  box?: HTMLElement | null
  /** A press or Enter, while nothing is selected. */
  onOpen: (video: Video) => void
  selecting?: Selecting
  renderMenu?: (video: Video, isActive: boolean) => ReactNode
  hasMore: boolean
  onMore: () => void
}

/** Any number of videos as cards, of which only those in view are rendered. */
export function VideoGrid(props: Props) {
  const { label, videos, box = null, selecting, renderMenu, hasMore, onMore } = props
  const grid = useRef<HTMLDivElement>(null)
  const [chosen, setActive] = useState(0)
  const active = Math.max(0, Math.min(chosen, videos.length - 1))
  const { columns, heightPx, rows, seen, scrollTo } = useRows({ grid, box, cards: videos.length, active })
  const [first, last] = [(seen?.startIndex ?? 0) * columns, ((seen?.endIndex ?? 0) + 1) * columns]
  useMissingPictures(videos.slice(first, last))
  // Two rows before the end, so that scrolling seldom waits.
  const moreAfter = hasMore && last + 2 * columns >= videos.length ? videos.length : null
  useEffect(() => {
    if (moreAfter !== null) onMore()
  }, [moreAfter, onMore])

  const wantsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus({ preventScroll: true })
  }, [active])
  const press = usePress(props, active)
  const onKeyDown = useKeys(props, { active, columns, press }, (next) => {
    wantsFocus.current = true
    setActive(next)
    scrollTo(next)
  })
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : Math.ceil(videos.length / columns)}
      aria-colcount={columns}
      {...(selecting && { 'aria-multiselectable': true })}
      tabIndex={-1}
      className={classes.grid}
      style={{ height: heightPx }}
      onKeyDown={onKeyDown}
    >
      {rows.map(({ index: row, topPx }) => (
        <div
          key={row}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a table cannot be windowed and laid out as cards
          role="row"
          aria-rowindex={row + 1}
          className={classes.row}
          style={{
            gap: GAP_PX,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${topPx}px)`,
          }}
        >
          {videos.slice(row * columns, (row + 1) * columns).map((video, column) => (
            <VideoCard
              key={video.video_id}
              video={video}
              index={row * columns + column}
              column={column}
              isActive={row * columns + column === active}
              isSelected={selecting ? selecting.selected.has(video.video_id) : null}
              onPress={press}
              onFocus={setActive}
              renderMenu={renderMenu ?? null}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

type OnPress = (index: number, press: Press) => void
type Place = { readonly active: number; readonly columns: number; readonly press: OnPress }

/** The keys of the focused card. */
function useKeys(
  { videos, selecting }: Props,
  { active, columns, press }: Place,
  onMove: (next: number) => void,
) {
  return (event: KeyboardEvent): void => {
    // The keys of a card's own buttons are theirs.
    if (event.altKey || !isCard(event.target)) return
    const video = videos[active]
    if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      press(active, { shift: false, toggle: event.key === ' ' })
    }
    const next = indexAfterKey(active, event, { columns, count: videos.length })
    if (next === null) return
    event.preventDefault()
    const to = videos[next]
    if (event.shiftKey && video && to) selecting?.onExtend(video, to)
    else selecting?.onMove()
    if (next !== active) onMove(next)
  }
}

const isCard = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.getAttribute('role') === 'gridcell'

/** The function is stable, so that cards do not render again. */
function usePress(props: Props, active: number): OnPress {
  const latest = useRef({ props, active })
  useLayoutEffect(() => {
    latest.current = { props, active }
  })
  return useCallback((index, { shift, toggle }) => {
    const { videos, onOpen, selecting } = latest.current.props
    const [video, from] = [videos[index], videos[latest.current.active]]
    if (!video) return
    if (!selecting) return onOpen(video)
    if (shift) selecting.onExtend(from ?? video, video)
    else if (toggle || selecting.selected.size > 0) selecting.onToggle(video)
    else onOpen(video)
  }, [])
}

/** Cards that are only scrolled past ask for nothing. */
const SETTLED_MS = 500

/** One after the other for the whole page: phones have few decoders. */
let last: Promise<void> = Promise.resolve()

/** Makes the pictures of videos that came without one, such as those uploaded by API, while they are in view. */
function useMissingPictures(seen: readonly Video[]): void {
  const missing = seen.filter((video) => video.poster_url === null).map(({ video_id }) => video_id)
  const wanted = useRef<readonly VideoId[]>([])
  const key = missing.join()
  useEffect(() => {
    wanted.current = key === '' ? [] : key.split(',').map((id) => Number(id) as VideoId) // joined above
    if (key === '') return
    const timer = setTimeout(() => {
      last = last.then(() => makePictures(() => wanted.current))
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [key])
  useEffect(
    () => () => {
      wanted.current = []
    },
    [],
  )
}

async function makePictures(wanted: () => readonly VideoId[]): Promise<void> {
  const next = () => wanted().find((videoId) => !wasPosterTried(videoId))
  for (let videoId = next(); videoId !== undefined; videoId = next())
    await uploadPoster(videoId, { videoId }, { keepExisting: true })
}
