import { useMediaQuery } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { closeAnnouncementsOfOtherPages } from './announce.tsx'
import classes from './controls.module.css'
import { NOTICES_IN_SIDEBAR, NOTICES_IN_TOP_BAR } from './page-region.ts'

/** The container of the notifications, placed so that they cover nothing. Loaded after the page. */
export default function Notices() {
  // The same breakpoint as in dashboard.module.css.
  const hasTopBar = useMediaQuery('(max-width: 56.24em)', undefined, { getInitialValueInEffect: false })
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    closeAnnouncementsOfOtherPages(pathname)
  }, [pathname])
  const place = hasTopBar ? NOTICES_IN_TOP_BAR : NOTICES_IN_SIDEBAR
  return (
    <Notifications
      key={place}
      portalProps={{ target: `#${place}` }}
      position={hasTopBar ? 'top-center' : 'bottom-left'}
      limit={3}
      classNames={{ root: classes.notices ?? '', notification: classes.notice ?? '' }}
    />
  )
}
