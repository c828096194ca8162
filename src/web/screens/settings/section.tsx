import type { ReactNode } from 'react'
import { Card } from '#web/components/display/card.tsx'
import classes from './settings.module.css'

type Props = {
  title: string
  about: string
  /** Rows with lines between them, instead of fields. */
  rows?: boolean
  children: ReactNode
}

/** One section of the settings: its title beside its controls. */
export function Section({ title, about, rows = false, children }: Props) {
  return (
    <section className={classes.section} aria-label={title}>
      <div>
        <h2 className={classes.title}>{title}</h2>
        <p className={classes.about}>{about}</p>
      </div>
      <Card flush={rows} className={rows ? classes.rows : classes.fields}>
        {children}
      </Card>
    </section>
  )
}

type RowProps = {
  title: string
  children?: ReactNode
  /** Buttons at the end of its line. */
  actions?: ReactNode
  /** The opened form or message. */
  below?: ReactNode
}

export function Row({ title, children, actions, below }: RowProps) {
  return (
    <div className={classes.row}>
      <div className={classes.line}>
        <div className={classes.what}>
          <h3 className={classes.name}>{title}</h3>
          {children}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </div>
      {below}
    </div>
  )
}
