import { useState } from 'react'
import classes from './avatar.module.css'

/** A picture of an account; its first letter where there is none, or where the platform's link has run out. */
export function Avatar({ url, name }: { url: string | null; name: string }) {
  const [broken, setBroken] = useState(false)
  return (
    <span className={classes.avatar} aria-hidden="true">
      {url === null || broken ? (
        name.slice(0, 1).toUpperCase()
      ) : (
        <img src={url} alt="" referrerPolicy="no-referrer" loading="lazy" onError={() => setBroken(true)} />
      )}
    </span>
  )
}
