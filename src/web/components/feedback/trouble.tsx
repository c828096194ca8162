import type { ReactNode } from 'react'
import classes from './trouble.module.css'

type Props = {
  /** What happened, in bold; the rest says what is certain, what we do, what the user can do. */
  title?: string
  children?: ReactNode
  tone?: 'failed' | 'attention' | 'held' | 'note'
  /** Buttons beside the text. */
  actions?: ReactNode
  /** Read out at once. Off for what was already there when the page came. */
  live?: boolean
}

/** Trouble said in place, under the thing that has it. */
export function Trouble({ title, children, tone = 'failed', actions, live = true }: Props) {
  return (
    <div className={classes.trouble} data-tone={tone} {...(live && { role: 'alert' })}>
      <div className={classes.text}>
        {title !== undefined && <strong>{title}</strong>} {children}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}
