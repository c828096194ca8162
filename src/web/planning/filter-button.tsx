import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import type { CalendarFilter } from './calendar-address.ts'

type Props = ButtonProps & Pick<ComponentProps<'button'>, 'ref' | 'onClick'> & { filter: CalendarFilter }

/** Opens the filter, and says how much of it is set. Without the popover, whose code comes after the page. */
export function FilterButton({ filter, ...button }: Props) {
  const count = Object.values(filter).filter((value) => value !== undefined).length
  return (
    <Button variant={count > 0 ? 'light' : 'default'} px="xs" {...button}>
      {count > 0 ? `Filter (${count})` : 'Filter'}
    </Button>
  )
}
