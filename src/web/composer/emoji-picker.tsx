import Picker from 'emoji-picker-element/picker.js'
import dataUrl from 'emoji-picker-element-data/en/emojibase/data.json?url'
import { useEffect, useEffectEvent, useRef } from 'react'
import classes from './composer.module.css'

/** All emoji by group, with a search that has the focus. */
export default function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const pick = useEffectEvent(onPick)
  useEffect(() => {
    const picker = new Picker({ dataSource: dataUrl })
    picker.addEventListener('emoji-click', ({ detail: { unicode } }) => {
      if (unicode !== undefined) pick(unicode)
    })
    place.current?.append(picker)
    picker.shadowRoot?.querySelector('input')?.focus()
    return () => picker.remove()
  }, [])
  return <div ref={place} className={classes.emojis} />
}
