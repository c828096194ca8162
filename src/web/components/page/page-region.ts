/** The part of the dashboard that changes from page to page. */
export const PAGE_ID = 'page'

/** Where the focus goes when the thing that had it is gone. */
export const focusPage = (): void => document.getElementById(PAGE_ID)?.focus({ preventScroll: true })
