import { useState } from 'react'
import { firstLetter } from '#contract/well-formed.ts'
import classes from './controls.module.css'

/** Addresses of pictures that did not load. Platforms' links expire, and every row would ask for the picture again. */
const broken = new Set<string>()

/** An account's picture, or its first letter if there is none. */
export function Avatar({ url, name }: { url: string | null; name: string }) {
  const [, setBroken] = useState('')
  return (
    <span className={classes.avatar} aria-hidden="true">
      {url === null || broken.has(url) ? (
        firstLetter(name).toUpperCase()
      ) : (
        <img
          src={url}
          alt=""
          referrerPolicy="no-referrer"
          loading="lazy"
          decoding="async"
          onError={() => {
            broken.add(url)
            setBroken(url)
          }}
        />
      )}
    </span>
  )
}
