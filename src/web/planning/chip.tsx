import { memo, useRef, type CSSProperties, type ReactNode } from 'react'
import { brandColor } from '#web/ui/brand-color.ts'
import { ICON } from '#web/ui/icons.tsx'
import { type Entry, isDone, timeOfEntry } from './calendar-entries.ts'
import { useDraggable } from './use-drag.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import classes from './grid.module.css'
import { isLoud, lookOf, spoken, titleOf } from './entry-look.ts'

type Props = {
  entry: Entry
  brandTitle: string
  onOpen: (entry: Entry) => void
  /** `line`: one line of a month's day. */
  size: 'chip' | 'line'
  /** The keys are moving it. */
  isHeld?: boolean
}

/** A post or draft in a grid. `data-stop`: what the arrow keys move between. */
export const Chip = memo(function Chip({ entry, brandTitle, onOpen, size, isHeld = false }: Props) {
  const { word, tone, Icon } = lookOf(entry)
  const isMovable = entry.fixed === null
  const button = useRef<HTMLButtonElement>(null)
  useDraggable(button, isMovable ? { kind: 'entry', entry } : null)
  const note = size === 'line' ? '' : isLoud(entry) ? word : brandTitle
  const colors = {
    '--brand': brandColor(entry.of.brand_id),
    '--tone': `var(--r-${tone})`,
    '--soft': `var(--r-${tone}-soft)`,
  } as CSSProperties // custom properties are not in its type
  return (
    <>
      <button
        ref={button}
        type="button"
        id={entry.key}
        data-stop
        tabIndex={-1}
        className={classes.chip}
        data-size={size}
        data-tone={tone}
        style={colors}
        data-done={isDone(entry) || undefined}
        data-held={isHeld || undefined}
        aria-label={spoken(entry, brandTitle)}
        title={[titleOf(entry), word, brandTitle].filter(Boolean).join(' · ')}
        onClick={() => onOpen(entry)}
      >
        <Cover src={entry.of.poster_url} />
        <span className={classes.text}>
          <span className={classes.head}>
            <strong>{timeOfEntry(entry)} </strong>
            {size === 'chip' && <Marks of={entry} />}
            <Icon {...ICON} className={classes.status} size={15} />
          </span>
          <span className={classes.title} dir="auto" data-lines={size === 'chip' && !isLoud(entry) ? 2 : 1}>
            {titleOf(entry)}{' '}
          </span>
          {note !== '' && (
            <span className={classes.note} dir="auto" data-loud={isLoud(entry) || undefined}>
              {note}
            </span>
          )}
        </span>
      </button>
      {size === 'chip' && isMovable && <Keys isHeld={isHeld} />}
    </>
  )
})

/** Shown below a chip that the keyboard has reached. */
const Keys = ({ isHeld }: { isHeld: boolean }): ReactNode => (
  <span className={classes.keys} aria-hidden="true">
    <span>
      <kbd>Alt</kbd> + <kbd>arrows</kbd> move it
    </span>
    {isHeld ? (
      <span>
        <kbd>Enter</kbd> keep · <kbd>Esc</kbd> undo
      </span>
    ) : (
      <span>
        <kbd>Enter</kbd> open
      </span>
    )}
  </span>
)

/** The video's picture, too small for an icon in its place. */
export const Cover = ({ src }: { src: string | null }): ReactNode => (
  <span className={classes.cover}>
    {src !== null && <img src={src} alt="" loading="lazy" decoding="async" draggable={false} />}
  </span>
)

/** The platforms, with the number of accounts where there are several. */
export const Marks = ({ of: { of } }: { of: Entry }): ReactNode => (
  <span className={classes.marks} aria-hidden="true">
    {of.marks.map(({ platform, accounts }) => {
      const { Mark } = PLATFORM_BRANDING[platform]
      return (
        <span key={platform}>
          <Mark />
          {accounts > 1 && <span>{accounts}</span>}
        </span>
      )
    })}
  </span>
)

/** In its colour, as on the chips. */
export const BrandName = ({ entry: { of }, title }: { entry: Entry; title: string }): ReactNode =>
  title !== '' && (
    <span
      className={classes.brand}
      dir="auto"
      style={{ '--brand': brandColor(of.brand_id) } as CSSProperties}
    >
      {title}
    </span>
  )
