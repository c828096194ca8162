import { Notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.css'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { closeAnnouncementsOfOtherPages } from './announce.tsx'
import classes from './page-foot.module.css'

/** The notifications, at the bottom centre above the bars that stick there. Loaded after the page. */
export default function Notices() {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    closeAnnouncementsOfOtherPages(pathname)
  }, [pathname])
  return <Notifications position="bottom-center" limit={5} className={classes.notices ?? ''} />
}
