/** The ids of the places of the bell: beside the logo, or in the top bar on small screens. */
export const BELL_IN_SIDEBAR = 'bell-sidebar'
export const BELL_IN_TOP_BAR = 'bell-top-bar'
