import { useLayoutEffect, useState, type RefObject } from 'react'

/** Whether a line that scrolls sideways has room for its content; measured anew for each width and each `content`. */
export function useFits(line: RefObject<HTMLElement | null>, content: string): boolean {
  const [known, setKnown] = useState({ content, width: 0, needed: 0 })
  useLayoutEffect(() => {
    const element = line.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, scrollWidth } = element
      setKnown((before) => ({
        content,
        width,
        needed: Math.max(
          before.content === content ? before.needed : 0,
          scrollWidth > width ? scrollWidth : 0,
        ),
      }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [line, content])
  return known.content !== content || known.needed <= known.width
}
