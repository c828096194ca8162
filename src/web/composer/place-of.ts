import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'

/** An opened account, or a platform whose accounts share the opened options. */
export type Opened = AccountId | PlatformId

export const rowId = (accountId: AccountId): string => `account-${accountId}`
export const detailsId = (opened: Opened): string => `account-${opened}-details`

/** Marks a message that stands at no field. */
export const PROBLEM = 'data-problem'

/** The id of the choice of when it goes out. */
export const WHEN = 'compose-when'

/** Its fields are loaded when a row is opened for the first time. */
const OPENS_WITHIN_MS = 5_000

/** Focuses what is to be filled in in this part, once it is open: a field with an error, else the first one. */
export function focusFieldIn(id: string, since = performance.now()): void {
  requestAnimationFrame(() => {
    const part = document.getElementById(id)
    if (part === null) {
      if (performance.now() - since < OPENS_WITHIN_MS) focusFieldIn(id, since)
      return
    }
    const field =
      part.querySelector<HTMLElement>(`[aria-invalid="true"], [${PROBLEM}]`) ??
      part.querySelector<HTMLElement>('textarea, select, input, button')
    field?.focus()
    part.scrollIntoView({ block: 'nearest' })
  })
}
