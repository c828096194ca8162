import { Checkbox, type CheckboxProps } from '@mantine/core'
import { type ChangeEvent, useId } from 'react'
import classes from './controls.module.css'

type Props = Omit<CheckboxProps, 'id' | 'label' | 'className'> & {
  'aria-label': string
  className?: string | undefined
}

/** A checkbox whose name is not shown; where it is touched, its target is as large as a thumb. */
export function BareCheckbox({ className = '', ...props }: Props) {
  const id = useId()
  return (
    <label className={`${classes.checkbox} ${className}`} htmlFor={id}>
      <Checkbox {...props} id={id} />
    </label>
  )
}

/** The Shift key is known from the click event, which the keyboard sends too. */
export const isWithShift = ({ nativeEvent }: ChangeEvent): boolean =>
  nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
