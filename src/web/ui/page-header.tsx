import type { ReactNode } from 'react'
import classes from './ui.module.css'
import { usePageTitle } from './page-title.ts'

type Props = {
  title: string
  /** A few words beside the title, such as a count. */
  note?: ReactNode
  /** The page's one primary action; on a phone it sticks to the bottom. */
  action?: ReactNode
  /** Beside the action: a secondary button or a short note. */
  aside?: ReactNode
}

/** The header of every dashboard page. It also sets the document title. */
export function PageHeader({ title, note, action, aside }: Props) {
  usePageTitle(title)
  return (
    <header className={classes.header}>
      <div className={classes.named}>
        <h1>{title}</h1>
        {note !== undefined && <p>{note}</p>}
      </div>
      <div className={classes.side}>
        {aside}
        {action !== undefined && <div className={classes.action}>{action}</div>}
      </div>
    </header>
  )
}
