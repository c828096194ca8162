import { useMediaQuery } from '@mantine/hooks'

/** The ids of the places of the bell: beside the logo, or in the top bar on small screens. */
export const BELL_IN_SIDEBAR = 'bell-sidebar'
export const BELL_IN_TOP_BAR = 'bell-top-bar'

/** The place of the bell at this width; null: the frame is gone. */
export function useBellPlace(): HTMLElement | null {
  // The same breakpoint as in dashboard.module.css.
  const hasTopBar = useMediaQuery('(max-width: 56.24em)', undefined, { getInitialValueInEffect: false })
  return document.getElementById(hasTopBar ? BELL_IN_TOP_BAR : BELL_IN_SIDEBAR)
}
