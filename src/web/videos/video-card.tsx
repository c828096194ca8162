import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconCheck, IconPlayerPlayFilled, IconWand } from '@tabler/icons-react'
import { Fragment, memo, type MouseEvent, type ReactNode, useRef, type PointerEvent } from 'react'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Video } from '#contract/videos.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { formatBytes } from '#web/lib/amounts.ts'
import { dateOf } from '#web/lib/moments.ts'
import { cardId } from './card-id.ts'
import classes from './videos.module.css'
import { planLibraryFix } from './upload-video.ts'
import { usageText } from './usage-text.ts'

export type Press = { readonly shift: boolean; readonly toggle: boolean }

type Props = {
  video: Video
  index: number
  column: number
  /** It takes the focus when one tabs into the grid. */
  isActive: boolean
  /** null: nothing is selected here, a press picks. */
  isSelected: boolean | null
  onPress: (index: number, press: Press) => void
  onFocus: (index: number) => void
  renderMenu: ((video: Video, isActive: boolean) => ReactNode) | null
}

/** Tags shown below a picture; the others are counted. */
const TAGS_SHOWN = 2

/** A video: its picture, name, size, use and tags. */
export const VideoCard = memo(function VideoCard(props: Props) {
  const { video, index, column, isActive, isSelected, onPress, onFocus, renderMenu } = props
  const id = cardId(video.video_id)
  const canSelect = isSelected !== null
  const longPress = useLongPress(() => onPress(index, { shift: false, toggle: true }), canSelect)
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid has the keys of all its cards
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a table cannot be windowed and laid out as cards
      role="gridcell"
      id={id}
      data-index={index}
      aria-colindex={column + 1}
      {...(canSelect && { 'aria-selected': isSelected })}
      aria-labelledby={`${id}-picture ${id}-words`}
      tabIndex={isActive ? 0 : -1}
      className={classes.card}
      onFocus={() => onFocus(index)}
      onClick={(event) => {
        if (isOnControl(event) || longPress.wasLong()) return
        onPress(index, { shift: event.shiftKey, toggle: event.ctrlKey || event.metaKey })
      }}
    >
      <div className={classes.picture} data-selected={isSelected || undefined} {...longPress.handlers}>
        <span id={`${id}-picture`}>
          <Thumbnail src={video.poster_url} seconds={video.facts.duration_s} size="fill" />
          {planLibraryFix(video)?.remaining.length === 0 && (
            <span className={classes.fixable}>
              {' '}
              <IconWand {...ICON} size={12} /> Can be fixed
            </span>
          )}
        </span>
        <span className={classes.play}>
          <IconPlayerPlayFilled {...ICON} />
        </span>
        {canSelect && (
          <span className={classes.check} data-control>
            <input
              type="checkbox"
              className={classes.checkbox}
              aria-label={`Select ${video.filename}`}
              tabIndex={-1}
              checked={isSelected}
              onChange={({ nativeEvent }) =>
                onPress(index, {
                  shift: 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true,
                  toggle: true,
                })
              }
            />
            <span className={classes.box}>{isSelected && <IconCheck {...ICON} size={14} stroke={3} />}</span>
          </span>
        )}
        {renderMenu !== null && (
          <span className={classes.menu} data-control>
            {renderMenu(video, isActive)}
          </span>
        )}
      </div>{' '}
      <div id={`${id}-words`}>
        <Words video={video} />
      </div>
    </div>
  )
})

/** A click on the checkbox, the menu or its items, which are portalled but bubble here. */
const isOnControl = ({ target, currentTarget }: MouseEvent): boolean =>
  !(target instanceof Element) || !currentTarget.contains(target) || target.closest('[data-control]') !== null

/** The spaces keep the lines apart for who hears them. */
function Words({ video }: { video: Video }) {
  const { filename, size, tags, brand_id, created_at } = video
  const zone = useZone()
  const brand = useQuery(brandsQuery).data?.find((one) => one.brand_id === brand_id)
  const refusing = refusingPlatforms(video)
  const others = tags.length - TAGS_SHOWN
  return (
    <>
      <p className={classes.name} title={filename} dir="auto">
        {filename}
      </p>{' '}
      <Text fz="0.75rem" lh="1.125rem" c="dimmed" truncate>
        {refusing !== '' && (
          <Text span inherit fw={600} c="var(--r-attention)">
            Not for {refusing}
          </Text>
        )}
        {refusing !== '' && ' · '}
        {formatBytes(size)} · {usageText(video.used_in)}
      </Text>{' '}
      <Group component="p" gap="0.25rem" wrap="nowrap" fz="0.75rem" lh="1.125rem" c="dimmed">
        <Text span inherit flex="none">
          {dateOf(created_at, zone)}
          {brand && ' ·'}
        </Text>{' '}
        {brand && (
          <Text span inherit truncate dir="auto">
            {brand.title}
          </Text>
        )}
      </Group>{' '}
      {tags.length > 0 && (
        <p className={classes.tags} title={tags.join(', ')}>
          {tags.slice(0, TAGS_SHOWN).map((tag) => (
            <Fragment key={tag}>
              <span className={classes.tag} dir="auto">
                {tag}
              </span>{' '}
            </Fragment>
          ))}
          {others > 0 && (
            <Text span fz="0.6875rem" c="dimmed">
              +{others}
            </Text>
          )}
        </p>
      )}
    </>
  )
}

/** The platforms that do not take the video as it is. */
function refusingPlatforms({ findings }: Video): string {
  const refusing = new Set(findings.flatMap(({ level, platform }) => (level === 'error' ? [platform] : [])))
  return PLATFORM_IDS.filter((id) => refusing.has(id))
    .map((id) => PLATFORM_NAMES[id])
    .join(' and ')
}

const LONG_MS = 450
/** A finger that moves further scrolls. */
const STILL_PX = 10

/** Calls back when a finger rests on something. `wasLong` tells, once, that the click which follows is the end of that. */
function useLongPress(onLongPress: () => void, isOn: boolean) {
  const pressed = useRef<{ x: number; y: number; timer: number } | null>(null)
  const isLong = useRef(false)
  const end = () => {
    if (pressed.current !== null) clearTimeout(pressed.current.timer)
    pressed.current = null
  }
  const handlers = {
    onPointerDown: ({ pointerType, clientX: x, clientY: y, target }: PointerEvent) => {
      isLong.current = false
      if (pointerType === 'mouse' || (target instanceof Element && target.closest('[data-control]'))) return
      const timer = window.setTimeout(() => {
        isLong.current = true
        onLongPress()
      }, LONG_MS)
      pressed.current = { x, y, timer }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      const from = pressed.current
      if (from !== null && Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    // Android's own menu for pictures.
    onContextMenu: (event: MouseEvent) =>
      (pressed.current !== null || isLong.current) && event.preventDefault(),
  }
  return {
    handlers: isOn ? handlers : {},
    wasLong: () => {
      const was = isLong.current
      isLong.current = false
      return was
    },
  }
}
