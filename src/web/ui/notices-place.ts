/** The ids of the notification containers: above "Log out", or below the top bar on small screens. */
export const NOTICES_IN_SIDEBAR = 'notices-sidebar'
export const NOTICES_IN_TOP_BAR = 'notices-top-bar'
