import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'

/** An opened account, or a platform whose accounts share the opened options. */
export type Opened = AccountId | PlatformId

export const rowId = (accountId: AccountId): string => `account-${accountId}`
export const detailsId = (opened: Opened): string => `account-${opened}-details`

/** Marks a message that stands at no field. */
export const PROBLEM = 'data-problem'

/** Its fields are loaded when a row is opened for the first time. */
const OPENS_WITHIN_MS = 5_000

/** Focuses what is to be filled in there, once it is open: a field with an error, else the first one. */
export function focusDetails(opened: Opened, since = performance.now()): void {
  requestAnimationFrame(() => {
    const details = document.getElementById(detailsId(opened))
    if (details === null) {
      if (performance.now() - since < OPENS_WITHIN_MS) focusDetails(opened, since)
      return
    }
    const field =
      details.querySelector<HTMLElement>(`[aria-invalid="true"], [${PROBLEM}]`) ??
      details.querySelector<HTMLElement>('textarea, select, input, button')
    field?.focus()
    details.scrollIntoView({ block: 'nearest' })
  })
}
