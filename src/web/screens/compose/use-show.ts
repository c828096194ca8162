import { useRef, useState } from 'react'
import type { AccountId } from '#contract/ids.ts'
import { focusAccount } from './accounts/place-of.ts'
import type { Place } from './readiness/checks.ts'

const NONE: ReadonlySet<AccountId> = new Set()

/** Which rows are open, whose preview is shown, and how to get to what is to be done. */
export function useShow(isNarrow: boolean) {
  const captionField = useRef<HTMLTextAreaElement>(null)
  const accountsHeading = useRef<HTMLHeadingElement>(null)
  const [open, setAllOpen] = useState(NONE)
  const [previewed, setPreviewed] = useState<AccountId | null>(null)
  const setOpen = (accountId: AccountId, isOpen: boolean) => {
    if (isOpen) setPreviewed(accountId)
    setAllOpen((before) => {
      // A phone has room for one.
      const next = new Set(isNarrow ? NONE : before)
      if (isOpen) next.add(accountId)
      else next.delete(accountId)
      return next
    })
  }
  const show = (place: Place): void => {
    switch (place.at) {
      case 'account':
        setOpen(place.accountId, true)
        return focusAccount(place.accountId)
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
    isOpen: (accountId: AccountId) => open.has(accountId),
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

/** What is wrong with the time, else its first field. */
const timeField = (): string =>
  document.querySelector('#compose-when [aria-invalid="true"]') === null
    ? 'input[type="date"], select'
    : '[aria-invalid="true"]'

/** Focuses the first such control of a part, or the part itself where it is one. */
function focusIn(part: HTMLElement | null | undefined, selector: string): void {
  // On a phone the time is behind a button.
  if (part instanceof HTMLButtonElement) return part.click()
  const field = part?.querySelector<HTMLElement>(selector) ?? part
  field?.focus()
  field?.scrollIntoView({ block: 'center' })
}
