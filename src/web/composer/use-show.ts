import { useRef, useState } from 'react'
import type { AccountId } from '#contract/ids.ts'
import { detailsId, focusFieldIn, type Opened, WHEN } from './place-of.ts'
import type { Place } from './checks.ts'

const NONE: ReadonlySet<Opened> = new Set()

/** Which parts are open, whose preview is shown, and how to get to what is to be done. */
export function useShow(isNarrow: boolean) {
  const captionField = useRef<HTMLTextAreaElement>(null)
  const accountsHeading = useRef<HTMLHeadingElement>(null)
  const [open, setAllOpen] = useState(NONE)
  const [previewed, setPreviewed] = useState<AccountId | null>(null)
  const [isWhenOpen, setWhenOpen] = useState(false)
  const setOpen = (opened: Opened, isOpen: boolean) => {
    if (isOpen && typeof opened === 'number') setPreviewed(opened)
    setAllOpen((before) => {
      // A phone has room for one.
      const next = new Set(isNarrow ? NONE : before)
      if (isOpen) next.add(opened)
      else next.delete(opened)
      return next
    })
  }
  const show = (place: Place): void => {
    switch (place.at) {
      case 'account':
        setOpen(place.accountId, true)
        return focusFieldIn(detailsId(place.accountId))
      case 'options':
        setOpen(place.platform, true)
        return focusFieldIn(detailsId(place.platform))
      case 'caption':
        return captionField.current?.focus()
      case 'accounts':
        return focusIn(accountsHeading.current?.closest('section'), 'input[type="checkbox"]:not(:disabled)')
      case 'video':
        return focusIn(videoPart(), 'button, input:not([hidden])')
      case 'time':
        setWhenOpen(true)
        return focusFieldIn(WHEN)
    }
  }
  return {
    captionField,
    accountsHeading,
    isOpen: (opened: Opened) => open.has(opened),
    setOpen,
    previewed,
    setPreviewed,
    isWhenOpen,
    setWhenOpen,
    show,
  }
}

/** The question about its video, where there is one. */
function videoPart(): HTMLElement | null {
  const block = document.getElementById('compose-video')
  return block?.querySelector<HTMLElement>('[data-question]') ?? block
}

/** Focuses the first such control of a part, or the part itself where it is one. */
function focusIn(part: HTMLElement | null | undefined, selector: string): void {
  const field = part?.querySelector<HTMLElement>(selector) ?? part
  field?.focus()
  field?.scrollIntoView({ block: 'center' })
}
