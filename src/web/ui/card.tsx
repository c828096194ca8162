import type { ComponentPropsWithoutRef } from 'react'
import classes from './ui.module.css'

/** A surface with a line around it. `flush`: its rows reach the edges, with lines between those of a list. */
export function Card({ flush = false, ...rest }: ComponentPropsWithoutRef<'div'> & { flush?: boolean }) {
  return (
    <div {...rest} className={[classes.card, rest.className].join(' ')} data-flush={flush || undefined} />
  )
}
