import { useLayoutEffect, useRef, useState } from 'react'
import { clampText } from './clamp-text.ts'
import classes from './preview.module.css'

const MORE = 'more'

type Props = {
  text: string
  /** So many are shown before "more". Give the component a key for each text and number. */
  lines: number
}

/** A caption as the apps show it: its first lines, and the rest behind "more". */
export function Caption({ text, lines }: Props) {
  const measured = useRef<HTMLParagraphElement>(null)
  const [part, setPart] = useState<string | null>(null)
  const [isOpen, setOpen] = useState(false)

  useLayoutEffect(() => {
    const element = measured.current
    const [said, more] = element?.children ?? []
    if (!element || !said || !more) return
    const measure = () => {
      // Without a layout it is not a number, and every text fits.
      const maxHeight = lines * Number.parseFloat(getComputedStyle(element).lineHeight) + 1
      setPart(
        clampText(text, (beginning, isWhole) => {
          // The bold word is wider than the same letters in the text.
          said.textContent = isWhole ? beginning : `${beginning}… `
          more.textContent = isWhole ? '' : MORE
          return !(element.scrollHeight > maxHeight)
        }),
      )
      said.textContent = ''
      more.textContent = ''
    }
    measure()
    // The font may come later, and a phone may be turned.
    const observer = new ResizeObserver(measure)
    if (element.parentElement) observer.observe(element.parentElement)
    return () => observer.disconnect()
  }, [text, lines])

  if (text === '') return null
  return (
    <div className={classes.caption} data-open={isOpen || undefined}>
      <p ref={measured} className={classes.measured} dir="auto" aria-hidden="true">
        <span />
        <span className={classes.more} />
      </p>
      <p className={classes.text} dir="auto">
        {part === null || isOpen ? text : `${part}… `}
        {part !== null && (
          <>
            {isOpen && ' '}
            <button
              type="button"
              className={classes.more}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'less' : MORE}
            </button>
          </>
        )}
      </p>
    </div>
  )
}
