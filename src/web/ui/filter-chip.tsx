import type { ReactNode } from 'react'
import classes from './controls.module.css'

type Props = {
  isChosen: boolean
  onChoose: () => void
  /** For screen readers, where it shows an abbreviation. */
  label?: string
  children: ReactNode
}

/** One of several filters of a list, as a toggle button. */
export const FilterChip = ({ isChosen, onChoose, label, children }: Props) => (
  <button
    type="button"
    className={classes.chip}
    aria-label={label}
    aria-pressed={isChosen}
    onClick={onChoose}
  >
    {children}
  </button>
)
