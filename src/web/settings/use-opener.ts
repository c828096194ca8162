import { useRef, useState, type RefObject } from 'react'

/** A form that a button toggles below it; the button gets the focus back. */
export function useOpener(): {
  opener: RefObject<HTMLButtonElement | null>
  opened: boolean
  toggle: () => void
} {
  const opener = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  const toggle = () => {
    setOpened(!opened)
    if (opened) opener.current?.focus()
  }
  return { opener, opened, toggle }
}
