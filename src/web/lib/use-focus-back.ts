import { useEffect, useRef } from 'react'

/** Browsers drop the focus of what is disabled or removed. @returns notes what has it, for when nothing is busy any more */
export function useFocusBack(isBusy: boolean): () => void {
  const before = useRef<Element | null>(null)
  useEffect(() => {
    if (isBusy) return
    const noted = before.current
    before.current = null
    if (document.activeElement === document.body && noted instanceof HTMLElement) noted.focus()
  }, [isBusy])
  return () => void (before.current = document.activeElement)
}
