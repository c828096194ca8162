import { IconMovie } from '@tabler/icons-react'
import { useState } from 'react'
import { formatPlayTime } from '#web/lib/amounts.ts'
import { ICON } from './icons.tsx'
import classes from './controls.module.css'

type Props = {
  /** The picture's address; null: an icon is shown. */
  src: string | null
  /** The video's length, shown in the corner; null: unknown or shown elsewhere. */
  seconds?: number | null
  /** Needed only if no title is next to it. */
  alt?: string
  /** `small`: in a field or a dense list. `large`: the one video that a page is about. `fill`: as wide as its place. */
  size?: 'fill' | 'large' | 'medium' | 'small'
}

/** A video's upright picture, with its length in the corner. */
export function Thumbnail({ src, seconds = null, alt = '', size = 'medium' }: Props) {
  const [broken, setBroken] = useState<string | null>(null)
  const shown = src === broken ? null : src
  return (
    <span className={classes.thumbnail} data-size={size}>
      {shown === null ? (
        <IconMovie {...ICON} size={20} />
      ) : (
        <img
          src={shown}
          alt={alt}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setBroken(shown)}
        />
      )}
      {seconds !== null && seconds > 0 && <span className={classes.length}>{formatPlayTime(seconds)}</span>}
    </span>
  )
}
