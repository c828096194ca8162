import { useState } from 'react'
import { firstLetter } from '#contract/well-formed.ts'
import classes from './controls.module.css'

/** An account's picture, or its first letter if there is none or the platform's link has expired. */
export function Avatar({ url, name }: { url: string | null; name: string }) {
  const [broken, setBroken] = useState(false)
  return (
    <span className={classes.avatar} aria-hidden="true">
      {url === null || broken ? (
        firstLetter(name).toUpperCase()
      ) : (
        <img src={url} alt="" referrerPolicy="no-referrer" loading="lazy" onError={() => setBroken(true)} />
      )}
    </span>
  )
}
