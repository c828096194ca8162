/** The ids of the places for notices: above "Log out", and below the top bar where there is no sidebar. */
export const NOTICES_IN_SIDEBAR = 'notices-sidebar'
export const NOTICES_IN_TOP_BAR = 'notices-top-bar'
