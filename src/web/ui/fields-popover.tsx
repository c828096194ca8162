import { Popover, type PopoverProps } from '@mantine/core'
import { createContext, use, type ReactNode } from 'react'

const InPopover = createContext(false)

/** Whether what is rendered here stands in a popover, which would close if something outside of it were clicked. */
export const useIsInPopover = (): boolean => use(InPopover)

type Props = Pick<PopoverProps, 'position' | 'width' | 'portalProps' | 'returnFocus'> & {
  label: string
  /** The button that opens it. */
  target: ReactNode
  opened: boolean
  onChange: (opened: boolean) => void
  children: ReactNode
}

/** A popover with fields. Escape closes the list or calendar of a field first, then the popover. */
export const FieldsPopover = ({ label, target, opened, onChange, children, ...rest }: Props) => (
  <Popover
    opened={opened}
    onChange={onChange}
    closeOnEscape={false}
    shadow="md"
    trapFocus
    returnFocus
    {...rest}
  >
    <Popover.Target>{target}</Popover.Target>
    <Popover.Dropdown
      aria-label={label}
      onKeyDownCapture={({ key, currentTarget }) => {
        if (key === 'Escape' && currentTarget.querySelector(OPEN_FIELD) === null) onChange(false)
      }}
    >
      <InPopover value>{children}</InPopover>
    </Popover.Dropdown>
  </Popover>
)

const OPEN_FIELD = '[aria-haspopup][aria-expanded="true"]'
