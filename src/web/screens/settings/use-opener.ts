import { useRef, useState, type RefObject } from 'react'

/** A form that a button opens below it, and gives the focus back to. */
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
