/** The id of the dashboard's main region. */
export const PAGE_ID = 'page'

/** Moves the focus to the page after the focused element was removed. */
export const focusPage = (): void => document.getElementById(PAGE_ID)?.focus({ preventScroll: true })
