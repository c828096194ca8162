import type { AccountId } from '#contract/ids.ts'

export const rowId = (accountId: AccountId): string => `account-${accountId}`
export const detailsId = (accountId: AccountId): string => `account-${accountId}-details`

/** Marks a message that stands at no field. */
export const PROBLEM = 'data-problem'

/** Its fields are loaded when a row is opened for the first time. */
const OPENS_WITHIN_MS = 5_000

/** Focuses what is to be filled in at an account, once its row is open: a field with an error, else its first one. */
export function focusAccount(accountId: AccountId, since = performance.now()): void {
  requestAnimationFrame(() => {
    const details = document.getElementById(detailsId(accountId))
    if (details === null) {
      if (performance.now() - since < OPENS_WITHIN_MS) focusAccount(accountId, since)
      return
    }
    const field =
      details.querySelector<HTMLElement>(`[aria-invalid="true"], [${PROBLEM}]`) ??
      details.querySelector<HTMLElement>('textarea, select, input, button')
    field?.focus()
    details.scrollIntoView({ block: 'nearest' })
  })
}
