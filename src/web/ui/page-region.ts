/** The id of the dashboard's main region. */
export const PAGE_ID = 'page'

/** Moves the focus to the page after the focused element was removed. */
export const focusPage = (): void => document.getElementById(PAGE_ID)?.focus({ preventScroll: true })

/** The ids of the notification containers: above "Log out", or below the top bar on small screens. */
export const NOTICES_IN_SIDEBAR = 'notices-sidebar'
export const NOTICES_IN_TOP_BAR = 'notices-top-bar'
