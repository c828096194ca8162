import { useRef, useState } from 'react'
import type { AccountId } from '#contract/ids.ts'
import { focusDetails, type Opened } from './place-of.ts'
import type { Place } from './checks.ts'

const NONE: ReadonlySet<Opened> = new Set()

/** Which accounts and shared options are open, whose preview is shown, and how to get to what is to be done. */
export function useShow(isNarrow: boolean) {
  const captionField = useRef<HTMLTextAreaElement>(null)
  const accountsHeading = useRef<HTMLHeadingElement>(null)
  const [open, setAllOpen] = useState(NONE)
  const [previewed, setPreviewed] = useState<AccountId | null>(null)
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
        return focusDetails(place.accountId)
      case 'options':
        setOpen(place.platform, true)
        return focusDetails(place.platform)
      case 'caption':
        return captionField.current?.focus()
      case 'accounts':
        return focusIn(accountsHeading.current?.closest('section'), 'input')
      case 'video':
        return focusIn(videoPart(), 'button, input:not([hidden])')
      case 'time':
        return focusIn(document.getElementById('compose-when'), timeField())
    }
  }
  return {
    captionField,
    accountsHeading,
    isOpen: (opened: Opened) => open.has(opened),
    setOpen,
    previewed,
    setPreviewed,
    show,
  }
}

/** The question about its video, where there is one. */
function videoPart(): HTMLElement | null {
  const block = document.getElementById('compose-video')
  return block?.querySelector<HTMLElement>('[data-question]') ?? block
}

/** The field of the time with an error, else the first. */
const timeField = (): string =>
  document.querySelector('#compose-when [aria-invalid="true"]') === null
    ? '[data-dates-input], select'
    : '[aria-invalid="true"]'

/** Focuses the first such control of a part, or the part itself where it is one. */
function focusIn(part: HTMLElement | null | undefined, selector: string): void {
  // On a phone the time is behind a button.
  if (part instanceof HTMLButtonElement) return part.click()
  const field = part?.querySelector<HTMLElement>(selector) ?? part
  field?.focus()
  field?.scrollIntoView({ block: 'center' })
}
