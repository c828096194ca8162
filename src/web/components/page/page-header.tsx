import type { ReactNode } from 'react'
import classes from './page-header.module.css'
import { usePageTitle } from './page-title.ts'

type Props = {
  title: string
  /** The page's one primary action; on a phone it sticks to the bottom. */
  action?: ReactNode
  /** Beside the action: a secondary button or a short note. */
  aside?: ReactNode
}

/** The header of every dashboard page. It also sets the document title. */
export function PageHeader({ title, action, aside }: Props) {
  usePageTitle(title)
  return (
    <header className={classes.header}>
      <h1 className={classes.title}>{title}</h1>
      <div className={classes.side}>
        {aside}
        {action !== undefined && <div className={classes.action}>{action}</div>}
      </div>
    </header>
  )
}
