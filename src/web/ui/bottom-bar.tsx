import type { ReactNode } from 'react'
import classes from './controls.module.css'

/** What can be done with selected entries, at the foot of a list; on a phone in the place of the page's action. */
export const BottomBar = ({ label, children }: { label: string; children: ReactNode }) => (
  <section className={classes.bottomBar} aria-label={label}>
    {children}
  </section>
)
