import { memo, useRef, type CSSProperties, type ReactNode } from 'react'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { type Entry, isDone, timeOfEntry, timesOfEntry } from './calendar-entries.ts'
import { useDraggable } from './use-drag.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import type { ShownBrand } from './board.ts'
import classes from './grid.module.css'
import { isLoud, lookOf, spoken, titleOf } from './entry-look.ts'

type Props = ShownBrand & {
  entry: Entry
  onOpen: (entry: Entry) => void
  /** `line`: one line of a month's day. */
  size: 'chip' | 'line'
  /** The keys are moving it. */
  isHeld?: boolean
}

/** A post or draft in a grid. `data-stop`: what the arrow keys move between. */
export const Chip = memo(function Chip(props: Props) {
  const { entry, brandTitle, color, logo, onOpen, size, isHeld = false } = props
  const { word, tone, Icon } = lookOf(entry)
  const isMovable = entry.fixed === null
  const button = useRef<HTMLButtonElement>(null)
  useDraggable(button, isMovable ? { kind: 'entry', entry } : null)
  const note = size === 'line' ? '' : isLoud(entry) ? word : brandTitle
  const colors = {
    '--brand': color,
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
        title={[timesOfEntry(entry), titleOf(entry), word, brandTitle].filter(Boolean).join(' · ')}
        onClick={() => onOpen(entry)}
      >
        <Cover src={entry.of.poster_url} logo={size === 'chip' ? logo : null} />
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

/** The video's picture, too small for an icon in its place, with the brand's logo in its corner. */
export const Cover = ({ src, logo = null }: { src: string | null; logo?: string | null }): ReactNode => (
  <span className={classes.cover}>
    {src !== null && <img src={src} alt="" loading="lazy" decoding="async" draggable={false} />}
    {logo !== null && <img className={classes.logo} src={logo} alt="" draggable={false} />}
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
export const BrandName = ({ brandTitle, color, logo }: ShownBrand): ReactNode =>
  brandTitle !== '' && (
    <span>
      <BrandMark color={color} logo={logo} size="small" />
      <bdi>{brandTitle}</bdi>
    </span>
  )
