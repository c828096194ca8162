import type { ReactNode } from 'react'
import classes from './controls.module.css'

type Props = { isChosen: boolean; onChoose: () => void; children: ReactNode }

/** One of several filters of a list, as a toggle button. */
export const FilterChip = ({ isChosen, onChoose, children }: Props) => (
  <button type="button" className={classes.chip} aria-pressed={isChosen} onClick={onChoose}>
    {children}
  </button>
)
