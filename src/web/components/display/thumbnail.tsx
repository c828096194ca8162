import { IconMovie } from '@tabler/icons-react'
import { useState } from 'react'
import { playTime } from '#web/lib/format/amounts.ts'
import { ICON } from './icons.tsx'
import classes from './thumbnail.module.css'

type Props = {
  /** The picture's address; null: there is none, and a quiet tile stands in its place. */
  src: string | null
  /** The video's length, shown in the corner; null: it is said elsewhere, or not known. */
  seconds?: number | null
  /** What it shows, only where no title stands beside it. */
  alt?: string
  /** `small`: in a field or a dense list. */
  size?: 'medium' | 'small'
}

/** A picture of a video, upright as a phone shows it, with its length in the corner. */
export function Thumbnail({ src, seconds = null, alt = '', size = 'medium' }: Props) {
  const [broken, setBroken] = useState<string | null>(null)
  const shown = src === broken ? null : src
  return (
    <span className={classes.thumbnail} data-size={size}>
      {shown === null ? (
        <IconMovie {...ICON} size={20} />
      ) : (
        <img
          className={classes.picture}
          src={shown}
          alt={alt}
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setBroken(shown)}
        />
      )}
      {seconds !== null && seconds > 0 && <span className={classes.length}>{playTime(seconds)}</span>}
    </span>
  )
}
