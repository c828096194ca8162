import type { ReactNode } from 'react'
import classes from './results.module.css'

type Props = {
  /** Names the table, and the region in which it scrolls. */
  label: string
  /** What each row is about. Where that is no account, each account has a column. */
  rows: 'posts' | 'accounts' | 'ages'
  children: ReactNode
}

/** A table that may be wider than its place. The region can be focused, so that arrow keys scroll it. */
export const ScrollTable = ({ label, rows, children }: Props) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reached by keyboard
  <section className={classes.region} aria-label={label} tabIndex={0}>
    <table className={classes.table} aria-label={label} data-rows={rows}>
      {children}
    </table>
  </section>
)
