import { ActionIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconAlertTriangle } from '@tabler/icons-react'
import { createPortal } from 'react-dom'
import { ICON } from '#web/ui/icons.tsx'
import { useReopening } from '#web/ui/not-loaded.tsx'

/** The ids of the places of the bell: beside the logo, or in the top bar on small screens. */
export const BELL_IN_SIDEBAR = 'bell-sidebar'
export const BELL_IN_TOP_BAR = 'bell-top-bar'

/** The place of the bell at this width; null: the frame is gone. */
export function useBellPlace(): HTMLElement | null {
  // The same breakpoint as in dashboard.module.css.
  const hasTopBar = useMediaQuery('(max-width: 56.24em)', undefined, { getInitialValueInEffect: false })
  return document.getElementById(hasTopBar ? BELL_IN_TOP_BAR : BELL_IN_SIDEBAR)
}

/** Stands in the bell's place until its code can be loaded. */
export function BellNotLoaded({ open }: { open: () => Promise<void> }) {
  const { obstacle, isTrying, tryAgain } = useReopening(open)
  const place = useBellPlace()
  if (place === null || obstacle === null) return null
  return createPortal(
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label="Couldn't load the notifications. Try again"
      loading={isTrying}
      onClick={tryAgain}
    >
      <IconAlertTriangle {...ICON} size={20} />
    </ActionIcon>,
    place,
  )
}
